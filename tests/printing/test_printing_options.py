"""What can be asked for, and what is refused by name."""

from typing import Any

import pytest

from companion.engine.record import Record
from companion.i18n import LANGUAGES, Words
from companion.printing import SHEETS, Context, Options, PrintRefused, bundle, etag, filename, html, score_sheet
from tests.printing.conftest import ALL, recorded


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ({"paper": "a5"}, "print.refused.choice"),
        ({"lang": "de"}, "print.refused.choice"),
        ({"layout": "booklet"}, "print.refused.choice"),
        ({"dx": 5.25}, "print.refused.offset"),
        ({"dy": -5.25}, "print.refused.offset"),
        ({"dx": 0.1}, "print.refused.offset"),
        ({"dx": float("nan")}, "print.refused.offset"),
        ({"layout": "gutterfold", "side": "fronts"}, "print.refused.fold-side"),
    ],
)
def test_an_option_out_of_its_limits_is_refused_by_name(asked: dict[str, Any], key: str) -> None:
    with pytest.raises(PrintRefused) as refused:
        Options(**asked)
    assert refused.value.key == key
    for lang in LANGUAGES:
        assert Words(lang)(refused.value.key, **refused.value.params)


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ({"dx": "much"}, "print.refused.number"),
        ({"dx": "inf"}, "print.refused.offset"),
        ({"marks": "yes"}, "print.refused.choice"),
        ({"colour": "on"}, "print.refused.choice"),
        ({"scale": "2"}, "print.refused.option"),
        ({"paper": "A4"}, "print.refused.choice"),
    ],
)
def test_text_that_is_no_option_is_refused(raw: dict[str, str], key: str) -> None:
    with pytest.raises(PrintRefused) as refused:
        Options.read(raw)
    assert refused.value.key == key
    assert all(Words(lang)(key, **refused.value.params) for lang in LANGUAGES)


def test_options_survive_an_address() -> None:
    asked = Options("letter", "ja", "fillable", "single", "short", "backs", "us", False, -1.25, 5, True)
    assert Options.read(asked.query()) == asked
    assert Options().query() == {}


@pytest.mark.parametrize(
    ("name", "asked", "context", "key"),
    [
        ("leapfrog-rules", {"layout": "gutterfold"}, ALL, "print.refused.fold"),
        ("leapfrog-score", {"side": "fronts"}, ALL, "print.refused.side"),
        ("leapfrog-cards", {"kind": "fillable"}, ALL, "print.refused.kind"),
        ("leapfrog-score", {"kind": "filled"}, ALL, "print.refused.no-record"),
        ("qr-card", {}, Context(app="https://companion.example/" + "x" * 300), "print.refused.address"),
        ("qr-card", {}, Context(table="https://companion.example/" + "x" * 4000), "print.refused.address"),
    ],
)
def test_what_a_sheet_cannot_do_is_refused_by_name(name: str, asked: Any, context: Context, key: str) -> None:
    with pytest.raises(PrintRefused) as refused:
        html(SHEETS[name], Options(**asked), context, "/assets/")
    assert refused.value.key == key
    assert all(Words(lang)(key, **refused.value.params) for lang in LANGUAGES)


def test_a_record_belongs_on_the_sheet_of_its_game() -> None:
    record = recorded("chameleon-tricks.by-card.jsonl")
    with pytest.raises(PrintRefused) as refused:
        html(SHEETS["leapfrog-score"], Options(kind="filled"), Context(record=record), "/assets/")
    assert refused.value.key == "print.refused.other-game"
    assert score_sheet("chameleon-tricks", 3).name == "chameleon-tricks-score-3"


def test_a_name_beyond_the_limit_is_refused() -> None:
    record = recorded("leapfrog.by-card.jsonl")
    long = Record(record.game, ("x" * 41, "Ben"), record.setup, record.raw_setup, record.lines)
    with pytest.raises(PrintRefused) as refused:
        Context(record=long)
    assert refused.value.params["limit"] == 40


def test_options_that_make_no_difference_make_no_other_file() -> None:
    sheet = SHEETS["leapfrog-rules"]
    assert etag(sheet, Options(dx=1, card="us", marks=False), ALL) == etag(sheet, Options(), ALL)
    assert etag(sheet, Options(colour=True), ALL) != etag(sheet, Options(), ALL)
    assert etag(SHEETS["leapfrog-cards"], Options(dx=1), ALL) != etag(SHEETS["leapfrog-cards"], Options(), ALL)


def test_files_are_named_after_what_they_hold() -> None:
    assert filename(SHEETS["leapfrog-cards"], Options("letter", "ja")) == "leapfrog-cards-letter-ja.pdf"
    assert filename(SHEETS["leapfrog-score"], Options(kind="filled")) == "leapfrog-score-a4-en-filled.pdf"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", SHEETS)
def test_every_sheet_has_a_title_and_says_what_it_is_for(name: str, lang: str) -> None:
    words = Words(lang)
    assert words(SHEETS[name].title)
    assert words(SHEETS[name].about)
    assert all(words(f"print.option.{option}") for option in SHEETS[name].options)


@pytest.mark.parametrize(
    ("names", "parts", "game", "file"),
    [
        # Named before or after: what fills two pages lies on one paper, and nothing is printed twice.
        ("leapfrog-score leapfrog-pads leapfrog-score", "leapfrog-pads leapfrog-score", "leapfrog", "leapfrog-sheets"),
        ("qr-card leapfrog-rules", "leapfrog-rules qr-card", None, "companion-sheets"),
        (
            "measure-and-tempo-score measure-and-tempo-kit",
            "measure-and-tempo-cards measure-and-tempo-rules measure-and-tempo-score",
            "measure-and-tempo",
            "measure-and-tempo-sheets",
        ),
    ],
)
def test_several_sheets_at_once(names: str, parts: str, game: str | None, file: str) -> None:
    sheet = bundle(names.split())
    assert (sheet.parts, sheet.game) == (tuple(parts.split()), game)
    assert (sheet.kinds, sheet.two_sided) == (("blank",), True)
    assert filename(sheet, Options(lang="ja")) == f"{file}-a4-ja.pdf"


def test_one_sheet_alone_is_itself_and_score_sheets_together_can_be_typed_into() -> None:
    assert bundle(["leapfrog-kit", "leapfrog-kit"]) is SHEETS["leapfrog-kit"]
    both = bundle(["chameleon-tricks-score-2", "chameleon-tricks-score-3"])
    assert (both.kinds, both.two_sided) == (("blank", "fillable"), False)
    with pytest.raises(KeyError):
        bundle(["leapfrog-kit", "poster"])
    with pytest.raises(PrintRefused):
        html(bundle(["leapfrog-score", "leapfrog-rules"]), Options(kind="fillable"), ALL, "")
