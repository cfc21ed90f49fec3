"""First-time hints: what comes up at a table for the first time is explained once, in the voice line.

Which time is the first is read from the log, so all phones at a table say the same, and Undo takes a hint back too.
"""

from typing import TYPE_CHECKING, Any

from flask import g

from companion.engine.game import Ruling

if TYPE_CHECKING:
    from companion.web.views import View


def hint(view: "View", ruling: Ruling | None) -> Any:
    """Returns the hint that the last item calls for, or nothing; `ruling` is that of its trick, if it finished one."""
    found = view.game.hints(view.state, ruling) if g.look.hints == "on" else ()
    for code in found:
        if not any(code in earlier for earlier in _earlier(view)):
            return g.words(f"hint.{view.slug}.{code}")
    return ""


def _earlier(view: "View") -> Any:
    states, game = view.table.fold.states, view.game
    for item in view.table.items[:-1]:
        yield game.hints(states[item.last + 1], game.explain(item.taken) if item.taken else None)
    # What an open item began with may have called for it already.
    for state in states[view.table.items[-1].first + 1 : -1]:
        yield game.hints(state, None)
