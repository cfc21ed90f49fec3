"""What was acknowledged is on disk: kills in the middle of appends, syncs counted, backups taken while writing."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from companion.store import StoreError, TableRow, open_store
from companion.store.store import Store
from tests.pg import Cluster
from tests.store import children
from tests.store.children import BODY, Place, append_without_end, processes
from tests.store.conftest import postgresql_only, sqlite_only


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "rounds"), [("sqlite-wal", 20), ("sqlite-truncate", 8), ("postgresql", 8)], indirect=["place"]
)
def test_a_killed_process_loses_nothing_it_acknowledged(place: Place, rounds: int) -> None:
    with closing(open_store(place.url)) as store:
        table_id = store.create("leapfrog", ["Ann", "Ben"], {}, 1.0).id
    chance = random.Random(place.kind)
    context = processes()
    version = 0
    for turn in range(rounds):
        hear, say = context.Pipe(duplex=False)
        process = context.Process(target=append_without_end, args=(place, table_id, say))
        process.start()
        say.close()
        acknowledged = version
        for _ in range(chance.randrange(1, 40)):
            acknowledged = hear.recv()
        # Somewhere inside the appends that go on meanwhile.
        Event().wait(chance.random() * 0.01)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join(30)
        while True:
            try:
                acknowledged = hear.recv()
            except EOFError:
                break
        hear.close()
        process.close()
        with closing(open_store(place.url)) as store:
            entries = store.entries(table_id)
            version = store.version(table_id)
            assert [entry.seq for entry in entries] == list(range(1, version + 1)), turn
            # The one entry whose answer was under way may be there too.
            assert acknowledged <= version <= acknowledged + 1, turn
            assert all(entry.body == BODY for entry in entries)
    assert version >= rounds
    if place.is_sqlite:
        assert place.ask("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.slow
@sqlite_only
def test_every_append_is_synced(place: Place, tmp_path: Path) -> None:
    strace = shutil.which("strace")
    assert strace, "this test needs strace (Debian: apt-get install strace)"

    def syncs(appends: int) -> int:
        trace = tmp_path / f"trace-{appends}"
        subprocess.run(
            [
                *(strace, "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", str(trace)),
                *(sys.executable, children.__file__, place.kind, f"sqlite:///{tmp_path}/{appends}.db", str(appends)),
            ],
            check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        return sum("sync(" in line for line in trace.read_text().splitlines())

    # The WAL takes one each; TRUNCATE syncs the journal, its header, the database and the shortened journal.
    assert syncs(50) - syncs(0) >= 50 * (1 if place.kind == "sqlite-wal" else 4)


@pytest.mark.slow
@postgresql_only
def test_every_append_is_synced_by_the_server(place: Place, cluster: Cluster, store: Store, table: TableRow) -> None:
    def syncs() -> int:
        cluster.ask("SELECT pg_stat_clear_snapshot()")
        return int(cluster.ask("SELECT wal_sync FROM pg_stat_wal")[0][0])

    before = syncs()
    for number in range(50):
        store.append(table.id, number, str(number), BODY, 1.0)
    store.close()
    # A server process reports its numbers at the latest when its connection ends.
    cluster.drop_connections(place.url)
    assert syncs() - before >= 50


@pytest.mark.slow
@sqlite_only
def test_a_backup_taken_while_writing_opens_clean(place: Place, store: Store, tmp_path: Path) -> None:
    rows = [store.create("leapfrog", [], {}, 1.0) for _ in range(3)]
    done = Event()
    acknowledged = [0, 0, 0]
    failed: list[BaseException] = []

    def play(number: int) -> None:
        try:
            while not done.is_set():
                version = acknowledged[number]
                assert store.append(rows[number].id, version, str(version), BODY, 1.0).status == "ok"
                acknowledged[number] = version + 1
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=play, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        for turn in range(6):
            path = tmp_path / f"backup {turn}.db"
            before = list(acknowledged)
            if turn % 2:
                store.backup(path)
            else:
                # As the command line does it, which shares no lock with the server.
                with closing(open_store(place.url)) as other:
                    other.backup(path)
            assert path.stat().st_mode & 0o077 == 0
            with closing(open_store(f"sqlite:///{path}")) as copy:
                for row, least in zip(rows, before, strict=True):
                    entries = copy.entries(row.id)
                    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
                    assert copy.version(row.id) == len(entries) >= least
                assert copy.append(rows[0].id, copy.version(rows[0].id), "after", BODY, 1.0).status == "ok"
            with closing(sqlite3.connect(path)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert failed == []
    assert min(acknowledged) > 0
    assert list(tmp_path.glob("*.part")) == []


@sqlite_only
def test_a_backup_replaces_nothing(store: Store, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    with pytest.raises(StoreError, match="backup-exists"):
        store.backup(tmp_path / "precious")
    assert (tmp_path / "precious").read_text() == "x"
    with pytest.raises(StoreError, match="backup-not-written"):
        store.backup(tmp_path / "nowhere" / "b.db")


@postgresql_only
def test_postgresql_is_backed_up_by_its_own_tools(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="backup-elsewhere"):
        store.backup(tmp_path / "b.db")
