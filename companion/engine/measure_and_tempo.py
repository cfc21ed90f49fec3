"""Measure and Tempo: two players, 52 cards, first to 11 points or 30 plays.

Out of Measure the players take turns with single actions: Cycle, Guard, Stall; a Strike opens a play of up to six
tempos. A tempo is two cards: a trump beats any other, within a suit the loop decides (face beats number, number beats
Ace, Ace beats face). Who won more tempos scores the difference.

How this version differs: at most 11 actions before the Strike and at most 30 plays, both of which a table may switch
off. What it reads into the rules: a card is refused only where the record proves that it lies elsewhere; a tempo whose
trump was not recorded is decided by the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, ClassVar

from companion.engine.cards import PACK, Card
from companion.engine.evidence import Hidden, Part
from companion.engine.findings import Findings, RecordError
from companion.engine.game import (
    Choices,
    Expects,
    Field,
    Outcome,
    Positions,
    Reason,
    Ruling,
    Taken,
    choices,
    common_readers,
    conceded,
    settable,
)
from companion.engine.measure_and_tempo_bout import (
    EVOLVES,
    GOAL,
    TEMPOS,
    Cycled,
    Disengaged,
    GuardChanged,
    Stalled,
    State,
    TempoWon,
    points_of,
    start,
)
from companion.engine.measure_and_tempo_checks import CHECKS
from companion.engine.measure_and_tempo_evidence import referee
from companion.engine.measure_and_tempo_positions import POSITIONS, rule_on
from companion.engine.measure_and_tempo_tempos import (
    ACES,
    UNKNOWN,
    Answered,
    Led,
    Turned,
    explain,
    guard,
    lying,
    ruling,
    trump_reason,
)
from companion.engine.reading import Shape, maybe, seat_of, several, shape, whole, yes_no
from companion.engine.reading import card as read_card

MOST_POINTS = 99
MOST_TEMPOS = 999


@dataclass(frozen=True, slots=True)
class Setup:
    """Who takes the first turn, and which of the two limits are in force."""

    first: int
    circle_limit: bool
    play_limit: bool


_SEAT = seat_of(2)


def _led(strike: bool) -> Any:
    def make(seat: int, card: Card | None, feint: bool) -> Led:
        if feint and card is not None:
            raise RecordError("feint-with-card", "card", card=card)
        return Led(seat, card, feint, strike)

    return shape(make, (("card", read_card, None), ("feint", yes_no, False)), seat=_SEAT)


_SETUP = shape(Setup, (("circle_limit", yes_no, True), ("play_limit", yes_no, True)), first=_SEAT)
_SETTABLE = settable(
    guards=several(guard, 2, 2),
    tempos=several(whole(0, TEMPOS - 1), 2, 2),
    bout_tempos=several(whole(0, MOST_TEMPOS), 2, 2),
    scores=several(whole(0, MOST_POINTS), 2, 2),
)
_READERS: Mapping[str, Shape] = {
    "cycle": shape(Cycled, seat=_SEAT),
    "guard": shape(GuardChanged, (("card", maybe(read_card), UNKNOWN),), seat=_SEAT),
    "stall": shape(Stalled, seat=_SEAT),
    "strike": _led(True),
    "lead": _led(False),
    "answer": shape(Answered, seat=_SEAT, card=read_card),
    "turned": shape(Turned, seat=_SEAT, card=read_card),
    "won": shape(TempoWon, seat=_SEAT),
    "disengage": shape(Disengaged, seat=_SEAT),
    **common_readers(2, _SETTABLE),
}


class MeasureAndTempo:
    """The rules of Measure and Tempo."""

    slug: ClassVar[str] = "measure-and-tempo"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 3)
    rules: ClassVar[tuple[str, ...]] = tuple(
        f"measure-and-tempo/{name}"
        for name in (
            "goal ranking deal first-turn turns cycle change-guard stall strike circle trump guard-stays follow win "
            "feint disengage six next-turn score thirty own-deck differs"
        ).split()
    )
    positions: ClassVar[Positions] = POSITIONS
    adjustable: ClassVar[tuple[Field, ...]] = (
        Field("scores", "number", (0, MOST_POINTS), each=True),
        Field("tempos", "number", (0, TEMPOS - 1), each=True),
        Field("bout_tempos", "number", (0, MOST_TEMPOS), each=True),
        Field("guards", "card", PACK, each=True),
    )

    def setup_fields(self, players: int) -> tuple[Field, ...]:
        return (
            Field("first", "seat", drawn=True),
            Field("circle_limit", "switch", default=True),
            Field("play_limit", "switch", default=True),
        )

    def read_setup(self, raw: Mapping[str, Any], players: int) -> Setup:
        return _SETUP.read(raw)  # type: ignore[no-any-return]

    def readers(self, players: int) -> Mapping[str, Shape]:
        return _READERS

    def deck(self, setup: Setup) -> tuple[Card, ...]:
        return PACK

    def start(self, setup: Setup, players: int) -> State:
        return start(setup.first, setup.circle_limit, setup.play_limit)

    def check(self, state: State, entry: Any) -> Findings:
        return CHECKS[type(entry)](state, entry)

    def evolve(self, state: State, entry: Any) -> State:
        return EVOLVES[type(entry)](state, entry)

    def expects(self, state: State) -> Expects:
        seat = state.to_act
        return Expects(
            state.phase, seat, _choices(state.phase, seat), partial(self.check, state), partial(_effect, state)
        )

    def outcome(self, state: State) -> Outcome | None:
        if state.conceded is not None:
            return conceded(state.conceded, state.scores)
        if not state.over:
            return None
        reasons = (("eleven" if max(state.scores) >= GOAL else "score", state.scores), ("tempos", state.bout_tempos))
        for reason, (one, other) in reasons:
            if one != other:
                return Outcome((0 if one > other else 1,), reason, state.scores)
        return Outcome((), "draw", state.scores)

    def totals(self, state: State) -> tuple[int, ...]:
        return state.scores

    def json(self, state: State) -> dict[str, Any]:
        return {
            "play": state.play,
            "phase": state.phase,
            "to_act": state.to_act,
            "actions": state.actions,
            "actions_left": state.actions_left,
            "guards": list(state.guards),
            "trump": state.trump,
            "tempos": list(state.tempos),
            "bout_tempos": list(state.bout_tempos),
            "scores": list(state.scores),
        }

    def closes(self, before: State, entry: Any, after: State) -> bool:
        return after.done > before.done or not isinstance(entry, (Led, Answered, Turned))

    def explain(self, taken: Taken) -> Ruling:
        return explain(taken)

    def so_far(self, state: State) -> Ruling | None:
        return ruling(*lying(state.plays), state.guards) if state.plays else None

    def trump_reason(self, state: State) -> Reason:
        """Returns why that suit, or none, is trump."""
        return trump_reason(state.guards)

    def hints(self, state: State, ruling: Ruling | None) -> tuple[str, ...]:
        if state.phase == "out":
            return ("eleven",) if state.actions_left == 0 else ()
        lead = state.plays[0] if len(state.plays) == 1 else None
        return ("feint",) if isinstance(lead, Led) and lead.feint else ()

    def rule_on(self, position: Mapping[str, Any]) -> Ruling:
        return rule_on(position)

    def evidence(self, lines: Sequence[Any], states: Sequence[Any]) -> tuple[Part, ...]:
        return (_evidence(tuple(lines)),)

    def hidden(self, lines: Sequence[Any], states: Sequence[Any]) -> tuple[Hidden, ...]:
        # Hands go on from play to play: what lies at the end of a bout says next to nothing of what lay before.
        return ()

    def rematch(self, setup: Setup, players: int) -> dict[str, Any]:
        limits = {"circle_limit": setup.circle_limit, "play_limit": setup.play_limit}
        return {"first": 1 - setup.first, **limits}


@lru_cache(maxsize=32)
def _evidence(lines: tuple[Any, ...]) -> Part:
    """Returns what a bout proves: what has been weighed is not weighed again."""
    return referee(lines)


@cache
def _choices(phase: str, seat: int | None) -> Choices:
    """Returns every entry that belongs to this phase; nobody's turn: the table has to say."""
    entries: list[Any] = []
    if seat is not None:
        match phase:
            case "out":
                entries = [Cycled(seat), Stalled(seat), GuardChanged(seat, None), GuardChanged(seat, UNKNOWN)]
                entries += [Led(seat, None, False, True), Led(seat, None, True, True)]
                entries += [GuardChanged(seat, card) for card in PACK] + [Led(seat, card, False, True) for card in PACK]
            case "winner":
                entries = [Led(seat), Led(seat, None, True), Disengaged(seat), *(Led(seat, card) for card in PACK)]
            case "answer":
                entries = [Answered(seat, card) for card in PACK]
            case "turn-up":
                entries = [Turned(seat, card) for card in ACES]
    if phase not in ("out", "over"):
        entries += [TempoWon(0), TempoWon(1)]
    return choices(entries)


def _effect(state: State, entry: Any) -> dict[str, Any]:
    """Returns what an entry would do to the tally or the scores, for its button."""
    match entry:
        case TempoWon(seat):
            tempos = (state.tempos[0] + (seat == 0), state.tempos[1] + (seat == 1))
            ended = {"scored": list(points_of(tempos))} if sum(tempos) == TEMPOS else {}
            return {"tempos": list(tempos), **ended}
        case Disengaged():
            return {"scored": list(points_of(state.tempos))}
    return {}
