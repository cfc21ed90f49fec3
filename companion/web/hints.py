"""First-time hints: what comes up at a table for the first time is explained once, in the voice line.

Which time is the first is read from the log, so all phones at a table say the same, and Undo takes a hint back too.
"""

from typing import TYPE_CHECKING, Any

from flask import g
from markupsafe import Markup

from companion.engine.game import Ruling
from companion.engine.record import Line

if TYPE_CHECKING:
    from companion.web.views import View

# Where each thing came up first at a table, for as long as that entry stays where it is.
_FIRST: dict[tuple[str, str], tuple[int, Line]] = {}
_MOST = 4096


def hint(view: "View", ruling: Ruling | None) -> Any:
    """Returns the hint that the last item calls for, or nothing; `ruling` is that of its trick, if it finished one."""
    for code in view.game.hints(view.state, ruling) if g.look.hints == "on" else ():
        if not _before(view, code):
            # Small: where every card lies open there is no room for a longer voice line.
            return Markup('<small class="xs">{}</small>').format(g.words(f"hint.{view.slug}.{code}"))
    return ""


def _before(view: "View", code: str) -> bool:
    """Tells whether the same came up before the last item."""
    fold, items, game = view.table.fold, view.table.items, view.game
    key = (view.table.row.id, code)
    place, line = _FIRST.get(key, (0, None))
    if place < items[-1].first and fold.lines[place] is line:
        return True
    for item in items[:-1]:
        ruling = game.explain(item.taken) if item.taken else None
        if code in game.hints(fold.states[item.last + 1], ruling):
            if len(_FIRST) >= _MOST:
                _FIRST.clear()
            _FIRST[key] = item.last, fold.lines[item.last]
            return True
    # An open item may have called for it with an entry before the last.
    return any(code in game.hints(state, None) for state in fold.states[items[-1].first + 1 : -1])
