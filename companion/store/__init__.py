"""The store: tables and their append-only logs, in SQLite or PostgreSQL, one code path for both.

An entry is appended with the version its phone saw and a key that the phone made, and is on disk before the answer.
"""

from typing import TYPE_CHECKING

from companion.store.rows import (
    Appended,
    Binned,
    Device,
    Entry,
    Expired,
    Head,
    Imported,
    Json,
    KeyReused,
    NewEntry,
    NoTable,
    Role,
    StoreError,
    TableRow,
)

if TYPE_CHECKING:
    from companion.store.store import Store as Store

__all__ = [
    "Appended",
    "Binned",
    "Device",
    "Entry",
    "Expired",
    "Head",
    "Imported",
    "Json",
    "KeyReused",
    "NewEntry",
    "NoTable",
    "Role",
    "StoreError",
    "TableRow",
    "open_store",
]


def open_store(url: str) -> "Store":
    """Opens a database, made and brought up to date as needed: `sqlite:///PATH` or `postgresql://…`.

    Raises StoreError.
    """
    # Imported only now: SQLAlchemy would take most of the time in which the whole app must be imported.
    from companion.store.store import Store

    return Store(url)
