"""Cards and suits: their notation, in and out.

A card is its code: rank then suit letter, `10S`. Strings, not objects: a log holds letters, never positions, and a
state full of them is JSON as it stands.
"""

from collections.abc import Iterable
from typing import NewType

Card = NewType("Card", str)
Suit = NewType("Suit", str)

SUITS: tuple[Suit, ...] = (Suit("S"), Suit("H"), Suit("D"), Suit("C"))
RANKS: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}

PACK: tuple[Card, ...] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
RANK: dict[str, int] = {card: RANKS.index(card[:-1]) + 1 for card in PACK}
SUIT: dict[str, Suit] = {card: Suit(card[-1]) for card in PACK}
BIT: dict[str, int] = {card: 1 << place for place, card in enumerate(PACK)}
SUIT_BITS: dict[str, int] = {suit: sum(BIT[card] for card in PACK if SUIT[card] == suit) for suit in SUITS}

# Every way a card may be written: lower case, a suit sign, a sign made into an emoji.
_READ: dict[str, Card] = {
    form: card
    for card in PACK
    for rank in {card[:-1], card[:-1].lower()}
    for suit in (card[-1], card[-1].lower(), SIGNS[card[-1]], SIGNS[card[-1]] + "\ufe0e", SIGNS[card[-1]] + "\ufe0f")
    for form in (rank + suit,)
}
# Leapfrog! calls its Ace the 1.
_READ_ONE = _READ | {"1" + form[1:]: card for form, card in _READ.items() if form[0] in "Aa"}


def read_card(text: str, *, one: bool = False) -> Card:
    """Reads a card's code, also in lower case or with a suit sign; with `one`, `1S` is the Ace.

    Raises KeyError for anything else.
    """
    return (_READ_ONE if one else _READ)[text]


def deck(ranks: Iterable[str], suits: Iterable[str] = SUITS) -> tuple[Card, ...]:
    """Returns the cards of these ranks and suits, suit by suit."""
    return tuple(Card(rank + suit) for suit in suits for rank in ranks)


def in_order(cards: Iterable[str]) -> list[Card]:
    """Sorts cards as a hand is held: by suit, then by rank (the Ace low)."""
    return [Card(card) for card in sorted(cards, key=lambda card: (SUITS.index(SUIT[card]), RANK[card]))]
