"""What a correction changes, side by side: of the public state what differs, and of the tricks which go elsewhere."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from flask import g

from companion.engine.disputes import disputes
from companion.table import Table
from companion.web.views import View, outcome_title


class Change(NamedTuple):
    """One row: what it is about, now, and then; `same` where it stays."""

    what: str
    now: Any
    then: Any
    same: bool


TRICKS = 6


def changes(view: View, after: Table, place: int) -> list[Change]:
    """Returns what a correction changes: tricks, tokens, scores, the result."""
    words = g.words
    rows = [_trick(view, one, other) for one, other in _pairs(view.table, after)[:TRICKS]]
    now, then = view.game.json(view.state), view.game.json(after.state)
    rows += compared(view, now, then)
    totals = view.game.totals(view.state), view.game.totals(after.state)
    rows.append(_row(words("state.totals"), *(" – ".join(map(str, one)) for one in totals)))
    outcome = view.outcome, view.game.outcome(after.state)
    if any(outcome):
        rows.append(
            _row(
                words("state.result"),
                *(outcome_title(view.plain, one) if one else words("state.goes-on") for one in outcome),
            )
        )
    faults = len(view.faults), len(disputes(after.fold))
    if any(faults):
        rows.append(_row(words("state.faults"), *faults))
    changed = [row for row in rows if not row.same]
    return changed + [row for row in rows if row.same][: max(0, 3 - len(changed))]


def compared(view: View, now: Mapping[str, Any], then: Mapping[str, Any], leave_out: str = "totals") -> list[Change]:
    """Returns what the table may set by its own ruling, part by part, as it is and as it would be."""
    words, track = g.words, now.get("track", ())
    rows = []
    for field in view.game.adjustable:
        old, new = now.get(field.name), then.get(field.name)
        if old is None or new is None or field.name == leave_out:
            continue
        what = [words(f"state.{field.name}")] if not field.each else []
        for name in view.names if field.each else ():
            what.append(words(f"state.{field.name}-of", seat=name))
        pairs = zip(old, new, strict=True) if field.each else [(old, new)]
        for said, values in zip(what, pairs, strict=True):
            rows.append(_row(said, *(_said(view, field.kind, value, track) for value in values)))
    return rows


def _row(what: str, now: Any, then: Any) -> Change:
    return Change(what, now, then, now == then)


def _said(view: View, kind: str, value: Any, track: Any) -> Any:
    match kind:
        case "seat":
            return view.names[value]
        case "pad":
            return g.words("state.on", pad=track[value])
        case "suits":
            return view.w.text(" ").join(view.w.suit(suit) for suit in value)
        case "card":
            return g.words("state.no-card") if value is None else view.w.card(value) if value != "?" else "?"
        case _:
            return value


def _pairs(before: Table, after: Table) -> list[tuple[Any, Any]]:
    """Returns the tricks that differ, as they are and as they would be; None where one is missing."""
    old = {(item.taken.chapter, item.taken.number): item.taken for item in before.items if item.taken}
    new = {(item.taken.chapter, item.taken.number): item.taken for item in after.items if item.taken}
    keys = sorted(old.keys() | new.keys())
    return [
        (old.get(key), new.get(key))
        for key in keys
        if key not in old or key not in new or _gist(old[key]) != _gist(new[key])
    ]


def _gist(taken: Any) -> Any:
    return taken.winner, taken.card, taken.leader


def _trick(view: View, now: Any, then: Any) -> Change:
    one = now or then
    what = g.words("state.item", item=view.item_name(one.number), chapter=one.chapter)
    return _row(what, _winner(view, now), _winner(view, then))


def _winner(view: View, taken: Any) -> Any:
    if taken is None:
        return "–"
    if taken.card:
        return view.w.fill("state.took-with", {"seat": taken.winner, "card": taken.card})
    return view.w.player(taken.winner)
