"""The cards in the PDFs, read back: exact boxes, backs on their fronts, offsets, ways to print, pages."""

from typing import Any

import pytest

from companion.i18n import Words
from companion.printing import SHEETS, Context, Options, PrintRefused, pdf
from companion.printing.sheets import Sheet
from tests.printing.conftest import ALL, SIZES, boxes, figures, made, reader, texts

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sheets")]
CARDS = {"poker": (63, 88), "us": (63.5, 88.9)}
BOTH_SIDES = [name for name, sheet in SHEETS.items() if sheet.cards and sheet.cards[0][1]]


def same(found: list[tuple[float, float]], expected: list[tuple[float, float]]) -> bool:
    """Returns whether the places agree within a hundredth of a millimetre."""
    return len(found) == len(expected) and all(
        one == pytest.approx(other, abs=0.01) for one, other in zip(sorted(found), sorted(expected), strict=True)
    )


@pytest.mark.parametrize("paper", SIZES)
@pytest.mark.parametrize(("name", "card"), [*((name, "poker") for name in BOTH_SIDES), ("leapfrog-cards", "us")])
def test_card_boxes_are_exact_and_backs_lie_on_their_fronts(name: str, card: str, paper: str) -> None:
    width, height = CARDS[card]
    front, back = boxes(made(name, paper=paper, card=card).body, width, height)
    assert len(front) == 9
    assert same(back, [(SIZES[paper][0] - x - width, y) for x, y in front])
    assert min(min(place) for place in front) >= 6.35


@pytest.mark.parametrize("paper", SIZES)
def test_backs_lie_on_their_fronts_when_the_short_edge_turns(paper: str) -> None:
    front, back = boxes(made("leapfrog-cards", paper=paper, flip="short").body, 63, 88)
    assert same(back, [(x, SIZES[paper][1] - y - 88) for x, y in front])


@pytest.mark.parametrize("paper", SIZES)
def test_a_fold_has_fronts_and_backs_on_one_page_edge_on_edge(paper: str) -> None:
    file = made("leapfrog-cards", layout="gutterfold", paper=paper)
    document = reader(file.body)
    assert document.root_object["/ViewerPreferences"]["/Duplex"] == "/Simplex"
    height, width = SIZES[paper]
    assert float(document.pages[0].mediabox.width) * 25.4 / 72 == pytest.approx(width, abs=0.01)
    pages = boxes(file.body, 63, 88)
    assert [len(page) for page in pages] == [8, 8, 2]
    for page in pages:
        backs = [(x, y) for x, y in page if y < height / 2]
        fronts = [(x, y) for x, y in page if y > height / 2]
        assert same(backs, [(x, height - y - 88) for x, y in fronts])


@pytest.mark.parametrize("flip", ["long", "short"])
def test_each_back_carries_what_belongs_to_its_front(flip: str) -> None:
    """The track card of 6 and 2 has Freshwater's first pair behind it, whichever way the paper turns."""
    words, document = Words("en"), reader(made("leapfrog-cards", flip=flip).body)
    front, back = (boxes(made("leapfrog-cards", flip=flip).body, 63, 88)[side] for side in (0, 1))
    for number in range(4):
        [one] = [box for text, box in figures(document, 0) if text == words(f"print.figure.track.{number}")]
        [other] = [box for text, box in figures(document, 1) if text == words(f"print.figure.fresh.{number}")]
        x, y = min(front, key=lambda place: abs(place[0] - one[0]) + abs(place[1] - one[1]))
        behind = (210 - x - 63, y) if flip == "long" else (x, 297 - y - 88)
        assert behind in [pytest.approx(place, abs=0.01) for place in back]
        assert (other[0], other[1]) == pytest.approx(behind, abs=0.5)


@pytest.mark.parametrize(
    ("options", "pages", "duplex"),
    [
        ({}, 2, "/DuplexFlipLongEdge"),
        ({"flip": "short"}, 2, "/DuplexFlipShortEdge"),
        ({"layout": "single"}, 2, "/Simplex"),
        ({"side": "fronts"}, 1, "/Simplex"),
        ({"side": "backs"}, 1, "/Simplex"),
    ],
)
def test_the_ways_to_print_and_what_the_file_tells_the_printer(options: Any, pages: int, duplex: str) -> None:
    document = reader(made("leapfrog-cards", **options).body)
    assert len(document.pages) == pages
    assert document.root_object["/ViewerPreferences"]["/Duplex"] == duplex


def test_fronts_and_backs_alone_are_the_pages_of_the_whole_in_the_same_order() -> None:
    both = texts(made("leapfrog-cards").body)
    for side, place in (("fronts", 0), ("backs", 1)):
        [alone] = texts(made("leapfrog-cards", side=side).body)
        assert alone.split("Print at")[0] == both[place].split("Print at")[0]


@pytest.mark.parametrize(("dx", "dy"), [(0.25, 0), (1.25, -5)])
def test_an_offset_moves_the_backs_only_and_exactly(dx: float, dy: float) -> None:
    plain = boxes(made("leapfrog-cards").body, 63, 88)
    moved = boxes(made("leapfrog-cards", dx=dx, dy=dy).body, 63, 88)
    assert moved[0] == plain[0]
    for (x, y), (to_x, to_y) in zip(plain[1], moved[1], strict=True):
        assert (to_x - x, to_y - y) == pytest.approx((dx, dy), abs=0.001)


def test_an_offset_between_two_steps_is_refused_with_the_step() -> None:
    with pytest.raises(PrintRefused) as refused:
        made("leapfrog-cards", dx=0.3)
    assert refused.value.params == {"value": 0.3, "step": 0.25, "limit": 5}


@pytest.mark.parametrize("paper", SIZES)
@pytest.mark.parametrize("sheets", [1, 2, 5, 11])
def test_one_to_eleven_sheets_without_a_blank_page(paper: str, sheets: int) -> None:
    cards = SHEETS["leapfrog-pads"].cards * sheets
    sheet = Sheet("leapfrog-pads", "leapfrog", cards=cards[: 9 * sheets - 4])
    file = pdf(sheet, Options(paper=paper), ALL)
    counts = [len(page) for page in boxes(file.body, 63, 88)]
    assert counts == [9] * (2 * sheets - 2) + [5, 5], "a half-full sheet keeps its grid, and no page is blank"
    assert file.pages == len(counts)


def test_without_an_address_there_is_a_line_to_write_one() -> None:
    [text] = texts(made("qr-card", Context()).body)
    assert "address of the companion" in text
