"""What a Measure and Tempo record proves about hidden hands: where each card that was seen can be by now.

Out of a hand a card gets only by a Cycle, and out of the deck only by another. What cannot be proved is allowed.
"""

from typing import NamedTuple

from companion.engine.cards import BIT, Card
from companion.engine.measure_and_tempo_tempos import UNKNOWN

# The deck holds 38 cards and a Cycle takes 2 from its top: what one puts at the bottom, the 19th after it draws.
ROUND_TRIP = 19


class Known(NamedTuple):
    """The cards that were seen, sets of them as bits.

    `held` by each seat since its own last Cycle, `shown` by each seat at any time. `sightings` are card, seat and how
    many Cycles there had been, one while the card cannot have moved; `cyclers` is who made each Cycle.
    """

    held: tuple[int, int] = (0, 0)
    shown: tuple[int, int] = (0, 0)
    sightings: tuple[tuple[str, int, int], ...] = ()
    cyclers: tuple[int, ...] = ()


def show(known: Known, seat: int, card: str) -> Known:
    """Returns what is known once a seat has shown a card."""
    bit = BIT[card]
    if known.held[seat] & bit:
        return known
    (held, other), (shown, others), sightings, cyclers = known
    sightings = (*sightings, (card, seat, len(cyclers)))
    if seat == 0:
        return Known((held | bit, other), (shown | bit, others), sightings, cyclers)
    return Known((held, other | bit), (shown, others | bit), sightings, cyclers)


def cycle(known: Known, seat: int, guard: Card | str | None) -> Known:
    """Returns what is known once a seat has cycled: of its hand only that the Guard is still there."""
    (held, other), shown, sightings, cyclers = known
    cyclers = (*cyclers, seat)
    kept = 0
    if guard is not None and guard != UNKNOWN:
        kept = BIT[guard]
        sightings = (*sightings, (guard, seat, len(cyclers)))
    return Known((kept, other) if seat == 0 else (held, kept), shown, sightings, cyclers)


def may_have_come(known: Known, seat: int, card: Card) -> bool:
    """Returns whether a card that the other player has shown can have come to this seat through the deck."""
    for seen, owner, cycles in reversed(known.sightings):
        if seen == card:
            back = (number for number in range(cycles, len(known.cyclers)) if known.cyclers[number] != seat)
            return owner == seat or any(
                known.cyclers[number + ROUND_TRIP : number + ROUND_TRIP + 1] == (seat,) for number in back
            )
    return True
