"""The few drawings that need arithmetic: arcs, arrowheads and QR codes, as the data of one SVG path each."""

from functools import lru_cache
from math import cos, radians, sin
from typing import NamedTuple

import qrcode
from qrcode.constants import ERROR_CORRECT_M

from companion.printing.geometry import measures, number
from companion.printing.options import PrintRefused
from companion.qr import path

QUIET = 4


def _point(cx: float, cy: float, r: float, angle: float) -> tuple[float, float]:
    return cx + r * cos(radians(angle)), cy + r * sin(radians(angle))


def arc(cx: float, cy: float, r: float, first: float, last: float) -> str:
    """Returns an arc clockwise between two angles in degrees; 0 points right."""
    (x1, y1), (x2, y2) = _point(cx, cy, r, first), _point(cx, cy, r, last)
    large = int(last - first > 180)
    return f"M{x1:.2f} {y1:.2f}A{number(round(r, 2))} {number(round(r, 2))} 0 {large} 1 {x2:.2f} {y2:.2f}"


def arcs(cx: float, cy: float, r: float, n: int, length: float, start: float = 0) -> str:
    """Returns `n` arcs of so many degrees, evenly round a circle: a ring of water."""
    return "".join(arc(cx, cy, r, start + i * 360 / n, start + i * 360 / n + length) for i in range(n))


def head(cx: float, cy: float, r: float, angle: float, size: float) -> str:
    """Returns the head of an arrow that runs clockwise round a circle and ends at an angle."""
    x, y = _point(cx, cy, r, angle)
    (ax, ay), (bx, by) = _point(x, y, size, angle - 90 - 38 - 8), _point(x, y, size, angle - 90 + 38 - 8)
    return f"M{ax:.2f} {ay:.2f}L{x:.2f} {y:.2f}L{bx:.2f} {by:.2f}"


class Code(NamedTuple):
    """A QR code with its quiet zone: `size` modules wide, its dark modules as one path."""

    address: str
    size: int
    path: str


@lru_cache(maxsize=4)  # A document draws the code that it was looked up for.
def qr(address: str, millimetres: float) -> Code:
    """Returns the QR code of an address. Raises PrintRefused where its modules would be too small at that size."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=QUIET)
    code.add_data(address)
    try:
        code.make(fit=True)
    except ValueError:  # longer than any QR code can be; the package's own error is one too
        raise PrintRefused("print.refused.address", length=len(address.encode())) from None
    rows = code.get_matrix()
    if millimetres / len(rows) < measures()["module"]:
        raise PrintRefused("print.refused.address", length=len(address.encode()))
    return Code(address, len(rows), path(rows))
