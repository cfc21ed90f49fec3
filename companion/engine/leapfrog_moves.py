"""Leapfrog! between two entries: the state, what refuses an entry, and what an entry changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

from companion.engine.cards import BIT, RANK, RANKS, SUIT_BITS, SUITS, Card, Suit, deck
from companion.engine.findings import Findings, refused
from companion.engine.game import Adjusted, Conceded, Revealed, Taken, changed
from companion.engine.leapfrog_tricks import (
    POWERS,
    CardLaid,
    Laid,
    Move,
    PowerUsed,
    Token,
    dive,
    hop,
    leap,
    passed,
    take,
    taking,
)

ROUNDS = 4
TRICKS = 7


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


class State(NamedTuple):
    """The table between two entries. What every card changes comes first, so that a copy is cheap.

    `started` is the suit order as the open trick began, `deck` and `seen` are sets of cards as bits, `laid` the round's
    known cards, `past` those of the round before. `taking` is who took the trick while that seat still chooses between
    hop and dive.
    """

    to_act: int | None
    plays: tuple[Laid, ...]
    laid: tuple[Laid, ...]
    seen: int
    trick: int
    leader: int
    frogs: tuple[int, int]
    done: int
    last: Taken | None
    started: tuple[Suit, ...]
    by_result: bool
    taking: tuple[int, Card | None] | None
    revealed: tuple[Card, ...]
    hierarchy: tuple[Suit, ...]
    king: int
    powers_used: tuple[int, int]
    track: tuple[int, ...]
    water: tuple[int, ...]
    deck: int
    dealer: int
    round: int
    past: tuple[Laid, ...] = ()
    rounds: tuple[tuple[int, int], ...] = ()
    totals: tuple[int, int] = (0, 0)
    conceded: int | None = None

    @property
    def choice(self) -> int | None:
        """The seat that must choose between hop and dive."""
        return self.taking[0] if self.taking and self.conceded is None else None

    @property
    def over(self) -> bool:
        """Whether nothing more is played."""
        return len(self.rounds) == ROUNDS or self.conceded is not None


def others(state: State, seat: int) -> tuple[int, int]:
    """Returns the pads of the other frog and the King."""
    return (state.frogs[1 - seat], state.king)


def cards_of(state: State) -> tuple[Card, ...]:
    return deck(RANKS[:10], sorted(state.started, key=SUITS.index))


def check_open(state: State) -> Findings:
    if state.over:
        return refused("game-over", "leapfrog/goal")
    return refused("hop-missing", "leapfrog/dive", seat=state.choice) if state.taking else ()


def check_turn(state: State, entry: CardLaid) -> Findings:
    if state.by_result:
        return refused("wrong-phase", None, phase="result")
    return (
        ()
        if entry.seat == state.to_act
        else refused("wrong-turn", "leapfrog/order", seat=entry.seat, to_act=state.to_act)
    )


def check_card(state: State, card: Card) -> Findings:
    if not BIT[card] & state.deck:
        return refused("not-in-deck", "leapfrog/hierarchy" if RANK[card] <= 10 else "leapfrog/deal", card=card)
    for play in state.laid:
        if play.card == card:
            return refused("duplicate-card", "leapfrog/deal", card=card, seat=play.seat)
    return ()


def _check_power(state: State, entry: PowerUsed) -> Findings:
    own = 0
    for play in state.plays:
        if play.power:
            return refused("second-power", "leapfrog/one-power", seat=play.seat, power=play.power)
        own += play.seat == entry.seat
    if state.powers_used[entry.seat] >= POWERS:
        return refused("power-limit", "leapfrog/power-limit", seat=entry.seat, most=POWERS)
    if own == 2:
        return refused("too-many-cards", "leapfrog/order", seat=entry.seat, most=2)
    if entry.dive and (entry.power == "leap" or dive(state.king, state.frogs, state.water) is None):
        return refused("dive-not-allowed", "leapfrog/dive", token="king")
    return check_card(state, entry.card) if entry.card else ()


def _check_won(state: State, entry: TrickWon) -> Findings:
    if not state.plays:
        return ()
    up, missing = [0, 0], [2, 2]
    for play in state.plays:
        missing[play.seat] -= 1
        if play.power is None:
            up[play.seat] |= BIT[play.card]
    # At least five cards are unseen: while none lies face up, either seat may have the one that takes the trick.
    if up == [0, 0] or _may_take(state, up, missing, entry.seat):
        return ()
    return refused("result-impossible", "leapfrog/strongest", seat=entry.seat)


def _may_take(state: State, up: list[int], missing: list[int], seat: int) -> bool:
    """Returns whether unseen cards in the `missing` places could let this seat take the trick."""
    best = next(place for place, suit in enumerate(state.hierarchy) if (up[0] | up[1]) & SUIT_BITS[suit])
    unseen = state.deck & ~state.seen
    pool: list[int] = []
    for place, suit in enumerate(state.hierarchy):
        cards = [bit for bit in BIT.values() if bit & unseen & SUIT_BITS[suit]]
        # Cards of the weaker suits only fill places: no more of them are tried than there are places.
        pool += cards if place <= best else cards[: sum(missing)]
    for own in map(sum, combinations(pool, missing[seat])):
        for other in map(sum, combinations(pool, missing[1 - seat])):
            if not own & other and taking(up[0] | up[1] | own | other, state.hierarchy) & (up[seat] | own):
                return True
    return False


def _check_hop(state: State, entry: FrogHopped) -> Findings:
    if state.over:
        return refused("game-over", "leapfrog/goal")
    if not state.taking:
        return refused("hop-not-asked", "leapfrog/dive", seat=entry.seat)
    if entry.seat != state.taking[0]:
        return refused("wrong-turn", "leapfrog/dive", seat=entry.seat, to_act=state.taking[0])
    start = state.frogs[entry.seat]
    if entry.dive and dive(start, others(state, entry.seat), state.water) is None:
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
    # Before a round's first card it is the round before that lies open.
    laid = state.past if between or len(state.rounds) == ROUNDS else state.laid
    shown = {play.card for play in laid} | set(state.revealed)
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
    new: dict[str, Any] = {"laid": (*state.laid, entry), "seen": state.seen | BIT[entry.card]} if entry.card else {}
    if entry.power == "leap":
        new["hierarchy"] = leap(state.hierarchy)
    else:
        to = dive(state.king, state.frogs, state.water) if entry.dive else None
        new["king"] = hop(state.king, state.frogs) if to is None else to
    state = changed(
        state,
        powers_used=(used[0], used[1]),
        plays=(*state.plays, entry),
        by_result=not in_turn,
        to_act=1 - entry.seat if in_turn else None,
        **new,
    )
    return resolve(state) if len(state.plays) == 4 else state


def resolve(state: State) -> State:
    best = take(state.plays, state.hierarchy)
    assert best is not None, "one power a trick leaves three cards face up"
    return _taken(state, best.seat, best.card)


def _taken(state: State, seat: int, card: Card | None) -> State:
    if state.water and dive(state.frogs[seat], others(state, seat), state.water) is not None:
        return changed(state, taking=(seat, card), to_act=seat)
    return _move(state, seat, card, False)


def landing(state: State, seat: int, dived: bool) -> Move:
    start = state.frogs[seat]
    from_ = next(pad for pad in state.water if pad != start) if dived else start
    to, over = _hopped(from_, 1 - seat, state.frogs[1 - seat], state.king)
    return Move(state.started, start, to, dived, over, state.track[to])


@cache
def _hopped(from_: int, other: int, frog: int, king: int) -> tuple[int, tuple[Token, ...]]:
    """Returns where a frog lands, and what it passes: the `other` seat's frog, the King, neither or both."""
    to = hop(from_, (frog, king))
    return to, passed(from_, to, {other: frog, "king": king})


