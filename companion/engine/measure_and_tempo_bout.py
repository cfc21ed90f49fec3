"""Measure and Tempo between two entries: the state, and what an entry changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.engine.cards import BIT, Card, Suit
from companion.engine.game import Adjusted, Conceded, Revealed, Taken, changed
from companion.engine.measure_and_tempo_tempos import (
    UNKNOWN,
    Answered,
    Duel,
    Guards,
    Laid,
    Led,
    Turned,
    answer_wins,
    lying,
    trump_of,
)

GOAL = 11
CIRCLE = 11
PLAYS = 30
TEMPOS = 6
_SEEN = ("held", "shown", "sightings")


@dataclass(frozen=True, slots=True)
class Cycled:
    """Two cards drawn, two put at the bottom of the deck."""

    seat: int

    def json(self) -> dict[str, Any]:
        return {"type": "cycle", "seat": self.seat}


@dataclass(frozen=True, slots=True)
class GuardChanged:
    """A Guard stood or swapped (`card`), taken back (None), or changed and not recorded (`?`)."""

    seat: int
    card: Card | str | None

    def json(self) -> dict[str, Any]:
        return {"type": "guard", "seat": self.seat} | ({} if self.card == UNKNOWN else {"card": self.card})


@dataclass(frozen=True, slots=True)
class Stalled:
    """Nothing done, on purpose."""

    seat: int

    def json(self) -> dict[str, Any]:
        return {"type": "stall", "seat": self.seat}


@dataclass(frozen=True, slots=True)
class TempoWon:
    """A tempo by its result."""

    seat: int

    def json(self) -> dict[str, Any]:
        return {"type": "won", "seat": self.seat}


@dataclass(frozen=True, slots=True)
class Disengaged:
    """The winner of the last tempo ended the play."""

    seat: int

    def json(self) -> dict[str, Any]:
        return {"type": "disengage", "seat": self.seat}


class State(NamedTuple):
    """The bout between two entries. What a tempo changes comes first, so that a copy is cheap.

    Sets of cards are bits: `played` in this play, `held` by each seat since its own last Cycle, `shown` by each seat in
    the whole bout. `sightings` are card, seat and how many Cycles there had been; `cyclers` is who made each Cycle.
    `turn` acts next Out of Measure, `plays_done` have been scored, `results` are their points a seat. `steps` are the
    actions of the open phase, for the eye: their type and seat.
    """

    phase: str
    to_act: int | None
    plays: tuple[Laid, ...]
    played: int
    held: tuple[int, int]
    shown: tuple[int, int]
    sightings: tuple[tuple[Card, int, int], ...]
    leader: int
    tempos: tuple[int, int]
    bout_tempos: tuple[int, int]
    done: int
    last: Taken | None
    tally: tuple[int, ...]
    guards: Guards
    trump: Suit | None
    steps: tuple[tuple[str, int], ...]
    turn: int
    scores: tuple[int, int]
    plays_done: int
    results: tuple[tuple[int, int], ...]
    cyclers: tuple[int, ...]
    circle_limit: bool
    play_limit: bool
    revealed: tuple[Card, ...] = ()
    conceded: int | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more is played."""
        return self.phase == "over"

    @property
    def play(self) -> int:
        """The play in progress, or the last one of a finished bout: 1-based."""
        return self.plays_done + (not self.over or self.conceded is not None)

    @property
    def tempo(self) -> int:
        """The tempo in progress, 1-based."""
        return sum(self.tempos) + 1

    @property
    def actions(self) -> int:
        """How many actions this Out of Measure phase has seen, kept while In Measure."""
        return len(self.steps)

    @property
    def actions_left(self) -> int | None:
        """How many may still come before the Strike, None without the limit."""
        return CIRCLE - len(self.steps) if self.circle_limit else None


def act(state: State, entry: Any) -> State:
    """Takes an Out of Measure action."""
    seat = entry.seat
    new: dict[str, Any] = {"steps": (*state.steps, (entry.json()["type"], seat)), "to_act": 1 - seat, "turn": 1 - seat}
    if type(entry) is Cycled:
        standing = state.guards[seat]
        kept = BIT[standing] if standing not in (None, UNKNOWN) and standing is not None else 0
        new["held"] = (state.held[0] & kept, state.held[1]) if seat == 0 else (state.held[0], state.held[1] & kept)
        new["cyclers"] = (*state.cyclers, seat)
    elif type(entry) is GuardChanged:
        guards = (entry.card, state.guards[1]) if seat == 0 else (state.guards[0], entry.card)
        new |= {"guards": guards, "trump": trump_of(guards)}
        if entry.card not in (None, UNKNOWN):
            new |= zip(_SEEN, _seen(state, seat, Card(str(entry.card))), strict=True)
    return changed(state, **new)


def led(state: State, entry: Led) -> State:
    """Opens a tempo."""
    head = ("answer", 1 - entry.seat, (entry,))
    if entry.card is None:
        return tuple.__new__(State, (*head, *state[3:7], entry.seat, *state[8:]))
    held, shown, sightings = _seen(state, entry.seat, entry.card)
    played = state.played | BIT[entry.card]
    return tuple.__new__(State, (*head, played, held, shown, sightings, entry.seat, *state[8:]))


