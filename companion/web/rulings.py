"""The table's own rulings, for drawing: what each set, and its note. A state that they made is marked as such."""

import sys
from typing import Any, NamedTuple

from flask import Flask

from companion.engine.game import Adjusted
from companion.web import faults
from companion.web.changes import Change, compared
from companion.web.views import View


class Ruled(NamedTuple):
    """One ruling: its item (1-based), what it changed, part by part, and its note."""

    place: int
    rows: list[Change]
    note: str

    @property
    def text(self) -> str:
        """What it set, and the note, in one line of plain text."""
        parts = [f"{row.what}: {row.then}" for row in self.rows]
        return " · ".join([*parts, *([self.note] if self.note else [])])


def before(view: View, line: int | None = None) -> bool:
    """Tells whether the state before an entry in force (0-based; None: as it stands) was set by hand."""
    first = view.table.ruled
    return first is not None and (line is None or first < line)


def every(view: View) -> list[Ruled]:
    """Returns the rulings in force."""
    places = range(1, len(view.table.items) + 1)
    return [ruled for place in places if (ruled := at(view, place)) is not None]


def at(view: View, place: int) -> Ruled | None:
    """Returns the ruling that an item is, or None."""
    # In the middle of a trick it comes behind the cards that lie.
    last = view.table.items[place - 1].last
    entry: Any = view.table.fold.lines[last].entry
    if not isinstance(entry, Adjusted):
        return None
    now = view.game.json(view.table.fold.states[last])
    rows = compared(view, now, entry.json()["set"] | {"track": now.get("track", ())}, "")
    return Ruled(place, [row for row in rows if not row.same], entry.note)


def register(app: Flask) -> None:
    """Lets templates ask for proved faults and for the table's own rulings."""
    app.jinja_env.globals |= {"faults": faults, "rulings": sys.modules[__name__]}
