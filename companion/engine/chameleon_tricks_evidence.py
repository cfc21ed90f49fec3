"""What a Chameleon Tricks record shows of the hands: of a trick by its result only the winning card is known."""

from collections.abc import Iterator, Sequence
from typing import Any

from companion.engine.cards import SUIT, Card
from companion.engine.chameleon_tricks_hands import State, TrickWon, counts_of
from companion.engine.chameleon_tricks_stacks import DECK, HAND, WHOLE, StackLaid, led_suit
from companion.engine.evidence import Dealt, Shown
from companion.engine.game import Adjusted, Revealed


def observed(lines: Sequence[Any], states: Sequence[State]) -> Iterator[Dealt]:
    """Yields each hand that has begun; the first in any case."""
    shown: dict[int, list[Shown]] = {1: []}
    revealed: dict[int, tuple[Card, ...]] = {}
    set_by_hand: set[int] = set()
    for place, line in enumerate(lines, 1):
        before: State = states[place - 1]
        entry = line.entry
        if isinstance(entry, Revealed):
            # Before a hand's first card it is the hand before that lies open.
            chapter = before.hand - (before.unseen == WHOLE)
            revealed[chapter] = revealed.get(chapter, ()) + entry.cards
        elif isinstance(entry, StackLaid | TrickWon):
            shown.setdefault(before.hand, []).extend(_shown(place, entry, before))
        elif isinstance(entry, Adjusted) and dict(entry.set).get("cards_left", before.cards_left) != before.cards_left:
            set_by_hand.add(before.hand)
    for chapter, seen in shown.items():
        held = None if chapter in set_by_hand else (HAND,) * len(states[0].totals)
        yield Dealt(chapter, DECK, held, tuple(seen), revealed.get(chapter, ()))


def _shown(place: int, entry: StackLaid | TrickWon, before: State) -> Iterator[Shown]:
    if isinstance(entry, StackLaid):
        led = led_suit(before.stacks)
        yield Shown(place, entry.seat, entry.cards, led if led not in (None, SUIT[entry.cards[0]]) else None)
        return
    counts = counts_of(before, entry)
    for seat in before.turns[len(before.stacks) :]:
        known = (entry.card,) if seat == entry.seat else ()
        yield Shown(place, seat, (*known, *[None] * (counts[seat] - len(known))))
