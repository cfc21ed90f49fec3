"""Who takes a Leapfrog! trick, and why: every example of the rules pages and the review, and those people got wrong."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.findings import RecordError
from companion.engine.game import Ruling
from companion.engine.leapfrog_positions import legal, rule_on
from companion.engine.leapfrog_tricks import CardLaid, leap, take
from tests.engine.model_leapfrog import winner_of

SHC = ("S", "H", "C")


def plays(text: str, leader: int = 0) -> list[dict[str, Any]]:
    """Reads a trick in the order leader, other, leader, other: cards, or `leap` and `king` for one laid face down."""
    return [
        {"seat": (leader + place) % 2, **({"power": word} if word in ("leap", "king") else {"card": word})}
        for place, word in enumerate(text.split())
    ]


def ruled(trick: str, order: str = "S>H>C", **more: Any) -> Ruling:
    return rule_on({"game": "leapfrog", "hierarchy": order.split(">"), "plays": plays(trick), **more})


@pytest.mark.parametrize(
    ("order", "trick", "card"),
    [
        # The rules pages' own.
        pytest.param("S>H>C", "10S AS 2S 9S", "9S", id="10-1-2-9"),
        pytest.param("S>H>C", "5S 6S 7S 8S", "5S", id="5-6-7-8"),
        # The review's: green hearts, yellow spades, red clubs.
        pytest.param("H>S>C", "10H AH 2H 9H", "9H", id="A"),
        pytest.param("S>H>C", "5S 8S 6S 7S", "5S", id="B"),
        pytest.param("C>S>H", "AC 2C 3C 8C", "8C", id="C"),
        pytest.param("S>H>C", "7S 8S 9H 10H", "7S", id="D yellow"),
        pytest.param("H>S>C", "7S 8S 9H 10H", "9H", id="D green"),
        # The review's picture of a suit order, and a deck without clubs.
        pytest.param("C>H>D", "10D 9H AC 10H", "AC", id="picture"),
        # A trick's other edges.
        pytest.param("H>S>C", "10C AH 9C 4S", "AH", id="D01 the lead suit has no power and the Ace is low"),
        pytest.param("S>H>C", "10S AS 2S 3S", "10S", id="D06 no run from 10 to Ace"),
        pytest.param("S>H>C", "8S 7S 5S 2H", "7S", id="D07 a gap ends the run"),
        pytest.param("H>S>C", "10H 8H 7H 6H", "10H", id="D07 a run that does not touch the highest"),
        pytest.param("S>H>C", "AS 2S 10H 9H", "AS", id="a run down to the Ace"),
        pytest.param("S>H>C", "2S 3S 4S AS", "AS", id="all of a suit from 4 down"),
        pytest.param("S>H>C", "9C 10C 8C 7C", "7C", id="the weakest suit alone"),
        pytest.param("S>H>C", "10C 9H 9C 10H", "9H", id="the other suit's run is nothing"),
        pytest.param("S>H>C", "10S 9H 8S 7H", "10S", id="no run across suits"),
        pytest.param("S>H>C", "5H 10H 6H 2H", "10H", id="a run below the highest only"),
    ],
)
def test_who_takes_it(order: str, trick: str, card: str) -> None:
    for leader in (0, 1):
        position = {"game": "leapfrog", "hierarchy": order.split(">"), "plays": plays(trick, leader)}
        ruling = rule_on(position)
        assert ruling.card == card
        assert ruling.winner == (leader + trick.split().index(card)) % 2


@pytest.mark.parametrize("trick", ["10S AS 2S 9S", "5S 6S 7S 8S", "7S 8S 9H 10H", "2H 10C AS 2S"])
def test_the_order_of_play_is_nothing(trick: str) -> None:
    cards = {ruled(" ".join(order)).card for order in permutations(trick.split())}
    assert len(cards) == 1


@pytest.mark.parametrize(
    ("order", "trick", "card"),
    [
        pytest.param("S>H>C", "leap 10S 9H AC", "AC", id="led: the weakest suit is on top from then on"),
        pytest.param("S>H>C", "10S 9H 2C leap", "2C", id="with the fourth card: counts for this trick"),
        pytest.param("S>H>C", "10S leap 2H 3H", "10S", id="no card of the new top suit"),
        pytest.param("S>H>C", "king 10S 9S 2H", "9S", id="a face-down card is no part of a run and does not win"),
    ],
)
def test_a_power_in_the_trick(order: str, trick: str, card: str) -> None:
    assert ruled(trick, order).card == card


def test_leap() -> None:
    order = SHC
    for after in (("C", "S", "H"), ("H", "C", "S"), SHC):
        order = leap(order)
        assert order == after


@given(
    cards=st.lists(st.sampled_from([f"{rank}{suit}" for suit in "SHC" for rank in ("A", *range(2, 11))]), unique=True)
    .map(lambda cards: cards[:4])
    .filter(bool),
    order=st.permutations("SHC"),
)
def test_against_the_model(cards: list[str], order: list[str]) -> None:
    best = take([CardLaid(place % 2, card) for place, card in enumerate(cards)], order)
    model = winner_of([{"type": "card", "seat": place % 2, "card": card} for place, card in enumerate(cards)], order)
    assert best is not None
    assert model is not None
    assert (best.seat, best.card) == (model["seat"], model["card"])


@pytest.mark.parametrize(
    ("trick", "reasons"),
    [
        ("10C AH 9C 4S", "strongest-suit only-card"),
        ("10C AH 9C 4C", "strongest-laid only-card"),
        ("10S AS 2S 9S", "strongest-suit highest-card run"),
        ("10S AS 2S 3S", "strongest-suit highest-card no-run"),
        ("9C 10C 8C 7C", "strongest-laid highest-card run"),
        ("leap 10S 9H AC", "leapt strongest-suit only-card"),
        ("10S king AS 2S", "king-moved strongest-suit highest-card no-run"),
        ("king", "king-moved"),
        ("", "nothing-laid"),
    ],
)
def test_the_steps_of_a_ruling(trick: str, reasons: str) -> None:
    ruling = ruled(trick)
    assert [reason.code for reason in ruling.because] == reasons.split()
    assert (ruling.card is None) == (reasons in ("king-moved", "nothing-laid"))


def test_a_run_names_its_cards() -> None:
    run = ruled("5S 8S 6S 7S").because[-1]
    assert run.rule == "leapfrog/run"
    assert run.params == {"card": "5S", "seat": 0, "cards": ["8S", "7S", "6S", "5S"], "top": "8S"}


def test_what_would_have_changed_it() -> None:
    """The rulings' own example: without the 9 the 10 would have taken the trick."""
    ruling = ruled("10C AC 2C 9C", "C>S>H")
    assert (ruling.winner, ruling.card) == (1, "9C")
    assert [tuple(part) for part in ruling.without] == [
        ("10C", 1, "9C"),
        ("AC", 1, "9C"),
        ("2C", 1, "9C"),
        ("9C", 0, "10C"),
    ]
    # A card laid face down has no say, and without the only card nobody would have it.
    assert [tuple(part) for part in ruled("king 10S 9S 2H").without] == [
        ("10S", 0, "9S"),
        ("9S", 1, "10S"),
        ("2H", 0, "9S"),
    ]
    assert [tuple(part) for part in ruled("10S").without] == [("10S", None, None)]


