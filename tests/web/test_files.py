"""Records brought in and tables given back: each once, whole, and only by those who may."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from companion.app import create_app
from companion.config import load
from tests.web.conftest import Phone

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Any:
    """Another companion, empty, with a key of its own."""
    made = create_app(load(data=str(tmp_path / "elsewhere"), environ={}))
    made.testing = True
    yield made
    made.extensions["tables"].store.close()


def give(phone: Phone, path: str, record: dict[str, Any] | str) -> Any:
    text = record if isinstance(record, str) else json.dumps(record)
    return phone.post(path, {**phone.form(), "record": text}, **{"Content-Type": "multipart/form-data"})


def played(phone: Phone, *seats: int) -> dict[str, Any]:
    phone.start()
    phone.won(*seats)
    return phone.record()


def test_a_phone_gives_a_lost_table_back_under_its_address(phone: Phone, elsewhere: Flask) -> None:
    record = played(phone, 0, 1, 1)
    other = Phone(elsewhere)
    other.table = phone.table
    assert other.get(f"{phone.table}/give-back").status_code == 404
    assert "does not know the table" in other.page
    for _ in range(5):
        assert give(other, f"{phone.table}/give-back", record).headers["Location"] == phone.table
    assert other.record() == record
    other.get(other.table)
    other.won(0)
    assert len(other.record()["entries"]) == 4


def test_an_older_table_gains_what_it_lacks(phone: Phone, elsewhere: Flask) -> None:
    record = played(phone, 0, 1, 1, 0)
    other = Phone(elsewhere)
    other.table = phone.table
    other.get("/files")
    give(other, f"{phone.table}/give-back", {**record, "entries": record["entries"][:2]})
    assert "The table holds 2 entries" in other.get(f"{phone.table}/give-back").text
    assert give(other, f"{phone.table}/give-back", record).status_code == 303
    assert other.record() == record


def test_tables_that_went_apart_are_shown_and_both_are_kept(phone: Phone, elsewhere: Flask) -> None:
    record = played(phone, 0, 1)
    other = Phone(elsewhere)
    other.table = phone.table
    other.get("/files")
    give(other, f"{phone.table}/give-back", {**record, "entries": record["entries"][:1]})
    other.get(other.table)
    other.won(0)
    kept = other.record()
    answer = give(other, f"{phone.table}/give-back", record)
    assert answer.status_code == 409
    assert "Ann took it" in answer.text
    assert "Ben took it" in answer.text
    assert other.record() == kept
    second = give(other, "/files", record).headers["Location"]
    assert second != phone.table
    other.table = second
    assert other.record()["entries"] == record["entries"]


def test_only_who_knows_the_play_address_gives_back(phone: Phone, elsewhere: Flask) -> None:
    record = played(phone, 0)
    watch = phone.hidden("csrf_token") and phone.page.partition('data-table="')[2].partition('"')[0]
    other = Phone(elsewhere)
    assert "data-copy" in other.get(f"/w/{watch}").text
    assert other.get(f"/w/{watch}/give-back").status_code == 404
    # Knowing the watching address, one can make a table of one's own, but none that others would see under it.
    give(other, f"/t/{watch}/give-back", record)
    assert other.get(f"/w/{watch}").status_code == 404
    assert give(other, "/t/short/give-back", record).status_code == 404


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"entries": [{"type": "won", "seat": 0}]}, "entries[0].id"),
        ({"entries": [{"type": "hop", "seat": 0, "dive": True, "id": "x"}]}, "no dive is open"),
        ({"game": "whist"}, "whist"),
        ({"entries": [{"type": "won", "seat": 0, "id": "x"}] * 2}, "entries[1].id"),
    ],
)
def test_a_record_that_cannot_be_is_not_given_back(phone: Phone, change: dict[str, Any], says: str) -> None:
    record = played(phone, 0)
    phone.get("/files")
    answer = give(phone, f"/t/{'A' * 22}/give-back", {**record, **change})
    assert answer.status_code == 422
    assert says in answer.text
    assert phone.get(f"/t/{'A' * 22}").status_code == 404


def test_a_phone_learns_of_the_log_only_what_it_lacks(phone: Phone) -> None:
    record = played(phone, 0, 1, 1)

    def lacking(have: str) -> Any:
        return json.loads(phone.get(f"{phone.table}/live", **{"X-Have": have}).text)["log"]

    whole = lacking("")
    assert {**whole["head"], "entries": whole["lines"]} == record
    key = record["entries"][1]["id"]
    assert lacking(f"2:{key}") == {"after": 2, "lines": record["entries"][2:]}
    assert lacking("2:another") == {"apart": True}
    assert lacking("0:") == {"after": 0, "lines": record["entries"]}
    assert "log" not in json.loads(phone.get(f"{phone.table}/live").text)


def test_every_table_of_a_phone_goes_out_in_one_file_and_comes_in_elsewhere(phone: Phone, elsewhere: Flask) -> None:
    records = [played(phone, 0, 1), played(phone, 1)]
    file = phone.get("/tables.jsonl").text
    assert sorted(map(json.loads, file.splitlines()), key=str) == sorted(records, key=str)
    other = Phone(elsewhere)
    for _ in range(2):
        other.get("/files")
        answer = give(other, "/files", file)
        assert answer.status_code == 200
        assert "2 tables are here" in answer.text
    assert sorted(other.get("/tables.jsonl").text.splitlines()) == sorted(file.splitlines())


def test_what_cannot_be_brought_in_is_named_and_left_in_the_form(phone: Phone) -> None:
    record = played(phone, 0)
    wrong = {**record, "entries": [{"type": "won", "seat": 7}]}
    phone.get("/files")
    answer = give(phone, "/files", json.dumps(wrong) + "\n" + json.dumps({**record, "players": ["Cem", "Dee"]}) + "{oh")
    assert answer.status_code == 422
    assert "Record 1 was not brought in" in answer.text
    assert "entries[0].seat" in answer.text
    assert "Record 3 was not brought in" in answer.text
    assert "One table is here" in answer.text
    assert "&#34;seat&#34;: 7" in answer.text
    assert "{oh" in answer.text
    assert give(phone, "/files", "").status_code == 422


def test_a_whole_record_is_not_too_large_and_what_is_too_large_is_told(phone: Phone) -> None:
    record = played(phone, 0)
    many = [{"type": "adjust", "set": {"totals": [n % 99, 0]}, "note": "x" * 50, "id": f"k{n}"} for n in range(1500)]
    phone.get("/files")
    assert give(phone, "/files", {**record, "entries": many}).status_code == 303
    phone.get("/files")
    large = phone.client.post("/files", data=b"record=" + b"x" * 5_000_000, headers=phone.headers, content_type=FORM)
    assert large.status_code == 413
    assert "larger than anything this app needs" in large.text


def test_a_token_is_asked_for(app: Flask, phone: Phone) -> None:
    record = played(phone, 0)
    for path in ("/files", f"/t/{'A' * 22}/give-back"):
        answer = phone.client.post(path, data={"record": json.dumps(record)}, headers=phone.headers)
        assert answer.status_code == 400
    assert phone.get(f"/t/{'A' * 22}").status_code == 404


class TestTwoPhonesAgree:
    """Each says on its own phone who took the trick."""

    @pytest.fixture
    def other(self, app: Flask, phone: Phone) -> Phone:
        phone.start(agree="yes")
        other = Phone(app)
        other.table = phone.table
        other.get(phone.table)
        return other

    def test_the_same_twice_is_one_entry(self, phone: Phone, other: Phone) -> None:
        phone.enter({"type": "won", "seat": 0})
        assert "Waiting for another phone" in phone.page
        assert phone.record()["entries"] == []
        assert "has said who" in other.get(phone.table).text
        assert "Ann took it" not in other.page
        other.enter({"type": "won", "seat": 0})
        assert "Who won trick 2?" in other.page
        assert len(phone.record()["entries"]) == 1

    def test_the_phones_differ_until_one_says_it_again(self, phone: Phone, other: Phone) -> None:
        phone.enter({"type": "won", "seat": 0})
        other.enter({"type": "won", "seat": 1})
        for one in (other, phone):
            page = one.get(phone.table).text
            assert "do not agree" in page
            assert "Ann took it" in page
            assert "Ben took it" in page
            assert f"{phone.table}/check?now=1" in page
        phone.enter(unsay="1")
        assert "Who won trick 1?" in phone.page
        phone.enter({"type": "won", "seat": 1})
        assert "Who won trick 2?" in phone.page
        assert [entry["seat"] for entry in phone.record()["entries"]] == [1]

    def test_one_phone_alone_can_finish(self, phone: Phone, other: Phone) -> None:
        phone.enter({"type": "won", "seat": 0})
        assert "If there is no other, enter it alone" in phone.page
        phone.enter(alone='{"type":"won","seat":0}')
        assert len(phone.record()["entries"]) == 1

    def test_it_is_the_tables_own_and_goes_on_in_a_rematch(self, phone: Phone, other: Phone) -> None:
        assert "agree" not in json.dumps(phone.record())
        old = phone.table
        phone.table = phone.post(f"{old}/rematch", {**phone.form(), "expected": "0"}).headers["Location"]
        phone.get(phone.table)
        phone.enter({"type": "won", "seat": 0})
        assert phone.record()["entries"] == []
        phone.get(f"{phone.table}/menu")
        phone.post(f"{phone.table}/agree", {**phone.form(), "agree": "no"})
        phone.get(phone.table)
        phone.enter({"type": "won", "seat": 0})
        assert len(phone.record()["entries"]) == 1