def answered(state: State, entry: Answered) -> State:
    """Answers a lead, and resolves the tempo where both cards are known."""
    held, shown, sightings = _seen(state, entry.seat, entry.card)
    lead = state.plays[0]
    assert isinstance(lead, Led)
    phase, to_act = ("turn-up", lead.seat) if lead.feint else ("answer", None)
    played = state.played | BIT[entry.card]
    after: State = tuple.__new__(
        State, (phase, to_act, (*state.plays, entry), played, held, shown, sightings, *state[7:])
    )
    return after if lead.card is None else _resolved(after, lead, lead.card, entry)


def turned(state: State, entry: Turned) -> State:
    """Turns the Feint's Ace up, and resolves the tempo."""
    held, shown, sightings = _seen(state, entry.seat, entry.card)
    played = state.played | BIT[entry.card]
    after: State = tuple.__new__(
        State, ("answer", None, (*state.plays, entry), played, held, shown, sightings, *state[7:])
    )
    lead, _, answer = lying(state.plays)
    assert answer is not None, "an Ace is turned up after the answer"
    return _resolved(after, lead, entry.card, answer)


def _seen(state: State, seat: int, card: Card) -> tuple[tuple[int, int], tuple[int, int], tuple[Any, ...]]:
    """Returns `held`, `shown` and `sightings` once a seat has shown a card."""
    bit = BIT[card]
    if state.held[seat] & bit:
        return state.held, state.shown, state.sightings
    (held, other), (shown, others) = state.held, state.shown
    sightings = (*state.sightings, (card, seat, len(state.cyclers)))
    # A card seen here has left the other hand for good, whatever brought it.
    if seat == 0:
        return (held | bit, other & ~bit), (shown | bit, others), sightings
    return (held & ~bit, other | bit), (shown, others | bit), sightings


def _resolved(state: State, lead: Led, card: Card, answer: Answered) -> State:
    """Decides the tempo where its cards tell; where it hangs on an unknown trump, the table has to say."""
    wins = answer_wins(card, answer.card, state.trump)
    if wins is None:
        return state
    return _won(state, answer.seat, answer.card) if wins else _won(state, lead.seat, card)


def _won(state: State, seat: int, card: Card | None) -> State:
    """Counts the tempo, and ends the play after the sixth."""
    tempos, bout = state.tempos, state.bout_tempos
    if seat == 0:
        tempos, bout = (tempos[0] + 1, tempos[1]), (bout[0] + 1, bout[1])
    else:
        tempos, bout = (tempos[0], tempos[1] + 1), (bout[0], bout[1] + 1)
    number = tempos[0] + tempos[1]
    scored = points_of(tempos) if number == TEMPOS else None
    taken = Taken(
        state.plays_done + 1, number, state.leader, seat, card, state.plays, Duel(state.guards, tempos, scored)
    )
    after: State = tuple.__new__(
        State,
        ("winner", seat, (), *state[3:7], seat, tempos, bout, state.done + 1, taken, (*state.tally, seat), *state[13:]),
    )
    return end(after, 1 - seat) if scored else after


def points_of(tempos: tuple[int, int]) -> tuple[int, int]:
    """Returns what a play scores each seat (measure-and-tempo/score)."""
    return max(tempos[0] - tempos[1], 0), max(tempos[1] - tempos[0], 0)


def end(state: State, loser: int) -> State:
    """Scores the play; who lost the last tempo takes the next first turn."""
    points = points_of(state.tempos)
    scores = (state.scores[0] + points[0], state.scores[1] + points[1])
    return settle(
        changed(
            state,
            scores=scores,
            turn=loser,
            plays_done=state.plays_done + 1,
            results=(*state.results, points),
            phase="out",
            steps=(),
            tempos=(0, 0),
            tally=(),
            played=0,
            to_act=loser,
        )
    )


def settle(state: State) -> State:
    """Ends the bout, or lets it go on, by the scores as they stand between two plays."""
    if state.phase not in ("out", "over"):
        return state
    over = max(state.scores) >= GOAL or (state.play_limit and state.plays_done >= PLAYS) or state.conceded is not None
    return changed(state, phase="over" if over else "out", to_act=None if over else state.turn)


def adjust(state: State, entry: Adjusted) -> State:
    """Sets what the table ruled."""
    new = dict(entry.set)
    if "guards" in new:
        new["trump"] = trump_of(new["guards"])
    state = changed(state, **new)
    for seat, card in enumerate(new.get("guards", ())):
        if card not in (None, UNKNOWN):
            state = changed(state, **dict(zip(_SEEN, _seen(state, seat, card), strict=True)))
    return settle(state)


def concede(state: State, entry: Conceded) -> State:
    """Ends the bout."""
    return changed(state, conceded=entry.seat, phase="over", to_act=None)


EVOLVES: Mapping[type, Callable[[State, Any], State]] = {
    Cycled: act,
    GuardChanged: act,
    Stalled: act,
    Led: led,
    Answered: answered,
    Turned: turned,
    TempoWon: lambda state, entry: _won(state, entry.seat, None),
    Disengaged: lambda state, entry: end(state, 1 - entry.seat),
    Adjusted: adjust,
    Revealed: lambda state, entry: changed(state, revealed=state.revealed + entry.cards),
    Conceded: concede,
}