def _move(state: State, seat: int, card: Card | None, dived: bool) -> State:
    """Moves the winner's frog, closes the trick, and after the seventh scores the round."""
    move = landing(state, seat, dived)
    frogs = (move.to, state.frogs[1]) if seat == 0 else (state.frogs[0], move.to)
    taken = Taken(state.round, state.trick, state.leader, seat, card, state.plays, move)
    closed: State = tuple.__new__(
        State,
        (
            seat,
            (),
            state.laid,
            state.seen,
            state.trick + 1,
            seat,
            frogs,
            state.done + 1,
            taken,
            state.hierarchy,
            False,
            None,
            (),
            *state[13:],
        ),
    )
    return _score(closed) if taken.number == TRICKS else closed


def _score(state: State) -> State:
    points = (state.track[state.frogs[0]], state.track[state.frogs[1]])
    ended: dict[str, Any] = {
        "rounds": (*state.rounds, points),
        "totals": (state.totals[0] + points[0], state.totals[1] + points[1]),
        "past": state.laid,
        "laid": (),
        "seen": 0,
    }
    if len(state.rounds) + 1 == ROUNDS:
        return changed(state, **ended, trick=TRICKS, to_act=None)
    dealer = 1 - state.dealer
    return changed(
        state, **ended, round=state.round + 1, trick=1, dealer=dealer, leader=dealer, to_act=dealer, powers_used=(0, 0)
    )


def _adjust(state: State, entry: Adjusted) -> State:
    new = dict(entry.set)
    if "hierarchy" in new and not state.taking:
        # The open trick is ruled by the new order, so it began with the one that its Leap, if any, turned into this.
        order = new["hierarchy"]
        leapt = any(play.power == "leap" for play in state.plays)
        new["started"] = (*order[1:], order[0]) if leapt else order
    if "leader" in new:
        new["to_act"] = new["leader"]
    return changed(state, **new)


def _concede(state: State, entry: Conceded) -> State:
    # What was shown of the round before is no longer what may be shown, once a card of this round lies.
    revealed = () if state.plays or state.taking else state.revealed
    return changed(state, conceded=entry.seat, to_act=None, revealed=revealed)


CHECKS: Mapping[type, Callable[[State, Any], Findings]] = {
    PowerUsed: _check_power,
    TrickWon: _check_won,
    FrogHopped: _check_hop,
    Adjusted: _check_adjusted,
    Revealed: _check_revealed,
    Conceded: lambda state, entry: refused("game-over", "leapfrog/goal") if state.over else (),
}
PLAYED = frozenset({PowerUsed, TrickWon})
EVOLVES: Mapping[type, Callable[[State, Any], State]] = {
    PowerUsed: _use,
    TrickWon: lambda state, entry: _taken(state, entry.seat, None),
    FrogHopped: lambda state, entry: _move(state, entry.seat, state.taking[1] if state.taking else None, entry.dive),
    Adjusted: _adjust,
    Revealed: lambda state, entry: changed(state, revealed=state.revealed + entry.cards),
    Conceded: _concede,
}
