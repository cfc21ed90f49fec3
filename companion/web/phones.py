"""Phones: each has a random id in its session; the store knows at which tables it sits."""

from secrets import token_hex

from flask import current_app, session

from companion.store import Role
from companion.table import Table, Tables


def device() -> str:
    """Returns this phone's id, made when it first does something worth remembering."""
    found = session.get("device")
    if found is None:
        session.permanent = True
        found = session["device"] = token_hex(16)
    return str(found)


def seat(table: Table, role: Role) -> None:
    """Notes that this phone sits at a table. Who may enter does not lose that by looking on."""
    service: Tables = current_app.extensions["tables"]
    phone = device()
    known = service.store.device(phone, table.row.id)
    if table.row.binned_at is None and (known is None or (known.role == "watch" and role == "play")):
        service.store.remember(phone, table.row.id, role, None, service.clock())
