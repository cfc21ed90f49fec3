"""The store's cost: an append and a poll, with few and with many tables stored, beside a bare Flask request.

Run by hand: `python -m tests.bench.bench_store [TABLES …]` (default 1000 100000). CPU is this process's alone; rates
with sync on are the disk's. Calls go to 100 tables in play, spread over all that are stored; sizes take turns.
"""

import random
import sqlite3
import sys
import tempfile
import time
import timeit
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path

import psycopg

from companion.store import open_store, sqlite
from companion.store.store import Store
from tests.bench.bench_engine import hello_request
from tests.pg import Cluster

ENTRIES = 20
IN_PLAY = 100
BODY = {"type": "card", "seat": 0, "card": "10S"}
KEYS = map(str, count())
TABLE = "game_table (id, watch, game, players, setup, version, created_at, settings, edition, active_at)"
ENTRY = "entry (table_id, seq, key, body, at, by_seat)"


def tables(total: int) -> Iterator[tuple[object, ...]]:
    setup = '{"variant":"standard","hierarchy":["S","H","C"],"dealer":0}'
    for n in range(total):
        yield (code(n), f"w{code(n)}", "leapfrog", '["Ann","Ben"]', setup, ENTRIES, 1.0, "{}", 0, 1.0)


def entries(total: int, each: int = ENTRIES) -> Iterator[tuple[object, ...]]:
    chance = random.Random(1)
    for n in range(total):
        for seq in range(1, each + 1):
            yield (code(n), seq, f"{chance.getrandbits(128):032x}", '{"type":"card","seat":0,"card":"10S"}', 1.0, 0)


def code(n: int) -> str:
    """Returns an address that lies anywhere, as real ones do."""
    return f"{random.Random(n).getrandbits(88):022x}"


def fill_sqlite(path: Path, total: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.executemany(f"INSERT INTO {TABLE} VALUES (?,?,?,?,?,?,?,?,?,?)", tables(total))
        connection.executemany(f"INSERT INTO {ENTRY} VALUES (?,?,?,?,?,?)", entries(total))
        connection.commit()


def fill_postgresql(url: str, total: int, each: int = ENTRIES) -> None:
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        for target, rows in ((TABLE, tables(total)), (ENTRY, entries(total, each))):
            with cursor.copy(f"COPY {target} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


class Played:
    """A store with its tables in play."""

    def __init__(self, store: Store, total: int) -> None:
        self.store = store
        self.chosen = [code(n * total // IN_PLAY) for n in range(IN_PLAY)]
        self.versions = dict.fromkeys(self.chosen, ENTRIES)

    def version(self, table_id: str) -> None:
        self.store.version(table_id)

    def entries(self, table_id: str) -> None:
        self.store.entries(table_id)

    def append(self, table_id: str) -> None:
        self.versions[table_id] = self.store.append(table_id, self.versions[table_id], next(KEYS), BODY, 2.0, 0).version

    def rush(self, part: int) -> int:
        until, done = time.perf_counter() + 2, 0
        while time.perf_counter() < until:
            self.append(self.chosen[part * 12 + done % 12])
            done += 1
        return done


def measure(name: str, stores: list[Played]) -> None:
    for what, turns in (("version", 40), ("entries", 10), ("append", 20)):
        walls, spent = [[1e9] * len(stores) for _ in range(2)]
        for turn in range(turns):
            for n, played in enumerate(stores):
                work = getattr(played, what)
                clock, cpu = time.perf_counter(), time.process_time()
                for table_id in played.chosen:
                    work(table_id)
                if turn:
                    spent[n] = min(spent[n], (time.process_time() - cpu) / IN_PLAY * 1e6)
                    walls[n] = min(walls[n], (time.perf_counter() - clock) / IN_PLAY * 1e6)
        row("microseconds", name, what, walls)
        row("of this process's CPU", name, what, spent)
    with ThreadPoolExecutor(8) as pool:
        row("a second, 8 threads", name, "append", [sum(pool.map(played.rush, range(8))) / 2 for played in stores])


def row(unit: str, name: str, what: str, values: list[float]) -> None:
    times = f"{values[-1] / values[0]:5.2f} times" if len(values) > 1 else ""
    show(f"{name:<28}{what:<9}{''.join(f'{value:9.0f}' for value in values)} {unit:<22}{times}")


@contextmanager
def settings(*, wal: bool, sync: bool) -> Iterator[None]:
    safe, pragmas = sqlite.wal_safe, sqlite.pragmas
    setattr(sqlite, "wal_safe", lambda version: wal)  # noqa: B010 (mypy takes a plain assignment for a mistake)
    if not sync:
        setattr(sqlite, "pragmas", lambda: (*pragmas(), "synchronous=OFF"))  # noqa: B010
    try:
        yield
    finally:
        setattr(sqlite, "wal_safe", safe)  # noqa: B010
        setattr(sqlite, "pragmas", pragmas)  # noqa: B010


def show(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [1000, 100_000]
    hello = hello_request()
    show(f"a bare Flask request: {min(timeit.repeat(hello, number=500, repeat=7)) / 500 * 1e6:.0f} us")
    show(f"{'tables stored:':<37}{''.join(f'{size:9}' for size in sizes)}")
    with tempfile.TemporaryDirectory() as folder:
        for wal, sync in ((False, False), (True, False), (False, True), (True, True)):
            name = f"SQLite {'WAL' if wal else 'TRUNCATE'}, sync {'on' if sync else 'off'}"
            with settings(wal=wal, sync=sync), ExitStack() as opened:
                stores = []
                for total in sizes:
                    path = Path(folder) / f"{total}.db"
                    url = f"sqlite:///{path.as_posix()}"
                    if not path.exists():
                        open_store(url).close()
                        fill_sqlite(path, total)
                    with closing(sqlite3.connect(path)) as connection:
                        connection.execute("DELETE FROM entry WHERE seq > ?", (ENTRIES,))
                        connection.execute("UPDATE game_table SET version = ? WHERE version <> ?", (ENTRIES, ENTRIES))
                        connection.commit()
                    stores.append(Played(opened.enter_context(closing(open_store(url))), total))
                measure(name, stores)
    with closing(Cluster(shared_buffers="256MB", autovacuum="on")) as cluster, ExitStack() as opened:
        stores = []
        for total in sizes:
            url = cluster.new_database()
            open_store(url).close()
            fill_postgresql(url, total)
            stores.append(Played(opened.enter_context(closing(open_store(url))), total))
        measure("PostgreSQL, sync on", stores)


if __name__ == "__main__":
    main()
