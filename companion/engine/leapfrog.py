"""Leapfrog! and its Freshwater variant: two players, 30 cards, 4 rounds of 7 tricks.

A trick is 4 cards. The highest card of the strongest suit takes it, but an unbroken run below that card hands it to the run's lowest; the
winner's frog hops clockwise. A card laid face down is a power: Leap turns the suit order, King Frog moves the King. After 7 tricks each frog's
pad scores.

How this version reads the rules: an early result is refused only where no cards left could have made it; a dive is judged at the moment of the
move; a power entered out of turn turns its trick into one entered by its result.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar, NamedTuple

from companion.engine.cards import BIT, RANK, RANKS, SUITS, Card, Suit, deck
from companion.engine.cards import read_card as read_code
from companion.engine.findings import Findings, RecordError, refused
from companion.engine.game import (
    Adjusted,
    Conceded,
    Expects,
    Field,
    Option,
    Outcome,
    Revealed,
    Ruling,
    Taken,
    common_readers,
    conceded,
    settable,
)
from companion.engine.leapfrog_tricks import PADS, POWERS, Laid, Move, Token, dive, explain, hop, leap, passed, rule_on, ruling, take
from companion.engine.reading import Shape, clip, one_of, seat_of, several, shape, suit, whole, yes_no

ROUNDS = 4
TRICKS = 7
STANDARD = (6, 1, 3, 5, 0, 9, 4, 2)
FRESH = (0, 0, 1, 2, 3, 4, 6, 8)
MOST_TOTAL = 99


@dataclass(frozen=True, slots=True)
class CardLaid:
    """A card laid face up, in turn."""

    seat: int
    card: Card

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


@dataclass(frozen=True, slots=True)
class TrickWon:
    """A trick by its result."""

    seat: int

    def json(self) -> dict[str, Any]:
        return {"type": "won", "seat": self.seat}


@dataclass(frozen=True, slots=True)
class FrogHopped:
    """The winner's choice between hopping and diving."""

    seat: int
    dive: bool

    def json(self) -> dict[str, Any]:
        return {"type": "hop", "seat": self.seat, "dive": self.dive}


@dataclass(frozen=True, slots=True)
class Setup:
    """What lies on the table before the first card: `track` clockwise from the top left, `hierarchy` strongest first."""

    variant: str
    track: tuple[int, ...]
    hierarchy: tuple[Suit, ...]
    dealer: int


class State(NamedTuple):
    """The table between two entries.

    `started` is the suit order as the open trick began, `deck` and `seen` are sets of cards as bits, `laid` the round's cards face up with
    seat and trick, `past` those of the round before. `taking` is who took the trick while that seat still chooses between hop and dive.
    """

    track: tuple[int, ...]
    water: tuple[int, ...]
    deck: int
    dealer: int
    round: int
    trick: int
    leader: int
    to_act: int | None
    hierarchy: tuple[Suit, ...]
    started: tuple[Suit, ...]
    frogs: tuple[int, int]
    king: int
    powers_used: tuple[int, int]
    plays: tuple[Laid, ...] = ()
    by_result: bool = False
    taking: tuple[int, Card | None] | None = None
    laid: tuple[tuple[Card, int, int], ...] = ()
    seen: int = 0
    past: tuple[tuple[Card, int, int], ...] = ()
    revealed: tuple[Card, ...] = ()
    rounds: tuple[tuple[int, int], ...] = ()
    totals: tuple[int, int] = (0, 0)
    done: int = 0
    last: Taken | None = None
    conceded: int | None = None

    @property
    def choice(self) -> int | None:
        """The seat that must choose between hop and dive."""
        return self.taking[0] if self.taking else None

    @property
    def over(self) -> bool:
        """Whether nothing more is played."""
        return len(self.rounds) == ROUNDS or self.conceded is not None


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


def _card(value: Any) -> Card:
    try:
        return read_code(value, one=True)
    except (KeyError, TypeError):
        raise RecordError("not-a-card", value=clip(value)) from None


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
    "card": shape(CardLaid, seat=_SEAT, card=_card),
    "power": shape(PowerUsed, (("dive", yes_no, None), ("card", _card, None)), seat=_SEAT, power=one_of("leap", "king")),
    "won": shape(TrickWon, seat=_SEAT),
    "hop": shape(FrogHopped, seat=_SEAT, dive=yes_no),
    **common_readers(2, _SETTABLE),
}


