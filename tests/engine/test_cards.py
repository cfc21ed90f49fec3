"""Cards: written as letters, read as people write them, sorted as a hand is held."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import companion.engine.cards as cards
from companion.engine.cards import BIT, PACK, RANK, SIGNS, SUIT, SUIT_BITS, SUITS, deck, in_order, read_card


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("10S", "10S"),
        ("AS", "AS"),
        ("ah", "AH"),
        ("aH", "AH"),
        ("Ah", "AH"),
        ("kd", "KD"),
        ("2c", "2C"),
        ("10♥", "10H"),
        ("10♥️", "10H"),
        ("10♥︎", "10H"),
        ("a♠", "AS"),
        ("q♦", "QD"),
    ],
)
def test_as_people_write_them(text: str, card: str) -> None:
    assert read_card(text) == card
    assert read_card(text, one=True) == card


@pytest.mark.parametrize(("text", "card"), [("1S", "AS"), ("1h", "AH"), ("1♣", "AC"), ("1♥️", "AH")])
def test_the_one_is_the_ace_where_the_game_says_so(text: str, card: str) -> None:
    assert read_card(text, one=True) == card
    with pytest.raises(KeyError):
        read_card(text)


@pytest.mark.parametrize(
    "text",
    ["", "S", "10", "S10", "1", "0S", "11S", "01S", "10 S", " 10S", "10S ", "10SS", "TS", "A♡", "9s♠", "ＡS", "Aſ"],
)
def test_what_is_no_card(text: str) -> None:
    with pytest.raises(KeyError):
        read_card(text, one=True)


@given(st.sampled_from(PACK))
def test_round_trip(card: str) -> None:
    for form in (card, card.lower(), card[:-1] + SIGNS[card[-1]]):
        assert read_card(form) == card


def test_a_pack_is_52_cards_each_with_its_bit() -> None:
    assert len(set(PACK)) == 52
    assert sum(BIT.values()) == 2**52 - 1
    for card in PACK:
        assert BIT[card] & SUIT_BITS[SUIT[card]]
    # A run is read off neighbouring bits.
    for lower, upper in pairwise(PACK):
        if SUIT[lower] == SUIT[upper]:
            assert BIT[upper] == 2 * BIT[lower]
            assert RANK[upper] == RANK[lower] + 1


def test_deck() -> None:
    assert deck(("A", "2"), ("S", "H")) == ("AS", "2S", "AH", "2H")


def test_ranks_are_numbers_not_text() -> None:
    """D22: sorted as text the 10 would come first."""
    assert in_order(["10S", "2S", "9S", "AS"]) == ["AS", "2S", "9S", "10S"]
    assert in_order(["2C", "10D", "KH", "AH", "3S"]) == ["3S", "AH", "KH", "10D", "2C"]


def test_signs_are_of_this_module() -> None:
    assert set(cards.SIGNS) == set(SUITS)
