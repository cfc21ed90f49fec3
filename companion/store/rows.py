"""What the store hands out and raises. Times are seconds since 1970 UTC, as floats; the store reads no clock."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Json = Mapping[str, Any]
Role = Literal["play", "watch", "out"]
# With what other processes have not written yet and what is kept in mind, a phone that is gone is gone within 30 s.
GONE_AFTER = 20.0


class Head(NamedTuple):
    """What a poll compares: `version` counts the log's entries, `edition` every other change that phones must see."""

    version: int
    edition: int


class Appended(NamedTuple):
    """The answer to an append: `version` is the one the entry got, or for a conflict the log's current one."""

    status: Literal["ok", "dup", "conflict"]
    version: int


@dataclass(frozen=True, slots=True)
class TableRow:
    """One table. `id` is its play address, `watch` the address for those who may only look on."""

    id: str
    watch: str
    game: str
    players: tuple[str, ...]
    setup: Json
    settings: Json
    version: int
    edition: int
    created_at: float
    active_at: float
    binned_at: float | None


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry to be stored; `body` is the record's entry without its envelope (`id`, `at`, `by`), which stand here."""

    body: Json
    key: str | None = None
    at: float | None = None
    by: int | None = None


class Entry(NamedTuple):
    """A stored entry: `seq` is its 1-based place in the log, `key` its client-made key, `by` the seat behind it."""

    seq: int
    key: str
    body: Json
    at: float | None
    by: int | None


@dataclass(frozen=True, slots=True)
class Device:
    """A phone at a table; `out` is one that was put out, and `seen_at` may be late by some seconds."""

    device: str
    table_id: str
    role: Role
    seat: int | None
    seen_at: float

    def awake(self, at: float) -> bool:
        """Tells whether the phone was heard of lately."""
        return self.seen_at > at - GONE_AFTER


@dataclass(frozen=True, slots=True)
class Imported:
    """An imported record's table: `new` if it was made now, `added` how many entries it gained."""

    table: TableRow
    new: bool
    added: int


class StoreError(Exception):
    """The store cannot do what was asked: `code` says what, as a catalogue key, `params` the facts."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code, params)
        self.code = code
        self.params = params

    def __str__(self) -> str:
        facts = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return self.code + (f" ({facts})" if facts else "")


class NoTable(StoreError, LookupError):
    """No table has this address."""

    def __init__(self) -> None:
        # The address opens the table, so it stays out of logs.
        super().__init__("store.no-table")


class Binned(StoreError):
    """The table lies in the bin and takes no entry until it is restored."""

    def __init__(self) -> None:
        super().__init__("store.table-binned")


class KeyReused(StoreError):
    """The key already belongs to another entry of this table, the one at `version`."""

    def __init__(self, version: int) -> None:
        super().__init__("store.key-reused", version=version)


class Expired(StoreError):
    """The table was not touched for as long as this installation keeps tables."""

    def __init__(self) -> None:
        super().__init__("store.table-expired")
