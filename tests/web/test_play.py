"""The table page without scripts: entries, undo, what is refused, what the other phone entered."""

import json
import re
from typing import Any

import pytest
from flask import Flask

from tests.web.conftest import Phone


def test_two_taps_from_home_to_the_table(phone: Phone) -> None:
    assert 'href="/new/leapfrog"' in phone.get("/").text
    phone.start()
    assert "Who won trick 1?" in phone.page


def test_a_trick_by_its_result_is_one_entry(phone: Phone) -> None:
    phone.start()
    phone.won(0)
    assert phone.record()["entries"][0]["type"] == "won"
    assert "Who won trick 2?" in phone.page
    assert "Trick 1: Ann" in phone.page


def test_the_same_form_sent_twice_is_one_entry(phone: Phone) -> None:
    phone.start()
    sent = {**phone.form(), "expected": "0", "entry": '{"type":"won","seat":1}'}
    assert [phone.post(phone.table, sent).status_code for _ in range(5)] == [303] * 5
    assert len(phone.record()["entries"]) == 1


def test_an_undo_sent_twice_takes_back_one_entry(phone: Phone) -> None:
    phone.start()
    phone.won(0, 1)
    sent = {**phone.form(), "expected": "2", "undo": "1"}
    assert [phone.post(phone.table, sent).status_code for _ in range(3)] == [303] * 3
    phone.get(phone.table)
    assert "Who won trick 2?" in phone.page


def test_undo_reaches_over_the_end_of_a_round_and_of_the_game(phone: Phone) -> None:
    phone.start()
    phone.won(*[0, 1] * 14)
    assert "wins" in phone.page
    phone.enter(undo="1")
    assert "Who won trick 7?" in phone.page
    for _ in range(7):
        phone.enter(undo="1")
    assert "Who won trick 7?" in phone.page
    assert "Round 3/4" in phone.page


@pytest.mark.parametrize(
    ("entry", "says", "rule"),
    [
        ({"type": "card", "seat": 1, "card": "5S"}, "It is Ann’s turn", "/rules/leapfrog#order"),
        ({"type": "card", "seat": 0, "card": "KS"}, "not in this deck", "/rules/leapfrog#deal"),
        ({"type": "hop", "seat": 0, "dive": True}, "no dive is open", "/rules/leapfrog#dive"),
    ],
)
def test_a_refusal_says_why_and_by_which_rule(phone: Phone, entry: dict[str, object], says: str, rule: str) -> None:
    phone.start()
    answer = phone.enter(entry)
    assert answer.status_code == 422
    assert says in answer.text
    assert rule in answer.text
    assert phone.record()["entries"] == []


@pytest.mark.parametrize(
    "entry", ["", "[]", "{", "null", '{"type":"won"}', '{"type":"fold"}', '{"type":"won","seat":0,"x":1}', "[" * 9000]
)
def test_what_cannot_be_read_is_refused_with_a_word(phone: Phone, entry: str) -> None:
    phone.start()
    answer = phone.enter(entry=entry)
    assert answer.status_code == 400
    assert "Not entered" in answer.text
    assert phone.record()["entries"] == []


def test_another_version_shows_what_the_other_phone_entered(app: Flask, phone: Phone) -> None:
    phone.start()
    other = Phone(app)
    other.table = phone.table
    other.get(phone.table)
    phone.won(1)
    answer = other.enter({"type": "won", "seat": 0})
    assert answer.status_code == 409
    assert "The table moved on" in answer.text
    assert "Ben took it" in answer.text
    assert "Ann took it" in answer.text
    assert len(phone.record()["entries"]) == 1
    # One tap enters it all the same, without scripts too.
    assert 'name="entry" value="{&#34;type&#34;:&#34;won&#34;,&#34;seat&#34;:0}" data-again' in answer.text
    other.enter({"type": "won", "seat": 0})
    assert [entry["seat"] for entry in phone.record()["entries"]] == [1, 0]


def test_a_clash_says_how_much_waits_behind_it(app: Flask, phone: Phone) -> None:
    phone.start()
    other = Phone(app)
    other.table = phone.table
    other.get(phone.table)
    phone.won(1)
    answer = other.enter({"type": "won", "seat": 1}, behind="2")
    assert "The other phone entered the same" in answer.text
    assert "2 more entries wait on this phone" in answer.text
    assert other.enter({"type": "hop", "seat": 0, "dive": True}, expected="1", behind="1").status_code == 422
    assert 'name="behind" value="1" data-again' in other.page


