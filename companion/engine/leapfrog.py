"""Leapfrog! and its Freshwater variant: two players, 30 cards, 4 rounds of 7 tricks.

A trick is 4 cards. The highest card of the strongest suit takes it, but an unbroken run below that card hands it to
the run's lowest; the winner's frog hops clockwise. A card laid face down is a power: Leap turns the suit order, King
Frog moves the King. After 7 tricks each frog's pad scores.

How this version reads the rules: an early result is refused only where no cards left could have made it; a dive is
judged at the moment of the move; a power entered out of turn turns its trick into one entered by its result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

from companion.engine.cards import BIT, PACK, RANKS, SUITS, Card, Suit, deck
from companion.engine.evidence import Hidden, Part, parts, telling
from companion.engine.findings import Findings, RecordError
from companion.engine.game import (
    Adjusted,
    Choices,
    Conceded,
    Expects,
    Field,
    Outcome,
    Positions,
    Revealed,
    Ruling,
    Taken,
    choices,
    common_readers,
    conceded,
    settable,
)
from companion.engine.leapfrog_evidence import observed
from companion.engine.leapfrog_moves import (
    CHECKS,
    EVOLVES,
    PLAYED,
    ROUNDS,
    FrogHopped,
    State,
    TrickWon,
    check_card,
    check_open,
    check_turn,
    landing,
    others,
    resolve,
)
from companion.engine.leapfrog_positions import POSITIONS, rule_on
from companion.engine.leapfrog_tricks import (
    FRESH,
    PADS,
    POWERS,
    STANDARD,
    CardLaid,
    Move,
    PowerUsed,
    dive,
    explain,
    hop,
    leap,
    passed,
    ruling,
)
from companion.engine.reading import Shape, low_card, one_of, seat_of, several, shape, suit, whole, yes_no

MOST_TOTAL = 99


@dataclass(frozen=True, slots=True)
class Setup:
    """The table before the first card: `track` clockwise from the top left, `hierarchy` strongest first."""

    variant: str
    track: tuple[int, ...]
    hierarchy: tuple[Suit, ...]
    dealer: int


def _setup(variant: str, track: tuple[int, ...] | None, hierarchy: tuple[Suit, ...], dealer: int) -> Setup:
    if len(set(hierarchy)) != 3:
        raise RecordError("suits-not-different", "hierarchy")
    if variant == "standard":
        if track not in (None, STANDARD):
            raise RecordError("track-standard", "track", pads=list(STANDARD))
        return Setup(variant, STANDARD, hierarchy, dealer)
    if track is None:
        raise RecordError("key-missing", "track", key="track")
    if sorted(track) != list(FRESH):
        raise RecordError("track-fresh", "track", pads=list(FRESH))
    return Setup(variant, track, hierarchy, dealer)


class _CardShape(Shape):
    """Reads `card` entries: there are few of them, so each is made once."""

    def read(self, raw: Mapping[str, Any]) -> Any:
        seat, written = raw.get("seat"), raw.get("card")
        if len(raw) == 3 and type(seat) is int and type(written) is str and (laid := _CARDS_LAID.get((seat, written))):
            return laid
        return super().read(raw)


_CARDS_LAID: dict[tuple[int, str], CardLaid] = {
    (seat, card): CardLaid(seat, card) for seat in (0, 1) for card in deck(RANKS[:10])
}
_SEAT = seat_of(2)
_SETUP = shape(
    lambda variant, hierarchy, dealer, track: _setup(variant, track, hierarchy, dealer),
    (("track", several(whole(0, 9), PADS, PADS), None),),
    variant=one_of("standard", "freshwater"),
    hierarchy=several(suit, 3, 3),
    dealer=_SEAT,
)
_SETTABLE = settable(
    leader=_SEAT,
    hierarchy=several(suit, 3, 3),
    frogs=several(whole(0, PADS - 1), 2, 2),
    king=whole(0, PADS - 1),
    powers_used=several(whole(0, POWERS), 2, 2),
    totals=several(whole(0, MOST_TOTAL), 2, 2),
)
_READERS: Mapping[str, Shape] = {
    "card": _CardShape(CardLaid, {"seat": _SEAT, "card": low_card}),
    "power": shape(
        PowerUsed, (("dive", yes_no, None), ("card", low_card, None)), seat=_SEAT, power=one_of("leap", "king")
    ),
    "won": shape(TrickWon, seat=_SEAT),
    "hop": shape(FrogHopped, seat=_SEAT, dive=yes_no),
    **common_readers(2, _SETTABLE, low_card),
}


class Leapfrog:
    """The rules of Leapfrog!."""

    slug: ClassVar[str] = "leapfrog"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 3)
    rules: ClassVar[tuple[str, ...]] = tuple(
        f"leapfrog/{name}"
        for name in (
            "goal tie deal track start hierarchy dealer lead order follow strongest run hop power leap king "
            "power-limit one-power face-down-lead score freshwater dive own-deck"
        ).split()
    )
    positions: ClassVar[Positions] = POSITIONS
    adjustable: ClassVar[tuple[Field, ...]] = (
        Field("frogs", "pad", each=True),
        Field("king", "pad"),
        Field("hierarchy", "suits", SUITS, size=3),
        Field("powers_used", "number", (0, POWERS), each=True),
        Field("leader", "seat"),
        Field("totals", "number", (0, MOST_TOTAL), each=True),
    )

    def setup_fields(self, players: int) -> tuple[Field, ...]:
        return (
            Field("variant", "choice", ("standard", "freshwater"), "standard"),
            Field("track", "order", FRESH, size=PADS, drawn=True, when=("variant", "freshwater")),
            Field("hierarchy", "suits", SUITS, ("S", "H", "C"), size=3, drawn=True),
            Field("dealer", "seat", drawn=True),
        )

    def read_setup(self, raw: Mapping[str, Any], players: int) -> Setup:
        return _SETUP.read(raw)  # type: ignore[no-any-return]

    def readers(self, players: int) -> Mapping[str, Shape]:
        return _READERS

    def deck(self, setup: Setup) -> tuple[Card, ...]:
        return deck(RANKS[:10], [suit for suit in SUITS if suit in setup.hierarchy])

    def start(self, setup: Setup, players: int) -> State:
        fresh = setup.variant == "freshwater"
        frog, king = (3, 4) if fresh else (6, 0)
        return State(
            to_act=setup.dealer,
            plays=(),
            laid=(),
            seen=0,
            trick=1,
            leader=setup.dealer,
            frogs=(setup.track.index(frog),) * 2,
            done=0,
            last=None,
            started=setup.hierarchy,
            by_result=False,
            taking=None,
            revealed=(),
            hierarchy=setup.hierarchy,
            king=setup.track.index(king),
            powers_used=(0, 0),
            track=setup.track,
            water=tuple(pad for pad, value in enumerate(setup.track) if value == 0) if fresh else (),
            deck=sum(BIT[card] for card in self.deck(setup)),
            dealer=setup.dealer,
            round=1,
        )

    def check(self, state: State, entry: Any) -> Findings:
        if type(entry) is CardLaid:
            # In turn means: the game goes on, no choice is open, and the trick is not one by its result.
            if entry.seat == state.to_act and BIT[entry.card] & state.deck & ~state.seen and not state.taking:
                return ()
            return check_open(state) or check_turn(state, entry) or check_card(state, entry.card)
        # Somebody to act and no open choice: the game goes on, and the longer look can be spared.
        if type(entry) in PLAYED and (state.to_act is None or state.taking) and (findings := check_open(state)):
            return findings
        return CHECKS[type(entry)](state, entry)

    def evolve(self, state: State, entry: Any) -> State:
        if type(entry) is CardLaid:
            plays = (*state.plays, entry)
            after: State = tuple.__new__(
                State, (1 - entry.seat, plays, (*state.laid, entry), state.seen | BIT[entry.card], *state[4:])
            )
            return resolve(after) if len(plays) == 4 else after
        return EVOLVES[type(entry)](state, entry)

    def expects(self, state: State) -> Expects:
        if state.over:
            return Expects("over")
        if state.taking:
            seat = state.taking[0]
            return Expects("hop", seat, _hops(seat), partial(self.check, state), partial(_effect, state))
        turn = state.leader if state.to_act is None else state.to_act
        dives = dive(state.king, state.frogs, state.water) is not None
        return Expects(
            "result" if state.by_result else "trick",
            state.to_act,
            _choices(turn, state.deck, dives),
            partial(self.check, state),
            partial(_effect, state),
        )

    def outcome(self, state: State) -> Outcome | None:
        if state.conceded is not None:
            return conceded(state.conceded, state.totals)
        if len(state.rounds) < ROUNDS:
            return None
        pads = tuple(state.track[pad] for pad in state.frogs)
        for reason, scores in (("total", state.totals), ("pad", pads)):
            if scores[0] != scores[1]:
                return Outcome((0 if scores[0] > scores[1] else 1,), reason, state.totals)
        return Outcome((), "draw", state.totals)

    def totals(self, state: State) -> tuple[int, ...]:
        return state.totals

    def json(self, state: State) -> dict[str, Any]:
        return {
            "round": state.round,
            "trick": state.trick,
            "dealer": state.dealer,
            "leader": state.leader,
            "to_act": state.to_act,
            "hierarchy": list(state.hierarchy),
            "track": list(state.track),
            "frogs": list(state.frogs),
            "king": state.king,
            "powers_used": list(state.powers_used),
            "plays": [play.json() for play in state.plays],
            "choice": state.choice,
            "rounds": [list(points) for points in state.rounds],
            "totals": list(state.totals),
        }

    def closes(self, before: State, entry: Any, after: State) -> bool:
        return after.done > before.done or type(entry) in (Adjusted, Revealed, Conceded)

    def explain(self, taken: Taken) -> Ruling:
        return explain(taken)

    def so_far(self, state: State) -> Ruling | None:
        return ruling(state.plays, state.started) if state.plays else None

    def hints(self, state: State, ruling: Ruling | None) -> tuple[str, ...]:
        found = []
        for code, _, params in ruling.because if ruling else ():
            if code == "run":
                found.append("run")
            elif code in ("dived", "dived-over"):
                found.append("dive")
            elif code == "hopped-over" and "king" in params["tokens"]:
                found.append("over-king")
        return tuple(found)

    def rule_on(self, position: Mapping[str, Any]) -> Ruling:
        return rule_on(position)

    def evidence(self, lines: Sequence[Any], states: Sequence[Any]) -> tuple[Part, ...]:
        return parts(observed(lines, states))

    def hidden(self, lines: Sequence[Any], states: Sequence[Any]) -> tuple[Hidden, ...]:
        *_, last = observed(lines, states)
        return telling(last, tuple(n for n, line in enumerate(lines, 1) if type(line.entry) is PowerUsed))

    def rematch(self, setup: Setup, players: int) -> dict[str, Any]:
        return {"variant": setup.variant, "dealer": 1 - setup.dealer}


@cache
def _hops(seat: int) -> Choices:
    return choices([FrogHopped(seat, False), FrogHopped(seat, True)])


@cache
def _choices(turn: int, cards: int, dives: bool) -> Choices:
    """Returns what may follow: this seat's card, one of `cards` as bits, a power or the result of anybody."""
    laid = [CardLaid(turn, card) for card in PACK if BIT[card] & cards]
    powers = [PowerUsed(seat, power) for seat in (0, 1) for power in ("leap", "king")]
    powers += [PowerUsed(seat, "king", True) for seat in (0, 1) if dives]
    return choices([*laid, *powers, TrickWon(0), TrickWon(1)])


def _effect(state: State, entry: Any) -> dict[str, Any]:
    """Returns what an entry would do to the tokens, for its button: pads as places on the track."""
    match entry:
        case TrickWon(seat):
            effect = _way(state, landing(state, seat, False))
            if state.water and dive(state.frogs[seat], others(state, seat), state.water) is not None:
                effect["dive"] = _way(state, landing(state, seat, True))
            return effect
        case FrogHopped(seat, dived):
            return {} if dived and state.frogs[seat] not in state.water else _way(state, landing(state, seat, dived))
        case PowerUsed(_, "leap"):
            return {"hierarchy": list(leap(state.hierarchy))}
        case PowerUsed(_, _, dived):
            from_ = next(pad for pad in state.water if pad != state.king) if dived else state.king
            to = hop(from_, state.frogs)
            return {"to": to, "pad": state.track[to], "over": list(passed(from_, to, dict(enumerate(state.frogs))))}
    return {}


def _way(state: State, move: Move) -> dict[str, Any]:
    return {"to": move.to, "pad": move.pad, "over": list(move.over)}
