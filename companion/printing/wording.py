"""Templates and the words in them."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from companion.i18n import Words
from companion.printing import drawing
from companion.printing.geometry import number
from companion.resources import data_dir

SUITS = "SHCD"
BLACK: dict[str, Any] = {
    **dict.fromkeys(SUITS, "#000"),
    "open": {"H": "#fff", "D": "#fff"},
    "seats": ("#fff", "#000", "#fff"),
    "on": ("#000", "#fff", "#000"),
    "crown": "#000",
    "edge": "",
    "rim": "#000",
    "vein": "#000",
}
COLOUR: dict[str, Any] = {
    "S": "#000", "C": "#000", "H": "#c3242b", "D": "#c3242b",
    "open": {"H": "#c3242b", "D": "#c3242b"},
    "seats": ("#d9541e", "#3f57c9", "#8a4f9e"),
    "on": ("#fff", "#fff", "#fff"),
    "crown": "#e3ae22",
    "edge": Markup(' stroke="#000" stroke-width="6"'),
    "rim": "#2e7d4f",
    "vein": "#7fb685",
}  # fmt: skip
# Private-use characters hold a parameter's place while the text round it is escaped and marked up.
_OPEN, _CLOSE = "\ue000", "\ue001"


def rich(words: Words) -> Callable[..., Markup]:
    """Returns a function that gives a message as HTML: `**bold**`, a line break for a newline, parameters literal."""

    def message(key: str, /, **params: Any) -> Markup:
        held = {
            name: value if isinstance(value, int) else f"{_OPEN}{name}{_CLOSE}" for name, value in params.items()
        }
        parts = str(escape(words(key, **held))).split("**")
        text = "".join(f"<b>{part}</b>" if n % 2 else part for n, part in enumerate(parts)).replace("\n", "<br/>")
        for name, value in params.items():
            text = text.replace(f"{_OPEN}{name}{_CLOSE}", str(escape(value)))
        return Markup(text)  # escaped above, piece by piece

    return message


def short(address: str) -> Markup:
    """Returns an address as it is read out: without its scheme, with places to break it."""
    bare = address.partition("://")[2] or address
    return Markup("<wbr/>").join([part + "/" for part in bare.split("/")[:-1]] + [bare.split("/")[-1]])


def width(text: str) -> int:
    """Returns how wide a text is, in half-width characters."""
    return sum(2 if ord(char) > 0x2E7F else 1 for char in text)


def fit(name: str) -> str:
    """Returns the class of a name by its width: long ones are set smaller, never cut."""
    return "long" if width(name) > 26 else "middling" if width(name) > 11 else ""


@cache
def environment(lang: str, colour: bool) -> Environment:
    """Returns the templates' surroundings in one language and one set of inks."""
    words = Words(lang)
    found = Environment(
        loader=FileSystemLoader(data_dir("printables")),
        autoescape=lambda name: name is None or name.endswith(".html"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        # Most processes make one sheet: what folding constants costs is more than it saves.
        optimized=False,
    )
    found.filters["mm"] = lambda value: number(round(float(value), 3))
    found.filters["mm4"] = number
    found.filters["suit_name"] = lambda suit: words(f"print.suit.{suit}")
    found.filters["short"] = short
    found.filters["fit"] = fit
    found.globals.update(
        t=words,
        r=rich(words),
        lang=lang,
        ink=COLOUR if colour else BLACK,
        arc=drawing.arc,
        arcs=drawing.arcs,
        head=drawing.head,
        qr=drawing.qr,
        face=lru_cache(maxsize=256)(lambda *face: _face(found, *face)),
    )
    return found


def _face(env: Environment, game: str, macro: str, argument: str) -> str:
    """Returns one face of a card: the same on every sheet, but for the way to the app, which is not drawn here."""
    name = "faces.html" if macro == "back" else f"faces/{game}.html"
    drawn: str = getattr(env.get_template(name).module, macro)(argument)
    return drawn
