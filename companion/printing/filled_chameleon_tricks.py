"""A recorded game of Chameleon Tricks as rows: one for each seat in each hand."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from companion.engine.fold import Fold
from companion.printing.filled import Event, Teller

HANDS = 3


class Hand(NamedTuple):
    """One hand: `kept[seat]` its tricks as number and card, sums before and points after halving, running totals."""

    number: int
    dealer: int | None
    kept: tuple[tuple[tuple[int, str], ...], ...]
    sums: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]


def rows(folded: Fold, tell: Teller) -> tuple[tuple[Hand, ...], Mapping[str, Any], tuple[Event, ...], tuple[str, ...]]:
    """Returns the hands, the table at the end, the tricks that an added card turned, and what was agreed on."""
    game, seats = folded.game, range(folded.players)
    kept: dict[tuple[int, int], list[tuple[int, str]]] = {}
    dealers: dict[int, int] = {}
    sums: dict[int, tuple[int, ...]] = {}
    points: dict[int, tuple[int, ...]] = {}
    totals: dict[int, tuple[int, ...]] = {}
    turns = []
    for before, after in zip(folded.states, folded.states[1:], strict=False):
        was, now = game.json(before), game.json(after)
        number = was["hand"]
        dealers.setdefault(number, was["dealer"])
        if now["hand"] == number and len(now["hands"]) < number:
            sums[number] = tuple(now["points"])
        if after.done > before.done:
            taken = after.last
            if taken.card is not None:
                kept.setdefault((number, taken.winner), []).append((taken.number, taken.card))
            stack = next((stack for stack in taken.plays if stack.seat == taken.winner), None)
            if stack is not None and len(stack.cards) > 1:
                said = {"name": tell.names[taken.winner], "card": tell.card(taken.card), "n": len(stack.cards)}
                turns.append(Event(tell.place(was), tell.words("print.stacked", **said), "chameleon-tricks/chameleon"))
            scored = getattr(taken.facts, "scored", None)
            if scored is not None:
                sums[number] = tuple(scored.points)
        if now["hands"]:
            done = len(now["hands"])
            points[done] = tuple(now["hands"][-1])
            totals[done] = tuple(now["totals"])
    made = tuple(
        Hand(
            number,
            dealers.get(number),
            tuple(tuple(kept.get((number, seat), ())) for seat in seats),
            sums.get(number, ()),
            points.get(number, ()),
            totals.get(number, ()),
        )
        for number in range(1, HANDS + 1)
    )
    end = game.json(folded.state)
    end["rematch"] = game.rematch(folded.setup, folded.players).get("dealer")
    return made, end, tuple(turns), (tell.words(f"print.points-are.{folded.setup.points}"),)
