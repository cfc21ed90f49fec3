"""SQLite: the file, its settings, and its backup. A commit that was acknowledged survives a power cut."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.store.rows import StoreError
from companion.store.schema import APPLICATION_ID

BUSY_SECONDS = 8
_MAGIC = b"SQLite format 3\x00"


def wal_safe(version: tuple[int, ...]) -> bool:
    """Tells whether this SQLite has the WAL-reset fix; without it two connections can lose a committed write."""
    return version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51, 0) or (3, 44, 6) <= version < (3, 45, 0)


def pragmas() -> tuple[str, ...]:
    """Returns the settings of every connection. TRUNCATE needs EXTRA to sync as often as WAL does with FULL."""
    wal = wal_safe(sqlite3.sqlite_version_info)
    return (
        f"busy_timeout={BUSY_SECONDS * 1000}",
        f"journal_mode={'WAL' if wal else 'TRUNCATE'}",
        f"synchronous={'FULL' if wal else 'EXTRA'}",
        "fullfsync=ON",
        "checkpoint_fullfsync=ON",
        "foreign_keys=ON",
    )


def set_up(connection: sqlite3.Connection, _record: object = None) -> None:
    """Sets one connection up. Raises StoreError if the file system does not take the journal mode."""
    try:
        for pragma in pragmas():
            answer = _patiently(connection, f"PRAGMA {pragma}")
            wanted = pragma.partition("=")[2]
            if pragma.startswith("journal_mode") and answer != [(wanted.lower(),)]:
                raise StoreError("store.journal-mode", wanted=wanted)
    except BaseException:
        connection.close()
        raise


def _patiently(connection: sqlite3.Connection, statement: str) -> list[Any]:
    # A change of the journal mode does not wait for the lock by itself.
    patience = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return connection.execute(statement).fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > patience:
                raise
            time.sleep(0.01)


def prepare(path: Path) -> None:
    """Makes the folder and an empty file where they are missing, and looks whether the file is ours.

    Raises StoreError, and leaves a file that is not ours as it was.
    """
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        with path.open("r+b") as file:
            head = file.read(len(_MAGIC))
    except OSError as error:
        raise StoreError("store.database-not-writable", path=str(path)) from error
    if head not in (b"", _MAGIC):
        raise StoreError("store.not-a-database", path=str(path))
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
            (mark,) = connection.execute("PRAGMA application_id").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        raise StoreError("store.unavailable") from error
    except sqlite3.DatabaseError as error:
        raise StoreError("store.not-a-database", path=str(path)) from error
    if mark != APPLICATION_ID and (mark or tables):
        raise StoreError("store.foreign-database", path=str(path))


def back_up(source: Path, target: Path) -> None:
    """Writes a consistent copy while others read and write. Raises StoreError, also if the target exists."""
    if target.exists():
        raise StoreError("store.backup-exists", path=str(target))
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(source, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
        with part.open("r+b") as file:
            os.fsync(file.fileno())
        part.rename(target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError("store.backup-not-written", path=str(target)) from error
    finally:
        part.unlink(missing_ok=True)
