"""A recorded game of Leapfrog! as rows: two a round, seven tricks each."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from companion.engine.fold import Fold
from companion.printing.filled import Event, Teller

ROUNDS, TRICKS = 4, 7


class Cell(NamedTuple):
    """What one seat did in one trick: the card that took it, the pad reached, the powers used."""

    won: bool = False
    card: str | None = None
    run: bool = False
    pad: int | None = None
    dived: bool = False
    powers: tuple[str, ...] = ()


class Round(NamedTuple):
    """One round: `cells[seat][trick]`; `orders[0]` are the suits at its start, `orders[n]` after trick n if moved."""

    number: int
    dealer: int | None
    cells: tuple[tuple[Cell, ...], ...]
    orders: tuple[tuple[str, ...], ...]
    pads: tuple[int, ...]
    totals: tuple[int, ...]


def rows(folded: Fold, tell: Teller) -> tuple[tuple[Round, ...], Mapping[str, Any], tuple[Event, ...], tuple[str, ...]]:
    """Returns the rounds, the table at the end, the tricks that a run turned, and what was agreed on."""
    game = folded.game
    cells = {(number, seat): [Cell()] * TRICKS for number in range(1, ROUNDS + 1) for seat in (0, 1)}
    orders: dict[tuple[int, int], tuple[str, ...]] = {}
    dealers: dict[int, int] = {}
    pads: dict[int, tuple[int, ...]] = {}
    totals: dict[int, tuple[int, ...]] = {}
    turns = []
    for line, before, after in zip(folded.lines, folded.states, folded.states[1:], strict=False):
        was, now, raw = game.json(before), game.json(after), line.entry.json()
        number, trick = was["round"], was["trick"]
        if trick == 1:
            orders.setdefault((number, 0), tuple(was["hierarchy"]))
            dealers.setdefault(number, was["dealer"])
        if raw["type"] == "power":
            own = cells[number, raw["seat"]]
            own[trick - 1] = own[trick - 1]._replace(powers=(*own[trick - 1].powers, raw["power"]))
        if was["hierarchy"] != now["hierarchy"]:
            orders[number, trick] = tuple(now["hierarchy"])
        if after.done > before.done:
            taken = after.last
            steps = {reason.code: reason.params for reason in game.explain(taken).because}
            own = cells[number, taken.winner]
            moved = next(steps[code] for code in ("hopped", "hopped-over", "dived", "dived-over") if code in steps)
            own[trick - 1] = own[trick - 1]._replace(
                won=True,
                card=taken.card,
                run="run" in steps,
                pad=moved["pad"],
                dived="dived" in steps or "dived-over" in steps,
            )
            if "run" in steps:
                turns.append(_turned(tell, was, steps["run"]))
        # An adjusted total belongs to the round before the next one opens.
        if now["rounds"]:
            pads[len(now["rounds"])] = tuple(now["rounds"][-1])
            totals[len(now["rounds"])] = tuple(now["totals"])
    made = tuple(
        Round(
            number,
            dealers.get(number),
            (tuple(cells[number, 0]), tuple(cells[number, 1])),
            tuple(orders.get((number, trick), ()) for trick in range(TRICKS + 1)),
            pads.get(number, ()),
            totals.get(number, ()),
        )
        for number in range(1, ROUNDS + 1)
    )
    end = game.json(folded.state)
    end["rematch"] = game.rematch(folded.setup, 2).get("dealer")
    return made, end, tuple(turns), (tell.words(f"print.variant.{folded.setup.variant}"),)


def _turned(tell: Teller, was: Mapping[str, Any], run: Mapping[str, Any]) -> Event:
    said = {"card": tell.card(run["card"]), "top": tell.card(run["top"]), "name": tell.names[run["seat"]]}
    return Event(tell.place(was), tell.words("print.turned", **said), "leapfrog/run")
