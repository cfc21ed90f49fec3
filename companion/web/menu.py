"""The menu of a table: what is in force first, then how it looks, the table's own rulings, and last its end."""

from typing import Any

from flask import Blueprint, Flask, Response, g, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion.engine.findings import RecordError
from companion.engine.game import Field
from companion.web.home import tables
from companion.web.look import CHOICES
from companion.web.views import View

bp = Blueprint("menu", __name__)


@bp.get("/t/<table_id>/menu")
def menu(table_id: str) -> str:
    """Shows the menu."""
    return _menu(View(tables().open(table_id)))


@bp.get("/w/<code>/menu")
def watch_menu(code: str) -> str:
    """Shows the menu to somebody who looks on."""
    return _menu(View(tables().watch(code), watch=True))


@bp.post("/t/<table_id>/names")
def rename(table_id: str) -> AnyResponse:
    """Changes the names."""
    found = tables().open(table_id)
    names = [name.strip() or "ABC"[place] for place, name in enumerate(request.form.getlist("name"))]
    try:
        tables().rename(found, names)
    except RecordError as error:
        return Response(_menu(View(found), g.words(f"unreadable.{error.code}", **error.params)), 422)
    return redirect(f"/t/{table_id}/menu", 303)


@bp.post("/look")
def look() -> AnyResponse:
    """Keeps how this phone wants things."""
    chosen = {name: value for name in request.form if (value := request.form[name]) in CHOICES.get(name, ())}
    g.look = g.look._replace(**chosen)
    g.look_changed = True
    back = request.form.get("back", "/")
    # Only to a page of ours.
    return redirect(back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/", 303)


def _menu(view: View, problem: str = "") -> str:
    return render_template(
        "menu.html",
        v=view,
        s=view.signs,
        problem=problem,
        force=in_force(view),
        adjustable=adjustable(view),
        parts=False,
    )


def in_force(view: View) -> list[tuple[str, Any]]:
    """Returns what this table chose, in words: each question of the setup and its answer."""
    words, raw = g.words, view.table.row.setup
    rows = []
    for field in view.game.setup_fields(len(view.names)):
        value = raw.get(field.name, field.default)
        if value is None or (field.when is not None and raw.get(field.when[0]) != field.when[1]):
            continue
        own = f"setup.{view.slug}.{field.name}"
        rows.append((words(own if own in words else f"setup.{field.name}"), said(view, field, value)))
    return rows


def said(view: View, field: Field, value: Any) -> Any:
    """Puts one answer of a setup into words."""
    words = g.words
    match field.kind:
        case "choice":
            return words(f"choice.{value}")
        case "switch":
            return words("setup.yes" if value else "setup.no")
        case "seat":
            return view.names[value]
        case "suits":
            return view.w.text(" ").join(view.w.suit(suit) for suit in value)
        case _:
            return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def adjustable(view: View) -> list[tuple[Field, Any]]:
    """Returns what the table may set by its own ruling, with the value it has now."""
    now = view.game.json(view.state)
    return [(field, now.get(field.name)) for field in view.game.adjustable]


def register(app: Flask) -> None:
    """Adds the menu."""
    app.register_blueprint(bp)
