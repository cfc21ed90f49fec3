"""The PDFs, read back: boxes, pages, hints, tags, fonts, sizes, ink."""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdf
import pytest
import zxingcpp

from companion.i18n import Words
from companion.printing import SHEETS, Context, Options, pdf
from companion.printing.sheets import Sheet
from tests.printing.conftest import ADDRESS, ALL, boxes, made, pictures, reader, recorded

pytestmark = pytest.mark.slow
SIZES = {"a4": (210, 297), "letter": (215.9, 279.4)}
CARDS = {"poker": (63, 88), "us": (63.5, 88.9)}
KITS = ("leapfrog-kit", "measure-and-tempo-kit", "chameleon-tricks-kit", "qr-card", "calibration")
EACH = [(name, paper, lang) for name in KITS for paper in SIZES for lang in ("en", "ja")]


@pytest.mark.parametrize(("name", "paper", "lang"), EACH)
def test_every_sheet_in_both_papers_and_languages(
    name: str, paper: str, lang: str, said: Callable[[], list[str]], tmp_path: Path
) -> None:
    """The kits hold every blank sheet, so these read every page there is."""
    file = made(name, paper=paper, lang=lang)
    document = reader(file.body)
    assert said() == [], "the renderer had something to say"
    assert file.missing_glyphs == ()
    parts = [SHEETS[part] for part in SHEETS[name].parts] or [SHEETS[name]]
    assert len(document.pages) == sum(2 if part.two_sided or (part.cards and part.cards[0][1]) else 1 for part in parts)
    for page in document.pages:
        for box in (page.mediabox, page.trimbox, page.cropbox):
            assert (box.left, box.bottom) == (0, 0)
            assert float(box.width) * 25.4 / 72 == pytest.approx(SIZES[paper][0], abs=0.01)
            assert float(box.height) * 25.4 / 72 == pytest.approx(SIZES[paper][1], abs=0.01)
    root = document.root_object
    assert root["/Lang"] == lang
    assert root["/MarkInfo"]["/Marked"] == True  # noqa: E712  # a PDF's own kind of boolean
    assert "/StructTreeRoot" in root
    assert "/AF" not in root
    assert "/EmbeddedFiles" not in root.get("/Names", {}), "nothing is attached"
    assert document.metadata.title == Words(lang)(SHEETS[name].title)
    hints = root["/ViewerPreferences"]
    assert (hints["/PrintScaling"], hints["/PickTrayByPDFSize"], hints["/DisplayDocTitle"]) == ("/None", True, True)
    outline = [entry.title for entry in document.outline if not isinstance(entry, list)]
    assert outline == [Words(lang)(part.title) for part in parts]
    for number, picture in enumerate(pictures(file.body, 50, tmp_path, grey=True), 1):
        black = sum(255 - value for value in picture.tobytes()) / 255 / (picture.width * picture.height)
        assert 0.002 < black <= 0.08, f"page {number} is {black:.1%} black"


@pytest.mark.parametrize("name", ["leapfrog-cards", "leapfrog-trackers", "measure-and-tempo-cards"])
@pytest.mark.parametrize("paper", SIZES)
@pytest.mark.parametrize("card", CARDS)
def test_card_boxes_are_exact_and_backs_lie_on_their_fronts(name: str, paper: str, card: str) -> None:
    width, height = CARDS[card]
    front, back = boxes(made(name, paper=paper, card=card).body, width, height)
    assert len(front) == len(back) == 9
    mirrored = sorted((SIZES[paper][0] - x - width, y) for x, y in front)
    for one, other in zip(mirrored, back, strict=True):
        assert one == pytest.approx(other, abs=0.01)
    _front, short = boxes(made(name, paper=paper, card=card, flip="short").body, width, height)
    turned = sorted((x, SIZES[paper][1] - y - height) for x, y in front)
    for one, other in zip(turned, short, strict=True):
        assert one == pytest.approx(other, abs=0.01)


def test_each_back_carries_what_belongs_to_its_front() -> None:
    """Track cards: 6 over 2 has Freshwater's first pair behind it, in whichever way the paper turns."""
    for flip in ("long", "short"):
        document = reader(made("leapfrog-cards", flip=flip).body)
        words = Words("en")
        alts = [_figures(document, page) for page in (0, 1)]
        assert words("print.figure.track.0") in alts[0]
        assert words("print.figure.fresh.0") in alts[1]


