"""Phones come to a table by its code, take a seat, fall asleep, are put out, and are led on."""

import html
import json
import re
from datetime import timedelta
from unittest import mock

import pytest
from flask import Flask

from companion import net
from companion.table import Tables
from companion.web import again, limits
from tests.web.conftest import Phone

JSON = {"Accept": "application/json"}


class Clock:
    """The table's clock, moved by hand."""

    def __init__(self, app: Flask) -> None:
        self.now = 1_800_000_000.0
        service: Tables = app.extensions["tables"]
        service.clock = lambda: self.now

    def pass_(self, seconds: float = 0, **more: float) -> None:
        self.now += seconds + timedelta(**more).total_seconds()


@pytest.fixture
def clock(app: Flask) -> Clock:
    return Clock(app)


def code(phone: Phone, role: str = "play") -> str:
    """Returns the code that a phone at the table shows."""
    found = re.search(r'class="doorcode"[^>]*>([^<]+)<', phone.get(f"{phone.table}/join?as={role}").text)
    assert found
    return found[1]


def enter(phone: Phone, typed: str) -> str:
    """Types a code on another phone; returns where it leads, or what is wrong."""
    phone.get("/join")
    answer = phone.post("/join", {**phone.form(), "code": typed})
    if answer.status_code == 303:
        return str(answer.headers["Location"])
    assert answer.status_code in (422, 429)
    return said(phone)


def said(phone: Phone) -> str:
    found = re.search(r'role="alert">([^<]*)<', phone.page)
    return html.unescape(found[1]) if found else ""


def listed(phone: Phone) -> list[str]:
    """Returns the phones that the join page shows, by name and role."""
    page = phone.get(f"{phone.table}/join").text
    rows = re.findall(r'<span class="grow"><b>([^<]+)</b><small class="dim">([^<]+)</small>', page)
    return [html.unescape(f"{name}: {role}") for name, role in rows]


def sit(phone: Phone, place: str) -> None:
    phone.get(f"{phone.table}/join")
    assert phone.post(f"{phone.table}/seat", {**phone.form(), "seat": place}).status_code == 303


def guest(app: Flask, table: str) -> Phone:
    made = Phone(app)
    made.table = table
    made.get(table)
    return made


def put_out(phone: Phone, number: int = 0) -> str:
    """Puts one of the other phones out; returns the table's new address."""
    page = phone.get(f"{phone.table}/join").text
    marks = re.findall(r'name="phone" value="([0-9a-f]+)"', page)
    answer = phone.post(f"{phone.table}/out", {**phone.form(), "phone": marks[number]})
    assert answer.status_code == 303
    return str(answer.headers["Location"]).removesuffix("/join")


def wide(text: str) -> str:
    """Returns what a Japanese keyboard makes of a code."""
    return "".join("　" if one == " " else chr(ord(one) + 0xFEE0) for one in text)


@pytest.mark.usefixtures("clock")
def test_a_typed_code_leads_to_the_table(app: Flask, phone: Phone) -> None:
    phone.start()
    shown = code(phone)
    for typed in (shown, shown.lower(), shown.replace(" ", "-"), f" {shown.replace(' ', '')} ", wide(shown)):
        other = Phone(app)
        assert enter(other, typed) == phone.table
    assert 'name="expected"' in other.get(phone.table).text


@pytest.mark.usefixtures("clock")
def test_a_code_to_watch_leads_to_the_table_without_its_writing_address(app: Flask, phone: Phone) -> None:
    phone.start()
    other = Phone(app)
    way = enter(other, code(phone, "watch"))
    assert way.startswith("/w/")
    assert "You are looking on" in other.get(way).text
    assert phone.table[3:] not in other.page


def test_a_code_is_open_for_some_minutes_only(app: Flask, phone: Phone, clock: Clock) -> None:
    phone.start()
    shown = code(phone)
    assert "It works for 10 more minutes" in phone.page
    clock.pass_(minutes=4)
    assert code(phone) == shown
    clock.pass_(minutes=6)
    assert "opens no table" in enter(Phone(app), shown)


def test_what_is_no_code_is_told_and_not_counted(
    app: Flask, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.MOST, "join", (3, 3))
    phone.start()
    other = Phone(app)
    for typed in ("", "CDF", "CDFHJKM", "✂✂✂✂✂✂"):
        assert "six letters and figures" in enter(other, typed)
    assert enter(other, code(phone)) == phone.table


def test_codes_cannot_be_guessed_at_leisure(app: Flask, phone: Phone, clock: Clock) -> None:
    phone.start()
    shown = code(phone)
    wrong = "CCCCCC" if shown != "CCC CCC" else "DDDDDD"
    other = Phone(app)
    # Who types it well may come as often as they like, and what they mistyped before still counts.
    for _ in range(19):
        assert "opens no table" in enter(other, wrong)
    for _ in range(3):
        assert enter(other, shown) == phone.table
    assert "opens no table" in enter(other, wrong)
    for typed in (wrong, shown):
        assert "Too many codes" in enter(other, typed)
    assert other.post("/join", {**other.form(), "code": wrong}).status_code == 429
    clock.pass_(minutes=10)
    assert enter(other, code(phone)) == phone.table


