"""What runs in other processes, and how the tests reach a database past the store."""

import multiprocessing
import os
import pwd
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import psycopg

from companion.store import StoreError, open_store, sqlite
from companion.store.store import Store

BODY = {"type": "won", "seat": 0}


@dataclass(frozen=True)
class Place:
    kind: str
    url: str

    @property
    def path(self) -> Path:
        return Path(self.url.removeprefix("sqlite:///"))

    @property
    def is_sqlite(self) -> bool:
        return self.kind != "postgresql"

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        if self.is_sqlite:
            with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
                return connection.execute(statement).fetchall()
        with psycopg.connect(self.url, autocommit=True) as other:
            cursor = other.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def open(self) -> Store:
        """Opens the store in a process where nothing is patched yet."""
        if self.is_sqlite:
            setattr(sqlite, "wal_safe", journal(self.kind))  # noqa: B010 (mypy takes a plain assignment for a mistake)
        return open_store(self.url)


def journal(kind: str) -> Callable[[tuple[int, ...]], bool]:
    """Stands in for the choice by version, so that both modes are tested on any SQLite."""
    return lambda version: kind == "sqlite-wal"


def processes() -> ForkServerContext:
    """Processes that start in milliseconds, without a thread or a connection of the tests' own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["companion.store.store", "tests.store.children", "alembic.command", "psycopg"])
    return context


def append_without_end(place: Place, table_id: str, say: Connection) -> None:
    """Appends until killed, telling each version that was acknowledged."""
    store = place.open()
    version = store.version(table_id)
    while True:
        answer = store.append(table_id, version, f"{os.getpid()}-{version}", BODY, 1.0)
        assert answer == ("ok", version + 1)
        version = answer.version
        say.send(version)


def append_contended(place: Place, table_id: str, name: str, entries: int, say: Connection) -> None:
    """Appends while others do too, taking each conflict's version for the next try."""
    store = place.open()
    version = 0
    for number in range(entries):
        while True:
            answer = store.append(table_id, version, f"{name}-{number}", BODY, 1.0)
            version = answer.version
            if answer.status != "conflict":
                break
        say.send((f"{name}-{number}", answer.version))
    store.close()
    say.close()


def open_and_make(place: Place, gate: Barrier, say: Connection) -> None:
    """Opens the database at the moment when others open it too, and makes a table."""
    gate.wait(30)
    store = place.open()
    say.send(store.create("leapfrog", ["Ann", "Ben"], {}, 1.0).id)
    store.close()
    say.close()


def open_as_somebody_else(url: str, say: Connection) -> None:
    """Opens the database as a user who may not write everywhere, and tells why that failed."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setuid(pwd.getpwnam("nobody").pw_uid)
    try:
        open_store(url).close()
    except StoreError as error:
        say.send(error.code)
    say.close()


if __name__ == "__main__":
    # Run under strace: so many appends to one new table.
    kind, url, count = sys.argv[1:]
    with closing(Place(kind, url).open()) as traced:
        row = traced.create("leapfrog", ["Ann", "Ben"], {}, 1.0)
        for number in range(int(count)):
            assert traced.append(row.id, number, str(number), BODY, 1.0).status == "ok"
