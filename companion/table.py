"""The table service: opens tables, records what was laid, corrects the past. The one place where rules meet store."""

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from companion.engine.findings import Finding, RecordError, Refused, refused
from companion.engine.fold import Fold, Item, extend, fold, start
from companion.engine.game import Adjusted, Game
from companion.engine.record import (
    FORMAT,
    MOST_BYTES,
    MOST_ENTRIES,
    NAME_LENGTH,
    VERSION,
    Line,
    Record,
    Revised,
    read_line,
    read_names,
    read_setup,
    written,
)
from companion.engine.registry import find
from companion.lots import drawn
from companion.store import Entry, Expired, Imported, KeyReused, NewEntry, StoreError, TableRow

if TYPE_CHECKING:
    from companion.store.store import Store

CACHED = 512
SWEEP_EVERY = 3600.0


@dataclass(frozen=True, slots=True)
class Table:
    """One table as it stands: its row, its fold, the fold's history, and how many bytes its entries are in a record.

    `ruled` is the first entry in force by which the table itself set the state, None where there is none. `newest` is
    the end of the log, as the record writes it: what a phone lacks that saw all but the last entry.
    """

    row: TableRow
    fold: Fold
    items: tuple[Item, ...]
    size: int = 0
    ruled: int | None = None
    newest: tuple[dict[str, Any], ...] = ()

    @property
    def game(self) -> Game:
        return self.fold.game

    @property
    def version(self) -> int:
        return self.fold.version

    @property
    def state(self) -> Any:
        return self.fold.state


class Answer(NamedTuple):
    """What became of an entry: `ok`, `dup` (stored before), `claimed` or `conflict`; the table as it stands now.

    `since` are the entries that the phone had not seen, for a conflict.
    """

    status: str
    table: Table
    since: tuple[Entry, ...] = ()


class Preview(NamedTuple):
    """What a correction would do: the table after it, or the findings that refuse it."""

    revised: Revised
    after: Table | None
    findings: tuple[Finding, ...] = ()


