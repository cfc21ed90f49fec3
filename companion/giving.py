"""A table that the server lost, or lost the end of, given back from what a phone still holds of it."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.engine.findings import RecordError
from companion.engine.fold import fold
from companion.engine.record import Record
from companion.store import Entry, NewEntry, NoTable
from companion.table import Table, Tables, entries_of


class Given(NamedTuple):
    """What became of a record given back: `made`, `grown`, `same`, or `apart`; the table as it stands now.

    `common` counts the entries in which both agree from the start.
    """

    status: str
    table: Table
    common: int


def give_back(tables: Tables, table_id: str, record: Record, device: str | None = None) -> Given:
    """Gives a lost table back under its old address, or a table that lost its last entries those entries.

    Where both went different ways nothing is changed (`apart`). Raises Refused, RecordError, Binned, NoTable
    at an address that the table has left, and ValueError on an address that could be guessed.
    """
    fold(record)
    entries = entries_of(record)
    for place, new in enumerate(entries):
        if new.key is None:
            raise RecordError("key-missing", f"entries[{place}].id", key="id")
    status = "same"
    try:
        tables.store.table(table_id)
    except NoTable:
        if tables.store.moved(table_id) is not None:
            # Who was put out of the table knows its old address, and nobody else may come to it there.
            raise
        status = "made"
        what = (record.game.slug, record.players, record.raw_setup, tables.clock())
        tables.store.create(*what, entries=entries, id=table_id, device=device)
    while True:
        table = tables.open(table_id)
        common = _common(table, record, entries, tables.store.entries(table_id))
        if common == len(entries):
            return Given(status, table, common)
        if common < table.version:
            return Given("apart", table, max(common, 0))
        # Another phone may give the same back at this moment: then the look is taken again.
        if tables.store.merge(table_id, common, entries[common:], tables.clock()).status == "ok":
            status = "grown"


def _common(table: Table, record: Record, entries: Sequence[NewEntry], log: Sequence[Entry]) -> int:
    """Counts the entries with which both begin, key and content; -1 where they are different games."""
    if (record.game, record.setup, len(record.players)) != (table.game, table.fold.setup, table.fold.players):
        return -1
    same = ((new.key, new.body) == (old.key, old.body) for new, old in zip(entries, log, strict=False))
    return next((place for place, one in enumerate(same) if not one), min(len(entries), len(log)))
