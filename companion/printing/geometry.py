"""Where things lie on paper: all lengths in millimetres, x from the left edge, y from the top edge."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

from companion.resources import data_dir


@cache
def measures() -> dict[str, Any]:
    """Returns the measures of printables/geometry.json."""
    with (data_dir("printables") / "geometry.json").open(encoding="utf-8") as file:
        loaded: dict[str, Any] = json.load(file)
    return loaded


class Box(NamedTuple):
    """A rectangle on a page."""

    x: float
    y: float
    width: float
    height: float


class Slot(NamedTuple):
    """A place for one face of a card, and whether the face stands on its head there."""

    box: Box
    turned: bool = False


class Line(NamedTuple):
    """A straight stroke."""

    x1: float
    y1: float
    x2: float
    y2: float


def page_size(paper: str, landscape: bool = False) -> tuple[float, float]:
    """Returns width and height of a paper."""
    width, height = measures()["papers"][paper]
    return (height, width) if landscape else (width, height)


def mirror(box: Box, page: tuple[float, float], flip: str) -> Slot:
    """Returns the place on a page's other side that lies behind a box once the printer has flipped the paper.

    A flip about the standing axis mirrors x and leaves things upright; one about the lying axis mirrors y and
    turns them.
    """
    width, height = page
    if (flip == "long") == (height >= width):
        return Slot(box._replace(x=width - box.x - box.width))
    return Slot(box._replace(y=height - box.y - box.height), turned=True)


class Layout(NamedTuple):
    """The places of a sheet of cards. `backs[n]` lies behind `fronts[n]`; for a gutterfold both are on one page."""

    width: float
    height: float
    card: tuple[float, float]
    fronts: tuple[Slot, ...]
    backs: tuple[Slot, ...]
    folded: bool

    @property
    def block(self) -> Box:
        """The rectangle round all cards of the front."""
        return around(self.fronts + (self.backs if self.folded else ()))

    @property
    def fold(self) -> float | None:
        """How far down the fold lies."""
        return self.height / 2 if self.folded else None


def around(slots: Iterable[Slot]) -> Box:
    """Returns the rectangle round some places."""
    boxes = [slot.box for slot in slots]
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    return Box(x, y, max(box.x + box.width for box in boxes) - x, max(box.y + box.height for box in boxes) - y)


def layout(paper: str, card: str = "poker", folded: bool = False, flip: str = "long") -> Layout:
    """Returns the places of a full sheet of cards, centred: 3 x 3 upright, or 4 fronts under 4 backs with a fold."""
    data = measures()
    wide, high = data["cards"][card]
    if folded:
        columns, gutter = data["gutterfold"]["columns"], data["gutterfold"]["gutter"]
        width, height = page_size(paper, landscape=True)
        left = (width - columns * wide) / 2
        lower, upper = (height + gutter) / 2, (height - gutter) / 2 - high
        fronts = tuple(Slot(Box(left + n * wide, lower, wide, high)) for n in range(columns))
        backs = tuple(Slot(Box(left + n * wide, upper, wide, high), turned=True) for n in range(columns))
        return Layout(width, height, (wide, high), fronts, backs, True)
    columns, rows = data["grid"]["columns"], data["grid"]["rows"]
    width, height = page_size(paper)
    left, top = (width - columns * wide) / 2, (height - rows * high) / 2
    boxes = [Box(left + n % columns * wide, top + n // columns * high, wide, high) for n in range(columns * rows)]
    backs = tuple(mirror(box, (width, height), flip) for box in boxes)
    return Layout(width, height, (wide, high), tuple(Slot(box) for box in boxes), backs, False)


def margins(places: Layout) -> tuple[float, float]:
    """Returns the free border beside and above the block of cards."""
    return places.block.x, places.block.y


def marks(places: Layout) -> Iterator[Line]:
    """Yields the cut marks: a tail at both ends of every cut, and a small cross wherever cards meet."""
    data = measures()
    cross, edge, block = data["marks"]["cross"], data["edge"]["marks"], places.block
    off = min(data["marks"]["off"], (min(margins(places)) - edge) / 2.7)
    tail = {n: min(data["marks"]["length"], margins(places)[n] - off - edge) for n in (0, 1)}
    slots = places.fronts + (places.backs if places.folded else ())
    across = sorted({round(slot.box.x + side * slot.box.width, 4) for slot in slots for side in (0, 1)})
    down = sorted({round(slot.box.y + side * slot.box.height, 4) for slot in slots for side in (0, 1)})
    right, bottom = block.x + block.width, block.y + block.height
    for x in across:
        yield Line(x, block.y - off - tail[1], x, block.y - off)
        yield Line(x, bottom + off, x, bottom + off + tail[1])
    for y in down:
        yield Line(block.x - off - tail[0], y, block.x - off, y)
        yield Line(right + off, y, right + off + tail[0], y)
    for y in down:
        for x in across:
            yield Line(max(block.x, x - cross), y, min(right, x + cross), y)
            yield Line(x, max(block.y, y - cross), x, min(bottom, y + cross))


def ruler() -> Iterator[Line]:
    """Yields a ruler that starts at 0, 0: above its line 50 mm, below it 2 inches."""
    data = measures()["ruler"]
    inches = data["inches"] * 25.4
    yield Line(0, 0, inches, 0)
    for n in range(data["millimetres"] + 1):
        yield Line(n, 0, n, -(1.7 if n % 10 == 0 else 1.2 if n % 5 == 0 else 0.7))
    for n in range(data["inches"] * 8 + 1):
        x = n * 25.4 / 8
        yield Line(x, 0, x, 1.7 if n % 8 == 0 else 1.2 if n % 4 == 0 else 0.7)


def number(value: float) -> str:
    """Returns a length as short as CSS and SVG take it, to a ten-thousandth."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def path(lines: Iterator[Line], dx: float = 0, dy: float = 0) -> str:
    """Returns strokes as the data of one SVG path, moved by dx, dy."""
    return "".join(
        f"M{number(a + dx)} {number(b + dy)}L{number(c + dx)} {number(d + dy)}" for a, b, c, d in lines
    )


def picture(width: float, height: float, inner: str) -> str:
    """Returns a drawing as a CSS `url(...)`, which leaves it out of what is read aloud."""
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{number(width)}mm' height='{number(height)}mm' "
        f"viewBox='0 0 {number(width)} {number(height)}'>{inner}</svg>"
    )
    return f'url("data:image/svg+xml,{quote(svg, safe="=:/ ,;+-().")}")'