class Leapfrog:
    """The rules of Leapfrog!."""

    slug: ClassVar[str] = "leapfrog"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 3)
    rules: ClassVar[tuple[str, ...]] = tuple(
        f"leapfrog/{name}"
        for name in (
            "goal tie deal track start hierarchy dealer lead order follow strongest run hop power leap king power-limit one-power "
            "face-down-lead score freshwater dive own-deck"
        ).split()
    )
    adjustable: ClassVar[tuple[Field, ...]] = (
        Field("frogs", "pad", each=True),
        Field("king", "pad"),
        Field("hierarchy", "suits", SUITS, count=3),
        Field("powers_used", "number", (0, POWERS), each=True),
        Field("leader", "seat"),
        Field("totals", "number", (0, MOST_TOTAL), each=True),
    )

    def setup_fields(self, players: int) -> tuple[Field, ...]:
        return (
            Field("variant", "choice", ("standard", "freshwater"), "standard"),
            Field("track", "order", FRESH, count=PADS, drawn=True, when=("variant", "freshwater")),
            Field("hierarchy", "suits", SUITS, ("S", "H", "C"), count=3, drawn=True),
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
            setup.track,
            tuple(pad for pad, value in enumerate(setup.track) if value == 0) if fresh else (),
            sum(BIT[card] for card in self.deck(setup)),
            setup.dealer,
            1,
            1,
            setup.dealer,
            setup.dealer,
            setup.hierarchy,
            setup.hierarchy,
            (setup.track.index(frog),) * 2,
            setup.track.index(king),
            (0, 0),
        )

    def check(self, state: State, entry: Any) -> Findings:
        kind = type(entry)
        if kind is Adjusted:
            return _check_adjusted(state, entry)
        if kind is Revealed:
            return _check_revealed(state, entry)
        if state.over:
            return refused("game-over", "leapfrog/goal")
        if kind is Conceded:
            return ()
        if kind is FrogHopped:
            return _check_hop(state, entry)
        if state.taking:
            return refused("hop-missing", "leapfrog/dive", seat=state.choice)
        if kind is CardLaid:
            if state.by_result:
                return refused("wrong-phase", None, phase="result")
            if entry.seat != state.to_act:
                return refused("wrong-turn", "leapfrog/order", seat=entry.seat, to_act=state.to_act)
            return () if BIT[entry.card] & state.deck & ~state.seen else _check_card(state, entry.card)
        if kind is PowerUsed:
            return _check_power(state, entry)
        if kind is TrickWon:
            return _check_won(state, entry)
        raise TypeError(entry)

    def evolve(self, state: State, entry: Any) -> State:
        kind = type(entry)
        if kind is CardLaid:
            seat, card = entry.seat, entry.card
            plays = (*state.plays, Laid(seat, card))
            state = state._replace(
                plays=plays, laid=(*state.laid, (card, seat, state.trick)), seen=state.seen | BIT[card], to_act=1 - seat
            )
            return _resolve(state) if len(plays) == 4 else state
        if kind is PowerUsed:
            return _use(state, entry)
        if kind is TrickWon:
            return _taken(state, entry.seat, None)
        if kind is FrogHopped:
            return _move(state, entry.dive)
        if kind is Adjusted:
            return _adjust(state, entry)
        if kind is Revealed:
            return state._replace(revealed=state.revealed + entry.cards)
        if kind is Conceded:
            return state._replace(conceded=entry.seat, to_act=None)
        raise TypeError(entry)

    def expects(self, state: State) -> Expects:
        if state.over:
            return Expects("over", None, ())
        if state.taking:
            seat = state.taking[0]
            hops = (self._option(state, FrogHopped(seat, False)), self._option(state, FrogHopped(seat, True)))
            return Expects("hop", seat, hops)
        turn = state.leader if state.to_act is None else state.to_act
        cards = (self._option(state, CardLaid(turn, card)) for card in deck(RANKS[:10], sorted(state.started, key=SUITS.index)))
        powers = [self._option(state, PowerUsed(seat, power)) for seat in (0, 1) for power in ("leap", "king")]
        if dive(state.king, state.frogs, state.water) is not None:
            powers += [self._option(state, PowerUsed(seat, "king", True)) for seat in (0, 1)]
        wins = (self._option(state, TrickWon(seat)) for seat in (0, 1))
        return Expects("result" if state.by_result else "trick", state.to_act, (*cards, *powers, *wins))

    def _option(self, state: State, entry: Any) -> Option:
        return Option(entry.json(), self.check(state, entry), _effect(state, entry))

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

    def rule_on(self, position: Mapping[str, Any]) -> Ruling:
        return rule_on(position)

    def rematch(self, setup: Setup, players: int) -> dict[str, Any]:
        return {"variant": setup.variant, "dealer": 1 - setup.dealer}


