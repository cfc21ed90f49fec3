"""The trick checker's pages: the address holds the whole position, so they need no table."""

import re
from html import unescape

from flask import Blueprint, Flask, Response, abort, jsonify, redirect, render_template, request, session
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from companion.checker import read, standing
from companion.engine.registry import GAMES
from companion.table import Table
from companion.web.checks import Check, Origin, link
from companion.web.home import last_game, tables
from companion.web.look import CHOICES
from companion.web.rendering import SEPARATOR

bp = Blueprint("check", __name__)
PARTS = ("title", "kind", "top", "board", "says", "keys")
FROM = "check"
_AT = re.compile(r"[a-z_]{1,20}\d?|\d")


@bp.get("/check")
def start() -> AnyResponse:
    """Leads to the checker of the game played last on this phone."""
    session.pop(FROM, None)
    return redirect(f"/check/{last_game()}")


@bp.get("/check/<slug>")
def game(slug: str) -> AnyResponse:
    """Rules on the position in the address."""
    found = GAMES.get(slug) or abort(404)
    own = ("at", "why", *CHOICES)
    question = read(found, [(key, value) for key, value in request.args.items(multi=True) if key not in own])
    at = request.args.get("at", "")
    kept = session.get(FROM)
    origin = Origin(*kept) if isinstance(kept, list) and len(kept) == len(Origin._fields) else None
    if origin and not request.referrer and origin.address != question.address():
        # Scanned, typed or sent: another position than the one that was opened from a table.
        session.pop(FROM)
        origin = None
    view = Check(question, at if _AT.fullmatch(at) else "", request.args.get("why", "")[:40], origin)
    status = 400 if question.errors else 200
    name = f"check/{slug}.html"
    if request.headers.get("Accept") == "application/json":
        pieces = render_template(name, v=view, s=view.signs, parts=True, sep=Markup(SEPARATOR)).split(SEPARATOR)
        told = dict(zip(PARTS, map(str.strip, pieces), strict=True))
        return jsonify(told | {"title": unescape(told["title"])})
    return Response(render_template(name, v=view, s=view.signs, parts=False), status)


@bp.get("/t/<table_id>/check")
def table(table_id: str) -> AnyResponse:
    """Opens the trick that lies on the table."""
    return _open(tables().open(table_id), f"/t/{table_id}")


@bp.get("/w/<code>/check")
def watch_table(code: str) -> AnyResponse:
    """Opens the trick that lies on the table, for somebody who looks on."""
    return _open(tables().watch(code), f"/w/{code}")


@bp.get("/t/<table_id>/item/<int:place>/check")
def item(table_id: str, place: int) -> AnyResponse:
    """Opens a past trick."""
    return _open(tables().open(table_id), f"/t/{table_id}", place)


@bp.get("/w/<code>/item/<int:place>/check")
def watch_item(code: str, place: int) -> AnyResponse:
    """Opens a past trick, for somebody who looks on."""
    return _open(tables().watch(code), f"/w/{code}", place)


def _open(found: Table, url: str, place: int = 0) -> AnyResponse:
    """Leads to a trick of a table with everything filled in. The address that may write stays out of what is shared."""
    items, fold = found.items, found.fold
    if not 0 <= place <= len(items):
        abort(404)
    if not place and not ("now" in request.args and items and items[-1].taken is not None):
        place = len(items)
    before = trick = found.state
    number, back = 0, url
    if place:
        shown = items[place - 1]
        number, back = shown.taken.number if shown.taken else 0, f"{url}/item/{place}"
        before, trick = fold.states[shown.first], shown.taken or fold.states[shown.last + 1]
        if shown.taken is None and found.game.closes(fold.states[shown.last], fold.lines[shown.last].entry, trick):
            # An action between two tricks: what it led to is what can be asked about.
            before = trick
    question = standing(found.game, before, trick, found.row.players)
    session[FROM] = list(Origin(back, found.game.slug, number, question.address()))
    return redirect(f"/check/{found.game.slug}{link(question)}")


def register(app: Flask) -> None:
    """Adds the checker."""
    app.jinja_env.filters["tuple"] = tuple
    app.register_blueprint(bp)
