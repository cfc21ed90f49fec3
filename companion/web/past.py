"""One past item: what was laid, why it went so, and how to put it right. And all items as a list."""

import json
from typing import Any, NamedTuple

from flask import Blueprint, Flask, Response, abort, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion.engine.findings import RecordError, Refused
from companion.engine.fold import Item, cards_in
from companion.engine.game import Option, Taken
from companion.engine.record import Line, Revised
from companion.store import KeyReused
from companion.table import Preview, Table
from companion.web.changes import Change, changes
from companion.web.faults import plays
from companion.web.forms import EntryForm
from companion.web.home import tables
from companion.web.telling import tell_entry
from companion.web.views import View

bp = Blueprint("past", __name__)


class Laid(NamedTuple):
    """One entry of an item, for drawing: its place in force, what it says (`plain`: without signs), when it came."""

    place: int
    entry: Any
    raw: dict[str, Any]
    text: str
    plain: str
    at: str | None


@bp.get("/t/<table_id>/all")
def every(table_id: str) -> str:
    """Lists everything entered so far."""
    return _all(View(tables().open(table_id)))


@bp.get("/w/<code>/all")
def watch_every(code: str) -> str:
    """Lists everything to somebody who looks on."""
    return _all(View(tables().watch(code), watch=True))


@bp.get("/t/<table_id>/item/<int:place>")
def item(table_id: str, place: int) -> str:
    """Shows one item."""
    return _item(View(tables().open(table_id)), place)


@bp.get("/w/<code>/item/<int:place>")
def watch_item(code: str, place: int) -> str:
    """Shows one item to somebody who looks on."""
    return _item(View(tables().watch(code), watch=True), place)


@bp.get("/t/<table_id>/item/<int:place>/fix")
def fix(table_id: str, place: int) -> str | AnyResponse:
    """Shows what a correction would change, before it is saved."""
    view = View(tables().open(table_id))
    found = _found(view.table, place)
    winner = request.args.get("winner")
    entries: tuple[Line, ...] | None = None
    if winner is not None:
        if found.taken is None or winner not in map(str, range(view.table.fold.players)):
            abort(404)
        entries = instead(view.table, found, int(winner))
        if entries is None:
            return redirect(f"{view.url}/item/{place}/winner?seat={winner}", 303)
    return _fix(view, place, found, _preview(view.table, found, entries))


@bp.post("/t/<table_id>/item/<int:place>/fix")
def save(table_id: str, place: int) -> AnyResponse:
    """Saves a correction that was shown."""
    form = EntryForm()
    if not form.validate():
        abort(400)
    expected = form.seen
    try:
        answer = tables().record(table_id, expected, form.mark, form.body())
    except Refused as refused:
        view = View(tables().open(table_id))
        revised = tables().read(view.table, form.body())
        return Response(_fix(view, place, _found(view.table, place), Preview(revised, None, refused.findings)), 422)
    except KeyReused:
        abort(400)
    if answer.status == "conflict":
        view = View(answer.table)
        return Response(_fix(view, place, _found(view.table, place), None), 409)
    return redirect(f"/t/{table_id}", 303)


def _found(table: Table, place: int) -> Item:
    if not 1 <= place <= len(table.items):
        abort(404)
    return table.items[place - 1]


def _all(view: View) -> str:
    rows: list[tuple[int, int, Any, Any, int | None, list[Laid]]] = []
    for place, found in enumerate(view.table.items, 1):
        taken = found.taken
        if taken is not None:
            said = view.say_taken(taken, place)
            rows.append((place, taken.chapter, said.head, said.text, taken.winner, laid(view, found)))
        else:
            entries = laid(view, found)
            rows.append((place, 0, view.w.join([one.text for one in entries]), "", None, entries))
    return render_template("all.html", v=view, s=view.signs, rows=rows)


def _item(view: View, place: int) -> str:
    found = _found(view.table, place)
    taken = found.taken
    lies = place == len(view.table.items)
    ruling = view.game.explain(taken) if taken else view.game.so_far(view.state) if lies else None
    steps = [view.w.reason(view.slug, reason.code, reason.params) for reason in ruling.because] if ruling else []
    rules = list(dict.fromkeys(reason.rule for reason in ruling.because if reason.rule)) if ruling else []
    return render_template(
        "item.html",
        v=view,
        s=view.signs,
        place=place,
        item=found,
        taken=taken,
        ruling=ruling,
        steps=steps,
        without=view.w.without(view.slug, ruling) if ruling else [],
        rules=rules,
        entries=laid(view, found),
        started=view.table.fold.states[found.first],
        after=view.table.fold.states[found.last + 1],
        others=others(view.table, found) if taken and not view.watch else [],
        frame="play/_item_" + view.slug + ".html",
    )


def laid(view: View, found: Item) -> list[Laid]:
    """Returns an item's entries, for drawing."""
    lines = view.table.fold.lines[found.first : found.last + 1]
    return [
        Laid(
            found.first + place,
            line.entry,
            raw := line.entry.json(),
            tell_entry(view.w, view.slug, raw),
            tell_entry(view.plain, view.slug, raw),
            line.at,
        )
        for place, line in enumerate(lines)
    ]


