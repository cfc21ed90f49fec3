"""Tables: made, imported, named, set, binned."""

import hashlib
import json
import re
import secrets
import string
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, insert, select, update

from companion.store.database import Clash, Database, Run
from companion.store.log import add, advance, dump, lock, read_log, same
from companion.store.rows import Imported, Json, NewEntry, NoTable, TableRow
from companion.store.schema import DEVICE, ENTRY, GAME_TABLE

BIN_SECONDS = 30 * 24 * 3600.0
_AT_ONCE = 100
SWEPT_AT_MOST = 1000
CLAIM_SECONDS = 600.0
CODE = re.compile(r"[A-Za-z0-9_-]{22,32}")
_SIGNS = string.ascii_letters + string.digits

COLUMNS = (
    GAME_TABLE.c.id,
    GAME_TABLE.c.watch,
    GAME_TABLE.c.game,
    GAME_TABLE.c.players,
    GAME_TABLE.c.setup,
    GAME_TABLE.c.settings,
    GAME_TABLE.c.version,
    GAME_TABLE.c.edition,
    GAME_TABLE.c.created_at,
    GAME_TABLE.c.active_at,
    GAME_TABLE.c.binned_at,
)
_IS_TABLE = GAME_TABLE.c.id == bindparam("table")
_BY_ID = select(*COLUMNS).where(_IS_TABLE)
_BY_WATCH = select(*COLUMNS).where(GAME_TABLE.c.watch == bindparam("code"))
_BY_ORIGIN = select(*COLUMNS).where(GAME_TABLE.c.origin == bindparam("mark"))
_PAGE = (
    select(*COLUMNS)
    .where(GAME_TABLE.c.id > bindparam("after"), GAME_TABLE.c.binned_at.is_(None))
    .order_by(GAME_TABLE.c.id)
    .limit(bindparam("most"))
)
_HOLDING = (
    select(*COLUMNS)
    .join(ENTRY, ENTRY.c.table_id == GAME_TABLE.c.id)
    .where(ENTRY.c.key == bindparam("key_"), GAME_TABLE.c.game == bindparam("kind"))
    .order_by(GAME_TABLE.c.created_at)
)
_HOLDING_FOR = _HOLDING.join(DEVICE, DEVICE.c.table_id == GAME_TABLE.c.id).where(
    DEVICE.c.device == bindparam("phone"), DEVICE.c.role == "play"
)
_MAKE = insert(GAME_TABLE)
_SEAT = insert(DEVICE)


def _change(*where: ColumnElement[bool], **values: Any) -> Any:
    return update(GAME_TABLE).where(*where).values(edition=GAME_TABLE.c.edition + 1, **values)


TOUCH = _change(_IS_TABLE)
_RENAME = _change(_IS_TABLE, players=bindparam("names"))
_SET = _change(_IS_TABLE, settings=bindparam("text"))
_SETTINGS = select(GAME_TABLE.c.settings).where(_IS_TABLE)
_BIN = _change(_IS_TABLE, GAME_TABLE.c.binned_at.is_(None), binned_at=bindparam("now"))
_RESTORE = _change(_IS_TABLE, GAME_TABLE.c.binned_at.is_not(None), binned_at=None, active_at=bindparam("now"))
# The conditions stand twice: between the look and the change, an entry or another process may come.
_IDLE = (GAME_TABLE.c.active_at < bindparam("before"), GAME_TABLE.c.binned_at.is_(None))
_EXPIRE = _change(
    GAME_TABLE.c.id.in_(select(GAME_TABLE.c.id).where(*_IDLE).limit(_AT_ONCE)), *_IDLE, binned_at=bindparam("now")
)
_OVER = GAME_TABLE.c.binned_at <= bindparam("before")
_PURGE = delete(GAME_TABLE).where(GAME_TABLE.c.id.in_(select(GAME_TABLE.c.id).where(_OVER).limit(_AT_ONCE)), _OVER)
_RECENT = (
    select(*COLUMNS)
    .where(GAME_TABLE.c.active_at > bindparam("since"), GAME_TABLE.c.binned_at.is_(None))
    .order_by(GAME_TABLE.c.active_at.desc(), GAME_TABLE.c.id)
    .limit(bindparam("most"))
)


def table_row(values: Sequence[Any]) -> TableRow:
    """Reads a row of COLUMNS."""
    id_, watch, game, players, setup, settings, *rest = values
    return TableRow(id_, watch, game, tuple(json.loads(players)), json.loads(setup), json.loads(settings), *rest)


