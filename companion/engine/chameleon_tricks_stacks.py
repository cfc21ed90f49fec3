"""Chameleon Tricks stacks and points: pure functions that the game and the trick checker share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from companion.engine.cards import BIT, RANK, RANKS, SUIT, Card, Suit, deck
from companion.engine.findings import Finding, Findings
from companion.engine.game import Reason, Ruling, Taken, Without

HAND = 12
ORDER = (Suit("C"), Suit("H"), Suit("S"), Suit("D"))
"""The suits, strongest first (chameleon-tricks/ranking)."""
DECK = deck(RANKS[1:10], ORDER)
WHOLE = sum(BIT[card] for card in DECK)
STRENGTH: Mapping[str, int] = {card: 10 * (3 - ORDER.index(SUIT[card])) + RANK[card] for card in DECK}

WEAKER: Mapping[str, int] = {
    card: sum(BIT[other] for other in DECK if STRENGTH[other] < STRENGTH[card]) for card in DECK
}
"""The cards of this deck that each card beats, as bits."""

_OF_RANK = {rank: sum(BIT[card] for card in DECK if RANK[card] == rank) for rank in range(2, 11)}
_RANKS = tuple(_OF_RANK.values())


@dataclass(frozen=True, slots=True)
class StackLaid:
    """One player's whole turn: the first card, and those of its rank added on top, in order."""

    seat: int
    cards: tuple[Card, ...]

    def json(self) -> dict[str, Any]:
        return {"type": "stack", "seat": self.seat, "cards": list(self.cards)}


class Scored(NamedTuple):
    """A finished hand, a value each seat: the points in the score piles, and what they counted."""

    points: tuple[int, ...]
    scores: tuple[int, ...]


class Kept(NamedTuple):
    """What a ruling needs beside the stacks.

    `counts` are the cards each seat played, where the table named the winner (None: the stacks tell). `leads` is who
    leads next, None once the hand is over; `scored` is the hand that this trick ended.
    """

    counts: tuple[int, ...] | None
    leads: int | None
    scored: Scored | None


def take(stacks: Sequence[StackLaid]) -> StackLaid:
    """Returns the stack with the highest last card of the strongest suit (chameleon-tricks/last-card)."""
    best = stacks[0]
    strength = STRENGTH[best.cards[-1]]
    for stack in stacks[1:]:
        other = STRENGTH[stack.cards[-1]]
        if other > strength:
            best, strength = stack, other
    return best


def led_suit(stacks: Sequence[StackLaid]) -> Suit | None:
    """Returns the suit of the leader's first card, whatever was added to it (chameleon-tricks/lead)."""
    return SUIT[stacks[0].cards[0]] if stacks else None


def highest(points: Sequence[int]) -> tuple[int, ...]:
    """Returns the seats whose points would be halved (chameleon-tricks/halve): none while nobody has any."""
    return tuple(seat for seat, own in enumerate(points) if own == max(points)) if any(points) else ()


