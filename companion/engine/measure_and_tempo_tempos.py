"""Measure and Tempo tempos: pure functions that the game and the trick checker share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.engine.cards import PACK, RANK, SUIT, Card, Suit
from companion.engine.game import Reason, Ruling, Taken, Without
from companion.engine.reading import card as read_card
from companion.engine.reading import maybe

UNKNOWN = "?"
HAND = 7
ACE, NUMBER, FACE = range(3)
"""The groups of the loop: each beats the one before it, and the Ace beats the face card."""

GROUP: Mapping[str, int] = {card: ACE if rank == 1 else NUMBER if rank <= 10 else FACE for card, rank in RANK.items()}
ACES: tuple[Card, ...] = tuple(card for card in PACK if GROUP[card] == ACE)


@dataclass(frozen=True, slots=True)
class Led:
    """A tempo opened, by a Strike or by leading again: `card` None was not recorded, or is a Feint's Ace face down."""

    seat: int
    card: Card | None = None
    feint: bool = False
    strike: bool = False

    def json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"type": "strike" if self.strike else "lead", "seat": self.seat}
        return body | ({"card": self.card} if self.card else {"feint": True} if self.feint else {})


@dataclass(frozen=True, slots=True)
class Answered:
    """The card played against the lead."""

    seat: int
    card: Card

    def json(self) -> dict[str, Any]:
        return {"type": "answer", "seat": self.seat, "card": self.card}


@dataclass(frozen=True, slots=True)
class Turned:
    """The Feint's Ace, turned up after the answer."""

    seat: int
    card: Card

    def json(self) -> dict[str, Any]:
        return {"type": "turned", "seat": self.seat, "card": self.card}


Laid = Led | Answered | Turned
Guards = tuple[Card | str | None, Card | str | None]
"""A Guard a seat: None where none stands, `?` where it was changed and not recorded."""


class Duel(NamedTuple):
    """What a ruling needs beside the cards: the Guards, the tally after it, and what the play scored if it ended."""

    guards: Guards
    tempos: tuple[int, int]
    scored: tuple[int, int] | None = None


def beats(one: str, other: str) -> bool:
    """Returns whether a card's rank beats another's in the loop (measure-and-tempo/ranking)."""
    first, second = GROUP[one], GROUP[other]
    if first == second:
        return RANK[one] > RANK[other]
    return (first - second) % 3 == 1


def trump_of(guards: Guards) -> Suit | None:
    """Returns the trump suit, None for none, `?` where a Guard is unknown (measure-and-tempo/trump)."""
    one, other = guards
    if UNKNOWN in guards:
        return Suit(UNKNOWN)
    if one is None or other is None:
        only = one or other
        return SUIT[only] if only else None
    if RANK[one] == RANK[other]:
        return None
    return SUIT[one if beats(one, other) else other]


def answer_wins(lead: str, answer: str, trump: Suit | None) -> bool | None:
    """Returns whether the answer takes the tempo, None where that hangs on an unknown trump (measure-and-tempo/win)."""
    led, answered = SUIT[lead], SUIT[answer]
    if led == answered:
        return beats(answer, lead)
    return None if trump == UNKNOWN else answered == trump


def trump_reason(guards: Guards) -> Reason:
    """Returns why that suit, or none, is trump."""
    rule = "measure-and-tempo/trump"
    standing = [(seat, guard) for seat, guard in enumerate(guards) if guard is not None]
    if UNKNOWN in guards:
        return Reason("trump-unknown", rule)
    if not standing:
        return Reason("no-guards", rule)
    if len(standing) == 1:
        seat, guard = standing[0]
        return Reason("one-guard", rule, {"card": guard, "seat": seat, "suit": SUIT[guard]})
    (_, one), (_, other) = standing
    if RANK[one] == RANK[other]:
        return Reason("equal-guards", rule, {"cards": [one, other]})
    best, least = (one, other) if beats(one, other) else (other, one)
    return Reason("two-guards", rule, {"card": best, "top": least, "suit": SUIT[best]})


