"""Hosts, headers, sessions, form tokens, and who may write."""

import json
import re
from pathlib import Path

import pytest
from flask import Flask

from companion.app import create_app
from companion.config import load
from companion.web.guard import host_ok
from tests.web.conftest import Phone


@pytest.mark.parametrize("host", ["localhost", "10.0.0.3", "[::1]:8765", "box.local"])
def test_hosts_of_the_local_network_are_ours(host: str) -> None:
    assert host_ok(host, None, False)


@pytest.mark.parametrize("host", ["evil.example", "8.8.8.8", "192.168.1.5.evil.example", "local", ""])
def test_names_of_strangers_are_refused(host: str, phone: Phone) -> None:
    assert not host_ok(host, None, False)
    assert phone.get("/", Host=host or "x").status_code == 400


def test_a_hosted_companion_has_one_name() -> None:
    assert host_ok("table.example.org", "table.example.org", True)
    assert not host_ok("192.168.1.5", "table.example.org", True)


@pytest.mark.parametrize("path", ["/", "/new/leapfrog", "/rules/leapfrog", "/nothing", "/static/app.css"])
def test_every_answer_is_guarded(path: str, phone: Phone) -> None:
    answer = phone.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "upgrade-insecure-requests" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Strict-Transport-Security" not in answer.headers


def test_no_page_has_anything_inline(phone: Phone) -> None:
    table = phone.start()
    phone.won(0, 1)
    pages = ["/", "/new/leapfrog", table, f"{table}?by=card", f"{table}?by=flat", f"{table}/menu", f"{table}/all"]
    for path in (*pages, f"{table}/item/1", f"{table}/join", f"{table}/adjust", "/rules/leapfrog"):
        page = phone.get(path).text
        assert not re.search(r"\sstyle=|\son[a-z]+=|<style|<script>", page), path


def test_pages_are_not_kept_and_polls_are_asked_again(phone: Phone) -> None:
    table = phone.start()
    assert phone.get(table).headers["Cache-Control"] == "no-store"
    assert phone.get(f"{table}/live").headers["Cache-Control"] == "private, no-cache"


def test_static_files_are_kept_for_a_year_under_their_own_mark(phone: Phone) -> None:
    found = re.search(r'href="(/static/app\.css\?v=[0-9a-f]+)"', phone.get("/").text)
    assert found
    answer = phone.get(found[1], **{"Accept-Encoding": "gzip"})
    assert "max-age=31536000" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Encoding"] == "gzip"
    assert phone.get("/static/app.css").headers["Cache-Control"] == "no-cache"
    assert phone.get("/static/..%2fapp.py").status_code == 404


def test_a_session_cookie_is_ours_alone_and_works_without_https(phone: Phone) -> None:
    phone.get("/new/leapfrog")
    cookie = phone.client.get("/new/leapfrog", headers=phone.headers)
    assert cookie.status_code == 200
    made = phone.client._cookies  # type: ignore[attr-defined]
    names = {key[2]: value for key, value in made.items()}
    assert "companion" in names
    assert not names["companion"].secure
    assert names["companion"].http_only
    assert names["companion"].same_site == "Lax"


def test_a_poll_carries_no_cookie(phone: Phone) -> None:
    table = phone.start()
    assert "Set-Cookie" not in phone.get(f"{table}/live").headers


def test_without_its_token_nothing_is_stored_and_nothing_is_lost(phone: Phone) -> None:
    phone.start()
    answer = phone.enter({"type": "won", "seat": 1}, csrf_token="worn out")
    assert answer.status_code == 400
    assert "Send it again" in answer.text
    assert "&#34;seat&#34;: 1" in answer.text
    again = {name: phone.hidden(name) for name in ("csrf_token", "key", "expected", "entry")}
    assert phone.post(phone.table, again).status_code == 303
    assert len(phone.record()["entries"]) == 1


def test_scripts_get_a_fresh_token(phone: Phone) -> None:
    phone.start()
    headers = {**phone.headers, "Accept": "application/json"}
    answer = phone.client.post(phone.table, data={"key": "k", "expected": 0}, headers=headers)
    assert answer.status_code == 400
    assert json.loads(answer.text)["csrf"]


def test_open_pages_go_on_after_a_restart(tmp_path: Path) -> None:
    first = create_app(load(data=str(tmp_path), environ={}))
    phone = Phone(first)
    phone.start()
    cookies = phone.client._cookies  # type: ignore[attr-defined]
    first.extensions["tables"].store.close()
    second = create_app(load(data=str(tmp_path), environ={}))
    later = Phone(second)
    later.client._cookies.update(cookies)  # type: ignore[attr-defined]
    later.table, later.page = phone.table, phone.page
    assert later.enter({"type": "won", "seat": 0}).status_code == 303
    second.extensions["tables"].store.close()


def test_who_watches_cannot_write(app: Flask, phone: Phone) -> None:
    phone.start()
    watched = re.search(r'value="http://[^"]+(/w/[^"]+)"', phone.get(f"{phone.table}/join?as=watch").text)
    found = watched[1] if watched else f"/w/{app.extensions['tables'].store.table(phone.table[3:]).watch}"
    guest = Phone(app)
    page = guest.get(found).text
    assert "You are looking on" in page
    assert phone.table[3:] not in page
    assert phone.table[3:] not in guest.get(f"{found}/live").text
    for path in ("", "/menu", "/all"):
        assert phone.table[3:] not in guest.get(found + path).text
    assert guest.post(found, {"entry": "{}"}).status_code in (400, 405)
    for path in ("/adjust", "/end", "/join", "/record.json"):
        assert guest.get(found + path).status_code == 404


@pytest.mark.parametrize("path", ["/t/AAAAAAAAAAAAAAAAAAAAAA", "/t/x", "/w/x", "/t/x/live", "/nothing", "/new/chess"])
def test_an_address_that_leads_nowhere_says_so(path: str, phone: Phone) -> None:
    answer = phone.get(path)
    assert answer.status_code == 404
    assert "<h1>" in answer.text


def test_too_much_is_refused_with_a_page(phone: Phone) -> None:
    phone.start()
    answer = phone.enter(entry="x" * 100_000)
    assert answer.status_code == 413
    assert "Too much at once" in answer.text


def test_look_leads_back_only_to_us(phone: Phone) -> None:
    phone.start()
    for back in ("//evil.example", "https://evil.example", "/\\evil.example"):
        answer = phone.post("/look", {**phone.form(), "theme": "dark", "back": back})
        assert answer.headers["Location"] == "/"
    assert 'data-theme="dark"' in phone.get("/").text
