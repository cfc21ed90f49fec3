"""The menu of a table: what is in force first, then how it looks, the table's own rulings, and last its end."""

from typing import Any

from flask import Blueprint, Flask, Response, abort, g, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion.engine.findings import RecordError, Refused
from companion.engine.game import NOTE_LENGTH, Field
from companion.web.forms import EntryForm
from companion.web.home import tables
from companion.web.look import CHOICES
from companion.web.rendering import can_lie_flat
from companion.web.telling import finding_rows, said_error
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
        return Response(_menu(View(found), said_error(error)), 422)
    return redirect(f"/t/{table_id}/menu", 303)


@bp.post("/t/<table_id>/agree")
def agree(table_id: str) -> AnyResponse:
    """Sets whether two phones must say the same before a result is entered."""
    tables().store.set_settings(table_id, {"agree": request.form.get("agree") == "yes" or None})
    return redirect(f"/t/{table_id}/menu", 303)


@bp.get("/t/<table_id>/end")
def end(table_id: str) -> str:
    """Asks who gives the game up."""
    view = View(tables().open(table_id))
    return render_template("end.html", v=view, s=view.signs)


@bp.get("/t/<table_id>/adjust")
def adjust(table_id: str) -> str:
    """Shows what the table may set by its own ruling."""
    return _adjust(View(tables().open(table_id)), {"note": [request.args.get("note", "")[:NOTE_LENGTH]]}, [])


@bp.post("/t/<table_id>/adjust")
def save_adjust(table_id: str) -> AnyResponse:
    """Logs the table's own ruling."""
    form = EntryForm()
    if not form.validate():
        abort(400)
    view = View(tables().open(table_id))
    raw = {"type": "adjust", "set": read_adjust(view)}
    if note := request.form.get("note", "").strip():
        raw["note"] = note
    problems: list[tuple[str, str, str | None]]
    try:
        answer = tables().record(table_id, form.seen, form.mark, raw)
    except Refused as refused:
        problems = finding_rows(view.w, view.slug, refused.findings)
    except RecordError as error:
        problems = [("", said_error(error), None)]
    else:
        if answer.status != "conflict":
            return redirect(f"/t/{table_id}", 303)
        problems = [("", g.words("fix.moved"), None)]
    return Response(_adjust(View(tables().open(table_id)), request.form.to_dict(flat=False), problems), 422)


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
        can_lie_flat=can_lie_flat(view.slug, view.names),
    )


def _adjust(view: View, values: dict[str, list[str]], problems: list[tuple[str, str, str | None]]) -> str:
    return render_template(
        "adjust.html", v=view, s=view.signs, adjustable=adjustable(view), values=values, problems=problems
    )


def read_adjust(view: View) -> dict[str, Any]:
    """Reads the adjust form: only what differs from the table as it stands is set."""
    chosen: dict[str, Any] = {}
    for field, now in adjustable(view):
        if now is None:
            continue
        if field.each:
            new = [_read(field, request.form.get(f"{field.name}-{seat}"), old) for seat, old in enumerate(now)]
        elif field.kind == "suits":
            new = request.form.getlist(field.name) or now
        else:
            new = _read(field, request.form.get(field.name), now)
        if new != now:
            chosen[field.name] = new
    return chosen


def _read(field: Field, text: str | None, now: Any) -> Any:
    if text is None:
        return now
    if field.kind == "card":
        return text or None
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else text


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