def because(lead: Led, card: str, answer: Answered, guards: Guards) -> tuple[Reason, ...]:
    """Returns the steps from the two cards to the winner; `card` is the lead's, turned up if it was a Feint."""
    trump = trump_of(guards)
    wins = answer_wins(card, answer.card, trump)
    steps = [Reason("feint", "measure-and-tempo/feint", {"card": card, "seat": lead.seat})] if lead.feint else []
    steps.append(trump_reason(guards))
    rule = "measure-and-tempo/win"
    led, answered = SUIT[card], SUIT[answer.card]
    if led == answered:
        best, least = (answer.card, card) if wins else (card, answer.card)
        if led == trump:
            steps.append(Reason("both-trumps", rule, {"suit": led}))
        steps.append(loop_reason(best, least))
    elif answered == trump:
        steps.append(Reason("trump-beats", rule, {"card": answer.card, "top": card, "suit": answered}))
    elif trump == UNKNOWN:
        steps.append(Reason("hangs-on-trump", rule, {"card": answer.card, "suit": answered}))
    else:
        steps.append(Reason("off-suit", rule, {"card": answer.card, "seat": answer.seat, "suit": led}))
    if trump not in (None, UNKNOWN) and wins != answer_wins(card, answer.card, None):
        steps.append(Reason("but-for-trump", "measure-and-tempo/trump", {"winner": lead.seat, "card_then": card}))
    return tuple(steps)


def loop_reason(best: str, least: str) -> Reason:
    """Returns why one card beats another in the loop."""
    code = "higher" if GROUP[best] == GROUP[least] else ("ace-beats", "number-beats", "face-beats")[GROUP[best]]
    return Reason(code, "measure-and-tempo/ranking", {"card": best, "top": least})


def ruling(lead: Led | None, card: Card | None, answer: Answered | None, guards: Guards) -> Ruling:
    """Returns the ruling of the tempo as it lies; `card` is the lead's if it is known."""
    more = {"trump": trump_of(guards)}
    if lead is None or card is None or answer is None:
        hidden = (Reason("face-down", "measure-and-tempo/feint", {"seat": lead.seat}),) if lead and lead.feint else ()
        return Ruling(None, None, (*hidden, trump_reason(guards)), more=more)
    wins = answer_wins(card, answer.card, more["trump"])
    steps = because(lead, card, answer, guards)
    if wins is None:
        return Ruling(None, None, steps, more=more)
    without = (Without(card, answer.seat, answer.card), Without(answer.card, lead.seat, card))
    seat, best = (answer.seat, answer.card) if wins else (lead.seat, card)
    return Ruling(seat, best, steps, without, more=more)


def lying(plays: Sequence[Laid]) -> tuple[Led, Card | None, Answered | None]:
    """Returns a tempo's lead, the lead's card if it is known, and the answer."""
    lead, card, answer = plays[0], None, None
    assert isinstance(lead, Led)
    card = lead.card
    for play in plays[1:]:
        if isinstance(play, Answered):
            answer = play
        else:
            card = play.card
    return lead, card, answer


def explain(taken: Taken) -> Ruling:
    """Returns the ruling of a finished tempo, and what the play scored if it ended."""
    duel: Duel = taken.facts
    lead, card, answer = lying(taken.plays) if taken.plays else (None, None, None)
    ruled = ruling(lead, card, answer, duel.guards)
    if taken.card is None:
        told = Reason("by-result", None, {"seat": taken.winner})
        if card and answer:
            # It hung on a trump that was not recorded.
            best = answer.card if taken.winner == answer.seat else card
            ruled = ruled._replace(winner=taken.winner, card=best, because=(*ruled.because, told))
        else:
            ruled = Ruling(taken.winner, None, (told,), more=ruled.more)
    if duel.scored is None:
        return ruled
    most = max(duel.scored)
    score = Reason("even-split", "measure-and-tempo/score")
    if most:
        score = Reason("scored", "measure-and-tempo/score", {"seat": duel.scored.index(most), "points": most})
    return ruled._replace(because=(*ruled.because, Reason("six-tempos", "measure-and-tempo/six"), score))


def guard(value: Any) -> Card | str | None:
    """Reads a Guard: a card, null, or `?`."""
    return UNKNOWN if value == UNKNOWN else maybe(read_card)(value)
