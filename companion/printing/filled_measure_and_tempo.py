"""A recorded bout of Measure and Tempo as rows: one for each play."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from companion.engine.fold import Fold
from companion.printing.filled import Event, Teller

LETTERS = {"cycle": "C", "guard": "G", "stall": "S"}


class Tempo(NamedTuple):
    """One tempo: who took it, with which card if it was recorded, and whether an Ace was led face down."""

    winner: int
    card: str | None
    feint: bool


class Play(NamedTuple):
    """One play: the actions before its Strike as letter and seat, the trump, its tempos, tempos and points after it."""

    number: int
    actions: tuple[tuple[str, int], ...]
    forced: bool
    trump: str | None
    tempos: tuple[Tempo, ...]
    won: tuple[int, ...]
    scores: tuple[int, ...]


def rows(folded: Fold, tell: Teller) -> tuple[tuple[Play, ...], Mapping[str, Any], tuple[Event, ...], tuple[str, ...]]:
    """Returns the plays begun, the table at the end, the Feints, and what was agreed on."""
    game = folded.game
    actions: dict[int, list[tuple[str, int]]] = {}
    trumps: dict[int, str | None] = {}
    tempos: dict[int, list[Tempo]] = {}
    won: dict[int, tuple[int, ...]] = {}
    scores: dict[int, tuple[int, ...]] = {}
    turns = []
    feint = False
    for line, before, after in zip(folded.lines, folded.states, folded.states[1:], strict=False):
        was, now, raw = game.json(before), game.json(after), line.entry.json()
        number, kind = was["play"], raw["type"]
        if kind in LETTERS:
            actions.setdefault(number, []).append((LETTERS[kind], raw["seat"]))
        if kind in ("strike", "lead"):
            feint = bool(raw.get("feint"))
            trumps[number] = was["trump"]
        if after.done > before.done:
            taken = after.last
            tempos.setdefault(number, []).append(Tempo(taken.winner, taken.card, feint))
            if feint:
                said = {"name": tell.names[taken.winner], "leader": tell.names[taken.leader]}
                turns.append(Event(tell.place(was), tell.words("print.feinted", **said), "measure-and-tempo/feint"))
                feint = False
        ended = now["play"] != number or now["phase"] == "over"
        if ended:
            scores[number] = tuple(now["scores"])
        if was["phase"] != "out" or not ended:
            # A play that ends is already swept off the state after it: its last tempo is added to the state before.
            last = after.last.winner if ended and after.done > before.done else None
            tally = was["tempos"] if ended else now["tempos"]
            won[number] = tuple(count + (seat == last) for seat, count in enumerate(tally))
    begun = sorted({*actions, *tempos, *trumps})
    made = tuple(
        Play(
            number,
            tuple(actions.get(number, ())),
            len(actions.get(number, ())) == 11 and number in trumps and folded.setup.circle_limit,
            trumps.get(number),
            tuple(tempos.get(number, ())),
            won.get(number, ()),
            scores.get(number, ()),
        )
        for number in begun
    )
    limits = {"circle": folded.setup.circle_limit, "play": folded.setup.play_limit}
    agreed = tuple(tell.words(f"print.limit-off.{name}") for name, kept in limits.items() if not kept)
    return made, game.json(folded.state), tuple(turns), agreed