@pytest.mark.usefixtures("clock")
def test_all_addresses_together_are_limited_too(app: Flask, phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.MOST, "join", (5, 20))
    phone.start()
    shown = code(phone)
    other = Phone(app)
    other.get("/join")

    def typed(address: str) -> int:
        sent = {"data": {**other.form(), "code": "CCCCCC"}, "headers": other.headers}
        return other.client.post("/join", environ_overrides={"REMOTE_ADDR": address}, **sent).status_code

    assert [typed(f"10.0.{n // 5}.1") for n in range(20)] == [422] * 20
    assert typed("10.9.9.9") == 429
    # One home's addresses of IPv6 are one address.
    store = app.extensions["tables"].store
    store._database.write(lambda run: run._cursor.execute("DELETE FROM tally"))
    assert [typed(f"2001:db8:1:2::{n}") for n in range(6)] == [422] * 5 + [429]
    assert typed("2001:db8:1:3::1") == 422
    assert "opens no table" not in enter(other, shown)


def test_no_address_of_a_phone_is_stored(app: Flask, phone: Phone) -> None:
    phone.start()
    enter(phone, "CCCCCC")
    names = app.extensions["tables"].store._database.read(
        lambda run: run._cursor.execute("SELECT name FROM tally").fetchall()
    )
    assert sorted(name.partition(":")[0] for (name,) in names) == ["join", "join", "sweep"]
    assert "127.0.0.1" not in str(names)


@pytest.mark.usefixtures("clock")
def test_seats_that_phones_take_are_shown_to_all(app: Flask, phone: Phone) -> None:
    phone.start()
    assert listed(phone) == ["Shared: may enter · this phone"]
    other = guest(app, phone.table)
    sit(phone, "0")
    sit(other, "1")
    watcher = Phone(app)
    watcher.get("/w/" + app.extensions["tables"].store.table(phone.table[3:]).watch)
    assert listed(phone) == ["Ann: may enter · this phone", "Ben: may enter", "Onlooker: only looks on"]
    assert listed(other) == ["Ben: may enter · this phone", "Ann: may enter", "Onlooker: only looks on"]
    assert phone.get(phone.table).text.count("a phone is here") == 2
    sit(phone, "")
    sit(other, "7")
    assert listed(phone)[:2] == ["Shared: may enter · this phone", "Shared: may enter"]
    assert "a phone is here" not in phone.get(phone.table).text


def test_a_phone_that_sleeps_is_gone_within_half_a_minute(app: Flask, phone: Phone, clock: Clock) -> None:
    phone.start()
    other = guest(app, phone.table)
    sit(phone, "0")
    sit(other, "1")
    told = json.loads(phone.get(f"{phone.table}/live").text)
    for _ in range(7):
        clock.pass_(4)
        answer = phone.get(f"{phone.table}/live", **{"If-None-Match": told["tag"]})
        if answer.status_code == 200:
            told = json.loads(answer.text)
    # Its own polls keep a phone awake, and tell it that the other one is gone.
    assert ["a phone is here" in told["parts"][side] for side in ("side0", "side1")] == [True, False]
    assert phone.get(f"{phone.table}/live", **{"If-None-Match": told["tag"]}).status_code == 304
    assert listed(phone) == ["Ann: may enter · this phone"]
    other.get(f"{other.table}/live", **{"If-None-Match": told["tag"]})
    clock.pass_(5)
    assert phone.get(f"{phone.table}/live", **{"If-None-Match": told["tag"]}).status_code == 200


def test_who_is_here_costs_no_write_for_each_poll(app: Flask, phone: Phone, clock: Clock) -> None:
    phone.start()
    sit(phone, "0")
    told = json.loads(phone.get(f"{phone.table}/live").text)
    store = app.extensions["tables"].store
    with mock.patch.object(store._database, "write", wraps=store._database.write) as write:
        for _ in range(60):
            clock.pass_(1)
            assert phone.get(f"{phone.table}/live", **{"If-None-Match": told["tag"]}).status_code == 304
    assert write.call_count <= 7


