"""Where things lie on paper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.printing import geometry
from companion.printing.geometry import Box, layout, margins, marks, measures, mirror, page_size, ruler

PAPERS = ("a4", "letter")
LAYOUTS = [(paper, card, folded) for paper in PAPERS for card in ("poker", "us") for folded in (False, True)]


@pytest.mark.parametrize(
    ("paper", "card", "folded", "expected"),
    [
        ("a4", "poker", False, (10.5, 16.5)),
        ("letter", "poker", False, (13.45, 7.7)),
        ("a4", "us", False, (9.75, 15.15)),
        ("letter", "us", False, (12.7, 6.35)),
        ("a4", "poker", True, (22.5, 12)),
        ("letter", "poker", True, (13.7, 14.95)),
    ],
)
def test_a_block_of_cards_is_centred(paper: str, card: str, folded: bool, expected: tuple[float, float]) -> None:
    assert margins(layout(paper, card, folded)) == pytest.approx(expected)


@pytest.mark.parametrize(("paper", "card", "folded"), LAYOUTS)
@pytest.mark.parametrize("flip", ["long", "short"])
def test_cards_tile_the_block_and_stay_inside_the_printable_paper(
    paper: str, card: str, folded: bool, flip: str
) -> None:
    places = layout(paper, card, folded, flip)
    art = 4  # nothing that matters is nearer to a card's edge
    for slot in (*places.fronts, *places.backs):
        assert (slot.box.width, slot.box.height) == tuple(measures()["cards"][card])
        box = slot.box
        for low, size, whole in ((box.x, box.width, places.width), (box.y, box.height, places.height)):
            assert low + art >= measures()["edge"]["ink"]
            assert low + size - art <= whole - measures()["edge"]["ink"]
    for side in (places.fronts, places.backs):
        corners = {(round(slot.box.x, 6), round(slot.box.y, 6)) for slot in side}
        assert len(corners) == len(side) == (4 if folded else 9)


@given(
    st.floats(0, 150), st.floats(0, 200), st.sampled_from(PAPERS), st.booleans(), st.sampled_from(["long", "short"])
)
def test_turning_the_paper_twice_brings_a_box_back(x: float, y: float, paper: str, wide: bool, flip: str) -> None:
    page = page_size(paper, wide)
    box = Box(x, y, 63, 88)
    once = mirror(box, page, flip)
    twice = mirror(once.box, page, flip)
    assert twice.box == pytest.approx(box, abs=1e-9)
    assert once.turned == twice.turned


@pytest.mark.parametrize(
    ("wide", "flip", "place", "turned"),
    [
        (False, "long", (210 - 10 - 63, 20), False),
        (False, "short", (10, 297 - 20 - 88), True),
        (True, "long", (10, 210 - 20 - 88), True),
        (True, "short", (297 - 10 - 63, 20), False),
    ],
)
def test_the_four_ways_to_flip(wide: bool, flip: str, place: tuple[float, float], turned: bool) -> None:
    slot = mirror(Box(10, 20, 63, 88), page_size("a4", wide), flip)
    assert (slot.box.x, slot.box.y) == pytest.approx(place)
    assert slot.turned is turned


def test_a_fold_lays_each_back_behind_its_front_upright() -> None:
    places = layout("a4", folded=True)
    assert places.fold == 105
    for front, back in zip(places.fronts, places.backs, strict=True):
        assert front.box.x == back.box.x
        assert back.box.y + back.box.height == pytest.approx(210 - front.box.y)  # folded over, edge on edge
        assert back.turned


@pytest.mark.parametrize(("paper", "card", "folded"), LAYOUTS)
def test_every_cut_has_a_mark_at_both_ends_that_touches_no_card(paper: str, card: str, folded: bool) -> None:
    places = layout(paper, card, folded)
    block, edge = places.block, measures()["edge"]["marks"]
    lines = list(marks(places))
    slots = places.fronts + (places.backs if folded else ())
    for slot in slots:
        for x in (slot.box.x, slot.box.x + slot.box.width):
            tails = [line for line in lines if line.x1 == line.x2 == pytest.approx(x, abs=1e-3)]
            assert any(edge - 1e-6 <= line.y1 < line.y2 < block.y for line in tails)
            assert any(block.y + block.height < line.y1 < line.y2 <= places.height - edge + 1e-6 for line in tails)
        for y in (slot.box.y, slot.box.y + slot.box.height):
            tails = [line for line in lines if line.y1 == line.y2 == pytest.approx(y, abs=1e-3)]
            assert any(edge - 1e-6 <= line.x1 < line.x2 < block.x for line in tails)
            assert any(block.x + block.width < line.x1 < line.x2 <= places.width - edge + 1e-6 for line in tails)


def test_the_ruler_is_50_mm_above_and_2_inches_below() -> None:
    lines = list(ruler())
    above = [line.x1 for line in lines if line.y2 < 0]
    below = [line.x1 for line in lines if line.y2 > 0]
    assert (min(above), max(above), len(above)) == (0, 50, 51)
    assert (min(below), max(below)) == (0, 50.8)


@given(st.floats(-1e4, 1e4))
def test_lengths_are_written_without_exponents(value: float) -> None:
    assert float(geometry.number(value)) == pytest.approx(value, abs=1e-4)
    assert "e" not in geometry.number(value)
