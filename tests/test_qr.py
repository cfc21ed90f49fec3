"""QR codes as outlines: what they enclose is what is dark."""

import re

from hypothesis import given
from hypothesis import strategies as st

from companion.qr import path

SIDE = 7
ROWS = st.lists(st.lists(st.booleans(), min_size=SIDE, max_size=SIDE), min_size=SIDE, max_size=SIDE)


def enclosed(drawn: str) -> list[list[int]]:
    """Returns how often each unit square is wound round, clockwise: a ray to its left counts the strokes it meets."""
    found = [[0] * SIDE for _ in range(SIDE)]
    for outline in re.findall(r"M[^z]+z", drawn):
        start, *strokes = re.findall(r"M\d+ \d+|[hv]-?\d+", outline)
        x, y = home = tuple(map(int, start[1:].split()))
        corners = [home]
        for stroke in strokes:
            length = int(stroke[1:])
            x, y = (x + length, y) if stroke[0] == "h" else (x, y + length)
            corners.append((x, y))
        for (x, y), (_x, lower) in zip(corners, [*corners[1:], home], strict=True):
            for row in range(min(y, lower), max(y, lower)):
                for column in range(x, SIDE):
                    found[row][column] += 1 if lower < y else -1
    return found


@given(ROWS)
def test_outlines_enclose_what_is_dark(rows: list[list[bool]]) -> None:
    assert enclosed(path(rows)) == [[int(dark) for dark in row] for row in rows]


def test_a_square_a_hole_and_two_corners_that_touch() -> None:
    assert path([[True]]) == "M0 0h1v1h-1z"
    assert path([[True] * 3, [True, False, True], [True] * 3]) == "M0 0h3v3h-3zM1 1v1h1v-1z"
    assert path([[True, False], [False, True]]) == "M0 0h1v1h-1zM1 1h1v1h-1z"
    assert path([[False]]) == ""
