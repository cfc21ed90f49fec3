"""QR codes as drawings."""

from collections.abc import Iterable, Sequence
from itertools import groupby


def path(rows: Iterable[Sequence[bool]]) -> str:
    """Returns the dark modules of a code as the data of one SVG path: one rectangle a run, one unit a module."""
    strokes = []
    for y, row in enumerate(rows):
        x = 0
        for dark, run in groupby(row):
            width = len(list(run))
            if dark:
                strokes.append(f"M{x} {y}h{width}v1h-{width}z")
            x += width
    return "".join(strokes)
