"""A proved revoke on the table page: both plays named, what the table may make of it, what it made of it."""

import json
import re
from typing import Any

import pytest
from flask import Flask

from companion.engine.record import record_from
from tests.web.conftest import Phone

CARDS = [(0, "10S"), (1, "8H"), (0, "7S"), (1, "4H"), (0, "6H"), (1, "3S")]


def lay(phone: Phone, *cards: tuple[int, str]) -> None:
    for seat, card in cards:
        assert phone.enter({"type": "card", "seat": seat, "card": card}).status_code == 303


@pytest.fixture
def revoked(phone: Phone) -> Phone:
    phone.start(hierarchy=["S", "H", "C"])
    lay(phone, *CARDS[:5])
    assert "revoked" not in phone.page
    lay(phone, CARDS[5])
    return phone


def test_it_names_both_plays_and_offers_what_the_table_may_do(revoked: Phone) -> None:
    page = revoked.page
    assert "Ben revoked" in page
    assert "8 of hearts" in page
    assert "3 of spades" in page
    assert "The rules give no penalty" in page
    assert "/rules/leapfrog#follow" in page
    for way in ("Play on", "/item/1/fix?at=0&amp;drop=6", "/item/1", "/adjust?note=Ben", "/end"):
        assert way in page
    watched = re.search(r"/w/[\w-]+", revoked.get(f"{revoked.table}/join?as=watch").text)
    assert watched
    looking = revoked.get(watched[0]).text
    assert "Ben revoked" in looking
    assert "Play on" not in looking


def test_playing_on_is_logged_and_does_not_ask_again(revoked: Phone) -> None:
    revoked.enter({"type": "revise", "at": 6, "drop": 0, "entries": []})
    assert "Ben revoked" not in revoked.page
    assert revoked.record()["entries"][-1]["type"] == "revise"
    for item in ("item/1", "item/2"):
        assert "The table let it stand" in revoked.get(f"{revoked.table}/{item}").text
    assert revoked.get(f"{revoked.table}/all").text.count("Named in a proved revoke") == 2
    revoked.get(revoked.table)
    revoked.enter(undo="1")
    assert "Ben revoked" in revoked.page


def test_a_ruling_keeps_the_fault_as_its_note_and_marks_the_state(revoked: Phone) -> None:
    revoked.get(f"{revoked.table}/adjust?note=Ben+revoked")
    fields = {**revoked.form(), "expected": revoked.hidden("expected"), "totals-0": "3", "note": "Ben revoked"}
    assert revoked.post(f"{revoked.table}/adjust", fields).status_code == 303
    assert revoked.record()["entries"][-1]["note"] == "Ben revoked"
    assert "Play on" not in revoked.get(revoked.table).text
    assert "Set by the table’s own ruling" in revoked.page
    page = revoked.get(f"{revoked.table}/item/2").text
    assert "Score of Ann" in page
    assert "Ben revoked" in page
    revoked.get(revoked.table)
    revoked.enter({"type": "concede", "seat": 1})
    assert "Score of Ann: 3 · Ben revoked" in revoked.page
    assert "The game was given up after it" in revoked.page


def test_an_entry_is_answered_before_the_log_is_weighed(revoked: Phone) -> None:
    revoked.enter(undo="1")
    headers = {**revoked.headers, "Accept": "application/json"}
    entry = json.dumps({"type": "card", "seat": 1, "card": "2S"})
    fields = {**revoked.form(), "expected": revoked.hidden("expected"), "entry": entry}
    told = json.loads(revoked.client.post(revoked.table, data=fields, headers=headers).text)
    assert "revoked" not in told["parts"]["main"]
    polled = revoked.get(f"{revoked.table}/live", **{"If-None-Match": told["tag"]})
    assert "Ben revoked" in json.loads(polled.text)["parts"]["main"]
    again = revoked.get(f"{revoked.table}/live", **{"If-None-Match": polled.headers["ETag"]})
    assert again.status_code == 304


def test_a_correction_tells_beforehand_that_it_leaves_no_fault(revoked: Phone) -> None:
    entry = json.dumps([{"type": "card", "seat": 1, "card": "3H"}])
    page = revoked.get(f"{revoked.table}/item/2/fix?at=5&drop=1&entries={entry}").text
    row = page.partition("Proved revokes")[2].partition("</tr>")[0]
    assert re.findall(r"\d+", re.sub(r"<svg.*?</svg>", "", row)) == ["2", "0"]


def test_one_of_these_plays_accuses_nobody(phone: Phone) -> None:
    phone.start("chameleon-tricks", players="3", name=["Ann", "Ben", "Cleo"])
    stacks: list[tuple[int, str]] = [(0, "5C"), (1, "10D"), (2, "10S"), (0, "9H"), (1, "9D"), (2, "9S")]
    for seat, card in stacks:
        assert phone.enter({"type": "stack", "seat": seat, "cards": [card]}).status_code == 303
    assert "Somebody revoked" in phone.page
    assert "nothing proves who" in phone.page
    for name in ("Ann", "Ben", "Cleo"):
        assert f"{name} revoked" not in phone.page


def test_a_bout_names_both_plays(phone: Phone) -> None:
    phone.start("measure-and-tempo")
    bout: list[dict[str, Any]] = [
        {"type": "strike", "seat": 0, "card": "9H"},
        {"type": "answer", "seat": 1, "card": "2C"},
        {"type": "lead", "seat": 0, "card": "10D"},
        {"type": "answer", "seat": 1, "card": "3H"},
    ]
    for entry in bout:
        assert phone.enter(entry).status_code == 303
    assert "Ben revoked" in phone.page
    assert "2 of clubs" in phone.page


def test_the_record_carries_the_answer_to_another_installation(revoked: Phone, app: Flask) -> None:
    revoked.enter({"type": "revise", "at": 6, "drop": 0, "entries": []})
    tables = app.extensions["tables"]
    brought = tables.bring_in(record_from({**revoked.record(), "players": ["Cy", "Di"]}))
    revoked.table = f"/t/{brought.table.id}"
    assert "Di revoked" not in revoked.get(revoked.table).text
    assert "The table let it stand" in revoked.get(f"{revoked.table}/item/1").text


def test_several_plays_that_cannot_all_have_been_honest(phone: Phone) -> None:
    phone.start("chameleon-tricks", players="3", name=["Ann", "Ben", "Cleo"])
    # Ben follows neither clubs nor hearts nor spades, and there are too few diamonds for so many cards.
    stacks = [(0, "5C"), (1, "10D"), (2, "4C"), (0, "9H"), (1, "9D"), (2, "3H"), (0, "8S"), (1, "2D"), (2, "3S")]
    for seat, card in stacks:
        assert phone.enter({"type": "stack", "seat": seat, "cards": [card]}).status_code == 303
    assert "Ben revoked" in phone.page
    assert "at least one was a revoke" in phone.page
    assert phone.page.count("led)") == 3
