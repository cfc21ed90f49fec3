"""The table page: shows the game as it stands, takes entries, answers polls."""

import json
import time
from typing import Any

from flask import Blueprint, Flask, Response, abort, current_app, g, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from companion.engine.findings import Finding, RecordError, Refused
from companion.store import Binned, KeyReused
from companion.table import Answer, Table, Tables
from companion.web import views
from companion.web.forms import EntryForm, KeyForm
from companion.web.limits import may_create
from companion.web.phones import device, own_seat, seat
from companion.web.telling import finding_rows, said_error, tell_entries
from companion.web.views import Sheet, View

bp = Blueprint("play", __name__)
_UNCHANGED = {"Cache-Control": "private, no-cache"}


def tables() -> Tables:
    """Returns the table service."""
    service: Tables = current_app.extensions["tables"]
    return service


@bp.get("/t/<table_id>")
def table(table_id: str) -> str:
    """Shows the table to a phone that may enter."""
    found = tables().open(table_id)
    seat(found, "play")
    return views.page(View(found, pick=request.args.get("pick", "")))


@bp.get("/w/<code>")
def watch(code: str) -> str:
    """Shows the table to a phone that may only look on."""
    found = tables().watch(code)
    seat(found, "watch")
    return views.page(View(found, watch=True))


@bp.get("/t/<table_id>/live")
def live(table_id: str) -> Response:
    """Answers a poll: nothing new, or the pieces of the page that change."""
    head = tables().store.head(table_id)
    pick = request.args.get("pick", "")
    if not pick and request.headers.get("If-None-Match") == views.tag_of(*head, views.here(table_id, head.edition)):
        return Response(status=304, headers=_UNCHANGED)
    return _pieces(View(tables().open(table_id), pick=pick))


@bp.get("/w/<code>/live")
def watch_live(code: str) -> Response:
    """Answers a poll of somebody who looks on."""
    view = View(tables().watch(code), watch=True)
    if request.headers.get("If-None-Match") == view.tag:
        return Response(status=304, headers=_UNCHANGED)
    return _pieces(view)


@bp.post("/t/<table_id>")
def enter(table_id: str) -> AnyResponse:
    """Takes an entry, an undo or a redo."""
    form = EntryForm()
    if not form.validate():
        return _told(tables().open(table_id), _unreadable(RecordError("form-broken")), 400)
    expected, key, by = form.seen, form.mark, own_seat(table_id)
    raw: dict[str, Any] = {}
    try:
        if "undo" in request.form:
            answer = tables().undo(table_id, expected, key, by)
        elif "redo" in request.form:
            answer = tables().redo(table_id, expected, key, by)
        else:
            raw = form.body()
            answer = tables().record(table_id, expected, key, raw, by)
    except Refused as refused:
        found = tables().open(table_id)
        return _told(found, _refused(found, raw, refused.findings), 422)
    except RecordError as error:
        return _told(tables().open(table_id), _unreadable(error), 400)
    except KeyReused:
        return _told(tables().open(table_id), _unreadable(RecordError("key-reused")), 400)
    except Binned:
        return _told(tables().open(table_id), _unreadable(RecordError("table-binned")), 409)
    if answer.status == "conflict":
        return _told(answer.table, _moved(answer, raw), 409)
    if _wants_pieces():
        return _pieces(View(answer.table, quick=True))
    return redirect(f"/t/{table_id}", 303)


@bp.post("/t/<table_id>/rematch")
def rematch(table_id: str) -> AnyResponse:
    """Opens the next game between the same players."""
    form = KeyForm()
    if not form.validate():
        abort(400)
    if not may_create():
        abort(429)
    fresh = tables().rematch(tables().open(table_id), key=form.mark, device=device())
    return redirect(f"/t/{fresh.row.id}", 303)


def _wants_pieces() -> bool:
    return request.headers.get("Accept") == "application/json"


def _pieces(view: View, status: int = 200) -> Response:
    body = {
        "version": view.version,
        "tag": view.tag,
        "at": int(time.time()),
        "parts": views.parts(view),
    }
    answer = Response(json.dumps(body, ensure_ascii=False, separators=(",", ":")), status, mimetype="application/json")
    answer.headers["Cache-Control"] = "private, no-cache"
    if status == 200 and not view.pick:
        answer.headers["ETag"] = view.tag
    return answer


def _told(found: Table, sheet: Sheet, status: int) -> Response:
    view = View(found, sheet=sheet)
    return _pieces(view, status) if _wants_pieces() else Response(views.page(view), status)


def _unreadable(error: RecordError) -> Sheet:
    words = g.words
    return Sheet("stop", "stop", words("sheet.unreadable"), [(words("sheet.why"), said_error(error), None)])


def _refused(found: Table, raw: dict[str, Any], findings: tuple[Finding, ...]) -> Sheet:
    """Says that nothing was entered, why, by which rule, and what is open instead."""
    words = g.words
    view = View(found)
    title = view.w.put("sheet.refused", {"what": tell_entries(view.w, view.slug, [raw])})
    place = 0
    for finding in findings:
        for entry in finding.entries:
            place = next((n for n, item in enumerate(found.items, 1) if item.first < entry <= item.last + 1), 0)
    rows = finding_rows(view.w, view.slug, findings)
    open_kinds = [words(f"open.{view.slug}.{view.offers.phase}")]
    rows.append((words("sheet.open"), open_kinds[0], None))
    return Sheet("stop", "stop", title, rows, place)


def _moved(answer: Answer, raw: dict[str, Any]) -> Sheet:
    """Says what the other phone entered meanwhile. Nothing is entered on top of it unasked."""
    words = g.words
    view = View(answer.table)
    there = tell_entries(view.w, view.slug, [entry.body for entry in answer.since])
    here = tell_entries(view.w, view.slug, [raw]) if raw else words("sheet.your-undo")
    rows = [
        (words("sheet.there"), there, None),
        (words("sheet.here"), view.w.put("sheet.not-entered", {"what": here}), None),
    ]
    return Sheet("hold", "moved", words("sheet.moved"), rows, len(answer.table.items))


def register(app: Flask) -> None:
    """Adds the table pages."""
    from companion.web import signs

    signs.register(app)
    app.register_blueprint(bp)
