"""Turning over what stayed hidden: offered where it could prove something, the count right, nothing picked lost."""

import re
from itertools import permutations
from random import Random

import pytest
from flask import Flask

from companion.engine.disputes import disputes, hidden, turnable, turned_over
from companion.engine.fold import Fold
from companion.engine.record import Line, record_from
from tests.engine.dealt_games import leapfrog
from tests.web.conftest import Phone


def doubtful(seed: int) -> tuple[Fold, list[int], tuple[str, ...]]:
    """Returns a round with a revoke in doubt, the cards face down in it, and what turned over proves it."""
    log = leapfrog(Random(seed), 0.3, by_result=0, told=0)
    end = log.openings[1]
    fold = Fold(log.fold.game, 2, log.fold.setup, log.fold.lines[:end], log.fold.states[: end + 1])
    down = [one.entry for one in hidden(fold) if one.entry]
    if hidden(fold) and down and not disputes(fold):
        for cards in permutations(turnable(fold), len(down) + 2):
            entry = turned_over(fold, dict(zip(down, cards, strict=False)), list(cards[len(down) :]))
            if disputes(fold.add(Line(entry))):
                return fold, down, cards
    return doubtful(seed + 1)


@pytest.fixture
def ended(app: Flask, phone: Phone) -> tuple[Phone, list[int], tuple[str, ...]]:
    fold, down, cards = doubtful(0)
    setup = {"variant": fold.setup.variant, "hierarchy": fold.setup.hierarchy, "dealer": fold.setup.dealer}
    track = {"track": list(fold.setup.track)} if fold.setup.variant == "freshwater" else {}
    record = {"format": "companion-record", "version": 1, "game": "leapfrog", "players": ["Ann", "Ben"]}
    entries = [line.json() for line in fold.lines]
    setup["hierarchy"] = list(fold.setup.hierarchy)
    brought = app.extensions["tables"].bring_in(record_from({**record, "setup": setup | track, "entries": entries}))
    phone.table = f"/t/{brought.table.id}"
    return phone, down, cards


def test_cards_turned_over_prove_the_revoke(ended: tuple[Phone, list[int], tuple[str, ...]]) -> None:
    phone, down, cards = ended
    assert "Turn over what stayed hidden" in phone.get(phone.table).text
    page = phone.get(f"{phone.table}/reveal").text
    assert "2 cards that were never laid" in page
    never = cards[len(down) :]
    picked = {f"card-{entry}": card for entry, card in zip(down, cards, strict=False)}
    fields = {**phone.form(), "expected": phone.hidden("expected"), **picked}
    answer = phone.post(f"{phone.table}/reveal", {**fields, "card-0": [*never[:1]]})
    assert answer.status_code == 422
    assert "2 cards are needed, 1 are tapped" in answer.text
    assert len(re.findall(r'value="\w+" checked', answer.text)) == len(down) + 1
    before = len(phone.record()["entries"])
    assert phone.post(f"{phone.table}/reveal", {**fields, "card-0": [*never]}).status_code == 303
    assert len(phone.record()["entries"]) == before + 1
    assert "revoked" in phone.get(phone.table).text
    assert "Turn over what stayed hidden" not in phone.page
    phone.enter(undo="1")
    assert "revoked" not in phone.page


def test_nothing_is_offered_while_a_round_goes_on_or_nothing_is_in_doubt(phone: Phone) -> None:
    phone.start()
    phone.won(0, 1, 0)
    assert "stayed hidden" not in phone.page
    phone.won(0, 1, 0, 1)
    assert "stayed hidden" not in phone.page
    assert "would decide anything" in phone.get(f"{phone.table}/reveal").text
    fields = {**phone.form(), "expected": "7"}
    phone.get(phone.table)
    fields |= phone.form()
    assert phone.post(f"{phone.table}/reveal", fields).status_code == 422
