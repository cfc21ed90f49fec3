"""Phones: each has a random id in its session; the store knows at which tables it sits, and where."""

import hashlib
from secrets import token_hex
from typing import NamedTuple

from flask import current_app, session

from companion.store import Role
from companion.table import Table, Tables


class Present(NamedTuple):
    """One phone at a table: `mark` names it to others without giving its id away."""

    mark: str
    role: Role
    seat: int | None
    mine: bool


def device() -> str:
    """Returns this phone's id, made when it first does something worth remembering."""
    found = session.get("device")
    if found is None:
        session.permanent = True
        found = session["device"] = token_hex(16)
    return str(found)


def seat(table: Table, role: Role) -> None:
    """Notes that this phone sits at a table. Who may enter does not lose that by looking on.

    Who was put out is let in again: the table's new address must have been shown to it.
    """
    service = _tables()
    phone, now = device(), service.clock()
    known = service.store.device(phone, table.row.id)
    if table.row.binned_at is not None:
        return
    if known is None or known.role == "out" or (known.role == "watch" and role == "play"):
        service.store.remember(phone, table.row.id, role, None, now)
    else:
        service.store.seen(phone, table.row.id, now)


def take(table: Table, place: int | None) -> None:
    """Notes whose phone this is; None: nobody's, or everybody's."""
    service = _tables()
    service.store.remember(device(), table.row.id, "play", place, service.clock())


def own_seat(table_id: str) -> int | None:
    """Returns the seat that this phone said it is at."""
    service = _tables()
    phone = session.get("device")
    return None if phone is None else service.store.seat_of(phone, table_id, service.clock())


def present(table: Table) -> list[Present]:
    """Returns the phones that are awake at a table, this one first, then the players in the order of their seats."""
    service = _tables()
    own, now = session.get("device"), service.clock()
    found = [
        Present(_mark(one.device), one.role, one.seat, one.device == own)
        for one in service.store.devices(table.row.id)
        if one.role != "out" and (one.awake(now) or one.device == own)
    ]
    return sorted(found, key=lambda one: (not one.mine, one.role, 9 if one.seat is None else one.seat))


def put_out(table: Table, mark: str) -> str:
    """Puts the phone with this mark out of a table, which gets a new address; returns it."""
    store = _tables().store
    for one in store.devices(table.row.id):
        if _mark(one.device) == mark and one.role != "out":
            return store.put_out(table.row.id, one.device)
    return table.row.id


def led_on(old: str, *, writes: bool) -> str | None:
    """Returns where this phone finds a table that had an older address; empty where it was put out or is unknown.

    None: no table ever had this address.
    """
    store = _tables().store
    table_id = store.moved(old)
    if table_id is None:
        return None
    place = store.device(session["device"], table_id) if "device" in session else None
    if place is None or place.role == "out" or (writes and place.role != "play"):
        return ""
    return f"/t/{table_id}" if writes else f"/w/{store.table(table_id).watch}"


def _mark(phone: str) -> str:
    return hashlib.sha256(phone.encode()).hexdigest()[:16]


def _tables() -> Tables:
    service: Tables = current_app.extensions["tables"]
    return service
