"""Tells entries and findings in words, for messages about them."""

from collections.abc import Iterable, Mapping
from typing import Any

from flask import g

from companion.engine.findings import Finding, RecordError
from companion.i18n.wording import Wording


def tell_entry(wording: Wording, slug: str, raw: Mapping[str, Any]) -> str:
    """Says what an entry says. It need not be a good one: what is wrong with it is said elsewhere."""
    kind = str(raw.get("type", ""))
    if kind == "revise":
        inner = raw.get("entries") or []
        undone = "entry.undone" if raw.get("drop") else "entry.let-stand"
        return wording.fill(undone if not inner else "entry.revised", {})
    shape = [kind]
    params: dict[str, Any] = {}
    for name, value in raw.items():
        if name in ("seat", "card", "cards", "power") and value is not None:
            params[name] = value
    shape += [str(raw["power"])] if raw.get("power") else []
    shape += [name for name in ("feint", "dive") if raw.get(name)]
    if raw.get("card"):
        shape.append("card")
    for end in range(len(shape), 0, -1):
        for key in (f"entry.{slug}.{'-'.join(shape[:end])}", f"entry.{'-'.join(shape[:end])}"):
            if key in wording.words:
                try:
                    return wording.fill(key, params)
                except (KeyError, IndexError, TypeError):
                    return wording.fill("entry.other", {})
    return wording.fill("entry.other", {})


def tell_entries(wording: Wording, slug: str, raws: Iterable[Mapping[str, Any]]) -> str:
    """Says several entries, the newest last."""
    return wording.join([tell_entry(wording, slug, raw) for raw in raws] or [wording.fill("entry.other", {})])


def said_error(error: RecordError) -> str:
    """Says why something could not be read."""
    params = {
        name: value if isinstance(value, (str, int)) else ", ".join(map(str, value))
        for name, value in error.params.items()
    }
    return str(g.words(f"unreadable.{error.code}", **params))


def finding_rows(wording: Wording, slug: str, findings: Iterable[Finding]) -> list[tuple[str, str, str | None]]:
    """Returns label, sentence and rule of each finding."""
    why = wording.words("sheet.why")
    return [(why, wording.finding(finding.code, finding.params, slug), finding.rule) for finding in findings]
