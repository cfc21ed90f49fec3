"""Chameleon Tricks between two entries: the state, what refuses an entry, and what an entry changes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import add, sub
from typing import Any, NamedTuple

from companion.engine.cards import BIT, RANK, Card
from companion.engine.chameleon_tricks_stacks import (
    HAND,
    STRENGTH,
    WEAKER,
    WHOLE,
    Kept,
    Scored,
    StackLaid,
    count,
    possible,
    take,
)
from companion.engine.findings import Findings, refused
from companion.engine.game import Adjusted, Conceded, Revealed, Taken, changed

HANDS = 3

_ONE_EACH = {2: (1, 1), 3: (1, 1, 1)}
# Looked up once: every stack comes by here.
_new = tuple.__new__
_ROUND = {seats: [(*range(first, seats), *range(first)) for first in range(seats)] for seats in (2, 3)}


@dataclass(frozen=True, slots=True)
class TrickWon:
    """A trick by its result; `counts` are the cards each seat played (None: one each, or as many as lie there)."""

    seat: int
    card: Card
    counts: tuple[int, ...] | None = None

    def json(self) -> dict[str, Any]:
        counts = {} if self.counts is None else {"counts": list(self.counts)}
        return {"type": "won", "seat": self.seat, "card": self.card, **counts}


class State(NamedTuple):
    """The table between two entries. What every stack changes comes first, so that a copy is cheap.

    `unseen` are the cards not shown in this hand as bits, `past` those of the hand before; `turns` are the seats in the
    open trick, in playing order, none once the game is over; `tricks` are those of this hand. `hidden`: the table keeps
    its points face down.
    """

    to_act: int | None
    stacks: tuple[StackLaid, ...]
    cards_left: tuple[int, ...]
    unseen: int
    leader: int
    turns: tuple[int, ...]
    trick: int
    points: tuple[int, ...]
    done: int
    last: Taken | None
    tricks: tuple[Taken, ...]
    revealed: tuple[Card, ...]
    hand: int
    dealer: int
    hidden: bool
    totals: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...] = ()
    past: int = WHOLE
    conceded: int | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more is played."""
        return len(self.hands) == HANDS or self.conceded is not None


def around(first: int, left: Sequence[int]) -> tuple[int, ...]:
    """Returns the seats that have cards, from `first` on to the left (chameleon-tricks/pass-lead)."""
    return tuple(seat for seat in _ROUND[len(left)][first] if left[seat])


def hidden_cards(state: State) -> int:
    """Returns the cards never shown in the hand played last, as bits: the open one once it has begun."""
    return state.past if state.unseen == WHOLE else state.unseen


def default_counts(state: State) -> tuple[int, ...]:
    """Returns how many cards each seat plays to the open trick at least: what lies there, else one."""
    counts = [0] * len(state.cards_left)
    for seat in state.turns:
        counts[seat] = 1
    for stack in state.stacks:
        counts[stack.seat] = len(stack.cards)
    return tuple(counts)


def counts_of(state: State, entry: TrickWon) -> tuple[int, ...]:
    """Returns how many cards each seat played to a trick that is entered by its result."""
    return default_counts(state) if entry.counts is None else entry.counts


def check_stack(state: State, entry: StackLaid) -> Findings:
    """Returns why a stack cannot have been laid. A revoke is no reason: only later cards prove it."""
    if state.over:
        return refused("game-over", "chameleon-tricks/goal")
    seat = entry.seat
    if seat != state.to_act:
        rule = "chameleon-tricks/follow" if seat in state.turns else "chameleon-tricks/out"
        return refused("wrong-turn", rule, seat=seat, to_act=state.to_act)
    first = entry.cards[0]
    for place, card in enumerate(entry.cards):
        if findings := _check_card(state, card):
            return findings
        if card in entry.cards[:place]:
            return refused("duplicate-card", "chameleon-tricks/deal", card=card, seat=seat, trick=state.trick)
        if RANK[card] != RANK[first]:
            return refused("added-other-rank", "chameleon-tricks/chameleon", card=card, first=first)
    if len(entry.cards) > state.cards_left[seat]:
        return refused("too-many-cards", "chameleon-tricks/out", seat=seat, most=state.cards_left[seat])
    return ()


def _check_card(state: State, card: Card) -> Findings:
    if card not in STRENGTH:
        return refused("not-in-deck", "chameleon-tricks/deal", card=card)
    if BIT[card] & state.unseen:
        return ()
    shown = [(stack, state.trick) for stack in state.stacks]
    shown += [(stack, trick.number) for trick in state.tricks for stack in trick.plays]
    seat, number = next(
        ((stack.seat, number) for stack, number in shown if card in stack.cards),
        # No stack shows it: it took a trick that was entered by its result.
        next(((trick.winner, trick.number) for trick in state.tricks if trick.card == card), (None, None)),
    )
    return refused("duplicate-card", "chameleon-tricks/deal", card=card, seat=seat, trick=number)


