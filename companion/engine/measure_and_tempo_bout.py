"""Measure and Tempo between two entries: the state, and what an entry changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.engine.cards import BIT, Card, Suit
from companion.engine.game import Adjusted, Conceded, Revealed, Taken, changed
from companion.engine.measure_and_tempo_hands import Known, cycle, show
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

    `played` are the cards of this play as bits, `tally` its winners so far. `turn` is whose turn it was as the phase
    began, `plays_done` have been scored, `results` are their points a seat. `steps` are the actions of the open phase,
    for the eye: their type and seat.
    """

    phase: str
    to_act: int | None
    plays: tuple[Laid, ...]
    played: int
    known: Known
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
        return self.plays_done + (not self.over or self.conceded is not None or not self.plays_done)

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


def start(first: int, circle_limit: bool, play_limit: bool) -> State:
    """Returns the bout before its first action."""
    return State(
        phase="out",
        to_act=first,
        plays=(),
        played=0,
        known=Known(),
        leader=first,
        tempos=(0, 0),
        bout_tempos=(0, 0),
        done=0,
        last=None,
        tally=(),
        guards=(None, None),
        trump=None,
        steps=(),
        turn=first,
        scores=(0, 0),
        plays_done=0,
        results=(),
        circle_limit=circle_limit,
        play_limit=play_limit,
    )


def after_guard(state: State, entry: GuardChanged) -> Guards:
    """Returns the Guards as the change leaves them."""
    return (entry.card, state.guards[1]) if entry.seat == 0 else (state.guards[0], entry.card)


def _acted(state: State, kind: str, seat: int, known: Known, guards: Guards, trump: Suit | None) -> State:
    steps = (*state.steps, (kind, seat))
    return tuple.__new__(State, ("out", 1 - seat, (), 0, known, *state[5:11], guards, trump, steps, *state[14:]))


def cycled(state: State, entry: Cycled) -> State:
    """Takes a Cycle."""
    known = cycle(state.known, entry.seat, state.guards[entry.seat])
    return _acted(state, "cycle", entry.seat, known, state.guards, state.trump)


def guard_changed(state: State, entry: GuardChanged) -> State:
    """Takes a change of Guard."""
    guards = after_guard(state, entry)
    known = state.known if entry.card in (None, UNKNOWN) else show(state.known, entry.seat, str(entry.card))
    return _acted(state, "guard", entry.seat, known, guards, trump_of(guards))


def stalled(state: State, entry: Stalled) -> State:
    """Takes a Stall."""
    return _acted(state, "stall", entry.seat, state.known, state.guards, state.trump)


def led(state: State, entry: Led) -> State:
    """Opens a tempo."""
    seat, card = entry.seat, entry.card
    if card is None:
        return tuple.__new__(State, ("answer", 1 - seat, (entry,), *state[3:5], seat, *state[6:]))
    known, played = show(state.known, seat, card), state.played | BIT[card]
    return tuple.__new__(State, ("answer", 1 - seat, (entry,), played, known, seat, *state[6:]))


def answered(state: State, entry: Answered) -> State:
    """Answers a lead, and resolves the tempo where both cards are known."""
    plays = (*state.plays, entry)
    known, played = show(state.known, entry.seat, entry.card), state.played | BIT[entry.card]
    lead = state.plays[0]
    assert isinstance(lead, Led), "a tempo begins with its lead"
    if lead.card is not None:
        return _resolved(state, plays, played, known)
    waits = ("turn-up", lead.seat) if lead.feint else ("answer", None)
    return tuple.__new__(State, (*waits, plays, played, known, *state[5:]))


def turned(state: State, entry: Turned) -> State:
    """Turns the Feint's Ace up, and resolves the tempo."""
    known, played = show(state.known, entry.seat, entry.card), state.played | BIT[entry.card]
    return _resolved(state, (*state.plays, entry), played, known)


def _resolved(state: State, plays: tuple[Laid, ...], played: int, known: Known) -> State:
    """Decides the tempo where its cards tell; where it hangs on an unknown trump, the table has to say."""
    lead, card, answer = lying(plays)
    assert card is not None, "the lead lies face up"
    assert answer is not None, "a tempo is resolved once it is answered"
    wins = answer_wins(card, answer.card, state.trump)
    if wins is None:
        return tuple.__new__(State, ("answer", None, plays, played, known, *state[5:]))
    if wins:
        return _won(state, plays, played, known, answer.seat, answer.card)
    return _won(state, plays, played, known, lead.seat, card)


