"""Every test of the store runs on SQLite in both journal modes and on PostgreSQL."""

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


@pytest.fixture(params=[*SQLITE, "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Where an empty database is, and how it is to be opened."""
    kind = request.param
    if kind == "postgresql":
        return Place(kind, request.getfixturevalue("cluster").new_database())
    monkeypatch.setattr("companion.store.sqlite.wal_safe", journal(kind))
    return Place(kind, f"sqlite:///{(tmp_path / 'tables.db').as_posix()}")


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
