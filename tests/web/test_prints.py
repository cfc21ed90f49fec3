"""The print pages: every sheet offered, refused in words, made once and known again."""

import csv
import io
import re
from collections import OrderedDict
from html import unescape

import pytest
import zxingcpp
from flask import Flask
from pypdf import PdfReader

from companion import net, printing
from companion.engine.registry import GAMES
from companion.i18n import Words
from companion.press.renderer import Renderer
from companion.printing import SHEETS
from tests.printing.conftest import pictures, texts
from tests.web.conftest import HOST, Phone


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


def test_every_sheet_is_shown_small(phone: Phone) -> None:
    for lang in ("en", "ja"):
        found = re.findall(r'<img class="pic" src="([^"]+)"', phone.get("/print", **{"Accept-Language": lang}).text)
        assert len(found) == len(SHEETS)
        assert all(f"/{lang}/" in address for address in found)
    assert "img-src 'self'" in phone.get("/print").headers["Content-Security-Policy"]
    picture = phone.get(found[0])
    assert (picture.status_code, picture.mimetype) == (200, "image/png")
    assert found[0] in phone.get("/print/leapfrog-kit?lang=ja").text


@pytest.mark.parametrize(
    ("language", "paper"),
    [("en-US", "letter"), ("es-MX,es;q=0.8", "letter"), ("en-GB", "a4"), ("ja", "a4"), ("", "a4")],
)
def test_the_paper_of_the_place_is_chosen_first(phone: Phone, language: str, paper: str) -> None:
    headers = {"Accept-Language": language}
    assert f'value="{paper}" checked' in phone.get("/print/leapfrog-cards", **headers).text
    assert f'class="{paper}"' in phone.get("/print/leapfrog-cards/page", **headers).text
    assert 'class="a4"' in phone.get("/print/leapfrog-cards/page?paper=a4", **headers).text


@pytest.mark.parametrize("reason", ["print.engine.missing", "print.engine.pango"])
def test_without_the_engine_it_says_what_to_install_and_the_page_prints(
    phone: Phone, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = Renderer()
    without._reason = reason
    monkeypatch.setattr(without, "_ready", lambda: None)
    monkeypatch.setattr(without, "warm", lambda: None)
    monkeypatch.setattr(printing, "RENDERER", without)
    monkeypatch.setattr(printing, "_kept", OrderedDict())
    said = Words("en")(reason)
    assert said in unescape(phone.get("/print/qr-card").text)
    answer = phone.get("/print/qr-card.pdf")
    assert (answer.status_code, said in unescape(answer.text)) == (503, True)
    assert "Retry-After" not in answer.headers, "asking again does not help"
    assert phone.get("/print/qr-card/page").status_code == 200


@pytest.fixture
def lan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives this computer the address by which the phone comes."""
    monkeypatch.setattr(net, "lan_addresses", lambda: [net.Address("10.0.0.7"), net.Address("192.168.1.20")])


def codes(body: bytes) -> set[str]:
    """Returns what the codes on the first page say, as a phone's camera reads them."""
    return {code.text for code in zxingcpp.read_barcodes(pictures(body, 150)[0])}


@pytest.mark.slow
@pytest.mark.usefixtures("lan")
@pytest.mark.parametrize("name", ["leapfrog-cards", "measure-and-tempo-kit", "chameleon-tricks-cards", "qr-card"])
def test_the_code_of_a_blank_sheet_opens_the_companion(phone: Phone, name: str) -> None:
    [address] = codes(phone.get(f"/print/{name}.pdf").data)
    path = address.removeprefix(f"http://{HOST}")
    assert path == (f"/new/{SHEETS[name].game}" if SHEETS[name].game else "/")
    assert phone.get(path).status_code == 200


@pytest.mark.slow
@pytest.mark.usefixtures("lan")
@pytest.mark.parametrize("slug", GAMES)
def test_a_table_prints_its_own_sheets_and_their_codes_open_it_to_look_on(phone: Phone, app: Flask, slug: str) -> None:
    phone.start(slug, name=["<b>Ann</b>", "Ben 🐸"])
    if slug == "leapfrog":
        phone.won(0, 1, 1)
    form = phone.get(f"{phone.table}/print").text
    assert "🐸" in form.split('role="status"')[1], "told before it is printed"
    assert f'href="{phone.table}/print/card"' in form
    assert phone.get(f"{phone.table}/print/card").status_code == 200
    assert phone.get(f"{phone.table}/print/card/page").status_code == 200
    answer = phone.get(f"{phone.table}/print.pdf")
    assert answer.mimetype == "application/pdf"
    said = "".join(texts(answer.data))
    assert "<b>Ann</b>" in said
    assert "Ben 〓" in said
    stranger = Phone(app)
    for body in (answer.data, phone.get(f"{phone.table}/print/card.pdf").data):
        [address] = codes(body)
        path = address.removeprefix(f"http://{HOST}")
        assert path.startswith("/w/")
        assert stranger.get(path).status_code == 200
        assert "<b>Ann</b>" not in stranger.page
        assert "&lt;b&gt;Ann" in stranger.page
        assert phone.table.removeprefix("/t/") not in "".join(texts(body)), "who finds the paper cannot write"


def test_without_a_network_the_sheet_has_a_line_for_an_address(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net, "lan_addresses", lambda: [])
    page = phone.get("/print/qr-card/page").text
    assert "http" not in page.split("<body>")[1].replace("http://www.w3.org", "")
    assert phone.get("/t/none/print.pdf").status_code == 404
    assert phone.get("/t/none/print/card.pdf").status_code == 404


@pytest.mark.parametrize("slug", GAMES)
def test_a_finished_game_offers_its_print(phone: Phone, slug: str) -> None:
    phone.start(slug)
    assert f'href="{phone.table}/print"' not in phone.page
    phone.enter({"type": "concede", "seat": 1})
    assert f'href="{phone.table}/print"' in phone.page


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_columns_run_alike_on_screen_on_paper_and_in_a_spreadsheet(app: Flask, lang: str) -> None:
    phone = Phone(app, lang)
    phone.start(name=["Zoe", "Ann"])
    phone.won(*[0] * 7, 1)
    rows = list(csv.reader(io.StringIO(phone.get(f"{phone.table}/record.csv").text.removeprefix("\ufeff"))))
    words = Words(lang)
    assert rows[0][:2] == [words("csv.chapter.leapfrog"), words("csv.number.leapfrog")]
    assert rows[0][6:8] == [words("csv.total", name=name) for name in ("Zoe", "Ann")]
    assert len({len(row) for row in rows}) == 1
    totals = [int(total) for total in rows[7][6:8]]
    paper = phone.get(f"{phone.table}/print/page").text
    assert f"Zoe {totals[0]}, Ann {totals[1]}</title>" in paper
    assert paper.index("Zoe") < paper.index("Ann")
    screen = phone.get(phone.table).text
    assert screen.index("Zoe") < screen.index("Ann")
