"""Tables in and out: export, import and backup, as files on a disk."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from companion.cli.tables import address
from companion.config import DATABASE
from companion.table import Tables
from tests.cli.command import companion

GAME: dict[str, Any] = {
    "format": "companion-record",
    "version": 1,
    "game": "leapfrog",
    "players": ["Ann", "べん"],
    "setup": {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0},
    "entries": [
        {"type": "won", "seat": 0, "id": "first-tap", "at": "2026-01-31T20:15:00Z", "by": 1},
        {"type": "revise", "at": 0, "drop": 1, "entries": [{"type": "won", "seat": 1}], "id": "put-right"},
    ],
}


def record(**changes: Any) -> str:
    return json.dumps({**GAME, **changes}, ensure_ascii=False)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def take_in(data: Path, *records: str) -> list[Any]:
    ran = companion("import", "--data", str(data), "-", given="\n".join(records))
    assert (ran.status, ran.err) == (0, "")
    return ran.answers


def test_what_goes_in_comes_out(data: Path) -> None:
    [answer] = take_in(data, record())
    assert (answer["game"], answer["new"], answer["added"]) == ("leapfrog", True, 2)
    ran = companion("export", "--data", str(data))
    assert (ran.status, ran.err) == (0, "")
    assert ran.answers == [GAME]


def test_an_export_is_an_import(data: Path, tmp_path: Path) -> None:
    take_in(data, record(), record(players=["Cem", "Dee"], entries=[]))
    exported = companion("export", "--data", str(data)).out
    take_in(tmp_path / "other", *exported.splitlines())
    again = companion("export", "--data", str(tmp_path / "other")).out
    assert sorted(again.splitlines()) == sorted(exported.splitlines())


def test_the_same_record_twice_is_one_table(data: Path) -> None:
    [first] = take_in(data, record())
    [again] = take_in(data, record())
    assert again == {**first, "new": False, "added": 0}
    assert len(companion("export", "--data", str(data)).answers) == 1


def test_a_record_that_goes_on_lengthens_its_table(data: Path) -> None:
    [first] = take_in(data, record())
    more = [*GAME["entries"], {"type": "won", "seat": 0, "id": "third"}]
    [longer] = take_in(data, record(entries=more))
    assert longer == {**first, "new": False, "added": 1}
    assert companion("export", "--data", str(data)).answers == [{**GAME, "entries": more}]


def test_one_table_by_its_address(data: Path) -> None:
    first, second = take_in(data, record(), record(players=["Cem", "Dee"], entries=[]))
    for name in (second["table"], f"http://192.168.1.20:8765/t/{second['table']}", f"/t/{second['table']}/menu?x=1"):
        [found] = companion("export", "--data", str(data), name).answers
        assert found["players"] == ["Cem", "Dee"]
    both = companion("export", "--data", str(data), second["table"], first["table"]).answers
    assert [one["players"][0] for one in both] == ["Cem", "Ann"]


def test_an_address_that_begins_with_a_hyphen(tables: Tables, tmp_path: Path) -> None:
    # Tables of older versions have them.
    row = tables.store.create("leapfrog", ["Ann", "Ben"], GAME["setup"], 1.0, id="-hyphenhyphenhyphenhyp")
    for typed in (["--", row.id], [f"/t/{row.id}"]):
        [found] = companion("export", "--data", str(tmp_path), *typed).answers
        assert found["players"] == ["Ann", "Ben"]


@pytest.mark.parametrize(
    ("typed", "read"),
    [("ABC", "ABC"), ("http://a.test/t/ABC", "ABC"), ("/t/ABC/record.json", "ABC"), ("", ""), ("http://a.test/", "")],
)
def test_addresses(typed: str, read: str) -> None:
    assert address(typed) == read


def test_a_table_that_is_not_there(data: Path) -> None:
    [there] = take_in(data, record())
    ran = companion("export", "--data", str(data), "NOWHERE", there["table"])
    assert ran.status == 1
    assert "NOWHERE" in ran.err
    assert len(ran.answers) == 1


def test_a_record_against_the_rules_is_left_out(data: Path) -> None:
    wrong = record(entries=[{"type": "card", "seat": 1, "card": "10S"}])
    ran = companion("import", "--data", str(data), "-", given=f"{wrong}\n{record()}\n")
    assert ran.status == 1
    assert len(ran.answers) == 1
    assert ran.err.startswith("companion import: <stdin>:1: ")
    assert len(companion("export", "--data", str(data)).answers) == 1


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("{", "not JSON"),
        (record(game="whist"), "whist"),
        (record(entries=[{"type": "won", "seat": 0, "at": "2026-02-30T00:00:00Z"}]), "entries[0].at"),
    ],
)
def test_what_cannot_be_read_is_left_out(given: str, named: str, data: Path) -> None:
    ran = companion("import", "--data", str(data), "-", given=given)
    assert ran.status == 2
    assert named in ran.err
    assert companion("export", "--data", str(data)).answers == []


@pytest.mark.parametrize("command", ["export", "backup"])
def test_where_nothing_is_kept_nothing_is_made(command: str, data: Path) -> None:
    ran = companion(command, "--data", str(data))
    assert ran.status == 1
    assert str(data) in ran.err
    assert not data.exists()


def test_a_database_of_somebody_else(data: Path) -> None:
    data.mkdir()
    (data / DATABASE).write_bytes(b"not a database at all")
    ran = companion("export", "--data", str(data))
    assert ran.status == 1
    assert DATABASE in ran.err
    assert (data / DATABASE).read_bytes() == b"not a database at all"


def test_a_backup_is_a_database(data: Path, tmp_path: Path) -> None:
    take_in(data, record())
    [made] = companion("backup", "--data", str(data)).answers
    copy = Path(made["backup"])
    assert copy.parent == data / "backups"
    assert copy.stat().st_size == made["bytes"]
    with sqlite3.connect(copy) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    (tmp_path / "back").mkdir()
    copy.rename(tmp_path / "back" / DATABASE)
    assert companion("export", "--data", str(tmp_path / "back")).answers == [GAME]


def test_a_backup_replaces_nothing(data: Path, tmp_path: Path) -> None:
    take_in(data, record())
    (tmp_path / "there").write_text("mine")
    ran = companion("backup", "--data", str(data), str(tmp_path / "there"))
    assert ran.status == 1
    assert (tmp_path / "there").read_text() == "mine"


def test_the_database_by_its_url(data: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/elsewhere.sqlite3"
    ran = companion("import", "--data", str(data), "-", given=record(), COMPANION_DATABASE_URL=url)
    assert ran.status == 0
    assert (tmp_path / "elsewhere.sqlite3").exists()
    assert not data.exists()
