"""Phones: a random id each, kept in its session; which tables it sits at and when it was last heard of."""

from threading import Lock
from typing import NamedTuple

from sqlalchemy import BindParameter, bindparam, delete, insert, select, update

from companion.store.database import Database, Run
from companion.store.log import lock
from companion.store.rows import Device, Role, TableRow
from companion.store.schema import DEVICE, GAME_TABLE
from companion.store.tables import COLUMNS, TOUCH, table_row

WRITE_SEEN_EVERY = 10.0
KEPT_IN_MIND = 5.0
_MOST_IN_MIND = 4096

_COLUMNS = (DEVICE.c.device, DEVICE.c.table_id, DEVICE.c.role, DEVICE.c.seat, DEVICE.c.seen_at)
_TABLE: BindParameter[str] = bindparam("table")
_THIS = (DEVICE.c.device == bindparam("phone"), DEVICE.c.table_id == _TABLE)
_ONE = select(*_COLUMNS).where(*_THIS)
_AT_TABLE = select(*_COLUMNS).where(DEVICE.c.table_id == _TABLE).order_by(DEVICE.c.device)
_OF_DEVICE = (
    select(*COLUMNS, *_COLUMNS)
    .join(DEVICE, DEVICE.c.table_id == GAME_TABLE.c.id)
    .where(DEVICE.c.device == bindparam("phone"), DEVICE.c.role != "out")
    .order_by(GAME_TABLE.c.active_at.desc(), GAME_TABLE.c.id)
)
_KEPT = _OF_DEVICE.where(GAME_TABLE.c.binned_at.is_(None))
_BINNED = _OF_DEVICE.where(GAME_TABLE.c.binned_at.is_not(None))
_SIT = insert(DEVICE)
_CHANGE = update(DEVICE).where(*_THIS).values(role=bindparam("as_"), seat=bindparam("place"), seen_at=bindparam("now"))
_SEEN = update(DEVICE).where(*_THIS, DEVICE.c.seen_at < bindparam("now")).values(seen_at=bindparam("now"))
_FORGET = delete(DEVICE).where(*_THIS)


class _Mind(NamedTuple):
    """What was known at a time: the seats at which a phone was awake, and every phone's seat."""

    edition: int
    at: float
    awake: tuple[int, ...]
    seats: dict[str, int | None]


class Devices:
    """What the store does with phones."""

    _database: Database

    def __init__(self) -> None:
        # A poll a second from every phone must not become a synced write a second, so they are noted here first.
        self._seen: dict[tuple[str, str], float] = {}
        self._seen_lock = Lock()
        self._seen_written = float("-inf")
        self._mind: dict[str, _Mind] = {}

    def remember(self, device: str, table_id: str, role: Role, seat: int | None, at: float) -> None:
        """Notes that a phone plays or watches at a table, or was put out of it (`out`). Raises NoTable, Binned."""
        known = self.device(device, table_id)
        if known is not None and (known.role, known.seat) == (role, seat):
            self.seen(device, table_id, at)
            return

        def work(run: Run) -> None:
            lock(run, table_id)
            if not run.do(_CHANGE, phone=device, table=table_id, as_=role, place=seat, now=at):
                run.do(_SIT, device=device, table_id=table_id, role=role, seat=seat, seen_at=at)
            run.do(TOUCH, table=table_id)

        self._database.write(work)
        self._mind.pop(table_id, None)

    def forget(self, device: str, table_id: str) -> None:
        """Takes a phone off a table, as if it had never been there."""

        def work(run: Run) -> None:
            if run.do(TOUCH, table=table_id):
                run.do(_FORGET, phone=device, table=table_id)

        self._database.write(work)

    def seen(self, device: str, table_id: str, at: float) -> None:
        """Notes that a phone was heard of; written every 10 s, for all phones at once."""
        with self._seen_lock:
            self._seen[table_id, device] = at
            if 0 <= at - self._seen_written < WRITE_SEEN_EVERY:
                return
            self._seen_written = at
        self._write_seen()

    def device(self, device: str, table_id: str) -> Device | None:
        """Returns a phone's place at a table."""
        row = self._database.read(lambda run: run.one(_ONE, phone=device, table=table_id))
        return None if row is None else Device(*row)

    def devices(self, table_id: str) -> tuple[Device, ...]:
        """Returns a table's phones, those put out included; another process's news may be 10 s old."""
        rows = self._database.read(lambda run: run.all(_AT_TABLE, table=table_id))
        return tuple(
            Device(device, table, role, seat, max(seen_at, self._seen.get((table, device), seen_at)))
            for device, table, role, seat, seen_at in rows
        )

    def present(self, table_id: str, edition: int, at: float) -> tuple[int, ...]:
        """Returns the seats at which a phone is awake now, in order.

        Kept in mind for 5 s, so that a poll a second need not ask the database; `edition` tells when that is too long.
        """
        return self._in_mind(table_id, edition, at).awake

    def seat_of(self, device: str, table_id: str, at: float) -> int | None:
        """Returns the seat that a phone said it is at; what another process was told in the last 5 s may be missed."""
        return self._in_mind(table_id, None, at).seats.get(device)

    def _in_mind(self, table_id: str, edition: int | None, at: float) -> "_Mind":
        known = self._mind.get(table_id)
        if known is None or edition not in (None, known.edition) or not 0 <= at - known.at < KEPT_IN_MIND:
            taken = [one for one in self.devices(table_id) if one.role == "play" and one.seat is not None]
            awake = {one.seat for one in taken if one.seat is not None and one.awake(at)}
            known = _Mind(edition or 0, at, tuple(sorted(awake)), {one.device: one.seat for one in taken})
            if len(self._mind) >= _MOST_IN_MIND:
                self._mind.clear()
            self._mind[table_id] = known
        return known

    def tables_of(self, device: str, *, binned: bool = False) -> tuple[tuple[TableRow, Device], ...]:
        """Returns a phone's tables, or those of them in the bin, the last active first."""
        query = _BINNED if binned else _KEPT
        rows = self._database.read(lambda run: run.all(query, phone=device))
        return tuple((table_row(row[: len(COLUMNS)]), Device(*row[len(COLUMNS) :])) for row in rows)

    def _write_seen(self) -> None:
        with self._seen_lock:
            noted, self._seen = self._seen, {}
        # In one order everywhere, so that two processes cannot lock each other out.
        rows = [{"table": table, "phone": device, "now": at} for (table, device), at in sorted(noted.items())]
        if rows:
            self._database.write(lambda run: run.many(_SEEN, rows))
