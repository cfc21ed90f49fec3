"""The table page: shows the game as it stands, takes entries, answers polls."""

import json
import time
from typing import Any

from flask import Blueprint, Flask, Response, abort, current_app, g, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from companion.engine.findings import Finding, RecordError, Refused
from companion.store import Binned, KeyReused
from companion.table import Answer, Table, Tables
from companion.web import rendering, views
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
    return rendering.page(View(found, pick=request.args.get("pick", "")))


@bp.get("/w/<code>")
def watch(code: str) -> str:
    """Shows the table to a phone that may only look on."""
    found = tables().watch(code)
    seat(found, "watch")
    return rendering.page(View(found, watch=True))


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
        elif "unsay" in request.form:
            answer = Answer("ok", tables().unclaim(table_id, expected, device()))
        else:
            raw = form.body()
            if raw.get("type") == "won" and "alone" not in request.form and _agrees(tables().open(table_id)):
                answer = tables().claim(table_id, expected, key, raw, device(), by)
            else:
                answer = tables().record(table_id, expected, key, raw, by)
    except Refused as refused:
        found = tables().open(table_id)
        return _told(found, _refused(found, raw, refused.findings), 422)
    except RecordError as error:
        return _told(tables().open(table_id), _unreadable(error), 400)
    except KeyReused:
        return _told(tables().open(table_id), _unreadable(RecordError("key-reused")), 400)
    except Binned:
        sheet = _unreadable(RecordError("table-binned"))
        return _told(tables().open(table_id), sheet._replace(again=_again(raw)), 409)
    if answer.status == "conflict":
        return _told(answer.table, _moved(answer, raw), 409)
    if _wants_pieces():
        return _pieces(View(answer.table, quick=True), 202 if answer.status == "claimed" else 200)
    return redirect(f"/t/{table_id}", 303)


@bp.post("/t/<table_id>/rematch")
def rematch(table_id: str) -> AnyResponse:
    """Opens the next game between the same players."""
    form = KeyForm()
    if not form.validate():
        abort(400)
    if not may_create():
        abort(429)
    found = tables().open(table_id)
    fresh = tables().rematch(found, key=form.mark, device=device())
    if found.row.settings.get("agree"):
        tables().store.set_settings(fresh.row.id, {"agree": True})
    return redirect(f"/t/{fresh.row.id}", 303)


def _agrees(found: Table) -> bool:
    """Tells whether two phones must say the same here. A phone that lies flat between both is looked at by both."""
    return bool(found.row.settings.get("agree")) and View(found, quick=True).agrees


def _wants_pieces() -> bool:
    return request.headers.get("Accept") == "application/json"


def _pieces(view: View, status: int = 200) -> Response:
    body = {
        "version": view.version,
        "tag": view.tag,
        "at": int(time.time()),
        "parts": rendering.parts(view),
    }
    if "X-Have" in request.headers:
        body["log"] = _lacking(view.table, request.headers["X-Have"])
    answer = Response(json.dumps(body, ensure_ascii=False, separators=(",", ":")), status, mimetype="application/json")
    answer.headers["Cache-Control"] = "private, no-cache"
    if status == 200 and not view.pick:
        answer.headers["ETag"] = view.tag
    return answer


def _lacking(table: Table, have: str) -> dict[str, Any]:
    """Returns what a phone lacks of the log: `have` says how many entries it holds, and the key of the last."""
    count, _, key = have.partition(":")
    if not (count.isascii() and count.isdecimal() and len(count) < 6):
        record = tables().record_of(table)
        return {"after": 0, "lines": record.pop("entries"), "head": record}
    after = int(count)
    lines = tables().lines(table, max(after - 1, 0))
    if after and lines and lines[0]["id"] != key:
        return {"apart": True}
    return {"after": after, "lines": lines[1:] if after else lines}


def _told(found: Table, sheet: Sheet, status: int) -> Response:
    behind = request.form.get("behind", "0")
    if behind != "0" and behind.isascii() and behind.isdecimal() and len(behind) < 4:
        # What waits on the phone behind this one was made for another table than there is now.
        row = (g.words("sheet.behind"), g.words("sheet.behind-text", n=int(behind)), None)
        sheet = sheet._replace(rows=[*sheet.rows, row], again=sheet.again or ("behind", "1"))
    view = View(found, sheet=sheet)
    return _pieces(view, status) if _wants_pieces() else Response(rendering.page(view), status)


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
    same = [dict(entry.body) for entry in answer.since] == [raw]
    here = tell_entries(view.w, view.slug, [raw]) if raw else words("sheet.your-undo")
    rows = [
        (words("sheet.there"), there if answer.since else words("sheet.fewer"), None),
        (words("sheet.here"), view.w.put("sheet.not-entered", {"what": here}), None),
    ]
    title = words("sheet.same" if same else "sheet.moved")
    return Sheet("hold", "moved", title, rows, len(answer.table.items), again=_again(raw))


def _again(raw: dict[str, Any]) -> tuple[str, str] | None:
    """Returns the button that enters it all the same. What an undo would take back is another entry by now."""
    return ("entry", json.dumps(raw, separators=(",", ":"))) if raw else None


def register(app: Flask) -> None:
    """Adds the table pages."""
    from companion.web import signs

    signs.register(app)
    app.register_blueprint(bp)