def others(table: Table, found: Item) -> list[int]:
    """Returns the players who might have taken a trick instead."""
    assert found.taken is not None
    return [seat for seat in range(table.fold.players) if seat != found.taken.winner]


def instead(table: Table, found: Item, seat: int) -> tuple[Line, ...] | None:
    """Returns entries that give a finished trick to another player, as close to what was entered as the game allows.

    First with everything that shows no card kept; else with as many entries as possible kept. None where there is no
    such way, or where the game wants to know the card and nobody laid one.
    """
    lines = _lines(table, found)
    quiet = [line for line in lines if not _shows(line) and line.entry.json()["type"] in ("power", "strike")]
    for head in (quiet, *([*lines[:end]] for end in range(len(lines) - 1, -1, -1))):
        tail = _ended(table, found, head, seat)
        if tail is not None:
            return (*head, *tail)
    return None


def _lines(table: Table, found: Item) -> tuple[Line, ...]:
    return table.fold.lines[found.first : found.last + 1]


def _shows(line: Line) -> bool:
    raw = line.entry.json()
    return bool(raw.get("card") or raw.get("cards"))


def _ended(table: Table, found: Item, head: list[Line], seat: int) -> list[Line] | None:
    """Returns the entries after `head` with which this seat takes the trick, or None."""
    game, state = table.game, table.fold.states[found.first]
    before = state.done
    for line in head:
        if game.check(state, line.entry):
            return None
        state = game.evolve(state, line.entry)
    if state.done > before:
        return None
    tail: list[Line] = []
    wins: list[Option] = [
        option
        for option in game.expects(state).options
        if option.entry["type"] == "won" and option.entry["seat"] == seat and not option.closed
    ]
    if any(option.entry.get("card") for option in wins):
        # Where the winning card has to be named, it is what the seat was seen to lay, or it has to be asked for.
        laid = [card for line in _lines(table, found) if line.entry.seat == seat for card in cards_in(line.entry)]
        wins = [option for option in wins if option.entry["card"] in laid[-1:]]
    while wins and len(tail) < 3:
        entry = tables().read(table, dict(wins[0].entry))
        state = game.evolve(state, entry)
        tail.append(Line(entry))
        if state.done > before:
            last: Taken = state.last
            return tail if last.winner == seat else None
        wins = [
            option for option in game.expects(state).options if not option.closed and option.entry.get("seat") == seat
        ]
    return None


def _preview(table: Table, found: Item, entries: tuple[Line, ...] | None) -> Preview:
    """Reads the correction asked for: `entries` for the whole item, or what the address says. Raises RecordError.

    The address says `at`, `drop` and `entries`.
    """
    asked = request.args
    at = int(asked.get("at", found.first)) if asked.get("at", "0").isdecimal() else found.first
    drop = int(asked["drop"]) if asked.get("drop", "").isdecimal() else found.last + 1 - found.first
    revised = Revised(at, drop, entries or ())
    if entries is None:
        try:
            raw = json.loads(asked.get("entries", "[]"))
        except ValueError:
            raise RecordError("not-json", line=1, column=1) from None
        revised = tables().read(table, {"type": "revise", "at": at, "drop": drop, "entries": raw})
    return tables().mended(table, revised) if "mend" in asked else tables().preview(table, revised)


class Broken(NamedTuple):
    """One entry that a correction would make impossible: where it stands (0: in the correction), what it says, why."""

    place: int
    where: Any
    what: Any
    why: Any
    rule: str | None


def _broken(view: View, preview: Preview) -> list[Broken]:
    revised, lines = preview.revised, view.table.fold.lines
    said = []
    for finding in preview.findings:
        # The places are those in the list as it would be.
        new = finding.entries[0] - 1 if finding.entries else revised.at
        old = new - len(revised.entries) + revised.drop if new >= revised.at + len(revised.entries) else None
        why = view.w.finding(finding.code, finding.params, view.slug)
        if old is None or not 0 <= old < len(lines):
            own = revised.entries[new - revised.at] if 0 <= new - revised.at < len(revised.entries) else None
            what = tell_entry(view.w, view.slug, own.entry.json()) if own else ""
            said.append(Broken(0, "", what, why, finding.rule))
        else:
            play = next(iter(plays(view, [old + 1])))
            said.append(Broken(play.place, play.where, play.what, why, finding.rule))
    return said


def _fix(view: View, place: int, found: Item, preview: Preview | None) -> str:
    rows: list[Change] = []
    broken: list[Broken] = []
    body = ""
    if preview is not None:
        body = json.dumps(preview.revised.json(), separators=(",", ":"))
        if preview.after is not None:
            rows = changes(view, preview.after, place)
        else:
            broken = _broken(view, preview)
    return render_template(
        "fix.html",
        v=view,
        s=view.signs,
        place=place,
        item=found,
        taken=found.taken,
        preview=preview,
        body=body,
        rows=rows,
        broken=broken,
        after=preview.after if preview else None,
        # Else nothing later stands in its way: it is refused for itself.
        breaks=preview is not None and any(finding.entries for finding in preview.findings),
        mended="" if "mend" in request.args else f"{request.full_path}&mend=1",
    )


def register(app: Flask) -> None:
    """Adds the past."""
    app.register_blueprint(bp)
