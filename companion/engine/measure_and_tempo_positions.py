"""Measure and Tempo positions: what the trick checker rules on, and how such a position is put together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.engine.cards import PACK, SUIT, Card, in_order
from companion.engine.findings import RecordError
from companion.engine.game import Field, Positions, Reason, Ruling, Turn
from companion.engine.measure_and_tempo_tempos import (
    ACE,
    GROUP,
    HAND,
    UNKNOWN,
    Answered,
    Led,
    guard,
    lying,
    ruling,
)
from companion.engine.reading import card as read_card
from companion.engine.reading import maybe, one_of, seat_of, several, shape, thing, yes_no

FEINT = "feint"
"""An Ace led face down, as a turn's word; the Ace follows once it is turned up."""
FIELDS: Mapping[str, Field] = {"guards": Field("guards", "card", (*PACK, UNKNOWN), (None, None), each=True)}


def legal(lead: Led | None, hand: Sequence[Card]) -> list[Card]:
    """Returns which cards of a hand may be played (measure-and-tempo/follow), sorted: a Guard is in no hand."""
    follows = [card for card in hand if lead and lead.card and not lead.feint and SUIT[card] == SUIT[lead.card]]
    return sorted(follows or hand)


def rule_on(position: Mapping[str, Any]) -> Ruling:
    """Rules on a position (RECORD.md): who takes the tempo, and what `hand` may play. Raises RecordError."""
    guards, lead, answer, hand = _POSITION.read(position)
    seen: set[str] = set()
    laid = [("lead.card", lead.card if lead else None), ("answer.card", answer.card if answer else None)]
    held = [(f"hand[{number}]", card) for number, card in enumerate(hand or ())]
    for place, card in [*((f"guards[{seat}]", card) for seat, card in enumerate(guards)), *laid, *held]:
        if card not in (None, UNKNOWN):
            _fresh(card, seen, place)
    if lead is None and (answer or hand is None):
        raise RecordError("key-missing", "lead", key="lead")
    if lead and lead.card is None and not lead.feint:
        raise RecordError("key-missing", "lead.card", key="card")
    if answer and answer.seat == lead.seat:
        raise RecordError("position-turn", "answer.seat", seat=1 - lead.seat)
    if lead and lead.feint and lead.card and GROUP[lead.card] != ACE:
        raise RecordError("position-feint", "lead.card", card=lead.card)
    if answer and hand is not None:
        raise RecordError("position-finished", "hand")
    ruled = ruling(lead, lead.card if lead else None, answer, guards)
    if hand is None:
        return ruled
    steps = (*ruled.because, *_may(lead, hand))
    return ruled._replace(because=steps, more={**ruled.more, "legal": {"up": legal(lead, hand)}})


def _fresh(card: str, seen: set[str], place: str) -> None:
    if card in seen:
        raise RecordError("position-card-twice", place, card=card)
    seen.add(card)


def _may(lead: Led | None, hand: Sequence[Card]) -> list[Reason]:
    """Returns what a hand may play and why the rest of it may not."""
    if not hand:
        return [Reason("hand-empty", None)]
    cards = in_order(hand)
    if lead is None:
        aces = [card for card in cards if GROUP[card] == ACE]
        feint = [Reason("hand-feint", "measure-and-tempo/feint", {"cards": aces})] if aces else []
        return [Reason("hand-any", "measure-and-tempo/strike", {"cards": cards}), *feint]
    if lead.card is None or lead.feint:
        return [Reason("hand-feinted", "measure-and-tempo/feint", {"cards": cards})]
    rule, led = "measure-and-tempo/follow", SUIT[lead.card]
    follows = [card for card in cards if SUIT[card] == led]
    if not follows:
        return [Reason("hand-void", rule, {"suit": led, "cards": cards})]
    rest = [card for card in cards if SUIT[card] != led]
    closed = [Reason("hand-closed", rule, {"suit": led, "cards": rest})] if rest else []
    return [Reason("hand-follows", rule, {"suit": led, "cards": follows}), *closed]


def position(turns: Sequence[Turn], fields: Mapping[str, Any], seat: int | None) -> dict[str, Any]:
    """Returns a position as `rule_on` reads it."""
    whole: dict[str, Any] = {"game": "measure-and-tempo", **fields}
    for key, (owner, (word, *turned)) in zip(("lead", "answer"), turns, strict=False):
        if word == FEINT:
            whole[key] = {"seat": owner, "feint": True, **({"card": turned[0]} if turned else {})}
        else:
            whole[key] = {"seat": owner, "card": word}
    return whole


def choices(turns: Sequence[Turn], place: int, fields: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields everything that one turn could hold; only a lead can be a Feint."""
    for card in PACK:
        yield (card,)
    if place == 0:
        yield (FEINT,)
        for card in PACK:
            if GROUP[card] == ACE:
                yield (FEINT, card)


def standing(before: Any, trick: Any) -> tuple[tuple[Turn, ...], dict[str, Any]]:
    """Returns a finished tempo, or the state in which one lies open, as a position; it began in state `before`."""
    plays = trick.plays
    leader = plays[0].seat if plays else before.to_act if before.phase == "out" else before.leader
    lead, answer = Turn(leader), Turn(1 - leader)
    if plays:
        led, card, answered = lying(plays)
        lead = Turn(leader, (*((FEINT,) if led.feint else ()), *((card,) if card else ())))
        answer = Turn(1 - leader, (answered.card,) if answered else ())
    return (lead, answer), {"guards": list(before.guards)}


def _lead(value: Any) -> Led:
    return _LEAD.read(thing(value))  # type: ignore[no-any-return]


def _answer(value: Any) -> Answered:
    return _ANSWER.read(thing(value))  # type: ignore[no-any-return]


_LEAD = shape(
    lambda seat, card, feint: Led(seat, card, feint),
    (("card", read_card, None), ("feint", yes_no, False)),
    seat=seat_of(2),
)
_ANSWER = shape(Answered, seat=seat_of(2), card=read_card)
_POSITION = shape(
    lambda game, guards, lead, answer, hand: (guards, lead, answer, hand),
    (("lead", maybe(_lead), None), ("answer", maybe(_answer), None), ("hand", several(read_card, 0, HAND), None)),
    game=one_of("measure-and-tempo"),
    guards=several(guard, 2, 2),
)
POSITIONS = Positions(2, HAND, (FEINT,), FIELDS, position, choices, standing)