def test_scripts_get_the_pieces_that_change(phone: Phone) -> None:
    phone.start()
    sent = {**phone.form(), "expected": "0", "entry": '{"type":"won","seat":1}'}
    answer = phone.client.post(phone.table, data=sent, headers={**phone.headers, "Accept": "application/json"})
    told = json.loads(answer.text)
    assert told["version"] == 1
    pieces = {"side0", "side1", "mat", "svg-ground", "svg-ways", "suits", "powers", "win0", "win1", "t0", "t1"}
    assert set(told["parts"]) == {"bar", "main", "past", "says", "title", "kind"} | pieces
    assert "csrf" not in told["parts"]["main"]
    # A piece within a part comes once, by itself, and has its place there.
    for name in pieces:
        within = "".join(text for other, text in told["parts"].items() if other != name)
        assert re.search(f'data-part="{name}"[^>]*></', within)
        assert told["parts"][name] not in within
        assert "data-part" in told["parts"][name] or told["parts"][name] in phone.get(phone.table).text


@pytest.mark.parametrize(
    ("slug", "view", "key", "entry"),
    [
        ("leapfrog", "?by=card", {"card": "5C"}, {"type": "card", "seat": 0, "card": "5C"}),
        ("chameleon-tricks", "?by=card", {"cards": ["5H"]}, {"type": "stack", "seat": 0, "cards": ["5H"]}),
        ("measure-and-tempo", "?pick=strike", {"card": "5D"}, {"type": "strike", "seat": 0, "card": "5D"}),
    ],
)
def test_a_card_pad_says_once_whose_turn_it_is(
    phone: Phone, slug: str, view: str, key: dict[str, Any], entry: dict[str, Any]
) -> None:
    phone.get(phone.start(slug) + view)
    turns = re.findall(r"""name="turn" value='([^']*)'""", phone.page)
    keys = re.findall(r"""<button class="ck [SHDC]"[^>]* name="card" value='([^']*)'""", phone.page)
    assert len(turns) == 1
    assert len(set(keys)) == len(keys) >= 21
    assert "seat" not in "".join(keys)
    laid = next(one for one in keys if json.loads(one) == key)
    assert phone.enter(turn=turns[0], card=laid).status_code == 303
    assert entry.items() <= phone.record()["entries"][0].items()


def test_an_unchanged_poll_is_answered_with_nothing(phone: Phone) -> None:
    phone.start()
    first = phone.get(f"{phone.table}/live")
    mark = first.headers["ETag"]
    assert phone.get(f"{phone.table}/live", **{"If-None-Match": mark}).status_code == 304
    phone.get(phone.table)
    phone.won(0)
    assert phone.get(f"{phone.table}/live", **{"If-None-Match": mark}).status_code == 200


def test_a_choice_made_in_steps_is_one_entry(phone: Phone) -> None:
    phone.start()
    sent = {**phone.form(), "expected": "0", "entry": ['{"type":"power","seat":1}', '{"power":"leap"}']}
    assert phone.post(phone.table, sent).status_code == 303
    assert phone.record()["entries"][0]["power"] == "leap"


def test_a_rematch_passes_the_deal(phone: Phone) -> None:
    phone.start()
    phone.won(*[0, 1] * 14)
    old = phone.table
    answer = phone.post(f"{old}/rematch", {**phone.form(), "expected": phone.hidden("expected")})
    phone.table = answer.headers["Location"]
    assert phone.table != old
    assert phone.record()["setup"]["dealer"] == 1
    assert phone.record()["players"] == ["Ann", "Ben"]


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "record larger than 1 KiB"), ("ja", "読み込みの上限 1 KiB を超えて")]
)
def test_a_full_record_says_so_and_loses_nothing(
    app: Flask, monkeypatch: pytest.MonkeyPatch, lang: str, said: str
) -> None:
    phone = Phone(app, lang)
    phone.start()
    phone.won(0, 1)
    monkeypatch.setattr("companion.table.MOST_BYTES", 1024)
    while phone.enter({"type": "won", "seat": 0}).status_code == 303:
        pass
    assert said in phone.page
    fields = {**phone.form(), "expected": phone.hidden("expected")}
    entry = {"type": "revise", "at": 0, "drop": 1, "entries": [{"type": "won", "seat": 1}]}
    answer = phone.post(f"{phone.table}/item/1/fix", {**fields, "entry": json.dumps(entry)})
    assert (answer.status_code, said in answer.text) == (422, True)
    assert "mend=1" not in answer.text
    log = phone.record()["entries"]
    assert len(log) > 2
    assert len(phone.get(f"{phone.table}/record.json").data) <= 1024
