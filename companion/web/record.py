"""The record of a table as a file: JSON as RECORD.md defines it, and the tricks as CSV."""

import csv
import io

from flask import Blueprint, Flask, Response, g

from companion.engine.fold import cards_in
from companion.engine.record import written
from companion.web import rulings
from companion.web.home import tables
from companion.web.views import View

bp = Blueprint("record", __name__)


@bp.get("/t/<table_id>/record.json")
def as_json(table_id: str) -> Response:
    """Hands out the whole record."""
    found = tables().open(table_id)
    return _file(written(tables().record_of(found)), "application/json", f"{found.game.slug}.json")


@bp.get("/t/<table_id>/record.csv")
def as_csv(table_id: str) -> Response:
    """Hands out one line for each finished trick, for a spreadsheet."""
    view = View(tables().open(table_id))
    out = io.StringIO()
    writer = csv.writer(out)
    words = g.words
    heads = [words(f"csv.{head}.{view.slug}") for head in ("chapter", "number")]
    heads += [words(f"csv.{head}") for head in ("leader", "winner", "card", "cards")]
    writer.writerow([*heads, *(words("csv.total", name=name) for name in view.names), words("csv.ruling")])
    ruled = []
    for place, item in enumerate(view.table.items, 1):
        taken = item.taken
        if (own := rulings.at(view, place)) is not None:
            ruled.append(own.text)
        if taken is None:
            continue
        laid = " ".join(
            card for entry in view.table.fold.lines[item.first : item.last + 1] for card in cards_in(entry.entry)
        )
        totals = view.game.totals(view.table.fold.states[item.last + 1])
        row = [taken.chapter, taken.number, view.names[taken.leader], view.names[taken.winner], taken.card or "", laid]
        # What the table set by its own ruling stands with the first trick after it.
        writer.writerow([*map(_plain, row), *totals, _plain(" | ".join(ruled))])
        ruled = []
    if ruled:
        writer.writerow([*[""] * 6, *view.game.totals(view.state), _plain(" | ".join(ruled))])
    # A byte order mark, without which spreadsheets take UTF-8 for something else.
    return _file("\ufeff" + out.getvalue(), "text/csv", f"{view.slug}.csv")


def _plain(value: object) -> object:
    """Keeps a name that looks like a formula from becoming one."""
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _file(body: str, kind: str, name: str) -> Response:
    answer = Response(body, mimetype=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def register(app: Flask) -> None:
    """Adds the downloads."""
    app.register_blueprint(bp)