def test_a_phone_put_out_has_lost_the_table(app: Flask, phone: Phone) -> None:
    old = phone.start()
    lost, third = guest(app, old), guest(app, old)
    sit(third, "1")
    watcher = Phone(app)
    watched = "/w/" + app.extensions["tables"].store.table(old[3:]).watch
    watcher.get(watched)
    fresh = put_out(phone, 1 if "Ben" in listed(phone)[1] else 0)
    assert fresh != old
    # Put out: it neither sees nor writes, by any address that it knew, with its cookie or without.
    for stranger in (lost, Phone(app)):
        for path in (old, f"{old}/menu", f"{old}/record.json", watched):
            answer = stranger.get(path)
            assert answer.status_code == 410
            assert "This address no longer holds" in answer.text
            assert fresh[3:] not in answer.text
    assert lost.post(old, {"csrf_token": "x", "key": "k"}).status_code in (400, 410)
    assert lost.get(f"{old}/live", **JSON).status_code == 410
    assert old not in lost.get("/").text
    assert fresh not in lost.page
    # The others are led on.
    assert third.get(old).headers["Location"] == fresh
    assert third.get(f"{old}/item/1/fix?at=0").headers["Location"] == f"{fresh}/item/1/fix?at=0"
    new_watched = watcher.get(watched).headers["Location"]
    assert new_watched.startswith("/w/")
    assert "You are looking on" in watcher.get(new_watched).text
    # Who was put out can be let in again by whoever sits there.
    third.table = fresh
    assert enter(lost, code(third)) == fresh
    assert lost.get(fresh).status_code == 200
    lost.table = fresh
    assert len(listed(lost)) == 4


def test_an_entry_on_its_way_to_the_old_address_arrives_once(app: Flask, phone: Phone) -> None:
    old = phone.start()
    other, lost = guest(app, old), guest(app, old)
    sit(lost, "1")
    fields = {**other.form(), "expected": "0", "entry": json.dumps({"type": "won", "seat": 0})}
    place = next(n for n, name in enumerate(listed(phone)[1:]) if name.startswith("Ben"))
    fresh = put_out(phone, place)
    for _ in range(2):
        answer = other.post(old, fields, **JSON)
        assert (answer.status_code, answer.headers["Location"]) == (307, fresh)
        assert other.post(fresh, fields, **JSON).status_code == 200
    phone.table = fresh
    assert len(phone.record()["entries"]) == 1


def test_putting_out_what_is_not_there_changes_nothing(phone: Phone) -> None:
    table = phone.start()
    phone.get(f"{table}/join")
    answer = phone.post(f"{table}/out", {**phone.form(), "phone": "0123456789abcdef"})
    assert answer.headers["Location"] == f"{table}/join"


def test_an_entry_tells_whose_phone_it_came_from(app: Flask, phone: Phone) -> None:
    phone.start()
    phone.won(0)
    other = guest(app, phone.table)
    sit(phone, "0")
    sit(other, "1")
    other.get(phone.table)
    other.won(0)
    phone.get(phone.table)
    phone.won(1)
    phone.enter(undo="1")
    assert [entry.get("by") for entry in phone.record()["entries"]] == [None, 1, 0, 0]


def test_names_can_be_changed_whenever(app: Flask, phone: Phone) -> None:
    phone.start()
    phone.won(0, 1)
    other = guest(app, phone.table)
    told = json.loads(other.get(f"{phone.table}/live").text)
    phone.get(f"{phone.table}/menu")
    assert phone.post(f"{phone.table}/names", {**phone.form(), "name": ["Zoë", "本"]}).status_code == 303
    later = other.get(f"{phone.table}/live", **{"If-None-Match": told["tag"]})
    assert "Zoë" in json.loads(later.text)["parts"]["side0"]


def test_a_code_holds_every_address_of_today(phone: Phone) -> None:
    """A laptop that moved has another address: the page shows it the next time, and it opens the same table."""
    table = phone.start()
    for address in ("192.168.1.20", "192.168.7.7"):
        with mock.patch.object(net, "lan_addresses", return_value=[net.Address(address, "wlan0")]):
            assert f'value="http://{address}:8765{table}"' in phone.get(f"{table}/join").text


def test_one_code_restores_everything_at_another_address(app: Flask, phone: Phone, clock: Clock) -> None:
    """To a browser another address is another place: no cookie, no table, until the computer's own code is scanned."""
    table = phone.start()
    phone.won(0, 1)
    key = app.extensions["companion"].secret_key
    moved = Phone(app)
    moved.headers["Host"] = "192.168.7.7:8765"
    assert table not in moved.get("/").text
    code = again.path(key, clock.now)
    clock.pass_(hours=1)
    assert f'href="{table}"' in moved.get(code).text
    moved.table = table
    moved.get(table)
    moved.won(1)
    assert f'href="{table}"' in moved.get("/").text
    assert len(phone.record()["entries"]) == 3
    # The code is this computer's, of this evening, and of no use on the open internet.
    for token in ("", "1", code[8:] + "0", code[8:].replace(".", "0."), again.path(b"other" * 8, clock.now)[8:]):
        assert table not in Phone(app).get(f"/?again={token}").text
    clock.pass_(hours=12)
    assert table not in Phone(app).get(code).text
