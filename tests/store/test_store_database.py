"""How a database is opened: its settings, what is refused, what a lost connection costs."""

import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from companion.store import StoreError, TableRow, open_store, sqlite
from companion.store.schema import APPLICATION_ID
from companion.store.store import Store
from tests.pg import Cluster
from tests.store.children import BODY, Place, open_and_make, open_as_somebody_else, processes
from tests.store.conftest import postgresql_only, sqlite_only


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 45, 0), False),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 0), False),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 52, 0), True),
        ((4, 0, 0), True),
    ],
)
def test_the_journal_mode_follows_the_sqlite_version(version: tuple[int, ...], safe: bool) -> None:
    assert sqlite.wal_safe(version) is safe


@sqlite_only
def test_every_pooled_connection_is_set_up(place: Place, store: Store) -> None:
    wal = place.kind == "sqlite-wal"
    wanted = {
        "journal_mode": "wal" if wal else "truncate",
        "synchronous": 2 if wal else 3,
        "busy_timeout": 8000,
        "fullfsync": 1,
        "checkpoint_fullfsync": 1,
        "foreign_keys": 1,
    }
    engine = store._database.engine
    with ExitStack() as held:
        connections = [held.enter_context(closing(engine.raw_connection())) for _ in range(24)]
        assert len({id(each.dbapi_connection) for each in connections}) == 24
        for each in connections:
            cursor = each.cursor()
            assert {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted} == wanted
            cursor.close()


@sqlite_only
def test_the_file_is_its_owners_alone(place: Place, store: Store, table: TableRow) -> None:
    for file in place.path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


@sqlite_only
def test_the_folder_is_made(place: Place, tmp_path: Path) -> None:
    path = tmp_path / "50% there" / "対局" / "t.db"
    with closing(open_store(f"sqlite:///{path.as_posix()}")) as store:
        store.create("leapfrog", [], {}, 1.0)
    assert path.exists()


def fails(url: str) -> tuple[str, dict[str, Any]]:
    with pytest.raises(StoreError) as caught:
        open_store(url).close()
    return caught.value.code, caught.value.params


@pytest.mark.parametrize(
    "url",
    [
        "",
        "tables.db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///x.db?mode=ro",
        "sqlite+x:///y",
        "mysql://h/d",
        "x://y",
    ],
)
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    assert fails(url) == ("store.address-unknown", {})


@sqlite_only
@pytest.mark.parametrize(
    "content", [b"hello", b"%PDF-1.7\n" + b"x" * 9000, b"\x00", b"SQLite format 3\x00" + b"x" * 5000]
)
def test_a_foreign_file_is_told_and_left_alone(place: Place, content: bytes) -> None:
    place.path.write_bytes(content)
    before = place.path.stat()
    assert fails(place.url) == ("store.not-a-database", {"path": str(place.path)})
    assert place.path.read_bytes() == content
    assert place.path.stat().st_mtime_ns == before.st_mtime_ns
    assert [file.name for file in place.path.parent.iterdir()] == [place.path.name]


@sqlite_only
@pytest.mark.parametrize("mark", [0, 77])
def test_another_programs_database_is_told_and_left_alone(place: Place, mark: int) -> None:
    with closing(sqlite3.connect(place.path)) as other:
        other.execute(f"PRAGMA application_id={mark}")
        other.execute("CREATE TABLE entry (x)")
        other.commit()
    content = place.path.read_bytes()
    assert fails(place.url) == ("store.foreign-database", {"path": str(place.path)})
    assert place.path.read_bytes() == content


@sqlite_only
def test_a_folder_in_place_of_the_file_is_told(place: Place) -> None:
    place.path.mkdir()
    assert fails(place.url) == ("store.database-not-writable", {"path": str(place.path)})


