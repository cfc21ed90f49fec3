"""Ways to a table: typed codes, a new address when a phone is put out, counts that end; and clearing away."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from companion.store import Binned, Device, Entry, KeyReused, NoTable, TableRow, open_store
from companion.store.database import Run
from companion.store.doors import _FULL, LETTERS, OPEN_SECONDS, SIZE
from companion.store.store import Store
from companion.store.tables import BIN_SECONDS
from tests.store.children import BODY, Place
from tests.store.conftest import postgresql_only

Raw = Callable[[str], list[tuple[object, ...]]]


def test_a_code_leads_to_its_table_for_some_minutes(store: Store, table: TableRow) -> None:
    door = store.door(table.id, "play", 100.0)
    assert (len(door.code), door.until) == (SIZE, 100.0 + OPEN_SECONDS)
    assert set(door.code) <= set(LETTERS)
    assert store.behind(door.code, 100.0 + OPEN_SECONDS - 1) == (table.id, "play")
    assert store.behind(door.code, 100.0 + OPEN_SECONDS) is None
    assert store.behind("CCCCCC" if door.code != "CCCCCC" else "DDDDDD", 100.0) is None
    assert store.behind("x" * 500, 100.0) is None


def test_no_code_can_be_misread() -> None:
    assert len(set(LETTERS)) == len(LETTERS)
    assert not set(LETTERS) & set("0O1IL AEUBGSZ")
    assert len(LETTERS) ** SIZE > 1e8


def test_a_code_shown_again_stays_while_half_its_time_is_left(store: Store, table: TableRow, raw: Raw) -> None:
    first = store.door(table.id, "play", 0.0)
    assert store.door(table.id, "play", OPEN_SECONDS / 2 - 1) == first
    second = store.door(table.id, "play", OPEN_SECONDS / 2)
    assert second.until == OPEN_SECONDS * 1.5
    assert store.behind(first.code, OPEN_SECONDS / 2) is None
    watch = store.door(table.id, "watch", OPEN_SECONDS / 2)
    assert store.behind(watch.code, OPEN_SECONDS) == (table.id, "watch")
    # What has had its time is cleared away by the next code that is made.
    store.door(table.id, "play", OPEN_SECONDS * 9)
    assert raw("SELECT role FROM join_code") == [("play",)]


def test_only_a_table_that_is_played_has_codes(store: Store, table: TableRow) -> None:
    with pytest.raises(NoTable):
        store.door("nowhere", "play", 1.0)
    code = store.door(table.id, "play", 1.0).code
    store.bin(table.id, 2.0)
    assert store.behind(code, 3.0) is None
    with pytest.raises(Binned):
        store.door(table.id, "watch", 3.0)


def test_a_code_holds_in_every_process(place: Place, store: Store, table: TableRow) -> None:
    with closing(open_store(place.url)) as other, ThreadPoolExecutor(8) as pool:
        doors = list(pool.map(lambda n: (store, other)[n % 2].door(table.id, "play", 1.0), range(16)))
        assert len(set(doors)) == 1
        assert other.behind(doors[0].code, 2.0) == (table.id, "play")


def test_a_phone_put_out_leaves_the_others_at_a_new_address(store: Store, table: TableRow, raw: Raw) -> None:
    for name, seat in (("ann", 0), ("ben", 1)):
        store.remember(name, table.id, "play", seat, 1.0)
    store.append(table.id, 0, "k", BODY, 2.0, 0)
    code = store.door(table.id, "play", 3.0).code
    before = store.table(table.id)
    fresh = store.put_out(table.id, "ben")
    with pytest.raises(NoTable):
        store.head(table.id)
    after = store.table(fresh)
    assert (after.version, after.players, after.edition) == (1, before.players, before.edition + 1)
    assert store.table_by_watch(after.watch) == after
    with pytest.raises(NoTable):
        store.table_by_watch(before.watch)
    assert store.entries(fresh) == (Entry(1, "k", BODY, 2.0, 0),)
    assert store.device("ann", fresh) == Device("ann", fresh, "play", 0, 1.0)
    assert store.device("ben", fresh) == Device("ben", fresh, "out", None, 1.0)
    assert store.behind(code, 4.0) is None
    assert store.moved(before.id) == store.moved(before.watch) == fresh
    assert store.moved(fresh) is None
    # An entry that was sent to the old address went nowhere, and a copy of it is not taken for another one.
    with pytest.raises(NoTable):
        store.append(table.id, 1, "l", BODY, 5.0)
    assert store.append(fresh, 0, "k", BODY, 5.0) == ("dup", 1)
    assert raw("SELECT count(*) FROM game_table") == [(1,)]


def test_every_older_address_leads_to_the_newest(store: Store, table: TableRow) -> None:
    second = store.put_out(table.id, "x")
    third = store.put_out(second, "y")
    assert store.moved(table.id) == store.moved(second) == third
    # The same request again, or another at the old address, makes no further address.
    assert store.put_out(table.id, "x") == third
    with pytest.raises(NoTable):
        store.put_out("nowhere", "x")


def test_what_was_imported_is_found_after_the_move(store: Store) -> None:
    first = store.create("leapfrog", ["Ann"], {}, 1.0, key="k", device="ann")
    fresh = store.put_out(first.id, "ben")
    assert store.create("leapfrog", ["Ann"], {}, 2.0, key="k", device="ann").id == fresh


def test_entries_and_a_move_at_the_same_time_lose_nothing(place: Place, store: Store, table: TableRow) -> None:
    """What one process acknowledged stands in the log, whenever the other moved the table."""
    acknowledged: list[str] = []

    def enter(store: Store) -> None:
        address = table.id
        for n in range(30):
            while len(acknowledged) == n:
                try:
                    assert store.append(address, n, f"k{n}", BODY, 1.0).status == "ok"
                except NoTable:
                    address = store.moved(address) or ""
                else:
                    acknowledged.append(f"k{n}")

    def move(store: Store) -> None:
        address = table.id
        for n in range(4):
            address = store.put_out(address, f"phone{n}")

    with closing(open_store(place.url)) as other, ThreadPoolExecutor(2) as pool:
        both = [pool.submit(enter, store), pool.submit(move, other)]
        for one in both:
            one.result(60)
        assert [entry.key for entry in store.entries(store.moved(table.id) or "")] == acknowledged


def test_a_count_ends_at_its_most_and_begins_again(store: Store) -> None:
    assert [store.spend("a", 2, 60.0, at) for at in (0.0, 1.0, 2.0, 59.0)] == [True, True, False, False]
    assert store.spend("b", 2, 60.0, 2.0)
    assert [store.spend("a", 2, 60.0, at) for at in (60.0, 61.0, 62.0)] == [True, True, False]
    store.give_back("a", 63.0)
    assert [store.spend("a", 2, 60.0, 64.0) for _ in range(2)] == [True, False]
    store.give_back("nobody", 64.0)


def test_a_count_holds_in_all_processes_together(place: Place, store: Store, raw: Raw) -> None:
    with closing(open_store(place.url)) as other, ThreadPoolExecutor(8) as pool:
        let = list(pool.map(lambda n: (store, other)[n % 2].spend("many", 10, 60.0, 1.0), range(40)))
    assert let.count(True) == 10
    assert raw("SELECT used FROM tally") == [(10,)]


@postgresql_only
def test_a_count_that_another_process_begins_meanwhile_is_not_a_full_one(
    place: Place, store: Store, raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, begun = Run.one, []

    def late(run: Run, statement: Any, /, **values: Any) -> Any:
        if statement is _FULL and not begun:
            begun.append(True)
            assert other.spend("both", 2, 60.0, 1.0)
        return look(run, statement, **values)

    monkeypatch.setattr(Run, "one", late)
    with closing(open_store(place.url)) as other:
        assert store.spend("both", 2, 60.0, 1.0)
        assert not store.spend("both", 2, 60.0, 1.0)
    assert raw("SELECT used FROM tally") == [(2,)]


def test_counts_that_ended_are_cleared_away(store: Store, raw: Raw) -> None:
    for n in range(20):
        store.spend(f"old{n}", 1, 10.0, 1.0)
    store.spend("new", 1, 10.0, 100.0)
    assert raw("SELECT name FROM tally") == [("new",)]


def test_a_key_of_another_entry_is_told_after_a_move(store: Store, table: TableRow) -> None:
    store.append(table.id, 0, "k", BODY, 1.0)
    fresh = store.put_out(table.id, "x")
    with pytest.raises(KeyReused):
        store.append(fresh, 1, "k", {"type": "won", "seat": 1}, 1.0)


def test_never_much_is_cleared_away_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.store.tables.SWEPT_AT_MOST", 100)
    for n in range(110):
        store.create("leapfrog", [], {}, float(n))
    assert [store.expire(110.0, 300.0) for _ in range(3)] == [100, 10, 0]
    assert [store.purge(300.0 + BIN_SECONDS) for _ in range(3)] == [100, 10, 0]


def test_two_processes_may_clear_away_at_once(place: Place, store: Store) -> None:
    for n in range(24):
        store.create("leapfrog", [], {}, float(n))
    with closing(open_store(place.url)) as other, ThreadPoolExecutor(4) as pool:
        for clear in ("expire", "purge"):
            work = {"expire": (12.0, 300.0), "purge": (300.0 + BIN_SECONDS,)}[clear]
            done = pool.map(lambda n, what=clear, how=work: getattr((store, other)[n % 2], what)(*how), range(4))
            assert sum(done) == 12
    assert {row.edition for row in store.tables()} == {0}
