"""Chameleon Tricks: two or three players, 36 cards, 3 hands.

Each player in turn lays a card that follows the lead suit, and may lay more of its rank on top. Only last cards count:
the highest of the strongest suit takes the trick, and its player keeps that one card for its face value. The highest
score of a hand is halved.

How this version reads the rules: cards are added in one's own turn; a trick entered by its result is refused only
where no cards still unseen could have made it; a table's ruling that leaves fewer than two players with cards between
two tricks ends the hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

from companion.engine.cards import BIT, RANK, Card
from companion.engine.chameleon_tricks_evidence import observed
from companion.engine.chameleon_tricks_hands import (
    CHECKS,
    EVOLVES,
    HANDS,
    State,
    TrickWon,
    check_stack,
    default_counts,
    evolve_stack,
    start,
)
from companion.engine.chameleon_tricks_positions import POSITIONS, rule_on
from companion.engine.chameleon_tricks_stacks import (
    DECK,
    HAND,
    StackLaid,
    count,
    explain,
    highest,
    led_suit,
    may_add,
    ruling,
)
from companion.engine.evidence import Hidden, Part, parts, telling
from companion.engine.findings import Findings
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
from companion.engine.reading import Shape, one_of, seat_of, several, shape, whole
from companion.engine.reading import card as read_card

MOST_POINTS = sum(RANK[card] for card in DECK)


@dataclass(frozen=True, slots=True)
class Setup:
    """What the table chose before the first card; `points` are `shown` or, until the hand ends, `hidden`."""

    dealer: int
    points: str


class _StackShape(Shape):
    """Reads `stack` entries: those of one card are few, so each is made once."""

    def read(self, raw: Mapping[str, Any]) -> Any:
        seat, cards = raw.get("seat"), raw.get("cards")
        if len(raw) == 3 and type(seat) is int and type(cards) is list and len(cards) == 1 and type(cards[0]) is str:
            laid = _SINGLE.get((seat, cards[0]))
            if laid:
                return laid
        return super().read(raw)


_SINGLE: Mapping[tuple[int, str], StackLaid] = {
    (seat, card): StackLaid(seat, (card,)) for seat in range(2) for card in DECK
}


@cache
def _setup(players: int) -> Shape:
    return shape(Setup, (("points", one_of("shown", "hidden"), "shown"),), dealer=seat_of(players))


@cache
def _readers(players: int) -> Mapping[str, Shape]:
    seat = seat_of(players)
    held = several(whole(0, HAND), players, players)
    may_set = settable(
        leader=seat,
        cards_left=held,
        points=several(whole(0, MOST_POINTS), players, players),
        totals=several(whole(0, HANDS * MOST_POINTS), players, players),
    )
    return {
        "stack": _StackShape(StackLaid, {"seat": seat, "cards": several(read_card, 1, HAND)}),
        "won": shape(TrickWon, (("counts", held, None),), seat=seat, card=read_card),
        **common_readers(players, may_set),
    }


class ChameleonTricks:
    """The rules of Chameleon Tricks."""

    slug: ClassVar[str] = "chameleon-tricks"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 4)
    rules: ClassVar[tuple[str, ...]] = tuple(
        f"chameleon-tricks/{name}"
        for name in (
            "goal ranking deal lead follow chameleon last-card keep out finish pass-lead score halve tie own-deck shown"
        ).split()
    )
    positions: ClassVar[Positions] = POSITIONS
    adjustable: ClassVar[tuple[Field, ...]] = (
        Field("points", "number", (0, MOST_POINTS), each=True),
        Field("cards_left", "number", (0, HAND), each=True),
        Field("leader", "seat"),
        Field("totals", "number", (0, HANDS * MOST_POINTS), each=True),
    )

    def setup_fields(self, players: int) -> tuple[Field, ...]:
        return (
            Field("dealer", "seat", drawn=True),
            Field("points", "choice", ("shown", "hidden"), "shown"),
        )

    def read_setup(self, raw: Mapping[str, Any], players: int) -> Setup:
        return _setup(players).read(raw)  # type: ignore[no-any-return]

    def readers(self, players: int) -> Mapping[str, Shape]:
        return _readers(players)

    def deck(self, setup: Setup) -> tuple[Card, ...]:
        return DECK

    def start(self, setup: Setup, players: int) -> State:
        return start(players, setup.dealer, setup.points == "hidden")

    def check(self, state: State, entry: Any) -> Findings:
        if type(entry) is StackLaid:
            cards = entry.cards
            # Who is to act has cards and the game goes on; 0 stands for the bit of a card that is not in this deck.
            if len(cards) == 1 and entry.seat == state.to_act and BIT[cards[0]] & state.unseen:
                return ()
            return check_stack(state, entry)
        return CHECKS[type(entry)](state, entry)

    def evolve(self, state: State, entry: Any) -> State:
        return evolve_stack(state, entry) if type(entry) is StackLaid else EVOLVES[type(entry)](state, entry)

    def expects(self, state: State) -> Expects:
        if state.over:
            return Expects("over")
        seat = state.to_act
        assert seat is not None, "while the game goes on somebody is to act"
        phase = "follow" if state.stacks else "lead"
        return Expects(phase, seat, _choices(seat, len(state.totals)), partial(self.check, state))

    def outcome(self, state: State) -> Outcome | None:
        totals = state.totals
        if state.conceded is not None:
            return conceded(state.conceded, totals)
        if not state.over:
            return None
        winners = tuple(seat for seat, total in enumerate(totals) if total == max(totals))
        return Outcome(winners, "total" if len(winners) == 1 else "shared", totals)

    def totals(self, state: State) -> tuple[int, ...]:
        return state.totals

    def json(self, state: State) -> dict[str, Any]:
        return {
            "hand": state.hand,
            "trick": state.trick,
            "dealer": state.dealer,
            "leader": state.leader,
            "to_act": state.to_act,
            "lead_suit": led_suit(state.stacks),
            "cards_left": list(state.cards_left),
            "stacks": [{"seat": stack.seat, "cards": list(stack.cards)} for stack in state.stacks],
            "points": list(state.points),
            "hands": [list(scores) for scores in state.hands],
            "totals": list(state.totals),
        }

    def board(self, state: State) -> dict[str, Any]:
        """Returns what the table sees beside the public state (chameleon-tricks/shown).

        `out` are the cards never seen in this hand, `first_out` the seats that run out first, `points` each seat's
        own, and `counts` what they would count now, None where they would not be halved. Points that are hidden are
        None. `add` are the cards that may still go on top of the last stack.
        """
        shown = not state.hidden or state.over
        halved = highest(state.points) if shown else ()
        return {
            "out": [card for card in DECK if BIT[card] & state.unseen],
            "add": self._add(state),
            "first_out": first_out(state),
            "points": [points if shown else None for points in state.points],
            "counts": [counts if seat in halved else None for seat, counts in enumerate(count(state.points))],
        }

    def counts(self, state: State, written: str) -> list[int]:
        """Returns how many cards each seat played to the open trick, read from `2-1-1`."""
        least = default_counts(state)
        parts = written.split("-")
        if len(parts) != len(least) or not all(part.isdecimal() and len(part) < 3 for part in parts):
            return list(least)
        lying = {stack.seat for stack in state.stacks}
        return [
            least[seat]
            if seat in lying or seat not in state.turns
            else min(max(int(part), 1), state.cards_left[seat], 4)
            for seat, part in enumerate(parts)
        ]

    def one_more(self, state: State, counts: Sequence[int], seat: int) -> list[int]:
        """Returns the counts with one card more for this seat, and after the most it could have laid, one again."""
        most = min(state.cards_left[seat], 4)
        return [count % most + 1 if place == seat else count for place, count in enumerate(counts)]

    def _add(self, state: State) -> list[Card]:
        last = state.stacks or (state.last.plays if state.last and state.tricks else ())
        return may_add(last[-1].cards[0], state.unseen) if last and state.cards_left[last[-1].seat] else []

    def closes(self, before: State, entry: Any, after: State) -> bool:
        return after.done > before.done or type(entry) in (Adjusted, Revealed, Conceded)

    def explain(self, taken: Taken) -> Ruling:
        return explain(taken)

    def so_far(self, state: State) -> Ruling | None:
        return ruling(state.stacks) if state.stacks else None

    def hints(self, state: State, ruling: Ruling | None) -> tuple[str, ...]:
        return ("halving",) if ruling and any(reason.code == "halved" for reason in ruling.because) else ()

    def rule_on(self, position: Mapping[str, Any]) -> Ruling:
        return rule_on(position)

    def evidence(self, lines: Sequence[Any], states: Sequence[Any]) -> tuple[Part, ...]:
        return parts(observed(lines, states))

    def hidden(self, lines: Sequence[Any], states: Sequence[Any]) -> tuple[Hidden, ...]:
        *_, last = observed(lines, states)
        return telling(last)

    def rematch(self, setup: Setup, players: int) -> dict[str, Any]:
        return {"dealer": (setup.dealer + 1) % players, "points": setup.points}


def first_out(state: State) -> list[int]:
    """Returns the seats that run out first if nobody adds a card: none while all have as many."""
    waiting = state.turns[len(state.stacks) :] if state.stacks else ()
    left = {seat: own - (seat in waiting) for seat, own in enumerate(state.cards_left) if own}
    fewest = [seat for seat, own in left.items() if own == min(left.values())]
    return fewest if len(fewest) < len(left) else []


@cache
def _choices(seat: int, players: int) -> Choices:
    stacks = [StackLaid(seat, (card,)) for card in DECK]
    return choices([*stacks, *(TrickWon(winner, card) for winner in range(players) for card in DECK)])