class Tables:
    """What the store does with tables."""

    _database: Database

    def create(
        self,
        game: str,
        players: Sequence[str],
        setup: Json,
        at: float,
        *,
        entries: Sequence[NewEntry] = (),
        key: str | None = None,
        device: str | None = None,
        id: str | None = None,
    ) -> TableRow:
        """Makes a table, with its first entries if there are any; `device` is a phone that plays at it from the start.

        The same `key` from the same device gives the same table. `id` brings back a table that this database lost,
        under its old addresses; one that is there already is returned as it is.
        Raises ValueError on a code that could be guessed.
        """
        if id is not None and not CODE.fullmatch(id):
            raise ValueError("a code has 22 to 32 letters, digits, - or _")
        mark = _origin(device, key)
        row = _new_row(game, players, setup, at, len(entries), id)

        def find(run: Run) -> TableRow | None:
            found = run.one(_BY_ID, table=row.id) or (mark and run.one(_BY_ORIGIN, mark=mark))
            return table_row(found) if found else None

        def work(run: Run) -> TableRow:
            return find(run) or _make(run, row, entries, mark, device)

        try:
            return self._database.write(work)
        except Clash:
            found = self._database.read(find)
            if found is None:
                raise
            return found

    def import_record(
        self,
        players: Sequence[str],
        game: str,
        setup: Json,
        entries: Sequence[NewEntry],
        key: str,
        at: float,
        *,
        device: str | None = None,
    ) -> Imported:
        """Stores a whole record; the same record twice is one table, `key` being the digest of its content.

        A record that continues a table, or that a table continues, is that table: it gains the entries it lacks. One
        that branches off is a table of its own. A binned table comes back. With `device` only tables count at which
        that phone plays, since the answer holds the play address; without, whoever asks may see every table.
        """
        mark = _origin(device, key)
        row = _new_row(game, players, setup, at, len(entries))

        def work(run: Run) -> Imported:
            found = run.one(_BY_ORIGIN, mark=mark)
            if found is not None:
                return Imported(_back(run, table_row(found), at), False, 0)
            if entries and entries[0].key is not None:
                query, who = (_HOLDING, {}) if device is None else (_HOLDING_FOR, {"phone": device})
                for values in run.all(query, key_=entries[0].key, kind=game, **who):
                    grown = _continue(run, table_row(values), setup, entries, at)
                    if grown is not None:
                        return grown
            return Imported(_make(run, row, entries, mark, device), True, len(entries))

        try:
            return self._database.write(work)
        except Clash:
            # The same record, stored by another process between the look and the insert.
            return self._database.write(work)

    def table(self, table_id: str) -> TableRow:
        """Returns a table by its play address, binned or not. Raises NoTable."""
        return self._table(lambda run: run.one(_BY_ID, table=table_id))

    def table_by_watch(self, code: str) -> TableRow:
        """Returns a table by its watching address. Raises NoTable."""
        return self._table(lambda run: run.one(_BY_WATCH, code=code))

    def tables(self, after: str = "", most: int = 100) -> tuple[TableRow, ...]:
        """Returns the next tables behind the address `after`, in the order of addresses, without the bin."""
        rows = self._database.read(lambda run: run.all(_PAGE, after=after, most=most))
        return tuple(map(table_row, rows))

    def rename(self, table_id: str, players: Sequence[str]) -> None:
        """Changes the names. Raises NoTable, Binned."""

        def work(run: Run) -> None:
            lock(run, table_id)
            run.do(_RENAME, table=table_id, names=dump(list(players)))

        self._database.write(work)

    def settings(self, table_id: str) -> dict[str, Any]:
        """Returns the table's settings: its look and its house preferences. Raises NoTable."""
        return dict(self.table(table_id).settings)

    def set_settings(self, table_id: str, changes: Json) -> dict[str, Any]:
        """Changes the named settings, takes away those given as None, and returns all. Raises NoTable, Binned."""

        def work(run: Run) -> dict[str, Any]:
            lock(run, table_id)
            (text,) = run.all(_SETTINGS, table=table_id)[0]
            settings = {name: value for name, value in {**json.loads(text), **changes}.items() if value is not None}
            if dump(settings) != text:
                run.do(_SET, table=table_id, text=dump(settings))
            return settings

        return self._database.write(work)

    def claim(self, table_id: str, version: int, phone: str, body: Json | None, at: float) -> dict[str, Json]:
        """Notes what a phone says comes behind `version` (None: nothing any more); returns what each phone says now.

        What was said ten minutes ago or about another version is forgotten; nothing is noted, and nothing returned,
        where the log has moved on. Raises NoTable, Binned.
        """

        def work(run: Run) -> dict[str, Json]:
            if lock(run, table_id) != version:
                return {}
            settings = json.loads(run.all(_SETTINGS, table=table_id)[0][0])
            kept = settings.get("claims", {"version": None})
            said = kept["said"] if kept["version"] == version else {}
            said = {who: one for who, one in said.items() if who != phone and 0 <= at - one["at"] < CLAIM_SECONDS}
            if body is not None:
                said[phone] = {"body": body, "at": at}
            settings["claims"] = {"version": version, "said": said}
            run.do(_SET, table=table_id, text=dump(settings))
            return {who: one["body"] for who, one in said.items()}

        return self._database.write(work)

    def bin(self, table_id: str, at: float) -> None:
        """Puts a table into the bin for 30 days. Raises NoTable."""
        if not self._database.write(lambda run: run.do(_BIN, table=table_id, now=at)):
            self.table(table_id)

    def restore(self, table_id: str, at: float) -> None:
        """Takes a table out of the bin. Raises NoTable."""
        if not self._database.write(lambda run: run.do(_RESTORE, table=table_id, now=at)):
            self.table(table_id)

    def recent(self, since: float, most: int = 12) -> tuple[TableRow, ...]:
        """Returns the tables with an entry since then, the last active first, without the bin."""
        rows = self._database.read(lambda run: run.all(_RECENT, since=since, most=most))
        return tuple(map(table_row, rows))

    def expire(self, before: float, at: float) -> int:
        """Bins tables without an entry since `before`, a thousand at most; returns how many."""
        return self._bit_by_bit(_EXPIRE, before=before, now=at)

    def purge(self, now: float) -> int:
        """Deletes for good what has lain in the bin for 30 days, a thousand tables at most; returns how many."""
        return self._bit_by_bit(_PURGE, before=now - BIN_SECONDS)

    def _bit_by_bit(self, statement: Any, **values: float) -> int:
        done = 0
        # So that entries elsewhere need not wait long.
        while done < SWEPT_AT_MOST:
            some = self._database.write(lambda run: run.do(statement, **values))
            done += some
            if some < _AT_ONCE:
                break
        return done

    def _table(self, query: Any) -> TableRow:
        values = self._database.read(query)
        if values is None:
            raise NoTable
        return table_row(values)


