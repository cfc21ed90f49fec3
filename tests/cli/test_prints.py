"""Printing from the command line: which sheet, how, where to, and what cannot be."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from companion.printing import SHEETS
from tests.cli.command import companion

GAME: dict[str, Any] = {
    "format": "companion-record",
    "version": 1,
    "game": "leapfrog",
    "players": ["Ann", "Benedikta"],
    "setup": {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0},
    "entries": [{"type": "won", "seat": 0, "at": "2026-01-31T20:15:00Z"}],
}


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(GAME))
    return path


def text(path: Path) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def test_the_list_of_sheets() -> None:
    for lang in ("en", "ja"):
        for typed in (["print"], ["print", "--list"], ["print", "leapfrog-kit", "--list"]):
            ran = companion(*typed, "--lang", lang)
            assert ran.status == 0
            assert [line.split()[0] for line in ran.out.splitlines()] == list(SHEETS)


@pytest.mark.slow
@pytest.mark.parametrize(("locale", "paper"), [("en_US.UTF-8", "letter"), ("en_GB.UTF-8", "a4"), ("C", "a4")])
def test_the_paper_of_the_place(locale: str, paper: str, tmp_path: Path) -> None:
    [answer] = companion("print", "qr-card", "-o", str(tmp_path / "card.pdf"), LC_PAPER=locale).answers
    box = PdfReader(answer["file"]).pages[0].mediabox
    assert round(float(box.height)) == {"a4": 842, "letter": 792}[paper]


@pytest.mark.slow
def test_a_sheet_under_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [answer] = companion("print", "leapfrog-score", "--paper", "letter", "--lang", "ja").answers
    made = tmp_path / answer["file"]
    assert made.name == "leapfrog-score-letter-ja.pdf"
    assert made.stat().st_size == answer["bytes"]
    box = PdfReader(made).pages[0].mediabox
    assert {round(float(box.width)), round(float(box.height))} == {612, 792}


@pytest.mark.slow
def test_a_recorded_game_fills_its_own_sheet(record: Path, tmp_path: Path) -> None:
    ran = companion("print", "--record", str(record), "-o", str(tmp_path / "out.pdf"))
    assert (ran.status, ran.err) == (0, "")
    assert "Benedikta" in text(tmp_path / "out.pdf")
    assert "2026" in text(tmp_path / "out.pdf")


@pytest.mark.slow
def test_several_sheets_go_into_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [answer] = companion("print", "leapfrog-score", "leapfrog-rules", "leapfrog-score", "--paper", "a4").answers
    assert answer["file"] == "leapfrog-sheets-a4-en.pdf"
    pages = PdfReader(answer["file"]).pages
    assert len(pages) == 3
    # The rules lie on one paper, front and back.
    assert "page 2" in pages[1].extract_text()


@pytest.mark.slow
def test_to_standard_output() -> None:
    typed = ["print", "leapfrog-cards", "--layout", "single", "--side", "fronts", "--no-marks", "--colour", "-o", "-"]
    ran = companion(*typed)
    assert (ran.status, ran.err) == (0, "")
    assert len(PdfReader(BytesIO(ran.raw)).pages) == 1


@pytest.mark.slow
def test_the_address_that_is_printed(tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    companion("print", "qr-card", "--url", "https://table.example.org/", "-o", str(out))
    assert "table.example.org" in text(out).replace("\n", "")
    companion("print", "qr-card", "-o", str(out), COMPANION_PUBLIC_URL="https://other.example.org")
    assert "other.example.org" in text(out).replace("\n", "")


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        (["poster"], "leapfrog-kit"),
        (["leapfrog-kit", "poster"], "poster"),
        (["leapfrog-kit", "--paper", "a5"], "letter"),
        (["leapfrog-cards", "--dx", "far"], "far"),
        (["leapfrog-cards", "--dx", "50"], "50"),
        (["leapfrog-score", "--kind", "filled"], "recorded"),
        (["leapfrog-rules", "--layout", "gutterfold"], "cards"),
        (["leapfrog-rules", "leapfrog-score", "--kind", "fillable"], "blank"),
    ],
)
def test_what_cannot_be_printed(typed: list[str], named: str) -> None:
    ran = companion("print", *typed)
    assert ran.status == 1
    assert named in ran.err
    assert ran.out == ""


@pytest.mark.slow
def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    ran = companion("print", "leapfrog-score", "-o", str(tmp_path / "no" / "out.pdf"))
    assert ran.status == 1
    assert str(tmp_path / "no" / "out.pdf") in ran.err


def changed(**parts: Any) -> str:
    return json.dumps({**GAME, **parts})


@pytest.mark.parametrize(
    ("given", "status", "named"),
    [
        ("{", 2, "not JSON"),
        (f"{changed()}\n{changed()}", 2, "2 records"),
        (changed(entries=[{"type": "card", "seat": 1, "card": "10S"}]), 1, "Ann"),
    ],
)
def test_records_that_fill_no_sheet(given: str, status: int, named: str) -> None:
    ran = companion("print", "--record", "-", given=given)
    assert ran.status == status
    assert named in ran.err


def test_a_sheet_of_another_game(record: Path) -> None:
    ran = companion("print", "measure-and-tempo-score", "--record", str(record))
    assert ran.status == 1
    assert "another game" in ran.err