def check_won(state: State, entry: TrickWon) -> Findings:
    """Returns why a result cannot have been: what lies, what was seen, and how many cards each seat has left."""
    seat, card, turns = entry.seat, entry.card, state.turns
    # Mostly nothing lies there yet and each laid one card.
    if seat in turns and not state.stacks and BIT[card] & state.unseen:
        one_each = entry.counts is None or entry.counts == _ONE_EACH.get(len(turns))
        if one_each and (state.unseen & WEAKER[card]).bit_count() >= len(turns) - 1:
            return ()
    if state.over:
        return refused("game-over", "chameleon-tricks/goal")
    if seat not in turns:
        return refused("result-impossible", "chameleon-tricks/out", seat=seat, card=card)
    own = next((stack for stack in state.stacks if stack.seat == seat), None)
    if own is None or card not in own.cards:
        if findings := _check_card(state, card):
            return findings
    if own is not None and own.cards[-1] != card:
        return refused("result-impossible", "chameleon-tricks/last-card", seat=seat, card=card, top=own.cards[-1])
    for stack in state.stacks:
        if STRENGTH[stack.cards[-1]] > STRENGTH[card]:
            return refused("result-impossible", "chameleon-tricks/ranking", seat=seat, card=card, top=stack.cards[-1])
    counts = counts_of(state, entry)
    waiting = turns[len(state.stacks) :]
    return _check_counts(state, counts) or _check_rest(state, entry, counts, waiting)


def _check_counts(state: State, counts: tuple[int, ...]) -> Findings:
    lying = {stack.seat: len(stack.cards) for stack in state.stacks}
    for seat, number in enumerate(counts):
        if seat not in state.turns:
            if number:
                return refused("too-many-cards", "chameleon-tricks/out", seat=seat, most=0)
        elif seat in lying:
            if number != lying[seat]:
                return refused("counts-differ", "chameleon-tricks/chameleon", seat=seat, laid=lying[seat])
        elif not number:
            return refused("card-missing", "chameleon-tricks/follow", seat=seat)
        elif number > state.cards_left[seat]:
            return refused("too-many-cards", "chameleon-tricks/out", seat=seat, most=state.cards_left[seat])
    return ()


def _check_rest(state: State, entry: TrickWon, counts: tuple[int, ...], waiting: tuple[int, ...]) -> Findings:
    """Refuses a result that no cards still unseen could have made; `waiting` are the seats whose stacks nobody saw."""
    losers = [counts[seat] for seat in waiting if seat != entry.seat]
    more = counts[entry.seat] - 1 if entry.seat in waiting else 0
    if possible(entry.card, more, losers, state.unseen):
        return ()
    if possible(entry.card, 0, [1] * len(losers), state.unseen):
        return refused("counts-impossible", "chameleon-tricks/chameleon", seat=entry.seat, card=entry.card)
    return refused("result-impossible", "chameleon-tricks/ranking", seat=entry.seat, card=entry.card)


def _check_adjusted(state: State, entry: Adjusted) -> Findings:
    new = dict(entry.set)
    if state.over and not new.keys() <= {"totals"}:
        return refused("game-over", "chameleon-tricks/goal")
    if state.stacks:
        waiting = state.turns[len(state.stacks) :]
        if "leader" in new or not all(new.get("cards_left", state.cards_left)[seat] for seat in waiting):
            return refused("wrong-phase", "chameleon-tricks/finish", phase="trick-open")
    return ()


def _check_revealed(state: State, entry: Revealed) -> Findings:
    between = state.trick == 1 and state.hand > 1 and not state.stacks
    if not (between or state.over):
        return refused("wrong-phase", "chameleon-tricks/out", phase="hand-open")
    pool = hidden_cards(state)
    for place, card in enumerate(entry.cards):
        if card not in STRENGTH:
            return refused("not-in-deck", "chameleon-tricks/deal", card=card)
        if not BIT[card] & pool or card in state.revealed or card in entry.cards[:place]:
            return refused("card-elsewhere", "chameleon-tricks/deal", card=card)
    return ()


def evolve_stack(state: State, entry: StackLaid) -> State:
    """Returns the state after a stack: the next one to act, or the trick taken."""
    seat, cards = entry.seat, entry.cards
    stacks = (*state.stacks, entry)
    old = state.cards_left
    left = (*old[:seat], old[seat] - len(cards), *old[seat + 1 :])
    unseen = state.unseen
    for card in cards:
        unseen ^= BIT[card]
    turns = state.turns
    if len(stacks) < len(turns):
        after: State = _new(State, (turns[len(stacks)], stacks, left, unseen, *state[4:]))
        return after
    best = take(stacks)
    return _close(state, stacks, left, unseen, best.seat, best.cards[-1], None)


