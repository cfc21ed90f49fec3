"""A hosted companion: limits, health, logs that give nothing away, and tables that expire."""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from flask import Flask

from companion.app import create_app
from companion.config import load
from companion.store import StoreError
from companion.web import again, limits
from companion.web.health import Lines
from tests.web.conftest import Phone
from tests.web.test_join import JSON, Clock

ENVIRON = {
    "COMPANION_HOSTED": "1",
    "COMPANION_SECRET_KEY": "0123456789abcdef" * 4,
    "COMPANION_PUBLIC_URL": "https://table.test",
    "COMPANION_KEEP_DAYS": "90",
}
PROXY = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7", "Referer": "https://table.test/"}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = create_app(load(data=str(tmp_path), environ=ENVIRON))
    made.testing = True
    yield made
    made.extensions["tables"].store.close()


@pytest.fixture
def clock(app: Flask) -> Clock:
    return Clock(app)


@pytest.fixture
def phone(app: Flask) -> Phone:
    made = Phone(app)
    made.headers |= {"Host": "table.test", **PROXY}
    return made


def test_the_limits_are_those_that_the_readme_tells() -> None:
    readme = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())
    (one, all_), (tables, _) = limits.MOST["join"], limits.MOST["create"]
    assert limits.SECONDS == 600
    assert f"may open {tables} tables and mistype {one} codes in ten minutes, everybody together {all_} codes" in readme


def test_creating_is_limited_and_playing_is_not(
    app: Flask, phone: Phone, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.MOST, "create", (6, None))
    phone.start()
    phone.get("/new/leapfrog")
    fields = {**phone.form(), "name": ["", ""], "dealer": "0"}
    made = [phone.post("/new/leapfrog", {**fields, "key": f"k{n}"}).status_code for n in range(6)]
    assert made == [303] * 5 + [429]
    assert "Wait ten minutes" in phone.page
    assert phone.post(f"{phone.table}/rematch", {**fields, "key": "again"}).status_code == 429
    # Somebody elsewhere is not kept out, and nobody who plays.
    phone.get(phone.table)
    for seat in (0, 1) * 3:
        phone.won(seat)
    other = Phone(app)
    other.headers |= phone.headers | {"X-Forwarded-For": "192.0.2.8"}
    other.start()
    clock.pass_(minutes=10)
    phone.start()


def test_an_address_is_believed_only_from_the_proxy(phone: Phone) -> None:
    """Whatever a phone claims about itself comes before what the proxy adds."""
    phone.get("/join")
    fields = {**phone.form(), "code": "CCCCCC"}
    answers = [
        phone.post("/join", fields, **{"X-Forwarded-For": f"203.0.113.{n}, 192.0.2.7"}).status_code for n in range(21)
    ]
    assert answers == [422] * 20 + [429]


