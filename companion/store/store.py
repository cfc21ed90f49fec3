"""The store as one object."""

from contextlib import suppress
from pathlib import Path

from companion.store import sqlite
from companion.store.database import Database
from companion.store.devices import Devices
from companion.store.doors import Doors
from companion.store.log import Log
from companion.store.migrate import migrate
from companion.store.rows import StoreError
from companion.store.tables import Tables


class Store(Tables, Log, Devices, Doors):
    """All tables of one database; safe to share between threads, not across a fork."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._database = Database(url)
        try:
            self._database.ready()
            migrate(self._database)
        except BaseException:
            self._database.close()
            raise

    def ready(self) -> None:
        """Asks the database for a sign of life. Raises StoreError."""
        self._database.ready()

    def backup(self, path: Path) -> None:
        """Writes a consistent copy of an SQLite database, also while it serves. Raises StoreError."""
        if self._database.path is None:
            raise StoreError("store.backup-elsewhere")
        with self._database.turn:
            sqlite.back_up(self._database.path, path)

    def close(self) -> None:
        """Closes every connection."""
        with suppress(StoreError):
            self._write_seen()
        self._database.close()
