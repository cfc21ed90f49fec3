"""The print pages: every sheet offered, refused in words, made once and known again."""

import io
from html import unescape

import pytest
from pypdf import PdfReader

from companion.printing import SHEETS
from tests.web.conftest import Phone


def test_every_sheet_is_offered(phone: Phone) -> None:
    page = phone.get("/print").text
    for name in SHEETS:
        assert f'href="/print/{name}"' in page


@pytest.mark.parametrize("name", list(SHEETS))
def test_every_sheet_shows_its_options(phone: Phone, name: str) -> None:
    answer = phone.get(f"/print/{name}")
    assert answer.status_code == 200
    assert f'formaction="/print/{name}.pdf"' in answer.text
    assert ' style="' not in answer.text


def test_what_does_not_fit_is_refused_and_nothing_chosen_is_lost(phone: Phone) -> None:
    answer = phone.get("/print/leapfrog-cards?paper=letter&dx=0.1")
    assert answer.status_code == 422
    assert "steps of 0.25 mm" in unescape(answer.text)
    assert 'value="letter" checked' in answer.text
    assert 'name="dx" value="0.1"' in answer.text
    assert phone.get("/print/leapfrog-cards.pdf?dx=0.1").status_code == 422
    assert phone.get("/print/none").status_code == 404
    assert phone.get("/print/assets/../config.py").status_code == 404


def test_the_page_at_full_size_brings_its_fonts_and_nothing_else(phone: Phone) -> None:
    answer = phone.get("/print/leapfrog-cards/page?paper=letter")
    assert answer.status_code == 200
    policy = answer.headers.getlist("Content-Security-Policy")
    assert len(policy) == 1
    assert "font-src 'self'" in policy[0]
    assert "script" not in policy[0]
    style = answer.text.split('href="/print/assets/')[1].split('"')[0]
    assert phone.get(f"/print/assets/{style}").status_code == 200


@pytest.mark.slow
def test_a_pdf_is_made_once_and_known_again(phone: Phone) -> None:
    answer = phone.get("/print/leapfrog-cards.pdf?paper=letter")
    assert answer.mimetype == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'inline; filename="leapfrog-cards-letter-en.pdf"'
    box = PdfReader(io.BytesIO(answer.data)).pages[0].mediabox
    assert (round(float(box.width)), round(float(box.height))) == (612, 792)
    mark = answer.headers["ETag"]
    assert phone.get("/print/leapfrog-cards.pdf?paper=letter", **{"If-None-Match": mark}).status_code == 304
    assert phone.get("/print/leapfrog-cards.pdf", **{"If-None-Match": mark}).status_code == 200


@pytest.mark.slow
def test_a_table_prints_its_own_score_sheet(phone: Phone) -> None:
    phone.start(name=["<b>Ann</b>", "Ben"])
    phone.won(0, 1, 1)
    assert phone.get(f"{phone.table}/print").status_code == 200
    answer = phone.get(f"{phone.table}/print.pdf")
    assert answer.mimetype == "application/pdf"
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(answer.data)).pages)
    assert "<b>Ann</b>" in text
    assert phone.get("/t/none/print.pdf").status_code == 404