def _origin(device: str | None, key: str | None) -> str | None:
    # Bound to the phone: else whoever knows a record's content would be handed the address of another's table.
    return None if key is None else hashlib.sha256(json.dumps([device, key]).encode()).hexdigest()


def _new_row(
    game: str, players: Sequence[str], setup: Json, at: float, version: int, id_: str | None = None
) -> TableRow:
    code = id_ or fresh_code()
    return TableRow(code, watching(code), game, tuple(players), setup, {}, version, 0, at, at, None)


def fresh_code() -> str:
    """Draws a table's address: 131 random bits in letters and digits, which a command line takes for what they are."""
    return "".join(secrets.choice(_SIGNS) for _ in range(22))


def watching(table_id: str) -> str:
    """Returns a table's watching address.

    It follows from the play address and never leads back to it: so who only watches cannot give back a table of their
    own under the address that others watch, whatever key or database the server has lost.
    """
    return urlsafe_b64encode(hashlib.sha256(b"watch " + table_id.encode()).digest())[:22].decode()


def _make(run: Run, row: TableRow, entries: Sequence[NewEntry], mark: str | None, device: str | None) -> TableRow:
    run.do(
        _MAKE,
        id=row.id,
        watch=row.watch,
        game=row.game,
        players=dump(row.players),
        setup=dump(row.setup),
        version=row.version,
        created_at=row.created_at,
        origin=mark,
        settings=dump(row.settings),
        edition=row.edition,
        active_at=row.active_at,
        binned_at=row.binned_at,
    )
    # An entry that came without a key gets one, so that phones can give it back later.
    stem = (mark or row.id)[:48]
    add(run, row.id, 0, [(new.key or f"{stem}.{place}", new) for place, new in enumerate(entries)])
    if device is not None:
        run.do(_SEAT, device=device, table_id=row.id, role="play", seat=None, seen_at=row.created_at)
    return row


def _back(run: Run, row: TableRow, at: float) -> TableRow:
    if run.do(_RESTORE, table=row.id, now=at):
        return replace(row, edition=row.edition + 1, active_at=at, binned_at=None)
    return row


def _continue(run: Run, row: TableRow, setup: Json, entries: Sequence[NewEntry], at: float) -> Imported | None:
    lock(run, row.id, binned=True)
    log = read_log(run, row.id)
    both = zip(entries, log, strict=False)
    if not same(setup, dump(row.setup)) or any(
        new.key not in (None, old.key) or not same(new.body, dump(old.body)) for new, old in both
    ):
        return None
    row = _back(run, row, at)
    rest = entries[len(log) :]
    if rest:
        advance(run, row.id, len(log), len(rest), at)
        add(run, row.id, len(log), [(new.key or secrets.token_hex(16), new) for new in rest])
        row = replace(row, version=len(log) + len(rest), active_at=at)
    return Imported(row, False, len(rest))
