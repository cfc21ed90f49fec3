"""The pages as a printer would lay them down: the ruler, the codes, black and colour."""

from math import hypot
from pathlib import Path

import pytest
import zxingcpp

from companion.printing import Context, Options, pdf, score_sheet
from companion.printing.document import QR_SIZE
from companion.printing.drawing import QUIET, qr
from tests.printing.conftest import ADDRESS, ALL, SIZES, made, pictures, poppler, recorded, texts

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sheets")]


@pytest.mark.parametrize("paper", SIZES)
def test_the_ruler_is_50_mm_on_paper(paper: str, tmp_path: Path) -> None:
    dot = 25.4 / 600
    if paper == "a4":  # bottom left, lying: the last long stroke above the line is the 50th millimetre
        left, top, width, height = 12.2, 284.8 + 2.5 - 1.5, 58, 0.1
    else:  # right edge, standing
        left, top, width, height = 204.3 + 2.5 - 1.5, 200, 0.1, 58
    crop = [str(round(value / dot)) for value in (left, top, width, height)]
    options = [part for pair in zip(("-x", "-y", "-W", "-H"), crop, strict=True) for part in pair]
    for line in poppler(made("leapfrog-cards", paper=paper).body, 600, tmp_path, *options):
        row = min(line.size)
        lying = line.width > line.height
        values = line.tobytes()[: line.width] if lying else line.tobytes()[::row]
        dark = [n for n, value in enumerate(values) if value < 128]
        assert (max(dark) - min(dark)) * dot == pytest.approx(50, abs=0.2)


def test_suits_can_be_told_apart_in_grey() -> None:
    page = pictures(made("leapfrog-cards", colour=True).body, 100)[0]
    dot = 25.4 / 100
    centres = [(10.5 + 63 * n + 31.5, 16.5 + 176 + 44) for n in range(3)]
    icons = [
        page.crop(tuple(round(v / dot) for v in (x - 13, y - 13, x + 13, y + 13))).point(lambda v: 255 * (v > 200))
        for x, y in centres
    ]
    for n, one in enumerate(icons):
        for other in icons[n + 1 :]:
            differing = sum(a != b for a, b in zip(one.tobytes(), other.tobytes(), strict=True))
            assert differing / len(one.tobytes()) > 0.05


@pytest.mark.parametrize("name", ["leapfrog-cards", "measure-and-tempo-score"])
def test_colour_is_a_choice_and_black_the_rule(name: str) -> None:
    for colour in (False, True):
        for picture in pictures(made(name, colour=colour).body, 40, grey=False):
            tints = sum(max(dot) - min(dot) > 60 for dot in (dots for _n, dots in picture.getcolors(1 << 20)))
            assert (tints > 0) is colour
            if colour:
                break  # a back of words alone may have none


WATCH = "http://192.168.178.110:8000/w/7Kd92PqLmWx4"


@pytest.mark.parametrize("paper", SIZES)
@pytest.mark.parametrize(
    ("name", "context", "codes"),
    [
        ("leapfrog-cards", ALL, 1),
        ("leapfrog-trackers", ALL, 2),
        ("measure-and-tempo-cards", ALL, 1),
        ("chameleon-tricks-cards", ALL, 1),
        ("qr-card", Context(table=WATCH), 3),
    ],
)
def test_codes_are_read_back_at_150_dpi(name: str, context: Context, codes: int, paper: str) -> None:
    body = made(name, context, paper=paper, side="fronts").body
    [picture] = pictures(body, 150)
    found = zxingcpp.read_barcodes(picture)
    address = context.table or ADDRESS
    assert [code.text for code in found] == [address] * codes
    for code in found:
        corners = code.position
        wide = hypot(corners.top_right.x - corners.top_left.x, corners.top_right.y - corners.top_left.y) * 25.4 / 150
        modules = qr(address, QR_SIZE).size
        assert wide == pytest.approx(QR_SIZE * (modules - 2 * QUIET) / modules, abs=0.5)
    assert address.partition("://")[2] in texts(body)[0].replace("\ufffe", ""), "for those without a camera"


@pytest.mark.parametrize("file", ["leapfrog", "measure-and-tempo", "chameleon-tricks"])
def test_the_code_of_a_filled_sheet_is_read_back_at_150_dpi(file: str) -> None:
    record = recorded(f"{file}.by-card.jsonl")
    sheet = score_sheet(record.game.slug, len(record.players))
    body = pdf(sheet, Options(kind="filled"), Context(table=WATCH, record=record)).body
    assert [code.text for code in zxingcpp.read_barcodes(pictures(body, 150)[0])] == [WATCH]
