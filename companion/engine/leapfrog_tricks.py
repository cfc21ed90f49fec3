"""Leapfrog! tricks and moves: pure functions that the game and the trick checker share."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from companion.engine.cards import BIT, RANK, SUIT, SUIT_BITS, Card, Suit
from companion.engine.findings import RecordError
from companion.engine.game import Reason, Ruling, Taken, Without
from companion.engine.reading import low_card, maybe, one_of, seat_of, several, shape, thing, whole
from companion.engine.reading import suit as read_suit

PADS = 8
POWERS = 2
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


def legal(plays: Sequence[Laid], hand: Sequence[Card], powers_used: int) -> dict[str, Any]:
    """Returns which cards of a hand may lie face up, and whether a power is open (leapfrog/follow, leapfrog/power)."""
    led = led_suit(plays)
    follows = [card for card in hand if SUIT[card] == led]
    power = bool(hand) and powers_used < POWERS and not any(play.power for play in plays)
    return {"up": sorted(follows or hand), "power": power}


def rule_on(position: Mapping[str, Any]) -> Ruling:
    """Rules on a position (RECORD.md): who takes the cards, and what `hand` may play. Raises RecordError."""
    hierarchy, plays, hand, powers_used = _POSITION.read(position)
    if len(set(hierarchy)) != 3:
        raise RecordError("suits-not-different", "hierarchy")
    seen: set[str] = set()
    for place, play in enumerate(plays):
        expected = plays[0].seat if place % 2 == 0 else 1 - plays[0].seat
        if play.seat != expected:
            raise RecordError("position-turn", f"plays[{place}].seat", seat=expected)
        if play.card is not None:
            _fresh(play.card, hierarchy, seen, f"plays[{place}].card")
    if sum(play.power is not None for play in plays) > 1:
        raise RecordError("position-second-power", "plays")
    for place, card in enumerate(hand or ()):
        _fresh(card, hierarchy, seen, f"hand[{place}]")
    ruled = ruling(plays, hierarchy)
    if hand is not None:
        if len(plays) >= 4:
            raise RecordError("position-finished", "hand")
        ruled = ruled._replace(more={"legal": legal(plays, hand, powers_used)})
    return ruled


def _fresh(card: Card, hierarchy: Sequence[Suit], seen: set[str], place: str) -> None:
    if SUIT[card] not in hierarchy or RANK[card] > 10:
        raise RecordError("position-not-in-deck", place, card=card)
    if card in seen:
        raise RecordError("position-card-twice", place, card=card)
    seen.add(card)


def _play(value: Any) -> Laid:
    if "power" in thing(value):
        return _DOWN.read(value)  # type: ignore[no-any-return]
    return _UP.read(value)  # type: ignore[no-any-return]


_UP = shape(CardLaid, seat=seat_of(2), card=low_card)
_DOWN = shape(
    lambda seat, power, card: PowerUsed(seat, power, None, card),
    (("card", maybe(low_card), None),),
    seat=seat_of(2),
    power=one_of("leap", "king"),
)
_POSITION = shape(
    lambda game, hierarchy, plays, hand, powers_used: (hierarchy, plays, hand, powers_used),
    (("hand", several(low_card, 0, 14), None), ("powers_used", whole(0, POWERS), 0)),
    game=one_of("leapfrog"),
    hierarchy=several(read_suit, 3, 3),
    plays=several(_play, 0, 4),
)