def _others(state: State, token: Token) -> dict[Token, int]:
    """Returns where the tokens beside this one stand."""
    tokens: dict[Token, int] = {0: state.frogs[0], 1: state.frogs[1], "king": state.king}
    del tokens[token]
    return tokens


def _check_card(state: State, card: Card) -> Findings:
    if not BIT[card] & state.deck:
        return refused("not-in-deck", "leapfrog/hierarchy" if RANK[card] <= 10 else "leapfrog/deal", card=card)
    for other, seat, trick in state.laid:
        if other == card:
            return refused("duplicate-card", "leapfrog/deal", card=card, seat=seat, trick=trick)
    return ()


def _check_power(state: State, entry: PowerUsed) -> Findings:
    used = next((play for play in state.plays if play.power), None)
    if used:
        return refused("second-power", "leapfrog/one-power", seat=used.seat, power=used.power)
    if state.powers_used[entry.seat] >= POWERS:
        return refused("power-limit", "leapfrog/power-limit", seat=entry.seat, most=POWERS)
    if sum(play.seat == entry.seat for play in state.plays) == 2:
        return refused("too-many-cards", "leapfrog/order", seat=entry.seat, most=2)
    if entry.dive and (entry.power == "leap" or dive(state.king, state.frogs, state.water) is None):
        return refused("dive-not-allowed", "leapfrog/dive", token="king")
    return _check_card(state, entry.card) if entry.card else ()


def _check_won(state: State, entry: TrickWon) -> Findings:
    missing = [seat for seat in (0, 1) for _ in range(2 - sum(play.seat == seat for play in state.plays))]
    if len(missing) == 4 or not any(play.power is None for play in state.plays):
        return ()
    pool = [card for card in deck(RANKS[:10], state.started) if not BIT[card] & state.seen]
    for cards in permutations(pool, len(missing)):
        best = take([*state.plays, *map(Laid, missing, cards)], state.hierarchy)
        if best and best.seat == entry.seat:
            return ()
    return refused("result-impossible", "leapfrog/strongest", seat=entry.seat)


def _check_hop(state: State, entry: FrogHopped) -> Findings:
    if not state.taking:
        return refused("hop-not-asked", "leapfrog/dive", seat=entry.seat)
    if entry.seat != state.taking[0]:
        return refused("wrong-turn", "leapfrog/dive", seat=entry.seat, to_act=state.taking[0])
    start = state.frogs[entry.seat]
    if entry.dive and dive(start, _others(state, entry.seat).values(), state.water) is None:
        return refused("dive-not-allowed", "leapfrog/dive", token=entry.seat)
    return ()


def _check_adjusted(state: State, entry: Adjusted) -> Findings:
    new = dict(entry.set)
    if "leader" in new and (state.over or state.plays or state.taking):
        return refused("wrong-phase", "leapfrog/lead", phase="trick-open")
    if "hierarchy" in new and set(new["hierarchy"]) != set(state.hierarchy):
        return refused("other-suits", "leapfrog/hierarchy", suits=list(state.hierarchy))
    if "frogs" in new or "king" in new:
        frogs, king = new.get("frogs", state.frogs), new.get("king", state.king)
        start = state.track.index(3 if state.water else 6)
        if king in frogs or (frogs[0] == frogs[1] != start):
            return refused("pad-taken", "leapfrog/start")
    return ()


def _check_revealed(state: State, entry: Revealed) -> Findings:
    between = state.trick == 1 and state.round > 1 and not state.plays and not state.taking
    if not (between or state.over):
        return refused("wrong-phase", "leapfrog/score", phase="round-open")
    shown = {card for card, _, _ in (state.laid or state.past)} | set(state.revealed)
    for place, card in enumerate(entry.cards):
        if not BIT[card] & state.deck:
            return refused("not-in-deck", "leapfrog/deal", card=card)
        if card in shown or card in entry.cards[:place]:
            return refused("card-elsewhere", "leapfrog/deal", card=card)
    return ()


