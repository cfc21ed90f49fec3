"""The pages before they become PDFs: what they hold, what they ask for, what they cite."""

import html as entities
import re

import pytest

from companion.engine.registry import GAMES
from companion.i18n import LANGUAGES
from companion.printing import SHEETS, Options, asset, html
from companion.printing.assets import layout_name
from companion.printing.fonts import preflight
from companion.resources import data_dir
from tests.printing.conftest import ALL

EACH = [(name, kind) for name, sheet in SHEETS.items() for kind in sheet.kinds if kind != "filled"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("name", "kind"), EACH)
def test_a_page_has_no_style_and_no_script_of_its_own(name: str, kind: str, lang: str) -> None:
    page = html(SHEETS[name], Options(lang=lang, kind=kind), ALL, "/print/assets/")
    assert " style=" not in page
    assert "<style" not in page
    assert "<script" not in page
    assert f'lang="{lang}"' in page
    for address in re.findall(r'href="([^"]+)"', page):
        assert asset(address.removeprefix("/print/assets/")).type.startswith("text/css")
    every = set(re.findall(r'\bid="([^"]+)"', page))
    assert len(every) == len(re.findall(r'\bid="', page)), "an id stands once in a page"


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_rules_sheet_names_every_rule_once(slug: str, lang: str) -> None:
    page = html(SHEETS[f"{slug}-rules"], Options(lang=lang), ALL, "/a/")
    cited = re.findall(rf'id="{slug}-([a-z-]+)">{slug}/\1<', page)
    assert sorted(f"{slug}/{name}" for name in cited) == sorted(GAMES[slug].rules)


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_has_its_kit_with_all_its_sheets(slug: str) -> None:
    parts = set(SHEETS[f"{slug}-kit"].parts)
    assert parts == {name for name, sheet in SHEETS.items() if sheet.game == slug and not sheet.parts}


@pytest.mark.parametrize(
    "name",
    ["../pyproject.toml", "css/../sheets.json", "fonts/OFL.txt", "css/none.css", "layout/a4-poker.css", "geometry.json",
     "layout/a9-poker-duplex-long-1-0_0.css", "layout/a4-poker-duplex-long-1-9_0.css",
     "layout/a4-poker-duplex-long-1-._0.css", ""],
)  # fmt: skip
def test_nothing_but_stylesheets_and_fonts_is_served(name: str) -> None:
    with pytest.raises(KeyError):
        asset(name)


def test_the_stylesheet_of_a_layout_moves_the_backs() -> None:
    plain, moved = (asset(layout_name(Options(dx=dx))).body.decode() for dx in (0, 0.25))
    assert ".backs { left: 10.5mm; top: 16.5mm }" in plain
    assert ".backs { left: 10.75mm; top: 16.5mm }" in moved
    assert ".block { left: 10.5mm; top: 16.5mm;" in moved


@pytest.mark.parametrize(
    ("text", "printed", "missing"),
    [
        ("Ann", "Ann", ()),
        ("髙橋 ひとみ", "髙橋 ひとみ", ()),
        ("Łukasz Žižek Åsa", "Łukasz Žižek Åsa", ()),
        ("Дмитрий", "Дмитрий", ()),
        ("𠮷野 🐸🐸", "〓野 〓〓", ("𠮷", "🐸")),
        ("e\u0301te\u0301", "été", ()),
        ("a\u200bb\ufe0e\u0007c", "abc", ()),
        ("a\tb\r\nc", "a b \nc", ()),
        ("김", "〓", ("김",)),
    ],
)
def test_what_the_fonts_lack_is_replaced_and_named(text: str, printed: str, missing: tuple[str, ...]) -> None:
    assert preflight(text) == (printed, missing)


def test_the_list_of_characters_is_that_of_the_fonts() -> None:
    from fontTools.ttLib import TTFont

    from companion.printing.build_fonts import ranges
    from companion.resources import data_dir

    fonts = data_dir("printables") / "fonts"
    held = [set(TTFont(fonts / f"companion-print-{weight}.ttf").getBestCmap()) for weight in (400, 700)]
    listed = (fonts / "characters.json").read_text(encoding="ascii")
    assert str(ranges(sorted(held[0] & held[1]))).replace(" ", "") == listed.strip()
    for name in fonts.glob("*.ttf"):
        font = TTFont(name)
        assert font["name"].getBestFamilyName() in ("Companion Print", "Companion Field")
        assert font["glyf"][".notdef"].numberOfContours > 0
        assert not {"CFF ", "CFF2", "fvar"} & set(font.keys())


def test_no_shared_page_names_a_package_address_or_a_folder_of_this_machine() -> None:
    page = entities.unescape(html(SHEETS["leapfrog-kit"], Options(), ALL, "/a/"))
    assert "file:" not in page
    assert str(data_dir("printables").parent) not in page


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", SHEETS)
def test_every_sheet_has_a_small_picture(name: str, lang: str) -> None:
    found = asset(SHEETS[name].picture(lang))
    assert found.type == "image/png"
    assert found.body.startswith(b"\x89PNG")
    assert len(found.body) < 24 * 1024


def test_stylesheets_use_only_what_the_engine_draws_reliably() -> None:
    """No boxes that flow over pages by themselves, no faked italics, no upright text, no bleed of the engine's own."""
    barred = r"\b(flex|grid-template|italic|oblique|writing-mode|keep-all|bleed|marks|height: 100%|float: inside)\b"
    for path in (data_dir("printables") / "css").glob("*.css"):
        text = re.sub(r"/\*.*?\*/|\{[{%#].*?[}%#]\}", "", path.read_text(encoding="utf-8"))
        assert path.name == "preview.css" or not re.search(barred, text), path.name


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["leapfrog-kit", "measure-and-tempo-kit", "chameleon-tricks-kit"])
def test_suits_and_frogs_are_drawings_with_inks_of_their_own(name: str, lang: str) -> None:
    page = html(SHEETS[name], Options(lang=lang), ALL, "/a/")
    assert not re.search("[♠♥♦♣♤♡♢♧🐸]|<use|currentColor|<symbol", page)