@sqlite_only
def test_a_file_in_place_of_the_folder_is_told(place: Place, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    assert fails(f"sqlite:///{tmp_path.as_posix()}/f/t.db")[0] == "store.database-not-writable"


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    """A folder that only root may write to."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
        Path(name).chmod(0o700)


@pytest.mark.slow
@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_cannot_be_written_is_told(locked_folder: Path, there: bool) -> None:
    path = locked_folder / "tables.db"
    if there:
        open_store(f"sqlite:///{path}").close()
        path.chmod(0o666)
    locked_folder.chmod(0o555)
    context = processes()
    hear, say = context.Pipe(duplex=False)
    process = context.Process(target=open_as_somebody_else, args=(f"sqlite:///{path}", say))
    process.start()
    say.close()
    assert hear.recv() == "store.database-not-writable"
    hear.close()
    process.join(30)
    process.close()
    assert path.exists() is there


@sqlite_only
def test_a_database_of_another_journal_mode_is_taken_over(
    place: Place, store: Store, table: TableRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SQLite was updated, or the file came from another computer.
    store.append(table.id, 0, "a", BODY, 1.0)
    store.close()
    monkeypatch.setattr(sqlite, "wal_safe", lambda version: place.kind != "sqlite-wal")
    with closing(open_store(place.url)) as again:
        assert again.append(table.id, 1, "b", BODY, 1.0).version == 2
    assert place.ask("PRAGMA journal_mode") == [("delete" if place.kind == "sqlite-wal" else "wal",)]


@pytest.mark.slow
def test_processes_that_start_together_make_one_database(place: Place) -> None:
    context = processes()
    running = []
    gate = context.Barrier(4)
    for _ in range(4):
        hear, say = context.Pipe(duplex=False)
        process = context.Process(target=open_and_make, args=(place, gate, say))
        process.start()
        say.close()
        running.append((process, hear))
    made = set()
    for process, hear in running:
        made.add(hear.recv())
        hear.close()
        process.join(30)
        assert process.exitcode == 0
        process.close()
    with closing(open_store(place.url)) as store:
        assert {row.id for row in store.tables()} == made
    assert len(made) == 4


def test_importing_the_store_loads_no_database_library() -> None:
    # The whole app must be imported in half a second.
    check = "import sys, companion.store; sys.exit(bool({'sqlalchemy', 'alembic', 'psycopg'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_opening_an_up_to_date_database_does_not_load_alembic(place: Place) -> None:
    open_store(place.url).close()
    check = """
import sys
from companion.store import open_store
open_store(sys.argv[1]).close()
sys.exit("alembic" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-W", "error", "-c", check, place.url], check=False).returncode == 0


def test_a_database_gives_a_sign_of_life(store: Store) -> None:
    store.ready()


def test_a_server_that_is_not_there_is_told_without_its_password() -> None:
    code, params = fails("postgresql://companion:s3cret@127.0.0.1:1/none")
    assert (code, "s3cret" in str(params)) == ("store.unavailable", False)


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["fsync", "full_page_writes", "synchronous_commit"])
def test_a_server_that_may_lose_what_it_acknowledged_is_refused(cluster: Cluster, setting: str) -> None:
    url = cluster.new_database()
    if setting == "synchronous_commit":
        cluster.ask(f"ALTER DATABASE {url.rpartition('/')[2]} SET synchronous_commit = off")
        assert fails(url) == ("store.unsafe-setting", {"setting": setting, "value": "off"})
        return
    with closing(Cluster(**{setting: "off"})) as careless:
        assert fails(careless.new_database()) == ("store.unsafe-setting", {"setting": setting, "value": "off"})


@postgresql_only
def test_a_server_with_another_encoding_is_refused(cluster: Cluster, place: Place) -> None:
    cluster.ask("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    assert fails(cluster.url("latin"))[1] == {"setting": "server_encoding", "value": "LATIN1"}


@postgresql_only
@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_the_short_names_of_addresses_work(place: Place, scheme: str) -> None:
    open_store(place.url.replace("postgresql", scheme)).close()


@postgresql_only
def test_idle_connections_that_were_dropped_are_not_noticed(
    place: Place, cluster: Cluster, store: Store, table: TableRow
) -> None:
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(closing(store._database.engine.raw_connection()))
    for number in range(3):
        cluster.drop_connections(place.url)
        assert store.append(table.id, number, f"k{number}", BODY, 1.0).version == number + 1
        cluster.drop_connections(place.url)
        assert store.version(table.id) == number + 1


@postgresql_only
@pytest.mark.parametrize("after", ["checkout", "update", "commit"])
def test_a_connection_dropped_at_work_costs_one_retry(
    place: Place, cluster: Cluster, store: Store, table: TableRow, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    steps = {"checkout": "BEGIN", "update": "INSERT INTO entry", "commit": None}
    tries = cut_before(steps[after], monkeypatch, lambda: cluster.drop_connections(place.url))
    answer = store.append(table.id, 0, "a", BODY, 1.0)
    # Where the answer to COMMIT is lost, the second try finds the entry: the same key, the same version.
    assert answer == ("dup" if after == "commit" else "ok", 1)
    assert len(tries) == 1
    assert [entry.key for entry in store.entries(table.id)] == ["a"]


@postgresql_only
def test_a_read_dropped_at_work_costs_one_retry(
    place: Place, cluster: Cluster, store: Store, table: TableRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = cut_before("SELECT", monkeypatch, lambda: cluster.drop_connections(place.url))
    assert store.version(table.id) == 0
    assert len(tries) == 1


@postgresql_only
def test_a_creation_whose_answer_was_lost_is_one_table(
    place: Place, cluster: Cluster, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_before(None, monkeypatch, lambda: cluster.drop_connections(place.url))
    row = store.create("leapfrog", ["Ann", "Ben"], {}, 1.0)
    assert store.tables() == (row,)


def cut_before(statement: str | None, monkeypatch: pytest.MonkeyPatch, cut: Callable[[], None]) -> list[str]:
    """Cuts the connections once, just before this statement, or just after the COMMIT."""
    import psycopg

    done: list[str] = []
    execute = psycopg.Cursor.execute

    def cutting(self: Any, query: Any, *args: Any, **more: Any) -> Any:
        text = str(query)
        ours = self.connection.info.dbname != "postgres"
        if ours and not done and statement is not None and text.startswith(statement):
            done.append(text)
            cut()
        result = execute(self, query, *args, **more)
        if not done and statement is None and text == "COMMIT":
            done.append(text)
            cut()
            execute(self, "SELECT 1")
        return result

    monkeypatch.setattr(psycopg.Cursor, "execute", cutting)
    return done


@pytest.mark.slow
def test_a_restarted_server_is_found_again() -> None:
    with closing(Cluster()) as own, closing(open_store(own.new_database())) as store:
        row = store.create("leapfrog", [], {}, 1.0)
        for how in ("fast", "immediate"):
            version = store.version(row.id)
            own.stop(how)
            with pytest.raises(StoreError, match="unavailable"):
                store.append(row.id, version, how, BODY, 1.0)
            with pytest.raises(StoreError, match="unavailable"):
                store.ready()
            own.start()
            assert store.append(row.id, version, how, BODY, 1.0) == ("ok", version + 1)


@sqlite_only
def test_a_locked_database_is_told_in_time(
    place: Place, store: Store, table: TableRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.01)
    other = sqlite3.connect(place.path, isolation_level=None)
    with closing(other), closing(open_store(place.url)) as impatient:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError) as caught:
            impatient.append(table.id, 0, "a", BODY, 1.0)
        assert caught.value.code == "store.unavailable"
        other.execute("ROLLBACK")
        assert impatient.append(table.id, 0, "a", BODY, 1.0) == ("ok", 1)


@sqlite_only
def test_our_mark_is_in_the_file(place: Place, store: Store) -> None:
    assert place.ask("PRAGMA application_id") == [(APPLICATION_ID,)]
