"""What could stand at a place in the past: another card there, or an entry that was forgotten."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from flask import Blueprint, Flask, abort, render_template, request

from companion.engine.fold import Item
from companion.engine.game import Option
from companion.web.home import tables
from companion.web.telling import tell_entry
from companion.web.views import View

bp = Blueprint("amend", __name__)


class Choice(NamedTuple):
    """One thing that could be entered there: what it says, its card if it shows one, and where a tap leads."""

    text: Any
    card: str | None
    href: str
    why: str


class Group(NamedTuple):
    """Choices of one kind and player; those with cards are shown as a pad."""

    title: Any
    choices: list[Choice]
    pad: bool


@bp.get("/t/<table_id>/item/<int:place>/card")
def card(table_id: str, place: int) -> str:
    """Asks which card it was instead."""
    view = View(tables().open(table_id))
    text = request.args.get("at", "")
    at = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else -1
    if not 0 <= at < len(view.table.fold.lines):
        abort(404)
    raw = view.table.fold.lines[at].entry.json()
    same = {name: value for name, value in raw.items() if name not in ("card", "cards", "counts")}
    groups = groups_of(view, place, at, 1, same, raw)
    entry = tell_entry(view.w, view.slug, raw)
    return render_template("amend.html", v=view, s=view.signs, place=place, groups=groups, entry=entry)


@bp.get("/t/<table_id>/item/<int:place>/winner")
def winner(table_id: str, place: int) -> str:
    """Asks with which card another player took a trick."""
    view, item = _opened(table_id, place)
    seat = request.args.get("seat", "")
    same = {"type": "won", "seat": int(seat) if seat in map(str, range(len(view.names))) else None}
    groups = groups_of(view, place, item.first, item.last + 1 - item.first, same)
    entry = view.w.fill("amend.won", {"seat": same["seat"]}) if groups else ""
    return render_template("amend.html", v=view, s=view.signs, place=place, groups=groups, entry=entry, where="")


@bp.get("/t/<table_id>/item/<int:place>/insert")
def insert(table_id: str, place: int) -> str:
    """Asks what was forgotten before or after an item, or what it was instead."""
    view, item = _opened(table_id, place)
    where = request.args.get("where", "after")
    at = item.last + 1 if where == "after" else item.first
    groups = groups_of(view, place, at, item.last + 1 - at if where == "instead" else 0, {})
    return render_template("amend.html", v=view, s=view.signs, place=place, groups=groups, entry=None, where=where)


def _opened(table_id: str, place: int) -> tuple[View, Item]:
    view = View(tables().open(table_id))
    if not 1 <= place <= len(view.table.items):
        abort(404)
    return view, view.table.items[place - 1]


def groups_of(
    view: View, place: int, at: int, drop: int, same: Mapping[str, Any], old: Mapping[str, Any] = MappingProxyType({})
) -> list[Group]:
    """Returns what the game would have taken at that place, in groups; `same` narrows it down.

    What `old` says beside the card stays.
    """
    found: dict[tuple[Any, ...], list[Option]] = {}
    for option in view.game.expects(view.table.fold.states[at]).options:
        entry = option.entry
        if any(entry.get(name) != value for name, value in same.items()):
            continue
        shows = bool(entry.get("card") or entry.get("cards"))
        if shows or not option.closed:
            kind = (entry["type"], entry.get("seat")) if shows else ()
            found.setdefault(kind, []).append(option)
    groups = []
    for kind, options in found.items():
        choices = [_choice(view, place, at, drop, option, old) for option in options]
        if not all(choice.why for choice in choices):
            title = view.w.fill(f"amend.{kind[0]}", {"seat": kind[1]}) if kind else None
            groups.append(Group(title, choices, bool(kind)))
    return groups


def _choice(view: View, place: int, at: int, drop: int, option: Option, old: Mapping[str, Any]) -> Choice:
    entry = dict(option.entry)
    shown = entry.get("card") or (entry.get("cards") or [None])[0]
    if "counts" in old:
        entry["counts"] = old["counts"]
    if "cards" in entry and shown is not None:
        # Of the cards added to the old one those that also fit the new one.
        entry["cards"] += [card for card in old.get("cards", ())[1:] if card[:-1] == shown[:-1] and card != shown]
    finding = option.closed[0] if option.closed else None
    why = view.plain.finding(finding.code, finding.params, view.slug) if finding else ""
    body = json.dumps([entry], separators=(",", ":"))
    href = f"{view.url}/item/{place}/fix?at={at}&drop={drop}&entries={body}"
    return Choice(tell_entry(view.w, view.slug, entry), shown, href, why)


def register(app: Flask) -> None:
    """Adds the pages."""
    app.register_blueprint(bp)