class Tables:
    """Every table of one store. Folds are kept, so that an entry costs the same at any length of game."""

    def __init__(self, store: "Store", clock: Callable[[], float] = time.time, keep: float = 0.0) -> None:
        """`keep`: tables without an entry for so many seconds expire; 0: never."""
        self.store = store
        self.clock = clock
        self.keep = keep
        self._swept = float("-inf")
        self._kept: OrderedDict[str, Table] = OrderedDict()
        self._watched: dict[str, str] = {}
        self._lock = Lock()

    def open(self, table_id: str) -> Table:
        """Returns a table as it stands. Raises NoTable, Expired."""
        head = self.store.head(table_id)
        table = self._kept.get(table_id)
        if table is None or table.version != head.version or table.row.edition != head.edition:
            table = self._refresh(table_id, table)
        if self.keep and self.left(table) <= 0:
            raise Expired
        return table

    def watch(self, code: str) -> Table:
        """Returns a table by its watching address. Raises NoTable, Expired."""
        return self.open(self.watched(code))

    def left(self, table: Table) -> float:
        """Returns for how many seconds more a table is kept, where tables expire."""
        return table.row.active_at + self.keep - self.clock()

    def sweep(self) -> None:
        """Clears away what has had its time: once an hour for all processes together, and never much at once."""
        now = self.clock()
        if now - self._swept < SWEEP_EVERY:
            return
        self._swept = now
        with suppress(StoreError):
            if self.store.spend("sweep", 1, SWEEP_EVERY, now):
                if self.keep:
                    self.store.expire(now - self.keep, now)
                self.store.purge(now)

    def watched(self, code: str) -> str:
        """Returns which table a watching address belongs to. Raises NoTable."""
        table_id = self._watched.get(code)
        if table_id is None:
            table_id = self.store.table_by_watch(code).id
            if len(self._watched) >= CACHED:
                self._watched.clear()
            self._watched[code] = table_id
        return table_id

    def start(
        self,
        slug: str,
        players: Sequence[str],
        raw_setup: Mapping[str, Any],
        *,
        key: str | None = None,
        device: str | None = None,
    ) -> Table:
        """Makes a table; what may be drawn and is left out of the setup is drawn by lot. Raises RecordError."""
        game = find(slug)
        names = read_names(list(players), game)
        setup = drawn(game, raw_setup, len(names))
        read_setup(setup, game, len(names))
        row = self.store.create(slug, names, setup, self.clock(), key=key, device=device)
        self.sweep()
        return self.open(row.id)

    def rematch(self, table: Table, *, key: str | None = None, device: str | None = None) -> Table:
        """Makes the table of the next game between the same players. Raises RecordError."""
        names = table.row.players
        setup = table.game.rematch(table.fold.setup, len(names))
        return self.start(table.game.slug, names, setup, key=key, device=device)

    def record(self, table_id: str, expected: int, key: str, raw: Any, by: int | None = None) -> Answer:
        """Adds one entry behind version `expected`. Raises RecordError, Refused, NoTable, Binned, KeyReused."""
        table = self._at(table_id, expected)
        line = read_line(raw, table.game, table.fold.players)
        return self._append(table, expected, key, line.entry, by)

    def claim(self, table_id: str, expected: int, key: str, raw: Any, phone: str, by: int | None = None) -> Answer:
        """Notes what one phone says was laid; once two say it, and nobody says otherwise, it is entered.

        Raises as `record` does.
        """
        table = self._at(table_id, expected)
        entry = read_line(raw, table.game, table.fold.players).entry
        if table.version == expected:
            table.fold.add(Line(entry))
            said = self.store.claim(table_id, expected, phone, entry.json(), self.clock())
            if said and (len(said) == 1 or any(body != entry.json() for body in said.values())):
                return Answer("claimed", self.open(table_id))
        answer = self._append(table, expected, key, entry, by)
        if answer.status == "conflict" and answer.since and answer.since[0].body == entry.json():
            # The other phone was as quick, or this one's first answer was lost: both said the same.
            return Answer("dup", answer.table)
        return answer

    def unclaim(self, table_id: str, expected: int, phone: str) -> Table:
        """Forgets what a phone said. Raises NoTable, Binned."""
        self.store.claim(table_id, expected, phone, None, self.clock())
        return self.open(table_id)

    def undo(self, table_id: str, expected: int, key: str, by: int | None = None) -> Answer:
        """Takes back the last change, corrections included. Raises as `record` does; RecordError: nothing to undo."""
        return self._revise(table_id, expected, key, Fold.undo, by)

    def redo(self, table_id: str, expected: int, key: str, by: int | None = None) -> Answer:
        """Does again what was taken back last."""
        return self._revise(table_id, expected, key, Fold.redo, by)

    def preview(self, table: Table, revised: Revised) -> Preview:
        """Tells what a correction would change, without storing it."""
        try:
            fold = table.fold.add(Line(revised))
        except Refused as refused:
            return Preview(revised, None, refused.findings)
        return Preview(revised, _grown(table, fold))

    def mended(self, table: Table, revised: Revised) -> Preview:
        """Tells what a correction would change that also takes out every later entry it makes impossible."""
        kept = (*revised.entries, *table.fold.lines[revised.at + revised.drop :])
        while True:
            whole = Revised(revised.at, len(table.fold.lines) - revised.at, kept)
            preview = self.preview(table, whole)
            broken = {finding.entries[0] - 1 - revised.at for finding in preview.findings if finding.entries}
            if preview.after is not None or not broken:
                return preview
            kept = tuple(line for place, line in enumerate(kept) if place not in broken)

    def read(self, table: Table, raw: Any) -> Any:
        """Reads one entry of this table's game. Raises RecordError."""
        return read_line(raw, table.game, table.fold.players).entry

    def record_of(self, table: Table) -> dict[str, Any]:
        """Returns the whole record, as RECORD.md writes it; `written`, it is small enough to be read back."""
        entries = self.lines(table)
        if sum(len(written(entry).encode()) + 1 for entry in entries) > MOST_BYTES - _head(table.row):
            # Only a record that was brought in without keys can have grown so by those it was given.
            entries = [{name: value for name, value in entry.items() if name != "id"} for entry in entries]
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": table.row.game,
            "players": list(table.row.players),
            "setup": dict(table.row.setup),
            "entries": entries,
        }

    def lines(self, table: Table, after: int = 0) -> list[dict[str, Any]]:
        """Returns the log behind version `after`, as the record writes it."""
        lacking = table.version - after
        if 0 < lacking <= len(table.newest):
            return list(table.newest[-lacking:])
        return [_line(entry, table).json() for entry in self.store.entries(table.row.id, after)]

    def bring_in(self, record: Record, device: str | None = None) -> Imported:
        """Stores a whole record as a table; the same record twice is one. Raises Refused, RecordError, KeyReused."""
        fold(record)
        content = json.dumps(record.json(), sort_keys=True, ensure_ascii=False).encode()
        digest, what = hashlib.sha256(content).hexdigest(), (record.players, record.game.slug, record.raw_setup)
        return self.store.import_record(*what, entries_of(record), digest, self.clock(), device=device)

    def rename(self, table: Table, players: Sequence[str]) -> Table:
        """Changes the names. Raises RecordError."""
        self.store.rename(table.row.id, read_names(list(players), table.game))
        return self.open(table.row.id)

    def _revise(
        self, table_id: str, expected: int, key: str, way: Callable[[Fold], Revised | None], by: int | None
    ) -> Answer:
        table = self._at(table_id, expected)
        revised = way(table.fold)
        if revised is None and table.version == expected:
            raise RecordError("nothing-to-undo")
        try:
            return self._append(table, expected, key, revised or Revised(0, 0, ()), by)
        except KeyReused as again:
            # The same tap, sent again: what it takes back has been taken back.
            return (
                Answer("dup", self.open(table_id))
                if again.params["version"] == expected + 1
                else self._moved(table_id, expected)
            )

    def _append(self, table: Table, expected: int, key: str, entry: Any, by: int | None) -> Answer:
        now = self.clock()
        fold, size, newest = None, 0, table.newest
        if table.version == expected:
            if expected >= MOST_ENTRIES:
                raise RecordError("too-many-entries", most=MOST_ENTRIES)
            line = Line(entry, key, _stamp(now), by)
            fold = table.fold.add(line)
            newest = (*newest[-1:], line.json())
            size = table.size + _size(newest[-1])
            if size > MOST_BYTES - _head(table.row):
                raise Refused(refused("record-full", None, most=MOST_BYTES // 1024))
        # With another version than the log's the store only looks whether it holds this entry already.
        appended = self.store.append(table.row.id, expected, key, entry.json(), now, by)
        if appended.status == "ok" and fold is not None:
            if self.keep:
                table = replace(table, row=replace(table.row, active_at=now))
            return Answer("ok", self._keep(replace(_grown(table, fold), size=size, newest=newest)))
        if appended.status == "dup":
            return Answer("dup", self.open(table.row.id))
        return self._moved(table.row.id, expected)

    def _moved(self, table_id: str, expected: int) -> Answer:
        return Answer("conflict", self.open(table_id), self.store.entries(table_id, expected))

    def _at(self, table_id: str, expected: int) -> Table:
        kept = self._kept.get(table_id)
        return kept if kept is not None and kept.version == expected else self.open(table_id)

    def _refresh(self, table_id: str, kept: Table | None) -> Table:
        row = self.store.table(table_id)
        if kept is None:
            game = find(row.game)
            setup = read_setup(row.setup, game, len(row.players))
            kept = Table(row, start(game, setup, len(row.players)), ())
        kept = replace(kept, row=row)
        log = self.store.entries(table_id, kept.version)
        lines = [_line(entry, kept) for entry in log]
        raw = [line.json() for line in lines]
        size = kept.size + sum(map(_size, raw))
        newest = (*kept.newest, *raw)[-2:]
        return self._keep(replace(_grown(kept, extend(kept.fold, lines)), size=size, newest=newest))

    def _keep(self, table: Table) -> Table:
        with self._lock:
            known = self._kept.get(table.row.id)
            # Another thread may have been faster with a later entry.
            if known is None or (known.version, known.row.edition) <= (table.version, table.row.edition):
                self._kept[table.row.id] = table
            self._kept.move_to_end(table.row.id)
            while len(self._kept) > CACHED:
                self._kept.popitem(last=False)
        return table


def entries_of(record: Record) -> list[NewEntry]:
    """Returns a record's entries, as the store takes them. Raises RecordError."""
    entries = []
    for place, line in enumerate(record.lines):
        try:
            at = None if line.at is None else _seconds(line.at)
        except (ValueError, OverflowError):
            raise RecordError("not-a-time", f"entries[{place}].at", value=line.at) from None
        entries.append(NewEntry(line.entry.json(), line.id, at, line.by))
    return entries


def _line(entry: Entry, table: Table) -> Line:
    line = read_line(entry.body, table.game, table.fold.players)
    return Line(line.entry, entry.key, None if entry.at is None else _stamp(entry.at), entry.by)


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _seconds(at: str) -> float:
    """Returns a time in seconds since 1970, where a leap second counts as the one before. Raises ValueError."""
    second = "59" if at[17:19] == "60" else at[17:19]
    return datetime.fromisoformat(at[:17].upper() + second + at[19:].upper()).timestamp()


def _size(line: Mapping[str, Any]) -> int:
    return len(written(line).encode()) + 1


def _head(row: TableRow) -> int:
    """Returns how many bytes a record has besides its entries, whatever longer names the players are given."""
    head = {"format": FORMAT, "version": VERSION, "game": row.game, "players": [], "setup": row.setup, "entries": []}
    return len(written(head).encode()) + len(row.players) * (4 * NAME_LENGTH + len('"",'))


def _grown(table: Table, fold: Fold) -> Table:
    """Returns the table with a later fold: of its history only what the change touched is made anew."""
    if fold is table.fold:
        return table
    old, new = table.fold.lines, fold.lines
    same = min(len(old), len(new))
    # Looked for only where something else than one entry at the end may have come.
    if fold.version > table.version + 1 or len(new) != len(old) + 1 or (old and new[-2] is not old[-1]):
        same = next((place for place in range(same) if old[place] is not new[place]), same)
    items = list(table.items)
    while items and (items[-1].last >= same or items[-1].last == len(old) - 1):
        items.pop()
    first = items[-1].last + 1 if items else 0
    for place in range(first, len(new)):
        before, after = fold.states[place], fold.states[place + 1]
        if fold.game.closes(before, new[place].entry, after):
            items.append(Item(first, place, after.last if after.done > before.done else None))
            first = place + 1
    if first < len(new):
        items.append(Item(first, len(new) - 1, None))
    ruled = table.ruled
    if ruled is None or ruled >= same:
        ruled = next((place for place in range(same, len(new)) if isinstance(new[place].entry, Adjusted)), None)
    return Table(table.row, fold, tuple(items), ruled=ruled)
