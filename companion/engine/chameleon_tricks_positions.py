"""Chameleon Tricks positions: what the trick checker rules on, and how such a position is put together."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from companion.engine.cards import RANK, SUIT, Card
from companion.engine.chameleon_tricks_stacks import DECK, HAND, STRENGTH, StackLaid, led_suit, ruling
from companion.engine.findings import RecordError
from companion.engine.game import Positions, Reason, Ruling, Taken, Turn
from companion.engine.reading import card as read_card
from companion.engine.reading import one_of, seat_of, several, shape

PLAYERS = 3


def legal(stacks: Sequence[StackLaid], hand: Sequence[Card]) -> dict[str, Any]:
    """Returns which cards of a hand may be laid first (chameleon-tricks/lead, chameleon-tricks/follow)."""
    led = led_suit(stacks)
    return {"first": sorted([card for card in hand if SUIT[card] == led] or hand)}


def rule_on(position: Mapping[str, Any]) -> Ruling:
    """Rules on a position (RECORD.md): who takes the stacks, and what `hand` may play. Raises RecordError."""
    stacks, hand = _POSITION.read(position)
    seen: set[str] = set()
    seats = [stack.seat for stack in stacks]
    for place, stack in enumerate(stacks):
        # Two seats may be neighbours either way round: the third may sit out.
        if stack.seat in seats[:place] or (place == 2 and stack.seat != (seats[1] + 1) % 3):
            free = (seats[place - 1] + 1) % 3
            raise RecordError("position-turn", f"stacks[{place}].seat", seat=free)
        for number, card in enumerate(stack.cards):
            where = f"stacks[{place}].cards[{number}]"
            _fresh(card, seen, where)
            if RANK[card] != RANK[stack.cards[0]]:
                raise RecordError("position-other-rank", where, card=card, first=stack.cards[0])
    for place, card in enumerate(hand or ()):
        _fresh(card, seen, f"hand[{place}]")
    ruled = ruling(stacks) if stacks else Ruling(None, None)
    if hand is not None:
        if len(stacks) == PLAYERS:
            raise RecordError("position-finished", "hand")
        return ruled._replace(because=(*ruled.because, *_may(stacks, hand)), more={"legal": legal(stacks, hand)})
    return ruled if stacks else ruled._replace(because=(Reason("nothing-laid", "chameleon-tricks/lead"),))


def _may(stacks: Sequence[StackLaid], hand: Sequence[Card]) -> list[Reason]:
    """Returns what a hand may lay first and why the rest of it may not; then what could go on top."""
    if not hand:
        return [Reason("hand-empty", None)]
    rule, led = "chameleon-tricks/follow", led_suit(stacks)
    cards = [card for card in DECK if card in hand]
    first = [card for card in cards if SUIT[card] == led] or cards
    if led is None:
        steps = [Reason("hand-any", "chameleon-tricks/lead", {"cards": first})]
    elif SUIT[first[0]] != led:
        steps = [Reason("hand-void", rule, {"suit": led, "cards": first})]
    else:
        steps = [Reason("hand-follows", rule, {"suit": led, "cards": first})]
        if rest := [card for card in cards if card not in first]:
            steps.append(Reason("hand-closed", rule, {"suit": led, "cards": rest}))
    ranks = [RANK[card] for card in cards]
    if several := [card for card in first if ranks.count(RANK[card]) > 1]:
        steps.append(Reason("hand-more", "chameleon-tricks/chameleon", {"cards": several}))
    return steps


def position(turns: Sequence[Turn], fields: Mapping[str, Any], seat: int | None) -> dict[str, Any]:
    """Returns a position as `rule_on` reads it."""
    stacks = [{"seat": owner, "cards": list(laid)} for owner, laid in turns]
    return {"game": "chameleon-tricks", "stacks": stacks, **fields}


def choices(turns: Sequence[Turn], place: int, fields: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields everything that one turn could hold: each first card, and every stack on the one that lies there."""
    for card in DECK:
        yield (card,)
    for first in turns[place].laid[:1]:
        same = [card for card in DECK if card != first and RANK.get(first) == RANK[card]]
        for more in range(1, len(same) + 1):
            for added in permutations(same, more):
                yield (first, *added)


def standing(before: Any, trick: Any) -> tuple[tuple[Turn, ...], dict[str, Any]]:
    """Returns a finished trick, or the state in which one lies open, as a position; it began in state `before`.

    Of a trick by its result the winner's stack is known where it was one card.
    """
    stacks = trick.plays if isinstance(trick, Taken) else trick.stacks
    laid = {stack.seat: stack.cards for stack in stacks}
    if isinstance(trick, Taken) and trick.facts.counts and trick.facts.counts[trick.winner] == 1:
        laid[trick.winner] = (trick.card,)
    return tuple(Turn(seat, laid.get(seat, ())) for seat in before.turns), {}


def _fresh(card: Card, seen: set[str], place: str) -> None:
    if card not in STRENGTH:
        raise RecordError("position-not-in-deck", place, card=card)
    if card in seen:
        raise RecordError("position-card-twice", place, card=card)
    seen.add(card)


_POSITION = shape(
    lambda game, stacks, hand: (stacks, hand),
    (("hand", several(read_card, 0, HAND), None),),
    game=one_of("chameleon-tricks"),
    stacks=several(shape(StackLaid, seat=seat_of(PLAYERS), cards=several(read_card, 1, 4)).read, 0, PLAYERS),
)
POSITIONS = Positions(PLAYERS, HAND, (), {}, position, choices, standing)