def _won(state: State, entry: TrickWon) -> State:
    counts = entry.counts or default_counts(state)
    left = state.cards_left
    if state.stacks:
        # What lies was taken off when it was laid.
        waiting = state.turns[len(state.stacks) :]
        now = tuple(own - counts[seat] if seat in waiting else own for seat, own in enumerate(left))
    else:
        now = tuple(map(sub, left, counts))
    return _close(state, state.stacks, now, state.unseen & ~BIT[entry.card], entry.seat, entry.card, counts)


def _close(
    state: State,
    stacks: tuple[StackLaid, ...],
    left: tuple[int, ...],
    unseen: int,
    seat: int,
    card: Card,
    counts: tuple[int, ...] | None,
) -> State:
    """Gives the winner their last card, and the lead to them or to the next who has cards, or ends the hand."""
    piles = list(state.points)
    piles[seat] += RANK[card]
    points = tuple(piles)
    turns = _ROUND[len(left)][seat] if all(left) else around(seat, left)
    trick = state.trick
    if len(turns) > 1:
        leads = turns[0]
        kept: Kept = _new(Kept, (counts, leads, None))
        taken: Taken = _new(Taken, (state.hand, trick, state.leader, seat, card, stacks, kept))
        after: State = _new(
            State,
            (
                leads,
                (),
                left,
                unseen,
                leads,
                turns,
                trick + 1,
                points,
                state.done + 1,
                taken,
                (*state.tricks, taken),
                (),
                *state[12:],
            ),
        )
        return after
    scores = count(points)
    kept = Kept(counts, None, Scored(points, scores))
    taken = Taken(state.hand, trick, state.leader, seat, card, stacks, kept)
    return _end_hand(state, left, unseen, points, scores, (*state.tricks, taken))


def _end_hand(
    state: State,
    left: tuple[int, ...],
    unseen: int,
    points: tuple[int, ...],
    scores: tuple[int, ...],
    tricks: tuple[Taken, ...],
) -> State:
    """Scores the hand, and deals the next or ends the game; `tricks` are those of this hand, the last one included."""
    hands = (*state.hands, scores)
    totals = tuple(map(add, state.totals, scores))
    done = state.done + len(tricks) - len(state.tricks)
    last = tricks[-1] if tricks else state.last
    if len(hands) == HANDS:
        return changed(
            state,
            to_act=None,
            stacks=(),
            cards_left=left,
            unseen=unseen,
            leader=last.winner if tricks and last else state.leader,
            turns=(),
            points=points,
            done=done,
            last=last,
            tricks=tricks,
            revealed=(),
            totals=totals,
            hands=hands,
            past=unseen,
        )
    dealer = (state.dealer + 1) % len(left)
    return _deal(len(left), dealer, state.hidden, state.hand + 1, done, last, totals, hands, unseen)


def start(players: int, dealer: int, hidden: bool) -> State:
    """Returns the table before the first card."""
    return _deal(players, dealer, hidden, 1, 0, None, (0,) * players, (), WHOLE)


def _deal(
    players: int,
    dealer: int,
    hidden: bool,
    hand: int,
    done: int,
    last: Taken | None,
    totals: tuple[int, ...],
    hands: tuple[tuple[int, ...], ...],
    past: int,
) -> State:
    return State(
        to_act=dealer,
        stacks=(),
        cards_left=(HAND,) * players,
        unseen=WHOLE,
        leader=dealer,
        turns=_ROUND[players][dealer],
        trick=1,
        points=(0,) * players,
        done=done,
        last=last,
        tricks=(),
        revealed=(),
        hand=hand,
        dealer=dealer,
        hidden=hidden,
        totals=totals,
        hands=hands,
        past=past,
    )


def _adjust(state: State, entry: Adjusted) -> State:
    new = dict(entry.set)
    state = changed(state, **new)
    if state.stacks or new.keys().isdisjoint({"leader", "cards_left"}):
        return state
    turns = around(state.leader, state.cards_left)
    if len(turns) < 2:
        return _end_hand(state, state.cards_left, state.unseen, state.points, count(state.points), state.tricks)
    return changed(state, turns=turns, leader=turns[0], to_act=turns[0])


def _concede(state: State, entry: Conceded) -> State:
    # What was shown before belongs to the hand before, once this one has begun.
    revealed = state.revealed if state.unseen == WHOLE else ()
    return changed(state, conceded=entry.seat, to_act=None, turns=(), revealed=revealed)


CHECKS: Mapping[type, Callable[[State, Any], Findings]] = {
    TrickWon: check_won,
    Adjusted: _check_adjusted,
    Revealed: _check_revealed,
    Conceded: lambda state, entry: refused("game-over", "chameleon-tricks/goal") if state.over else (),
}
EVOLVES: Mapping[type, Callable[[State, Any], State]] = {
    TrickWon: _won,
    Adjusted: _adjust,
    Revealed: lambda state, entry: changed(state, revealed=state.revealed + entry.cards),
    Conceded: _concede,
}
