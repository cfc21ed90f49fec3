"""Records brought in: from files and from what a phone still holds of a table that the server lost."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from flask import Blueprint, Flask, Response, abort, g, redirect, render_template, request, session
from werkzeug.wrappers import Response as AnyResponse

from companion.engine.findings import RecordError, Refused
from companion.engine.fold import steps
from companion.engine.record import Record, read_record
from companion.giving import Given
from companion.giving import give_back as give
from companion.store import Binned, Expired, NoTable
from companion.web.home import Resume, resumed, tables
from companion.web.limits import may_create
from companion.web.phones import device, seat
from companion.web.signs import HtmlWording, signs_of
from companion.web.telling import finding_rows, said_error, tell_entries
from companion.web.views import View

bp = Blueprint("files", __name__)
MOST_BYTES = 4 * 1024 * 1024
MOST_RECORDS = 200
_TOLD = 3


class Problem(NamedTuple):
    """Why a record cannot be brought in: its place in the file, where in it, and the sentences."""

    number: int
    where: str
    texts: list[str]


@bp.url_value_preprocessor
def allow_records(endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Lets these forms be larger than others: before anything reads them, the check of their token included."""
    request.max_content_length = request.max_form_memory_size = MOST_BYTES


@bp.get("/files")
def files() -> str:
    """Shows how tables are taken out and brought in."""
    return _files()


@bp.post("/files")
def take_in() -> AnyResponse:
    """Stores each record of a file, or of a text, as a table; one that is there already stays one."""
    sent = request.files.get("file")
    source = sent.read().decode("utf-8-sig", "replace") if sent else request.form.get("record", "")
    done: list[Resume] = []
    problems: list[Problem] = []
    left: list[str] = []
    for number, piece in enumerate(pieces(source), 1):
        try:
            if number > MOST_RECORDS:
                raise RecordError("too-many-entries", most=MOST_RECORDS)
            record = read_record(piece)
            if not may_create():
                abort(429)
            found = tables().bring_in(record, device())
        except (RecordError, Refused) as error:
            problems.append(_problem(number, error, piece))
            left.append(piece)
        else:
            done.append(resumed(tables().open(found.table.id), False))
    if not done and not problems:
        problems.append(Problem(0, "", [g.words("files.empty")]))
    if len(done) == 1 and not problems:
        return redirect(done[0].url, 303)
    return Response(_files(done, problems, "\n".join(left)), 422 if problems else 200)


@bp.get("/tables.jsonl")
def take_out() -> Response:
    """Hands out the records of every table at which this phone plays, one a line."""
    known = tables().store.tables_of(session["device"]) if "device" in session else ()
    mine = [row.id for row, place in known if place.role == "play"]
    records = []
    for one in mine:
        with suppress(Expired):
            records.append(json.dumps(tables().record_of(tables().open(one)), ensure_ascii=False))
    answer = Response("".join(f"{record}\n" for record in records), mimetype="application/jsonl")
    answer.headers["Content-Disposition"] = 'attachment; filename="companion-tables.jsonl"'
    return answer


@bp.get("/t/<table_id>/give-back")
def offer(table_id: str) -> AnyResponse:
    """Shows what the phone holds of a table that is lost, or older than the phone has seen it."""
    return _give(table_id)


@bp.post("/t/<table_id>/give-back")
def give_back(table_id: str) -> AnyResponse:
    """Takes back what a phone holds; where the table went another way meanwhile, the players choose."""
    phone = device()
    if not may_create():
        abort(429)
    source = request.form.get("record", "")
    try:
        record = read_record(source)
        given = give(tables(), table_id, record, phone)
    except (RecordError, Refused) as error:
        return _give(table_id, _problem(0, error, source), source, 422)
    except Binned:
        return _give(table_id, Problem(0, "", [g.words("unreadable.table-binned")]), source, 409)
    except ValueError:
        abort(404)
    if given.status == "apart":
        return _give(table_id, None, source, 409, _ways(record, given))
    seat(given.table, "play")
    return redirect(f"/t/{table_id}", 303)


def pieces(source: str) -> Iterator[str]:
    """Splits a text into the JSON values that follow each other in it; what is none comes last, as it is."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(source):
        if source[at].isspace():
            at += 1
            continue
        try:
            _, end = decoder.raw_decode(source, at)
        except (ValueError, RecursionError):
            end = len(source)
        yield source[at:end]
        at = end


def _problem(number: int, error: RecordError | Refused, source: str) -> Problem:
    if isinstance(error, RecordError):
        return Problem(number, error.place, [said_error(error)])
    record = read_record(source)
    place = -1
    with suppress(Refused):
        for place, _ in enumerate(steps(record)):  # noqa: B007 (the last one that was taken)
            pass
    wording = HtmlWording(g.words, record.players, signs_of(g.words.lang))
    rows = finding_rows(wording, record.game.slug, error.findings)
    return Problem(number, f"entries[{place + 1}]", [text for _, text, _ in rows])


def _ways(record: Record, given: Given) -> list[tuple[str, int, str]]:
    """Returns what each side has behind what both have: whose it is, how many entries, the first of them in words."""
    view, common = View(given.table), given.common
    here = [line.entry.json() for line in record.lines[common:]]
    there = [entry.body for entry in tables().store.entries(given.table.row.id, common)]
    sides = (("heal.side-table", there), ("heal.side-phone", here))
    return [(g.words(key), len(raws), tell_entries(view.w, view.slug, raws[:_TOLD])) for key, raws in sides]


def _give(
    table_id: str, problem: Problem | None = None, source: str = "", status: int = 200, ways: Any = ()
) -> AnyResponse:
    try:
        view = View(tables().open(table_id))
    except NoTable:
        view, status = None, 404 if status == 200 else status
    page = render_template(
        "give.html", v=view, url=f"/t/{table_id}", problem=problem, source=source, ways=ways, s=signs_of(g.words.lang)
    )
    return Response(page, status)


def _files(done: list[Resume] | None = None, problems: list[Problem] | None = None, left: str = "") -> str:
    out = bool("device" in session and tables().store.tables_of(session["device"]))
    return render_template(
        "files.html", done=done or (), problems=problems or (), left=left, out=out, s=signs_of(g.words.lang)
    )


def register(app: Flask) -> None:
    """Adds the files."""
    app.register_blueprint(bp)
