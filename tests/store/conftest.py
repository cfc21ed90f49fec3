"""Every test of the store runs on SQLite in both journal modes and on PostgreSQL."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.store import TableRow, open_store
from companion.store.store import Store
from tests.pg import Cluster
from tests.store.children import Place, journal

SQLITE = ("sqlite-wal", "sqlite-truncate")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    server = Cluster()
    yield server
    server.close()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of the newest schema with no table in it, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "tables.db"
    open_store(f"sqlite:///{path.as_posix()}").close()
    return path


@pytest.fixture(scope="session")
def shared(cluster: Cluster) -> str:
    """The one PostgreSQL database of all tests that do not need one of their own."""
    url = cluster.new_database()
    open_store(url).close()
    return url


@pytest.fixture(params=[*SQLITE, "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Where a database is, and how it is to be opened: an empty one, or for the `store` fixture one with the schema."""
    kind = request.param
    empty = "store" not in request.fixturenames
    if kind == "postgresql":
        if empty:
            return Place(kind, request.getfixturevalue("cluster").new_database())
        found = Place(kind, request.getfixturevalue("shared"))
        for name in ("game_table", "tally"):
            found.ask(f"DELETE FROM {name}")
        return found
    path = tmp_path / "tables.db"
    if not empty:
        shutil.copy(request.getfixturevalue("migrated"), path)
    monkeypatch.setattr("companion.store.sqlite.wal_safe", journal(kind))
    return Place(kind, f"sqlite:///{path.as_posix()}")


sqlite_only = pytest.mark.parametrize("place", SQLITE, indirect=True)
postgresql_only = pytest.mark.parametrize("place", ["postgresql"], indirect=True)


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    opened = open_store(place.url)
    yield opened
    opened.close()


@pytest.fixture
def table(store: Store) -> TableRow:
    return store.create("leapfrog", ["Ann", "Ben"], {"dealer": 0}, 100.0)


@pytest.fixture
def raw(place: Place) -> Callable[[str], list[tuple[object, ...]]]:
    """Asks the database past the store."""
    return place.ask