def test_a_fold_has_fronts_and_backs_on_one_page() -> None:
    file = made("leapfrog-cards", layout="gutterfold", paper="letter")
    document = reader(file.body)
    assert len(document.pages) == 3
    assert document.root_object["/ViewerPreferences"]["/Duplex"] == "/Simplex"
    first, second, third = boxes(file.body, 63, 88)
    assert [len(page) for page in (first, second, third)] == [8, 8, 2]
    tops = sorted({round(y, 2) for _x, y in first})
    assert tops == pytest.approx([14.95, 112.95], abs=0.01)
    assert float(document.pages[0].mediabox.width) * 25.4 / 72 == pytest.approx(279.4, abs=0.01)


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
    both = [page.extract_text() for page in reader(made("leapfrog-trackers").body).pages]
    for side, place in (("fronts", 0), ("backs", 1)):
        alone = [page.extract_text() for page in reader(made("leapfrog-trackers", side=side).body).pages]
        assert alone[0].split("Print at")[0] == both[place].split("Print at")[0]


def test_an_offset_moves_the_backs_only_and_exactly() -> None:
    plain = boxes(made("leapfrog-cards").body, 63, 88)
    moved = boxes(made("leapfrog-cards", dx=1.25, dy=-5).body, 63, 88)
    assert moved[0] == plain[0]
    for (x, y), (to_x, to_y) in zip(plain[1], moved[1], strict=True):
        assert (to_x - x, to_y - y) == pytest.approx((1.25, -5), abs=0.001)


@pytest.mark.parametrize("paper", SIZES)
@pytest.mark.parametrize("sheets", [1, 2, 5, 11])
def test_one_to_eleven_sheets_without_a_blank_page(paper: str, sheets: int) -> None:
    cards = SHEETS["leapfrog-pads"].cards * sheets
    sheet = Sheet("leapfrog-pads", "leapfrog", cards=cards[: 9 * sheets - 4])
    file = pdf(sheet, Options(paper=paper), ALL)
    assert file.pages == len(reader(file.body).pages) == 2 * sheets
    counts = [len(page) for page in boxes(file.body, 63, 88)]
    assert counts == [9] * (2 * sheets - 2) + [5, 5], "a half-full sheet keeps its grid"


@pytest.mark.parametrize("paper", SIZES)
@pytest.mark.parametrize("side", [0, 1])
def test_the_ruler_is_50_mm_on_paper(paper: str, side: int, tmp_path: Path) -> None:
    picture = pictures(made("leapfrog-cards", paper=paper).body, 600, tmp_path, grey=True)[side]
    dot = 25.4 / 600
    if paper == "a4":  # bottom left, lying: the last long stroke above the line is the 50th millimetre
        x, y, along = 13.2, 284.8 + 2.5 - 1.5, 1
    else:  # right edge, standing
        x, y, along = 204.3 + 2.5 - 1.5, 256.7 - 0.2, -1
    steps = range(-20, round(56 / dot))
    spots = [(x + n * dot, y) if along > 0 else (x, y - n * dot) for n in steps]
    line = [picture.getpixel((round(left / dot), round(top / dot))) for left, top in spots]
    dark = [n for n, value in enumerate(line) if value < 128]
    assert (dark[-1] - dark[0]) * dot == pytest.approx(50, abs=0.2)


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("leapfrog-cards", ALL),
        ("measure-and-tempo-cards", ALL),
        ("qr-card", Context(table="http://192.168.178.110:8000/t/7Kd92PqLmWx4", code="LF4K7Q")),
    ],
)
def test_codes_are_read_back_at_150_dpi(name: str, context: Context, tmp_path: Path) -> None:
    [picture, *_more] = pictures(made(name, context, side="fronts").body, 150, tmp_path)
    found = {code.text for code in zxingcpp.read_barcodes(picture)}
    assert found == {context.table or context.app}


def test_without_an_address_there_is_a_line_to_write_one() -> None:
    text = reader(made("qr-card", Context()).body).pages[0].extract_text()
    assert "address of the companion" in text


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("name", ["leapfrog-cards", "leapfrog-rules", "leapfrog-score"])
def test_only_static_truetype_fonts_by_their_own_numbers(name: str, lang: str) -> None:
    fonts = [font for page in reader(made(name, lang=lang).body).pages for font in page["/Resources"]["/Font"].values()]
    assert fonts
    for font in fonts:
        font = font.get_object()
        assert re.fullmatch(r"/[A-Z]{6}\+Companion-Print(-Bold)?", font["/BaseFont"]), font["/BaseFont"]
        assert font["/Encoding"] == "/Identity-H"
        assert font["/DescendantFonts"][0].get_object()["/Subtype"] == "/CIDFontType2"


def test_japanese_text_comes_out_as_it_went_in() -> None:
    text = "".join(page.extract_text() for page in reader(made("leapfrog-cards", lang="ja").body).pages)
    assert "スートの最も高いカード" in text.replace("\n", "")


def test_every_figure_has_words_and_decoration_is_no_figure() -> None:
    document = reader(made("leapfrog-cards").body)
    figures = _figures(document, None)
    assert all(figures)
    assert len(figures) < 50, "cut marks and rulers are not read aloud"


