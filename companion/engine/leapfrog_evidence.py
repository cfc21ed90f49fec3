"""What a Leapfrog! record shows of the hands, round by round: the two undealt cards and face-down cards stay unseen."""

from collections.abc import Iterator, Sequence
from typing import Any

from companion.engine.cards import SUIT, Card
from companion.engine.evidence import Dealt, Shown
from companion.engine.game import Revealed
from companion.engine.leapfrog_moves import TRICKS, State, TrickWon, cards_of
from companion.engine.leapfrog_tricks import CardLaid, PowerUsed, led_suit

HELD = (2 * TRICKS, 2 * TRICKS)


def observed(lines: Sequence[Any], states: Sequence[State]) -> Iterator[Dealt]:
    """Yields each round that has begun; the first in any case."""
    shown: dict[int, list[Shown]] = {1: []}
    revealed: dict[int, tuple[Card, ...]] = {}
    for place, line in enumerate(lines, 1):
        before: State = states[place - 1]
        entry = line.entry
        if isinstance(entry, Revealed):
            # Before a round's first card it is the round before that lies open.
            chapter = before.round if before.trick > 1 or before.plays or before.taking else before.round - 1
            revealed[chapter] = revealed.get(chapter, ()) + entry.cards
        elif isinstance(entry, CardLaid | PowerUsed | TrickWon):
            shown.setdefault(before.round, []).extend(_shown(place, entry, before))
    deck = cards_of(states[0])
    for chapter, seen in shown.items():
        yield Dealt(chapter, deck, HELD, tuple(seen), revealed.get(chapter, ()))


def _shown(place: int, entry: CardLaid | PowerUsed | TrickWon, before: State) -> Iterator[Shown]:
    if isinstance(entry, CardLaid):
        led = led_suit(before.plays)
        yield Shown(place, entry.seat, (entry.card,), led if led != SUIT[entry.card] else None)
    elif isinstance(entry, PowerUsed):
        yield Shown(place, entry.seat, (entry.card,))
    else:
        for seat in (0, 1):
            yield Shown(place, seat, (None,) * (2 - sum(play.seat == seat for play in before.plays)))
