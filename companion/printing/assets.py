"""What a printed page needs beside its HTML: stylesheets and fonts, as they lie or computed from the measures."""

import re
from functools import cache, lru_cache
from hashlib import sha256
from typing import NamedTuple

from companion.printing import geometry
from companion.printing.geometry import Box, Line, number
from companion.printing.options import Options, PrintRefused
from companion.printing.wording import environment
from companion.resources import data_dir

TYPES = {".css": "text/css; charset=utf-8", ".ttf": "font/ttf", ".png": "image/png"}
_LAYOUT = re.compile(r"layout/(\w+)-(\w+)-(\w+)-(\w+)-([01])-(-?[\d.]+)_(-?[\d.]+)\.css", re.ASCII)
_PLAIN = re.compile(r"css/[a-z-]+\.css|fonts/[a-z0-9-]+\.ttf|pictures/(en|ja)/[a-z0-9-]+\.png", re.ASCII)


class Asset(NamedTuple):
    """A file that a page asks for."""

    body: bytes
    type: str
    etag: str


def layout_name(options: Options) -> str:
    """Returns the name of the stylesheet that holds the places of these options."""
    parts = (options.paper, options.card, options.layout, options.flip, int(options.marks))
    return f"layout/{'-'.join(map(str, parts))}-{number(options.dx)}_{number(options.dy)}.css"


@lru_cache(maxsize=64)
def asset(name: str) -> Asset:
    """Returns a file by its name below the address that the pages were given. Raises KeyError for any other name."""
    if (match := _LAYOUT.fullmatch(name)) is not None:
        paper, card, layout, flip, marks, dx, dy = match.groups()
        try:
            options = Options(
                paper=paper, card=card, layout=layout, flip=flip, marks=marks == "1", dx=float(dx), dy=float(dy)
            )
        except (PrintRefused, ValueError):
            raise KeyError(name) from None
        body = layout_css(options).encode()
        return Asset(body, TYPES[".css"], sha256(body).hexdigest()[:32])
    if _PLAIN.fullmatch(name) is None:
        raise KeyError(name)
    path = data_dir("printables") / name
    if not path.is_file():
        raise KeyError(name)
    body = path.read_bytes()
    return Asset(body, TYPES[path.suffix], sha256(body).hexdigest()[:32])


def layout_css(options: Options) -> str:
    """Returns the stylesheet with the places of cards, marks and notes on one kind of sheet."""
    data = geometry.measures()
    folded = options.layout == "gutterfold"
    places = geometry.layout(options.paper, options.card, folded, options.flip)
    face, (wide, high) = data["face"], places.card
    size = (places.width, places.height)
    lines = list(geometry.marks(places)) if options.marks else []
    back_offset = (0.0, 0.0) if folded else (options.dx, options.dy)

    def drawing(dx: float, dy: float) -> str:
        width = data["marks"]["width"]
        inner = f"<path d='{geometry.path(iter(lines), dx, dy)}' fill='none' stroke='#000' stroke-width='{width}'/>"
        if places.fold is not None:
            edge = data["edge"]["ink"]
            fold = f"M{edge} {number(places.fold)}H{number(places.width - edge)}"
            inner += f"<path d='{fold}' fill='none' stroke='#000' stroke-width='.25' stroke-dasharray='2.4 1.6'/>"
        return geometry.picture(*size, inner)

    return environment("en", False).get_template("css/layout.css").render(
        fronts=geometry.around(places.fronts),
        backs=_moved(geometry.around(places.backs), *back_offset),
        turned=places.backs[0].turned,
        card=places.card,
        inset=((wide - face[0]) / 2, (high - face[1]) / 2),
        page=f"{options.paper}-wide" if folded else options.paper,
        size=size,
        folded=folded,
        marks={"front": drawing(0, 0), "back": drawing(*back_offset)},
        notes=_notes(places, data["note"]),
        flat=_flat(places),
        ruler=_ruler(_flat(places), data["note"]),
        flat_ruler=_ruler(True, data["note"]),
        note=data["note"],
    )


def _moved(box: Box, dx: float, dy: float) -> Box:
    return box._replace(x=box.x + dx, y=box.y + dy)


def _flat(places: geometry.Layout) -> bool:
    return geometry.margins(places)[1] >= 11


def _notes(places: geometry.Layout, note: dict[str, float]) -> list[tuple[float, float]]:
    """Returns where a sheet's six notes begin: along top and bottom or up both sides, always between two marks."""
    block, (wide, high) = places.block, places.card
    if _flat(places):
        columns = (0, 1, round(block.width / wide) - 1)
        top = min(note["top"], block.y - note["height"] - 0.1)
        rows = (top, places.height - top - note["height"])
        spare = (wide - note["width"]) / 2
        return [(block.x + column * wide + spare, row) for row in rows for column in columns]
    spare = (high - note["width"]) / 2
    sides = (note["side"], places.width - note["side"] - note["height"])
    return [(x, block.y + (3 - n) * high - spare) for x in sides for n in range(3)]


def _ruler(flat: bool, note: dict[str, float]) -> tuple[float, float, str]:
    """Returns the ruler's width, height and drawing: drawn as it stands, since a turned box loses its picture."""
    width, height = note["width"], note["height"]
    strokes = list(geometry.ruler())
    if flat:
        d = geometry.path(iter(strokes), 0.2, height / 2)
    else:
        width, height = height, width
        standing = (Line(y1, -x1, y2, -x2) for x1, y1, x2, y2 in strokes)
        d = geometry.path(standing, width / 2, height - 0.2)
    return width, height, geometry.picture(
        width, height, f"<path d='{d}' fill='none' stroke='#000' stroke-width='.15'/>"
    )


@cache
def build_id() -> str:
    """Returns a short name for this state of templates, measures and fonts, as it is printed on the sheets."""
    root = data_dir("printables")
    digest = sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file() and path.suffix != ".png"):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:7]
