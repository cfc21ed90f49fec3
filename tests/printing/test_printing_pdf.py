"""The PDFs, read back: pages, hints, tags, fonts, sizes, ink, the same bytes each time."""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import ImageChops

from companion.i18n import Words
from companion.printing import SHEETS, Context, Options, bundle, pdf
from tests.printing.conftest import ALL, SIZES, figures, made, pictures, poppler, reader, recorded, texts

# One worker for all that read the same sheets: each is made once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sheets")]
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
    # Cut marks and rulers are no figures, and whatever is one can be read aloud.
    assert all(text for text, _place in figures(document))
    fonts = [font for page in document.pages for font in page["/Resources"]["/Font"].values()]
    for font in {font.get_object()["/BaseFont"]: font.get_object() for font in fonts}.values():
        # Static TrueType by its own glyph numbers; any other encoding is a sign of missing characters.
        assert re.fullmatch(r"/[A-Z]{6}\+Companion-Print(-Bold)?", font["/BaseFont"]), font["/BaseFont"]
        assert font["/Encoding"] == "/Identity-H"
        assert font["/DescendantFonts"][0].get_object()["/Subtype"] == "/CIDFontType2"
    # Fine enough that hairlines are not drawn thicker than they are.
    for number, picture in enumerate(poppler(file.body, 100, tmp_path), 1):
        black = sum(255 - value for value in picture.tobytes()) / 255 / (picture.width * picture.height)
        assert 0.002 < black <= 0.08, f"page {number} is {black:.1%} black"


def test_cards_have_few_figures() -> None:
    assert 15 < len(figures(reader(made("leapfrog-cards").body))) < 50


def test_a_table_is_read_aloud_with_its_heads() -> None:
    root = reader(made("leapfrog-score").body).root_object["/StructTreeRoot"]
    assert {"/Table", "/TH", "/TD", "/H1"} <= set(tags(root))


def tags(element: Any) -> Iterator[str]:
    """Yields the tags of a structure tree."""
    element = element.get_object()
    if isinstance(element, dict):
        yield str(element.get("/S", ""))
        children = element.get("/K", [])
        for child in children if isinstance(children, list) else [children]:
            yield from tags(child)


def test_japanese_text_comes_out_as_it_went_in() -> None:
    assert "スートの最も高いカード" in "".join(texts(made("leapfrog-cards", lang="ja").body))


BUDGETS = [
    ("leapfrog-cards", "en", 100), ("leapfrog-cards", "ja", 150), ("leapfrog-rules", "ja", 250),
    ("measure-and-tempo-rules", "ja", 250), ("chameleon-tricks-rules", "ja", 250), ("leapfrog-score", "ja", 120),
    ("leapfrog-kit", "ja", 300),
]  # fmt: skip


def test_all_sheets_at_once_are_the_sheets_one_by_one() -> None:
    """Their stylesheets do not get into each other's way, and each keeps its place in the outline."""
    sheet = bundle(name for name, sheet in SHEETS.items() if not sheet.parts)
    file = pdf(sheet, Options(), ALL)
    alone = [picture for part in sheet.parts for picture in pictures(made(part).body, 60)]
    for picture, expected in zip(pictures(file.body, 60), alone, strict=True):
        assert sum(ImageChops.difference(picture, expected).histogram()[64:]) == 0
    document, words = reader(file.body), Words("en")
    outline = [entry.title for entry in document.outline if not isinstance(entry, list)]
    assert outline == [words(SHEETS[part].title) for part in sheet.parts]
    assert document.metadata.title.startswith(f"{words('print.sheet.leapfrog-cards')}, ")
    assert document.root_object["/ViewerPreferences"]["/Duplex"] == "/DuplexFlipLongEdge"


@pytest.mark.parametrize(("name", "lang", "most"), BUDGETS)
def test_files_stay_small(name: str, lang: str, most: int) -> None:
    assert len(made(name, lang=lang).body) <= most * 1024


CHILD = """
import hashlib, sys
from companion.press import weasy
from companion.printing import Options, Context, SHEETS
from companion.printing.document import build
for name, lang in (("leapfrog-cards", "ja"), ("leapfrog-score", "en"), ("leapfrog-cards", "ja")):
    page = build(SHEETS[name], Options(lang=lang), Context(app="https://companion.example/new/leapfrog"))
    made = weasy.make(page.job())
    assert made.log == ()
    print(hashlib.sha256(made.pdf).hexdigest())
"""


def test_the_same_bytes_in_every_process_and_without_any_font_of_the_machine(tmp_path: Path) -> None:
    """Here the worker drew other sheets before; there it is new, repeats what it kept, or finds no fonts at all."""
    bare = tmp_path / "fonts.conf"
    bare.write_text('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>')
    names = (("leapfrog-cards", "ja"), ("leapfrog-score", "en"), ("leapfrog-cards", "ja"))
    expected = [hashlib.sha256(made(name, lang=lang).body).hexdigest() for name, lang in names]
    for seed, extra in (("0", {}), ("7", {"FONTCONFIG_FILE": str(bare), "XDG_CACHE_HOME": str(tmp_path)})):
        environment = os.environ | {"PYTHONHASHSEED": seed, "TMPDIR": str(tmp_path)} | extra
        ran = subprocess.run(
            [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, check=True, timeout=100
        )
        assert ran.stdout.split() == expected


def test_names_print_as_they_are_and_nothing_is_fetched() -> None:
    evil = ("<img src=file:///etc/passwd>", "{{ 7*7 }} &amp; \u202e**b**")
    record = recorded("leapfrog.by-card.jsonl", players=list(evil))
    file = pdf(SHEETS["leapfrog-score"], Options(kind="filled"), Context(record=record))
    text = "".join(texts(file.body))
    assert "<img src=file:///etc/passwd>" in text
    assert "{{ 7*7 }} &amp; **b**" in text
    assert "root:" not in text


def test_characters_the_font_lacks_are_reported_and_replaced() -> None:
    record = recorded("leapfrog.by-card.jsonl", players=["𠮷野家", "Ben 🐸"])
    file = pdf(SHEETS["leapfrog-score"], Options(kind="filled"), Context(record=record))
    assert set(file.missing_glyphs) == {"𠮷", "🐸"}
    assert "〓野家" in texts(file.body)[0]
