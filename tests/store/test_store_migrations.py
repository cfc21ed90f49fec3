"""Migrations: from nothing and from every older revision with data, all of it or nothing."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from companion.store import StoreError, open_store
from companion.store.database import Database
from companion.store.migrate import MIGRATIONS, migrate
from companion.store.schema import HEAD, METADATA, VERSION_TABLE
from tests.store.children import Place
from tests.store.conftest import sqlite_only

REVISIONS = [
    script.revision
    for script in ScriptDirectory.from_config(
        Config(config_args={"script_location": str(MIGRATIONS), "path_separator": "os"})
    ).walk_revisions()
][::-1]


@contextmanager
def at(place: Place, revision: str) -> Iterator[Database]:
    with closing(Database(place.url)) as database:
        migrate(database, revision)
        yield database


def test_the_named_head_is_the_newest_revision() -> None:
    assert REVISIONS[-1] == HEAD


@pytest.mark.parametrize("first", REVISIONS)
def test_every_way_up_ends_at_the_schema_of_the_program(place: Place, first: str) -> None:
    with at(place, first) as database:
        migrate(database)
        with database.engine.connect() as connection:
            context = MigrationContext.configure(
                connection, opts={"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
            )
            assert compare_metadata(context, METADATA) == []
            assert context.get_current_revision() == HEAD


@pytest.mark.parametrize("first", REVISIONS)
def test_every_constraint_has_its_name(place: Place, first: str) -> None:
    found: set[Any] = set()
    with at(place, first) as database:
        migrate(database)
        look = inspect(database.engine)
        for table in METADATA.tables:
            found.add(look.get_pk_constraint(table)["name"])
            for kind in (look.get_foreign_keys, look.get_unique_constraints, look.get_check_constraints):
                found.update(each["name"] for each in kind(table))
    assert found == {
        *("pk_game_table", "uq_game_table_watch", "uq_game_table_origin"),
        *("pk_entry", "fk_entry_table_id", "uq_entry_key"),
        *("pk_device", "fk_device_table_id", "ck_device_role"),
        *("pk_join_code", "fk_join_code_table_id", "ck_join_code_role", "uq_join_code_table_id"),
        *("pk_moved", "fk_moved_table_id", "pk_tally"),
    }


def test_data_of_the_first_revision_is_kept(place: Place) -> None:
    with at(place, "0001"):
        for n in range(3):
            place.ask(
                "INSERT INTO game_table (id, watch, game, players, setup, version, created_at) VALUES "
                f"""('t{n}', 'w{n}', 'leapfrog', '["Ann","あ"]', '{{"dealer":1}}', {n}, {n}.5)"""
            )
            for seq in range(1, n + 1):
                place.ask(
                    "INSERT INTO entry (table_id, seq, key, body, at, by_seat) VALUES "
                    f"""('t{n}', {seq}, 'k{seq}', '{{"type":"won","seat":0}}', {100 + seq}.0, 1)"""
                )
    with closing(open_store(place.url)) as store:
        rows = store.tables()
        assert [(row.id, row.watch, row.version, row.active_at) for row in rows] == [
            ("t0", "w0", 0, 0.5),
            ("t1", "w1", 1, 101.0),
            ("t2", "w2", 2, 102.0),
        ]
        assert {(row.players, row.setup["dealer"], row.edition, row.binned_at) for row in rows} == {
            (("Ann", "あ"), 1, 0, None)
        }
        assert [[entry.key for entry in store.entries(row.id)] for row in rows] == [[], ["k1"], ["k1", "k2"]]
        assert store.append("t2", 2, "k3", {"type": "won", "seat": 1}, 200.0) == ("ok", 3)
        store.remember("phone", "t2", "play", 0, 1.0)
        store.bin("t2", 0.0)
        assert store.purge(1e9) == 1
    assert place.ask("SELECT table_id FROM entry") == [("t1",)]


def test_phones_of_the_second_revision_stay_at_their_tables(place: Place) -> None:
    with at(place, "0002"):
        place.ask(
            "INSERT INTO game_table (id, watch, game, players, setup, version, created_at, active_at) VALUES "
            """('t', 'w', 'leapfrog', '["Ann","Ben"]', '{}', 1, 1.0, 2.0)"""
        )
        place.ask("INSERT INTO entry (table_id, seq, key, body) VALUES ('t', 1, 'k', '{}')")
        place.ask("INSERT INTO device (device, table_id, role, seat, seen_at) VALUES ('phone', 't', 'play', 1, 5.0)")
    with closing(open_store(place.url)) as store:
        assert [(row.id, at.seat) for row, at in store.tables_of("phone")] == [("t", 1)]
        code = store.door("t", "play", 10.0).code
        assert store.behind(code, 11.0) == ("t", "play")
        fresh = store.put_out("t", "other")
        assert [(row.id, at.seat) for row, at in store.tables_of("phone")] == [(fresh, 1)]
        assert store.append(fresh, 1, "k2", {}, 12.0) == ("ok", 2)


@sqlite_only
def test_rebuilt_tables_stay_clustered_by_their_key(place: Place) -> None:
    with at(place, "0001") as database:
        migrate(database)
    assert place.ask("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%WITHOUT ROWID%'") == [
        (VERSION_TABLE,)
    ]
    assert place.ask("PRAGMA foreign_key_check") == []
    assert place.ask("PRAGMA integrity_check") == [("ok",)]


def test_a_migration_that_fails_changes_nothing(place: Place) -> None:
    with at(place, "0001") as database:
        place.ask("CREATE TABLE device (in_the_way INTEGER)")
        before = columns(database)
        with pytest.raises(StoreError) as caught:
            migrate(database)
        assert caught.value.code == "store.migration-failed"
        assert "device" in caught.value.params["reason"]
        assert columns(database) == before
        assert place.ask(f"SELECT version_num FROM {VERSION_TABLE}") == [("0001",)]
        # What was in the way is gone, and the same connection does it now, guarding its references again.
        place.ask("DROP TABLE device")
        migrate(database)
        assert place.ask(f"SELECT version_num FROM {VERSION_TABLE}") == [(HEAD,)]
        if place.is_sqlite:
            with closing(database.engine.raw_connection()) as connection:
                assert connection.cursor().execute("PRAGMA foreign_keys").fetchone() == (1,)


def columns(database: Database) -> dict[str, list[str]]:
    look = inspect(database.engine)
    return {table: [column["name"] for column in look.get_columns(table)] for table in sorted(look.get_table_names())}


def test_a_database_of_a_newer_program_is_told_and_left_alone(place: Place) -> None:
    open_store(place.url).close()
    place.ask(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    before = place.path.read_bytes() if place.is_sqlite else b""
    with pytest.raises(StoreError) as caught:
        open_store(place.url)
    assert caught.value.code == "store.newer-database"
    if place.kind == "sqlite-truncate":
        assert place.path.read_bytes() == before
    assert place.ask(f"SELECT version_num FROM {VERSION_TABLE}") == [("9999",)]
