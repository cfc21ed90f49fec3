"""Findings: what the rules say about an entry, as a code and parameters. Sentences live in the catalogues."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

Severity = Literal["refused", "fault", "note"]


class Finding(NamedTuple):
    """One thing found: `entries` are 1-based places among the entries in force that prove it."""

    severity: Severity
    code: str
    rule: str | None
    entries: tuple[int, ...] = ()
    params: Mapping[str, Any] = {}

    def json(self) -> dict[str, Any]:
        """Returns the finding as RECORD.md writes it."""
        return {
            "severity": self.severity,
            "code": self.code,
            "rule": self.rule,
            "entries": list(self.entries),
            "params": dict(self.params),
        }


Findings = tuple[Finding, ...]


def refused(code: str, rule: str | None, **params: Any) -> Findings:
    """Returns the one finding of an entry that cannot be, ready to be returned by `check`."""
    return (Finding("refused", code, rule, (), params),)


class RecordError(ValueError):
    """Something cannot be read as a record, entry, setup or position: `place` is where, `code` says what."""

    def __init__(self, code: str, place: str = "", **params: Any) -> None:
        super().__init__(code, place, params)
        self.code = code
        self.place = place
        self.params = params

    def __str__(self) -> str:
        facts = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{self.place or 'record'}: {self.code}" + (f" ({facts})" if facts else "")

    def inside(self, place: str) -> "RecordError":
        """Returns the same error seen from one level further out."""
        joint = "" if not self.place or self.place.startswith("[") else "."
        return RecordError(self.code, place + joint + self.place, **self.params)


class Refused(Exception):
    """Raised by the service when an entry is refused: carries every finding."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(", ".join(finding.code for finding in findings))
        self.findings = tuple(findings)
