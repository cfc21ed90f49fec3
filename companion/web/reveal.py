"""What stayed hidden in a round or hand: turned over only where that could prove something, all in one entry."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import Blueprint, Flask, Response, abort, g, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion.engine.cards import BIT, Card
from companion.engine.disputes import turnable, turned_over
from companion.engine.evidence import Hidden
from companion.engine.findings import RecordError, Refused
from companion.web.faults import weighed
from companion.web.forms import EntryForm
from companion.web.home import tables
from companion.web.telling import finding_rows, said_error, tell_entry
from companion.web.views import View

bp = Blueprint("reveal", __name__)


class Pad(NamedTuple):
    """One question of the form: its field, what it asks, how many cards it takes, and those picked so far."""

    name: str
    asks: Any
    number: int
    picked: tuple[str, ...]


@bp.get("/t/<table_id>/reveal")
def reveal(table_id: str) -> str:
    """Asks which cards stayed hidden."""
    return _page(View(tables().open(table_id)), [])


@bp.post("/t/<table_id>/reveal")
def save(table_id: str) -> AnyResponse:
    """Logs the cards that were turned over."""
    form = EntryForm()
    if not form.validate():
        abort(400)
    view = View(tables().open(table_id))
    pads = _pads(view)
    problems = [
        (view.w.put("reveal.number", {"what": pad.asks, "n": pad.number, "picked": len(pad.picked)}), None)
        for pad in pads
        if len(pad.picked) not in (0, pad.number)
    ]
    if not any(pad.picked for pad in pads):
        problems.append((g.words("reveal.none"), None))
    if problems:
        return Response(_page(view, problems), 422)
    hidden = weighed(view.table).hidden
    up = {one.entry: Card(pad.picked[0]) for one, pad in zip(hidden, pads, strict=True) if one.entry and pad.picked}
    never = [Card(card) for one, pad in zip(hidden, pads, strict=True) if not one.entry for card in pad.picked]
    try:
        answer = tables().record(table_id, form.seen, form.mark, turned_over(view.table.fold, up, never).json())
    except Refused as refused:
        found = finding_rows(view.w, view.slug, refused.findings)
        return Response(_page(view, [(text, rule) for _, text, rule in found]), 422)
    except RecordError as error:
        return Response(_page(view, [(said_error(error), None)]), 422)
    if answer.status == "conflict":
        return Response(_page(View(answer.table), [(g.words("fix.moved"), None)]), 409)
    return redirect(f"/t/{table_id}", 303)


def _page(view: View, problems: Sequence[tuple[Any, str | None]]) -> str:
    cards = turnable(view.table.fold)
    suits = [[card for card in cards if card[-1] == suit] for suit in view.suits]
    return render_template("reveal.html", v=view, s=view.signs, pads=_pads(view), suits=suits, problems=problems)


def _pads(view: View) -> list[Pad]:
    return [_pad(view, one) for one in weighed(view.table).hidden]


def _pad(view: View, hidden: Hidden) -> Pad:
    name = f"card-{hidden.entry or 0}"
    # What is no card at all was not picked on our page.
    picked = tuple(card for card in request.form.getlist(name) if card in BIT)
    if hidden.entry is None:
        return Pad(name, view.w.put("reveal.never", {"n": hidden.number}), hidden.number, picked)
    return Pad(name, tell_entry(view.w, view.slug, view.table.fold.lines[hidden.entry - 1].entry.json()), 1, picked)


def register(app: Flask) -> None:
    """Adds the page."""
    app.register_blueprint(bp)