def test_on_a_laptop_no_header_is_believed_and_creating_is_not_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.MOST, "create", (1, None))
    laptop = create_app(load(data=str(tmp_path / "laptop"), environ={}))
    phone = Phone(laptop)
    phone.headers |= {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    for _ in range(2):
        phone.start()
    answers = []
    for n in range(21):
        phone.get("/join")
        fields = {**phone.form(), "code": "CCCCCC"}
        answers.append(phone.post("/join", fields, **{"X-Forwarded-For": f"203.0.113.{n}"}).status_code)
    assert answers == [422] * 20 + [429]
    laptop.extensions["tables"].store.close()


@pytest.mark.parametrize("host", ["table.test", "10.0.0.9:8000", "whatever"])
def test_health_is_told_to_whoever_asks(app: Flask, phone: Phone, host: str) -> None:
    for path, text in (("/healthz", "alive"), ("/readyz", "ready")):
        answer = phone.get(path, Host=host)
        assert (answer.status_code, answer.text, answer.headers["Cache-Control"]) == (200, f"{text}\n", "no-store")
        assert "Set-Cookie" not in answer.headers
    with mock.patch.object(app.extensions["tables"].store, "ready", side_effect=StoreError("store.unavailable")):
        assert phone.get("/readyz", Host=host).status_code == 503
        assert phone.get("/healthz", Host=host).status_code == 200


def lines(records: list[logging.LogRecord]) -> list[dict[str, object]]:
    return [json.loads(Lines().format(record)) for record in records]


def test_requests_are_logged_without_what_is_private(phone: Phone, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "companion.access"):
        phone.start(**{"name": ["Zerlina", "Ben"]})
        phone.won(0)
        told = json.loads(phone.get(f"{phone.table}/live").text)
        phone.get(f"{phone.table}/live", **{"If-None-Match": told["tag"]})
        phone.get("/healthz")
        token = phone.hidden("csrf_token")
        phone.get("/t/AAAAAAAAAAAAAAAAAAAAAA")
    written = lines(caplog.records)
    assert [(line["method"], line["route"], line["status"]) for line in written if line["method"] == "POST"] == [
        ("POST", "/new/<slug>", 303),
        ("POST", "/t/<table_id>", 303),
    ]
    assert written[-1]["status"] == 404
    # A poll with nothing new is no news, and a health check neither.
    assert [line["route"] for line in written].count("/t/<table_id>/live") == 1
    assert "/healthz" not in [line["route"] for line in written]
    everything = json.dumps(written)
    for private in (phone.table[3:], "Zerlina", "192.0.2.7", "AAAAAAAA", token):
        assert private not in everything
    assert all(isinstance(line["ms"], float) and line["at"] and line["process"] for line in written)


def test_a_failure_is_logged_by_its_place_not_its_words(
    app: Flask, phone: Phone, caplog: pytest.LogCaptureFixture
) -> None:
    app.testing = False
    phone.start()
    with mock.patch.object(app.extensions["tables"], "open", side_effect=ValueError("Zerlina said no")):
        assert phone.get(phone.table).status_code == 500
    [line] = [line for line in lines(caplog.records) if "error" in line]
    assert line["error"] == "ValueError"
    assert any(str(place).startswith("play.py:") for place in line["where"])  # type: ignore[attr-defined]
    assert "Zerlina" not in json.dumps(line)
    assert phone.table[3:] not in json.dumps(line)


def test_addresses_and_passwords_in_a_message_are_left_out() -> None:
    record = logging.LogRecord(
        "x", 30, "", 0, "at /t/%s from postgresql://me:pass@host/db", ("A" * 22,), None
    )
    assert lines([record])[0]["message"] == "at /t/- from postgresql://-@host/db"


def test_a_table_warns_before_it_expires_and_then_says_so(app: Flask, phone: Phone, clock: Clock) -> None:
    table = phone.start()
    phone.won(0)
    watched = f"/w/{app.extensions['tables'].store.table(table[3:]).watch}"
    clock.pass_(days=75)
    assert "expires" not in phone.get(table).text
    clock.pass_(days=3)
    assert "This table expires in 12 days" in phone.get(table).text
    assert f'href="{table}/record.json"' in phone.page
    assert "This table expires in 12 days" in phone.get(f"{table}/menu").text
    assert "This table expires in 12 days" in phone.get(watched).text
    assert "record.json" not in phone.page
    told = json.loads(phone.get(f"{table}/live").text)
    assert "fading" in told["parts"]["kind"]
    clock.pass_(days=11)
    assert "expires tomorrow" in phone.get(table).text
    phone.won(1)
    assert "expires" not in phone.get(table).text
    assert "fading" not in json.loads(phone.get(f"{table}/live").text)["parts"]["kind"]
    clock.pass_(1, days=90)
    for path in (table, f"{table}/menu", f"{table}/record.json", f"{table}/join", watched):
        answer = phone.get(path)
        assert answer.status_code == 410
        assert "This table has expired" in answer.text
    assert phone.get(f"{table}/live", **JSON).status_code == 410
    assert table not in phone.get("/").text
    # Swept into the bin it says the same, and what else this phone has can still be taken out.
    fresh = phone.start()
    assert len(phone.get("/tables.jsonl").text.splitlines()) == 1
    assert fresh != table
    assert app.extensions["tables"].store.table(table[3:]).binned_at == clock.now
    assert phone.get(table).status_code == 410


def test_a_hosted_companion_lists_no_tables_of_others(app: Flask, phone: Phone, clock: Clock) -> None:
    table = phone.start()
    stranger = Phone(app)
    stranger.headers |= phone.headers
    assert table not in stranger.get(again.path(app.extensions["companion"].secret_key, clock.now)).text


def test_on_a_laptop_nothing_expires_and_nothing_warns(tmp_path: Path) -> None:
    laptop = create_app(load(data=str(tmp_path / "laptop"), environ={}))
    phone, clock = Phone(laptop), Clock(laptop)
    table = phone.start()
    clock.pass_(days=4000)
    assert phone.get(table).status_code == 200
    assert "fading" not in phone.page
    assert f'href="{table}"' in phone.get("/").text
    laptop.extensions["tables"].store.close()


def test_the_page_for_moments_without_a_network(phone: Phone) -> None:
    answer = phone.get("/sw.js")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.mimetype == "text/javascript"
    files = json.loads(re.findall(r"FILES = (\[.*?\]);", answer.text)[0])
    for path in files:
        assert phone.get(path).status_code == 200
    assert "Try again" in phone.get("/offline").text
    # Another language is another script, so that the phone fetches the page anew.
    assert phone.get("/sw.js", **{"Accept-Language": "ja"}).text != answer.text
    assert phone.get("/sw.js").text == answer.text