@pytest.mark.parametrize(
    ("lying", "hand", "used", "up", "power"),
    [
        # D05: the one who can follow must; the one who cannot may lay anything.
        ("7H", "2H 9S 10C", 0, "2H", True),
        ("7H", "9S 10C", 0, "10C 9S", True),
        ("7H", "9S 10C", 2, "10C 9S", False),
        ("7H", "2H 9S 10C", 1, "2H", True),
        # After a face-down lead the next card is free and sets the suit.
        ("leap", "2H 9S 10C", 0, "10C 2H 9S", False),
        ("leap 9H", "2H 9S 10C", 0, "2H", False),
        # Both of a player's cards are bound.
        ("7H 8S", "2H 9S", 0, "2H", True),
        ("7H 8S 9S", "2H 9C", 0, "2H", True),
        # The leader is free.
        ("", "2H 9S 10C", 0, "10C 2H 9S", True),
        ("7H", "", 0, "", False),
    ],
)
def test_what_a_hand_may_play(lying: str, hand: str, used: int, up: str, power: bool) -> None:
    ruling = ruled(lying, hand=hand.split(), powers_used=used)
    assert ruling.json()["legal"] == {"up": up.split(), "power": power}


def test_legal_is_sorted_as_text() -> None:
    assert legal([], ["2S", "10S", "AH"], 0)["up"] == ["10S", "2S", "AH"]


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ({"hierarchy": ["S", "S", "C"]}, "suits-not-different", "hierarchy"),
        ({"hierarchy": ["S", "H"]}, "list-length", "hierarchy"),
        ({"hierarchy": ["S", "H", "ſ"]}, "not-a-suit", "hierarchy[2]"),
        ({"plays": [{"seat": 0, "card": "4S"}, {"seat": 0, "card": "5S"}]}, "position-turn", "plays[1].seat"),
        ({"plays": plays("4S 4S")}, "position-card-twice", "plays[1].card"),
        ({"plays": plays("4S 1S AS")}, "position-card-twice", "plays[2].card"),
        ({"plays": plays("4S"), "hand": ["4S"]}, "position-card-twice", "hand[0]"),
        ({"plays": plays("4D")}, "position-not-in-deck", "plays[0].card"),
        ({"plays": plays("KS")}, "position-not-in-deck", "plays[0].card"),
        ({"hand": ["JS"]}, "position-not-in-deck", "hand[0]"),
        ({"plays": plays("leap king")}, "position-second-power", "plays"),
        ({"plays": plays("4S 5S 6S 7S"), "hand": []}, "position-finished", "hand"),
        ({"plays": plays("4S 5S 6S 7S 8S")}, "list-length", "plays"),
        ({"plays": [{"seat": 0}]}, "key-missing", "plays[0].card"),
        ({"plays": [{"seat": 2, "card": "4S"}]}, "not-a-seat", "plays[0].seat"),
        ({"plays": [{"seat": 0, "power": "fly"}]}, "not-one-of", "plays[0].power"),
        ({"plays": [{"seat": 0, "card": "4S", "type": "card"}]}, "key-unknown", "plays[0].type"),
        ({"plays": ["4S"]}, "not-an-object", "plays[0]"),
        ({"powers_used": 3}, "not-a-number", "powers_used"),
        ({"type": "position"}, "key-unknown", "type"),
        ({"game": "chess"}, "not-one-of", "game"),
    ],
)
def test_positions_that_cannot_be(change: dict[str, Any], code: str, place: str) -> None:
    with pytest.raises(RecordError) as caught:
        rule_on({"game": "leapfrog", "hierarchy": list(SHC), "plays": [], **change})
    assert (caught.value.code, caught.value.place) == (code, place)


def test_the_one_is_the_ace() -> None:
    assert ruled("1s 10♥ 2S 9H").card == "AS"
    assert ruled("", hand=["1H"]).more["legal"]["up"] == ["AH"]


def test_a_face_down_card_may_be_known() -> None:
    turned = {"seat": 1, "power": "king", "card": "9S"}
    hidden = {"seat": 1, "power": "king", "card": None}
    first, last = {"seat": 0, "card": "10S"}, {"seat": 0, "card": "2H"}
    for down in (turned, hidden):
        position = {"game": "leapfrog", "hierarchy": list(SHC), "plays": [first, down, last]}
        assert rule_on(position).card == "10S"
    with pytest.raises(RecordError, match="position-card-twice"):
        rule_on({"game": "leapfrog", "hierarchy": list(SHC), "plays": [{"seat": 0, "card": "9S"}, turned]})
