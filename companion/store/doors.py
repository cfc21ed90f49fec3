"""Ways to a table: codes to be typed, a new writing address, and counts that keep codes from being guessed."""

import secrets
from typing import Literal, NamedTuple

from sqlalchemy import BindParameter, bindparam, delete, insert, select, update

from companion.store.database import Clash, Database, Run
from companion.store.log import lock
from companion.store.rows import NoTable, Role
from companion.store.schema import DEVICE, ENTRY, GAME_TABLE, JOIN_CODE, MOVED, TALLY
from companion.store.tables import fresh_code, watching

# No letter that could be taken for a figure or for another letter, and no vowel, so that no words come out.
LETTERS = "CDFHJKMNPQRTVWXY23456789"
SIZE = 6
OPEN_SECONDS = 600.0

_TABLE: BindParameter[str] = bindparam("table")
_NOW: BindParameter[float] = bindparam("now")
_NAME: BindParameter[str] = bindparam("who")
_THIS = (JOIN_CODE.c.table_id == _TABLE, JOIN_CODE.c.role == bindparam("as_"))
_SHOWN = select(JOIN_CODE.c.code, JOIN_CODE.c.until).where(*_THIS, JOIN_CODE.c.until > _NOW)
_CLOSE = delete(JOIN_CODE).where(*_THIS)
_CLOSE_OLD = delete(JOIN_CODE).where(JOIN_CODE.c.until <= _NOW)
_OPEN = insert(JOIN_CODE)
_BEHIND = (
    select(GAME_TABLE.c.id, JOIN_CODE.c.role)
    .join(GAME_TABLE, GAME_TABLE.c.id == JOIN_CODE.c.table_id)
    .where(JOIN_CODE.c.code == bindparam("typed"), JOIN_CODE.c.until > _NOW, GAME_TABLE.c.binned_at.is_(None))
)

_ROW = select(GAME_TABLE).where(GAME_TABLE.c.id == _TABLE)
# What must be unique is given up by the row that goes before the one that comes takes it.
_GIVE_UP = update(GAME_TABLE).where(GAME_TABLE.c.id == _TABLE).values(origin=None)
_MAKE = insert(GAME_TABLE)
_TAKE_ALONG = [
    update(part).where(part.c.table_id == _TABLE).values(table_id=bindparam("fresh")) for part in (ENTRY, DEVICE, MOVED)
]
_LEAVE = delete(GAME_TABLE).where(GAME_TABLE.c.id == _TABLE)
_NOTE_MOVE = insert(MOVED)
_OLD = select(MOVED.c.old).where(MOVED.c.table_id == _TABLE)
_NEW_ID = select(MOVED.c.table_id).where(MOVED.c.old == bindparam("code"))
_PUT_OUT = (
    update(DEVICE)
    .where(DEVICE.c.device == bindparam("phone"), DEVICE.c.table_id == _TABLE)
    .values(role="out", seat=None)
)

_IN_TIME = (TALLY.c.name == _NAME, TALLY.c.until > _NOW)
_COUNT = update(TALLY).where(*_IN_TIME, TALLY.c.used < bindparam("most")).values(used=TALLY.c.used + 1)
_UNCOUNT = update(TALLY).where(*_IN_TIME, TALLY.c.used > 0).values(used=TALLY.c.used - 1)
_FULL = select(TALLY.c.used).where(*_IN_TIME)
_FORGET = delete(TALLY).where(TALLY.c.until <= _NOW)
_BEGIN = insert(TALLY)


class Door(NamedTuple):
    """A code that may be typed until a time, in seconds since 1970."""

    code: str
    until: float


class Doors:
    """What the store does to let phones in."""

    _database: Database

    def door(self, table_id: str, role: Literal["play", "watch"], at: float) -> Door:
        """Returns the code that leads to a table in this role; a fresh one where less than half of its time is left.

        Raises NoTable, Binned.
        """

        def shown(run: Run, now: float) -> Door | None:
            found = run.one(_SHOWN, table=table_id, as_=role, now=now)
            return Door(*found) if found else None

        def work(run: Run) -> Door:
            lock(run, table_id)
            door = shown(run, at + OPEN_SECONDS / 2)
            if door is None:
                door = Door("".join(secrets.choice(LETTERS) for _ in range(SIZE)), at + OPEN_SECONDS)
                run.do(_CLOSE, table=table_id, as_=role)
                run.do(_CLOSE_OLD, now=at)
                run.do(_OPEN, code=door.code, table_id=table_id, role=role, until=door.until)
            return door

        known = self._database.read(lambda run: shown(run, at + OPEN_SECONDS / 2))
        if known is not None:
            return known
        try:
            return self._database.write(work)
        except Clash:
            # One in 190 million: another table shows this code.
            return self._database.write(work)

    def behind(self, code: str, at: float) -> tuple[str, Role] | None:
        """Returns where a typed code leads, and in which role; None where it leads nowhere (any more)."""
        found = self._database.read(lambda run: run.one(_BEHIND, typed=code, now=at))
        return None if found is None else (found[0], found[1])

    def put_out(self, table_id: str, device: str) -> str:
        """Puts a phone out of a table, which gets new addresses, to write and to watch; returns the one to write.

        The codes that were shown are closed. Raises NoTable, Binned.
        """
        fresh = fresh_code()

        def work(run: Run) -> str:
            try:
                lock(run, table_id)
            except NoTable:
                moved = run.one(_NEW_ID, code=table_id)
                if moved is None:
                    raise
                return str(moved[0])
            values = run.one(_ROW, table=table_id)
            assert values is not None
            row = dict(zip(GAME_TABLE.c.keys(), values, strict=True))
            run.do(_PUT_OUT, phone=device, table=table_id)
            run.do(_GIVE_UP, table=table_id)
            run.do(_MAKE, **{**row, "id": fresh, "watch": watching(fresh), "edition": row["edition"] + 1})
            for statement in _TAKE_ALONG:
                run.do(statement, table=table_id, fresh=fresh)
            run.do(_LEAVE, table=table_id)
            for old in (table_id, row["watch"]):
                run.do(_NOTE_MOVE, old=old, table_id=fresh)
            return fresh

        return self._database.write(work)

    def moved(self, code: str) -> str | None:
        """Returns the writing address of today of a table that had this address, of either kind, or None."""
        found = self._database.read(lambda run: run.one(_NEW_ID, code=code))
        return None if found is None else str(found[0])

    def former(self, table_id: str) -> list[str]:
        """Returns the addresses to watch that a table had."""
        old = {str(row[0]) for row in self._database.read(lambda run: run.all(_OLD, table=table_id))}
        return sorted(watching(one) for one in old if watching(one) in old)

    def spend(self, name: str, most: int, seconds: float, at: float) -> bool:
        """Counts one more under a name; False where it has been `most` already, within `seconds` of the first."""

        def work(run: Run) -> bool:
            if run.do(_COUNT, who=name, most=most, now=at):
                return True
            if (count := run.one(_FULL, who=name, now=at)) is not None:
                # Not full: another process began it since the count above.
                return count[0] < most and run.do(_COUNT, who=name, most=most, now=at) > 0
            run.do(_FORGET, now=at)
            run.do(_BEGIN, name=name, used=1, until=at + seconds)
            return True

        try:
            return self._database.write(work)
        except Clash:
            # Another process began to count at the same moment.
            return self._database.write(work)

    def give_back(self, name: str, at: float) -> None:
        """Takes one count back."""
        self._database.write(lambda run: run.do(_UNCOUNT, who=name, now=at))