def _figures(document: pypdf.PdfReader, page: int | None) -> list[str]:
    """Returns the alternate texts of all figures, or of those on one page."""
    found = []
    wanted = None if page is None else document.pages[page].indirect_reference.idnum

    def walk(element: Any) -> None:
        element = element.get_object()
        if not isinstance(element, dict):
            return
        if element.get("/S") == "/Figure" and (wanted is None or _page_of(element) == wanted):
            found.append(str(element.get("/Alt", "")))
        children = element.get("/K", [])
        for child in children if isinstance(children, list) else [children]:
            if hasattr(child.get_object(), "get"):
                walk(child)

    walk(document.root_object["/StructTreeRoot"])
    return found


def _page_of(element: Any) -> int | None:
    pages: list[int] = []

    def look(node: Any) -> None:
        node = node.get_object()
        if isinstance(node, dict):
            if "/Pg" in node:
                pages.append(node.raw_get("/Pg").idnum)
            children = node.get("/K", [])
            for child in children if isinstance(children, list) else [children]:
                look(child)

    look(element)
    return pages[0] if pages else None


BUDGETS = [
    ("leapfrog-cards", "en", 100), ("leapfrog-cards", "ja", 150), ("leapfrog-rules", "ja", 250),
    ("measure-and-tempo-rules", "ja", 250), ("chameleon-tricks-rules", "ja", 250), ("leapfrog-score", "ja", 120),
    ("leapfrog-kit", "ja", 300),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lang", "most"), BUDGETS)
def test_files_stay_small(name: str, lang: str, most: int) -> None:
    assert len(made(name, lang=lang).body) <= most * 1024


CHILD = """
import hashlib, sys
from companion.printing.assets import asset
from companion.printing import weasy, Options, Context, SHEETS
from companion.printing.document import build
from companion.printing.jobs import Job
for name, lang in (("leapfrog-cards", "ja"), ("leapfrog-score", "en")):
    page = build(SHEETS[name], Options(lang=lang), Context(app="https://companion.example/new/leapfrog"))
    made = weasy.make(Job(page.html, page.styles, page.etag, page.duplex, page.forms))
    print(hashlib.sha256(made.pdf).hexdigest(), len(made.log))
"""


def test_the_same_bytes_in_every_process_and_without_any_font_of_the_machine(tmp_path: Path) -> None:
    bare = tmp_path / "fonts.conf"
    bare.write_text('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>')
    answers = set()
    for seed, extra in (("0", {}), ("7", {}), ("7", {"FONTCONFIG_FILE": str(bare), "XDG_CACHE_HOME": str(tmp_path)})):
        environment = os.environ | {"PYTHONHASHSEED": seed} | extra
        ran = subprocess.run(
            [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, check=True, timeout=100
        )
        answers.add(ran.stdout)
    assert len(answers) == 1
    [answer] = answers
    expected = hashlib.sha256(made("leapfrog-cards", lang="ja").body).hexdigest()
    assert answer.split()[0] == expected


def test_names_print_as_they_are_and_nothing_is_fetched() -> None:
    evil = ("<img src=file:///etc/passwd>", "{{ 7*7 }} &amp; \u202e**b**")
    record = recorded("leapfrog.by-card.jsonl", players=list(evil))
    file = pdf(SHEETS["leapfrog-score"], Options(kind="filled"), Context(record=record))
    text = "".join(page.extract_text() for page in reader(file.body).pages).replace("\n", "")
    assert "<img src=file:///etc/passwd>" in text
    assert "{{ 7*7 }} &amp; **b**" in text
    assert "root:" not in text


def test_characters_the_font_lacks_are_reported_and_replaced() -> None:
    record = recorded("leapfrog.by-card.jsonl", players=["𠮷野家", "Ben 🐸"])
    file = pdf(SHEETS["leapfrog-score"], Options(kind="filled"), Context(record=record))
    assert set(file.missing_glyphs) == {"𠮷", "🐸"}
    assert "〓野家" in reader(file.body).pages[0].extract_text()


def test_suits_can_be_told_apart_in_grey(tmp_path: Path) -> None:
    page = pictures(made("leapfrog-cards", colour=True).body, 100, tmp_path, grey=True)[0]
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


def test_colour_is_a_choice() -> None:
    plain, coloured = (made("leapfrog-cards", colour=colour).body for colour in (False, True))
    contents = [b"".join(page.get_contents().get_data() for page in reader(body).pages) for body in (plain, coloured)]
    red = rb"0?\.76\d* 0?\.14\d* 0?\.16\d* (rg|scn)"
    assert not re.search(red, contents[0])
    assert ADDRESS.encode() not in contents[0]
    forms = [
        str(stream.get_object().get_data())
        for body in (coloured,)
        for page in reader(body).pages
        for stream in page["/Resources"].get("/XObject", {}).values()
    ]
    assert re.search(red, contents[1]) or any(re.search(red.decode(), form) for form in forms)
