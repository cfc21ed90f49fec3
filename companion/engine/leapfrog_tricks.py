"""Leapfrog! tricks and moves: pure functions that the game and the trick checker share."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from companion.engine.cards import BIT, RANK, SUIT, SUIT_BITS, Card, Suit
from companion.engine.game import Reason, Ruling, Taken, Without

PADS = 8
POWERS = 2
STANDARD = (6, 1, 3, 5, 0, 9, 4, 2)
FRESH = (0, 0, 1, 2, 3, 4, 6, 8)
Token = int | str
"""A frog is its seat, King Frog is `king`."""


@dataclass(frozen=True, slots=True)
class CardLaid:
    """A card laid face up, in turn."""

    seat: int
    card: Card

    power: ClassVar[None] = None

    def json(self) -> dict[str, Any]:
        return {"type": "card", "seat": self.seat, "card": self.card}


@dataclass(frozen=True, slots=True)
class PowerUsed:
    """A card laid face down for a power; `card` if it was turned over after the round."""

    seat: int
    power: str
    dive: bool | None = None
    card: Card | None = None

    def json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"type": "power", "seat": self.seat, "power": self.power}
        if self.dive is not None:
            body["dive"] = self.dive
        return body | ({"card": self.card} if self.card else {})


Laid = CardLaid | PowerUsed


class Move(NamedTuple):
    """What a ruling needs beside the cards: the suit order at the trick's start, the frog's way, the tokens passed."""

    hierarchy: tuple[Suit, ...]
    start: int
    to: int
    dived: bool
    over: tuple[Token, ...]
    pad: int


def taking(up: int, hierarchy: Sequence[Suit]) -> int:
    """Returns which of the face-up cards takes the trick, cards as bits (leapfrog/strongest, leapfrog/run)."""
    for suit in hierarchy:
        held = up & SUIT_BITS[suit]
        if held:
            # A suit's cards are neighbouring bits, rank by rank: the run ends at the first gap below the highest.
            bit = 1 << (held.bit_length() - 1)
            while held & (bit >> 1):
                bit >>= 1
            return bit
    return 0


def take(plays: Sequence[Laid], hierarchy: Sequence[Suit]) -> CardLaid | None:
    """Returns the play that takes the trick under the suit order in force."""
    up = 0
    for play in plays:
        if play.power is None:
            up |= BIT[play.card]
    bit = taking(up, hierarchy)
    for play in plays:
        if play.power is None and BIT[play.card] == bit:
            return play
    return None


def leap(hierarchy: tuple[Suit, ...]) -> tuple[Suit, ...]:
    """Returns the suit order after a Leap: the weakest on top (leapfrog/leap)."""
    return (hierarchy[-1], *hierarchy[:-1])


def order_after(plays: Sequence[Laid], hierarchy: tuple[Suit, ...]) -> tuple[Suit, ...]:
    """Returns the suit order once the trick's Leap, if any, has worked."""
    for play in plays:
        if play.power == "leap":
            hierarchy = leap(hierarchy)
    return hierarchy


def hop(start: int, others: Collection[int]) -> int:
    """Returns the next free pad clockwise (leapfrog/hop). `others` are the pads of the other tokens."""
    place = (start + 1) % PADS
    while place in others:
        place = (place + 1) % PADS
    return place


def dive(start: int, others: Collection[int], water: Sequence[int]) -> int | None:
    """Returns where a dive from `start` would end, or None where none is open (leapfrog/dive).

    The pad left is free by then, so the dive may end on it.
    """
    if start not in water:
        return None
    other = water[1] if start == water[0] else water[0]
    return None if other in others else hop(other, others)


def passed(start: int, to: int, tokens: Mapping[Token, int]) -> tuple[Token, ...]:
    """Returns the tokens leapfrogged on a hop from `start` to `to`, nearest first."""
    way = [(start + step) % PADS for step in range(1, (to - start) % PADS or PADS)]
    return tuple(token for pad in way for token, place in tokens.items() if place == pad)


def led_suit(plays: Sequence[Laid]) -> Suit | None:
    """Returns the lead suit: that of the first card laid face up (leapfrog/face-down-lead)."""
    return next((SUIT[play.card] for play in plays if play.power is None), None)


def because(plays: Sequence[Laid], hierarchy: tuple[Suit, ...]) -> tuple[Reason, ...]:
    """Returns the steps from the cards laid to the winner; `hierarchy` is the order as the trick starts."""
    order = order_after(plays, hierarchy)
    best = take(plays, order)
    steps = []
    for play in plays:
        if play.power == "leap":
            steps.append(Reason("leapt", "leapfrog/leap", {"seat": play.seat, "suit": order[0]}))
        elif play.power == "king":
            steps.append(Reason("king-moved", "leapfrog/king", {"seat": play.seat}))
    if best is None:
        return tuple(steps)
    suit = SUIT[best.card]
    up = {RANK[play.card]: play for play in plays if play.power is None and SUIT[play.card] == suit}
    highest = up[max(up)]
    above = list(order[: order.index(suit)])
    if above:
        steps.append(Reason("strongest-laid", "leapfrog/strongest", {"suit": suit, "suits": above}))
    else:
        steps.append(Reason("strongest-suit", "leapfrog/strongest", {"suit": suit}))
    if len(up) == 1:
        steps.append(
            Reason("only-card", "leapfrog/strongest", {"card": highest.card, "suit": suit, "seat": highest.seat})
        )
    else:
        steps.append(
            Reason("highest-card", "leapfrog/strongest", {"card": highest.card, "suit": suit, "seat": highest.seat})
        )
    if best is not highest:
        run = [up[rank].card for rank in range(max(up), RANK[best.card] - 1, -1)]
        steps.append(
            Reason("run", "leapfrog/run", {"card": best.card, "seat": best.seat, "cards": run, "top": highest.card})
        )
    elif len(up) > 1:
        steps.append(Reason("no-run", "leapfrog/run", {"card": highest.card, "suit": suit}))
    return tuple(steps)


def ruling(plays: Sequence[Laid], hierarchy: tuple[Suit, ...]) -> Ruling:
    """Returns the ruling of the cards as they lie; `hierarchy` is the order as the trick starts."""
    order = order_after(plays, hierarchy)
    best = take(plays, order)
    without = []
    for place, play in enumerate(plays):
        if play.power is None:
            then = take([*plays[:place], *plays[place + 1 :]], order)
            without.append(Without(play.card, then.seat if then else None, then.card if then else None))
    return Ruling(best.seat if best else None, best.card if best else None, because(plays, hierarchy), tuple(without))


def explain(taken: Taken) -> Ruling:
    """Returns the ruling of a finished trick, the frog's move included."""
    move: Move = taken.facts
    seat = taken.winner
    if taken.card is None:
        ruled = Ruling(
            seat,
            None,
            (
                *because([play for play in taken.plays if play.power], move.hierarchy),
                Reason("by-result", None, {"seat": seat}),
            ),
        )
    else:
        ruled = ruling(taken.plays, move.hierarchy)
    params = {"seat": seat, "pad": move.pad, "tokens": list(move.over)}
    if move.dived:
        step = Reason("dived-over" if move.over else "dived", "leapfrog/dive", params)
    else:
        step = Reason("hopped-over" if move.over else "hopped", "leapfrog/hop", params)
    return ruled._replace(because=(*ruled.because, step))
