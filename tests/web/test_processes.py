"""Two processes and one PostgreSQL: phones find the same table, the same code and the same limits in both."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.pg import Cluster
from tests.web.conftest import Phone
from tests.web.served import PROXY, SECRET, Hosted, hosted
from tests.web.test_join import JSON, code, enter, listed, put_out, sit

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served() -> Iterator[Hosted]:
    cluster = Cluster()
    try:
        with hosted(cluster.new_database(), 2) as found:
            yield found
    finally:
        cluster.close()


@pytest.fixture
def phone(served: Hosted) -> Phone:
    return behind_the_proxy(served)


def behind_the_proxy(served: Hosted, address: str = "192.0.2.7") -> Phone:
    made = Phone(served)  # type: ignore[arg-type]
    made.headers |= {**PROXY, "X-Forwarded-For": address}
    return made


def won(phone: Phone, seat: int) -> dict[str, str]:
    """Returns what a phone sends that sees the table as it is now."""
    phone.get(phone.table)
    return {**phone.form(), "expected": phone.hidden("expected"), "entry": json.dumps({"type": "won", "seat": seat})}


def test_what_one_process_is_told_the_other_knows(served: Hosted, phone: Phone) -> None:
    phone.start()
    other = behind_the_proxy(served)
    assert enter(other, code(phone)) == phone.table
    other.table = phone.table
    other.get(phone.table)
    for seat in (0, 1, 1, 0, 1, 0, 1):
        for one in (phone, other):
            # Each sends the same form three times, to whichever process listens.
            sent = won(one, seat)
            assert [one.post(one.table, sent).status_code for _ in range(3)] == [303] * 3
    record = phone.record()
    assert len(record["entries"]) == 14
    assert len({entry["id"] for entry in record["entries"]}) == 14
    [tag] = {json.loads(phone.get(f"{phone.table}/live").text)["tag"] for _ in range(6)}
    assert {phone.get(f"{phone.table}/live", **{"If-None-Match": tag}).status_code for _ in range(6)} == {304}


def test_two_at_once_enter_one_after_the_other(served: Hosted, phone: Phone) -> None:
    """Both saw the same table: one is entered, the other is told what was."""
    phone.start()
    other = behind_the_proxy(served)
    other.table = phone.table
    for _ in range(5):
        sent = [won(phone, 0), won(other, 1)]
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(lambda one, fields: one.post(one.table, fields), (phone, other), sent))
        assert sorted(answer.status_code for answer in both) == [303, 409]
    assert len(phone.record()["entries"]) == 5


def test_seats_and_new_addresses_hold_in_both(served: Hosted, phone: Phone) -> None:
    old = phone.start()
    other, lost = behind_the_proxy(served), behind_the_proxy(served)
    for place, one in enumerate((phone, other, lost)):
        one.table = old
        one.get(old)
        if place < 2:
            sit(one, str(place))
    for _ in range(4):
        assert listed(phone) == ["Ann: may enter · this phone", "Ben: may enter", "Shared: may enter"]
    fresh = put_out(phone, 1)
    for _ in range(4):
        assert other.get(old).headers["Location"] == fresh
        assert lost.get(old).status_code == 410
        assert lost.get(f"{old}/live", **JSON).status_code == 410


def test_limits_count_in_both_together(served: Hosted, phone: Phone) -> None:
    phone.start()
    guesser = behind_the_proxy(served, "192.0.2.99")
    guesser.get("/join")
    fields = {**guesser.form(), "code": "CCCCCC"}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: guesser.post("/join", {**fields, "n": n}), range(30)))
    assert sorted(answer.status_code for answer in answers) == [422] * 20 + [429] * 10


def test_it_is_ready_and_its_log_gives_nothing_away(served: Hosted, phone: Phone) -> None:
    for _ in range(4):
        for path in ("/healthz", "/readyz"):
            assert phone.get(path, Host="127.0.0.1").status_code == 200
    table = phone.start(name=["Zerlina", "Ottavio"])
    shown = code(phone)
    lines = served.lines()
    assert len({line["process"] for line in lines}) == 2
    assert {line["route"] for line in lines} >= {"/new/<slug>", "/t/<table_id>", "/t/<table_id>/join"}
    written = served.log.read_text()
    for private in (table[3:], "Zerlina", shown, SECRET, "192.0.2.7", "companion@"):
        assert private not in written
    assert not re.search(r"Traceback|WARNING", written)