def count(points: Sequence[int]) -> tuple[int, ...]:
    """Returns what each seat's points count: the highest halved, rounded down, each of those tied for it."""
    most = max(points)
    return tuple(own // 2 if own == most else own for own in points)


def may_add(card: Card, unseen: int) -> list[Card]:
    """Returns the cards that could be added on top of this one; `unseen` is a set of cards as bits."""
    same = unseen & _OF_RANK[RANK[card]] & ~BIT[card]
    return [other for other in DECK if BIT[other] & same]


def possible(card: Card, more: int, losers: Sequence[int], unseen: int) -> bool:
    """Returns whether stacks that nobody entered can have lost to this card; `unseen` is a set of cards as bits.

    `more` is how many cards lie unseen under the winning card; `losers` are the sizes of the other stacks.
    """
    pool = unseen & ~BIT[card]
    weaker = pool & WEAKER[card]
    if not more and sum(losers) == len(losers):
        return weaker.bit_count() >= len(losers)
    own = _OF_RANK[RANK[card]]
    if more and (pool & own).bit_count() < more:
        return False
    # Mostly a rank can be found for each stack alone; only where that fails do stacks have to share one.
    free = pool & ~own if more else pool
    for size in losers:
        for same in _RANKS:
            if weaker & free & same and (free & same).bit_count() >= size:
                free &= ~same
                break
        else:
            return _possible_shared(RANK[card], more, losers, pool, weaker)
    return True


def _possible_shared(own: int, more: int, losers: Sequence[int], pool: int, weaker: int) -> bool:
    for ranks in product(_OF_RANK, repeat=len(losers)):
        for rank, same in _OF_RANK.items():
            sizes = [size for chosen, size in zip(ranks, losers, strict=True) if chosen == rank]
            # Each loser needs a last card that is weaker; under it any card of the rank will do.
            needed = sum(sizes) + (more if rank == own else 0)
            if needed > (pool & same).bit_count() or len(sizes) > (weaker & same).bit_count():
                break
        else:
            return True
    return False


def because(stacks: Sequence[StackLaid]) -> tuple[Reason, ...]:
    """Returns the steps from the stacks as they lie to the one that takes the trick."""
    best = take(stacks)
    card = best.cards[-1]
    suit = SUIT[card]
    steps = []
    for *under, top, seat in ((*stack.cards, stack.seat) for stack in stacks):
        if under:
            steps.append(Reason("covered", "chameleon-tricks/last-card", {"seat": seat, "card": top, "cards": under}))
    above = ORDER[: ORDER.index(suit)]
    if above:
        steps.append(Reason("strongest-laid", "chameleon-tricks/ranking", {"suit": suit, "suits": list(above)}))
    else:
        steps.append(Reason("strongest-suit", "chameleon-tricks/ranking", {"suit": suit}))
    alone = sum(SUIT[stack.cards[-1]] == suit for stack in stacks) == 1
    params = {"card": card, "suit": suit, "seat": best.seat}
    steps.append(Reason("only-card" if alone else "highest-card", "chameleon-tricks/last-card", params))
    led = led_suit(stacks)
    if led != suit and any(SUIT[stack.cards[-1]] == led for stack in stacks):
        steps.append(Reason("lead-no-power", "chameleon-tricks/last-card", {"suit": led}))
    return tuple(steps)


def ruling(stacks: Sequence[StackLaid]) -> Ruling:
    """Returns the ruling of the stacks as they lie; without its last card a stack counts the one beneath."""
    best = take(stacks)
    without = []
    for place, stack in enumerate(stacks):
        beneath = [StackLaid(stack.seat, stack.cards[:-1])] if len(stack.cards) > 1 else []
        rest = [*stacks[:place], *beneath, *stacks[place + 1 :]]
        then = take(rest) if rest else None
        without.append(Without(stack.cards[-1], then.seat if then else None, then.cards[-1] if then else None))
    return Ruling(best.seat, best.cards[-1], because(stacks), tuple(without), revoked(stacks))


def revoked(stacks: Sequence[StackLaid]) -> Findings:
    """Returns the revokes that a player's own additions prove: the led suit on an off-suit first card."""
    led = led_suit(stacks)
    return tuple(
        Finding("fault", "revoke", "chameleon-tricks/follow", (), {"seat": stack.seat, "suit": led, "card": card})
        for stack in stacks
        if SUIT[stack.cards[0]] != led
        for card in stack.cards
        if SUIT[card] == led
    )


def explain(taken: Taken) -> Ruling:
    """Returns the ruling of a finished trick: what the winner keeps, who leads next, and the hand's halving."""
    kept: Kept = taken.facts
    seat, card = taken.winner, taken.card
    assert card is not None, "a result names its card"
    if kept.counts is None:
        ruled = ruling(taken.plays)
    else:
        ruled = Ruling(seat, card, (Reason("by-result", None, {"seat": seat, "card": card}),))
    steps = [Reason("kept", "chameleon-tricks/keep", {"seat": seat, "card": card, "points": RANK[card]})]
    if kept.scored is None:
        if kept.leads != seat:
            steps.append(Reason("lead-passed", "chameleon-tricks/pass-lead", {"seat": seat, "to_act": kept.leads}))
    else:
        steps.append(Reason("hand-over", "chameleon-tricks/out", {"hand": taken.chapter}))
        for high in highest(kept.scored.points):
            params = {"seat": high, "points": kept.scored.points[high], "score": kept.scored.scores[high]}
            steps.append(Reason("halved", "chameleon-tricks/halve", params))
    return ruled._replace(because=(*ruled.because, *steps))