def _use(state: State, entry: PowerUsed) -> State:
    used = list(state.powers_used)
    used[entry.seat] += 1
    in_turn = entry.seat == state.to_act and not state.by_result
    state = state._replace(
        powers_used=(used[0], used[1]),
        plays=(*state.plays, Laid(entry.seat, entry.card, entry.power)),
        by_result=not in_turn,
        to_act=1 - entry.seat if in_turn else None,
    )
    if entry.card:
        state = state._replace(laid=(*state.laid, (entry.card, entry.seat, state.trick)), seen=state.seen | BIT[entry.card])
    if entry.power == "leap":
        state = state._replace(hierarchy=leap(state.hierarchy))
    else:
        to = dive(state.king, state.frogs, state.water) if entry.dive else None
        state = state._replace(king=hop(state.king, state.frogs) if to is None else to)
    return _resolve(state) if len(state.plays) == 4 and in_turn else state


def _resolve(state: State) -> State:
    best = take(state.plays, state.hierarchy)
    assert best is not None, "one power a trick leaves three cards face up"
    return _taken(state, best.seat, best.card)


def _taken(state: State, seat: int, card: Card | None) -> State:
    state = state._replace(taking=(seat, card), to_act=seat)
    if state.water and dive(state.frogs[seat], _others(state, seat).values(), state.water) is not None:
        return state
    return _move(state, False)


def _landing(state: State, seat: int, dived: bool) -> Move:
    others = _others(state, seat)
    start = state.frogs[seat]
    from_ = next(pad for pad in state.water if pad != start) if dived else start
    to = hop(from_, others.values())
    return Move(state.started, start, to, dived, passed(from_, to, others), state.track[to])


def _move(state: State, dived: bool) -> State:
    """Moves the winner's frog, closes the trick, and after the seventh scores the round."""
    assert state.taking is not None
    seat, card = state.taking
    move = _landing(state, seat, dived)
    frogs = (move.to, state.frogs[1]) if seat == 0 else (state.frogs[0], move.to)
    taken = Taken(state.round, state.trick, state.leader, seat, card, state.plays, move)
    state = state._replace(
        frogs=frogs, trick=state.trick + 1, leader=seat, to_act=seat, started=state.hierarchy, plays=(), by_result=False,
        taking=None, done=state.done + 1, last=taken, revealed=(),
    )  # fmt: skip
    return _score(state) if taken.number == TRICKS else state


def _score(state: State) -> State:
    points = (state.track[state.frogs[0]], state.track[state.frogs[1]])
    state = state._replace(
        rounds=(*state.rounds, points), totals=(state.totals[0] + points[0], state.totals[1] + points[1]), past=state.laid,
    )  # fmt: skip
    if len(state.rounds) == ROUNDS:
        return state._replace(trick=TRICKS, to_act=None, laid=(), seen=0)
    dealer = 1 - state.dealer
    return state._replace(
        round=state.round + 1, trick=1, dealer=dealer, leader=dealer, to_act=dealer, powers_used=(0, 0), laid=(), seen=0
    )


def _adjust(state: State, entry: Adjusted) -> State:
    new = dict(entry.set)
    if "hierarchy" in new:
        new["started"] = new["hierarchy"]
    if "leader" in new:
        new["to_act"] = new["leader"]
    return state._replace(**new)


def _effect(state: State, entry: Any) -> dict[str, Any]:
    """Returns what an entry would do to the tokens, for its button: pads as places on the track."""
    match entry:
        case TrickWon(seat):
            effect = _way(state, _landing(state, seat, False))
            if state.water and dive(state.frogs[seat], _others(state, seat).values(), state.water) is not None:
                effect["dive"] = _way(state, _landing(state, seat, True))
            return effect
        case FrogHopped(seat, dived):
            return {} if dived and state.frogs[seat] not in state.water else _way(state, _landing(state, seat, dived))
        case PowerUsed(_, "leap"):
            return {"hierarchy": list(leap(state.hierarchy))}
        case PowerUsed(_, _, dived):
            others = _others(state, "king")
            from_ = next(pad for pad in state.water if pad != state.king) if dived else state.king
            to = hop(from_, others.values())
            return {"to": to, "pad": state.track[to], "over": list(passed(from_, to, others))}
    return {}


def _way(state: State, move: Move) -> dict[str, Any]:
    return {"to": move.to, "pad": move.pad, "over": list(move.over)}
