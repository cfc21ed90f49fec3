"""The calibration sheet: how far the backs lie off, read against the light."""

from typing import NamedTuple

from companion.printing.geometry import measures, page_size
from companion.printing.options import Options

STEPS = (-2, -1, 0, 1, 2)


class Target(NamedTuple):
    """A cross on the front, and on the back a ring that lies exactly behind it once the backs are moved by dx, dy."""

    x: float
    y: float
    back_x: float
    back_y: float
    dx: float
    dy: float


class Calibration(NamedTuple):
    """`centre` of the coarse scales on front and back, the fine targets, and which way the front's scales count."""

    width: float
    height: float
    centre: tuple[float, float]
    back_centre: tuple[float, float]
    reach: float
    step: float
    signs: tuple[int, int]
    targets: tuple[Target, ...]


def calibration(options: Options) -> Calibration:
    """Returns the sheet's drawing for one way to flip. The backs already hold the options' offset."""
    width, height = page_size(options.paper)
    step, reach = measures()["offset"]["step"], measures()["offset"]["limit"]
    signs = (1, -1) if options.flip == "long" else (-1, 1)

    def behind(x: float, y: float, dx: float, dy: float) -> tuple[float, float]:
        x, y = (width - x, y) if options.flip == "long" else (x, height - y)
        return x + options.dx + dx, y + options.dy + dy

    centre = (width / 2, 92.0)
    targets = []
    for row, down in enumerate(STEPS):
        for column, right in enumerate(STEPS):
            x, y = width / 2 + (column - 2) * 24, 170.0 + (row - 2) * 16
            dx, dy = right * step, down * step
            targets.append(Target(x, y, *behind(x, y, dx, dy), options.dx + dx, options.dy + dy))
    return Calibration(width, height, centre, behind(*centre, 0, 0), reach, step, signs, tuple(targets))
