"""The table page as text: the whole of it, or only the parts and pieces that change."""

from collections.abc import Sequence
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

from flask import current_app, g, render_template
from jinja2 import Template
from markupsafe import Markup

if TYPE_CHECKING:
    from companion.web.views import View

PARTS = ("bar", "main", "past", "says", "title", "kind")
SEPARATOR = "\x1e"


@lru_cache(maxsize=16)
def _template(slug: str) -> Template:
    return current_app.jinja_env.get_template(f"play/{slug}.html")


def can_lie_flat(slug: str, names: Sequence[str]) -> bool:
    """Tells whether a game's page can lie flat between two players."""
    return len(names) == 2 and "flat" in _template(slug).blocks


def page(view: "View") -> str:
    """Renders the whole page."""
    return render_template(_template(view.slug), v=view, s=view.signs, parts=False)


def parts(view: "View") -> dict[str, str]:
    """Renders only what changes: the parts, and behind them the pieces within them."""
    view.apart = {}
    rendered = _template(view.slug).render(
        v=view, s=view.signs, t=g.words, look=g.look, parts=True, sep=Markup(SEPARATOR)
    )
    pieces = dict(zip(PARTS, map(str.strip, rendered.split(SEPARATOR)), strict=True)) | view.apart
    # A document's title is text, not HTML.
    return pieces | {"title": unescape(pieces["title"])}