def _won(state: State, plays: tuple[Laid, ...], played: int, known: Known, seat: int, card: Card | None) -> State:
    """Counts the tempo, and ends the play after the sixth."""
    (ours, theirs), (our_bout, their_bout) = state.tempos, state.bout_tempos
    if seat == 0:
        ours, our_bout = ours + 1, our_bout + 1
    else:
        theirs, their_bout = theirs + 1, their_bout + 1
    number, tempos = ours + theirs, (ours, theirs)
    points = points_of(tempos) if number == TEMPOS else None
    guards = state.guards
    taken = Taken(state.plays_done + 1, number, state.leader, seat, card, plays, Duel(guards, tempos, points))
    tally, bout = (*state.tally, seat), (our_bout, their_bout)
    after: State = tuple.__new__(
        State, ("winner", seat, (), played, known, seat, tempos, bout, state.done + 1, taken, tally, *state[11:])
    )
    return end(after, 1 - seat, points) if points else after


def points_of(tempos: tuple[int, int]) -> tuple[int, int]:
    """Returns what a play scores each seat (measure-and-tempo/score)."""
    ahead = tempos[0] - tempos[1]
    return (ahead, 0) if ahead > 0 else (0, -ahead)


def end(state: State, loser: int, points: tuple[int, int]) -> State:
    """Scores the play; who lost the last tempo takes the next first turn."""
    scores = (state.scores[0] + points[0], state.scores[1] + points[1])
    plays_done, results = state.plays_done + 1, (*state.results, points)
    over = _decided(scores, plays_done, state.play_limit)
    phase, to_act = ("over", None) if over else ("out", loser)
    swept = (phase, to_act, (), 0, *state[4:6], (0, 0), *state[7:10], ())
    return tuple.__new__(State, (*swept, *state[11:13], (), loser, scores, plays_done, results, *state[18:]))


def _decided(scores: tuple[int, int], plays_done: int, play_limit: bool) -> bool:
    return max(scores) >= GOAL or (play_limit and plays_done >= PLAYS)


def adjust(state: State, entry: Adjusted) -> State:
    """Sets what the table ruled, and judges the table by it."""
    new = dict(entry.set)
    tempos = new.get("tempos", state.tempos)
    if tempos != state.tempos:
        new["tally"] = (0,) * tempos[0] + (1,) * tempos[1]
        if sum(tempos) < sum(state.tempos):
            # The cards of a tempo that does not count may be back in their hands.
            new["played"] = sum(BIT[play.card] for play in state.plays if play.card)
    guards = new.get("guards", state.guards)
    if guards != state.guards:
        # What was seen may have been wrong, and hands may have been mended: only the Guards themselves are sure.
        known = Known(cyclers=state.known.cyclers)
        for seat, card in enumerate(guards):
            known = known if card in (None, UNKNOWN) else show(known, seat, card)
        new |= {"trump": trump_of(guards), "known": known}
    state = changed(state, **new)
    if state.phase == "answer" and state.to_act is None and lying(state.plays)[1]:
        return _resolved(state, state.plays, state.played, state.known)
    return _settled(state) if state.phase in ("out", "over") and state.conceded is None else state


def _settled(state: State) -> State:
    """Ends the bout between two plays, or lets it go on, by the scores as they stand."""
    turn = state.turn if state.to_act is None else state.to_act
    if _decided(state.scores, state.plays_done, state.play_limit):
        return changed(state, phase="over", to_act=None, turn=turn)
    return changed(state, phase="out", to_act=turn, turn=turn)


def concede(state: State, entry: Conceded) -> State:
    """Ends the bout."""
    return changed(state, conceded=entry.seat, phase="over", to_act=None)


EVOLVES: Mapping[type, Callable[[State, Any], State]] = {
    Cycled: cycled,
    GuardChanged: guard_changed,
    Stalled: stalled,
    Led: led,
    Answered: answered,
    Turned: turned,
    TempoWon: lambda state, entry: _won(state, state.plays, state.played, state.known, entry.seat, None),
    Disengaged: lambda state, entry: end(state, 1 - entry.seat, points_of(state.tempos)),
    Adjusted: adjust,
    Revealed: lambda state, entry: changed(state, revealed=state.revealed + entry.cards),
    Conceded: concede,
}
