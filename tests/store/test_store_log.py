"""Appending: the same key, another version, several writers at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest

from companion.store import Appended, Binned, Entry, Head, KeyReused, NewEntry, NoTable, TableRow, open_store, sqlite
from companion.store.store import Store
from tests.store.children import BODY, Place, append_contended, processes
from tests.store.conftest import sqlite_only

CYCLE = {"type": "cycle", "seat": 0}
CARD = {"type": "card", "seat": 0, "card": "10S"}
OTHER = {"type": "card", "seat": 0, "card": "9S"}


def ok(version: int) -> Appended:
    return Appended("ok", version)


def dup(version: int) -> Appended:
    return Appended("dup", version)


def conflict(version: int) -> Appended:
    return Appended("conflict", version)


def test_an_entry_gets_the_next_version(store: Store, table: TableRow) -> None:
    assert store.append(table.id, 0, "a", CARD, 101.5, by=1) == ok(1)
    assert store.append(table.id, 1, "b", BODY, 102.5) == ok(2)
    assert store.version(table.id) == 2
    assert store.entries(table.id) == (Entry(1, "a", CARD, 101.5, 1), Entry(2, "b", BODY, 102.5, None))
    assert store.entries(table.id, after=1) == (Entry(2, "b", BODY, 102.5, None),)
    assert store.entries(table.id, after=2) == store.entries(table.id, after=10**30) == ()
    assert store.table(table.id).active_at == 102.5


@pytest.mark.parametrize(
    ("key", "expected", "answer"),
    [
        ("a", 0, dup(1)),  # the answer was lost, sent again as it was
        ("a", 2, dup(1)),  # sent again by a phone that has seen more since
        ("b", 7, dup(2)),
        ("c", 0, conflict(2)),
        ("c", 1, conflict(2)),
        ("c", 3, conflict(2)),
        ("c", -1, conflict(2)),
        ("c", 2**31 - 1, conflict(2)),
        ("c", 2**31, conflict(2)),
        ("c", 10**30, conflict(2)),
        ("a", -(10**30), dup(1)),
        ("c", 2, ok(3)),
    ],
)
def test_the_same_key_gets_the_same_answer_and_another_version_conflicts(
    store: Store, table: TableRow, key: str, expected: int, answer: Appended
) -> None:
    store.append(table.id, 0, "a", CARD, 1.0)
    store.append(table.id, 1, "b", CARD, 1.0)
    assert store.append(table.id, expected, key, CARD, 2.0) == answer
    assert store.version(table.id) == len(store.entries(table.id)) == max(2, answer.version)


def test_a_double_click_cycles_once(store: Store, table: TableRow) -> None:
    # CASES D19: one request, arriving twice.
    assert [store.append(table.id, 0, "request-1", CYCLE, 1.0) for _ in range(2)] == [ok(1), dup(1)]
    assert [entry.body for entry in store.entries(table.id)] == [CYCLE]


def test_of_two_cards_laid_on_the_same_version_one_is_stale(store: Store, table: TableRow) -> None:
    # CASES D20: both phones hold version 12.
    for number in range(12):
        store.append(table.id, number, f"k{number}", BODY, 1.0)
    assert store.append(table.id, 12, "left", CARD, 1.0) == ok(13)
    assert store.append(table.id, 12, "right", OTHER, 1.0) == conflict(13)
    assert [entry.body for entry in store.entries(table.id, after=12)] == [CARD]


def test_an_entry_sent_five_times_is_one(store: Store, table: TableRow) -> None:
    # CASES B12: an unstable connection.
    assert [store.append(table.id, 0, "e", CARD, float(n)) for n in range(5)] == [ok(1), *[dup(1)] * 4]
    assert store.entries(table.id) == (Entry(1, "e", CARD, 0.0, None),)


@pytest.mark.parametrize("expected", [0, 1])
@pytest.mark.parametrize("body", [OTHER, {**CARD, "seat": False}, {"type": "card", "seat": 0}])
def test_a_key_with_another_body_is_told_apart(
    store: Store, table: TableRow, expected: int, body: dict[str, object]
) -> None:
    store.append(table.id, 0, "a", CARD, 1.0)
    with pytest.raises(KeyReused) as caught:
        store.append(table.id, expected, "a", body, 1.0)
    assert caught.value.params == {"version": 1}
    assert [entry.body for entry in store.entries(table.id)] == [CARD]
    assert store.version(table.id) == 1


def test_the_order_of_keys_in_a_body_means_nothing(store: Store, table: TableRow) -> None:
    store.append(table.id, 0, "a", CARD, 1.0)
    assert store.append(table.id, 0, "a", dict(reversed(CARD.items())), 1.0) == dup(1)


def test_tables_do_not_share_keys(store: Store, table: TableRow) -> None:
    other = store.create("leapfrog", ["Cy", "Di"], {}, 1.0)
    assert store.append(table.id, 0, "a", CARD, 1.0) == ok(1)
    assert store.append(other.id, 0, "a", OTHER, 1.0) == ok(1)


def test_any_text_comes_back_as_it_was(store: Store, table: TableRow) -> None:
    note = "対局 🃏 \x00 \ud800 \\ ' \" % %s :x"
    store.append(table.id, 0, "'; --%s", {"type": "adjust", "note": note}, 1.0)
    (entry,) = store.entries(table.id)
    assert (entry.key, entry.body["note"]) == ("'; --%s", note)


def test_an_unknown_table_is_told(store: Store) -> None:
    for ask in (store.version, store.head, store.table, store.table_by_watch, store.settings):
        with pytest.raises(NoTable):
            ask("nowhere")
    with pytest.raises(NoTable):
        store.append("nowhere", 0, "a", CARD, 1.0)
    with pytest.raises(NoTable):
        store.merge("nowhere", 0, [NewEntry(CARD, "a")], 1.0)
    assert store.entries("nowhere") == ()


def test_odd_addresses_are_unknown_tables(store: Store) -> None:
    for address in ("", "\0", "x" * 5000, "' OR 1=1", "%s", "あ"):
        with pytest.raises(NoTable):
            store.version(address)
        with pytest.raises(NoTable):
            store.append(address, 0, "a", CARD, 1.0)
        with pytest.raises(NoTable):
            store.table_by_watch(address)


@pytest.mark.parametrize("key", ["", "k" * 65, "a\0b"])
def test_a_key_that_cannot_be_kept_is_refused(store: Store, table: TableRow, key: str) -> None:
    with pytest.raises(ValueError, match="1 to 64"):
        store.append(table.id, 0, key, CARD, 1.0)
    with pytest.raises(ValueError, match="1 to 64"):
        store.merge(table.id, 0, [NewEntry(CARD, "good"), NewEntry(CARD, key)], 1.0)
    assert store.head(table.id) == Head(0, 0)
    assert store.append(table.id, 0, "あ" * 64, CARD, 1.0) == ok(1)


def test_a_binned_table_takes_nothing_but_still_answers_repeats(store: Store, table: TableRow) -> None:
    store.append(table.id, 0, "a", CARD, 1.0)
    store.bin(table.id, 2.0)
    assert store.append(table.id, 0, "a", CARD, 3.0) == dup(1)
    with pytest.raises(Binned):
        store.append(table.id, 1, "b", CARD, 3.0)
    with pytest.raises(Binned):
        store.merge(table.id, 1, [NewEntry(CARD, "b")], 3.0)
    assert store.version(table.id) == 1


def test_a_body_that_is_no_json_changes_nothing(store: Store, table: TableRow) -> None:
    with pytest.raises(ValueError, match="JSON"):
        store.append(table.id, 0, "a", {"x": float("nan")}, 1.0)
    assert store.head(table.id) == Head(0, 0)


def test_a_phone_gives_back_what_the_server_lacks(store: Store, table: TableRow) -> None:
    lines = [NewEntry({"type": "won", "seat": n % 2}, f"k{n}", float(n), n % 2) for n in range(6)]
    store.merge(table.id, 0, lines[:2], 5.0)
    assert store.merge(table.id, 1, lines, 5.0) == conflict(2)
    assert store.merge(table.id, 2, lines, 6.0) == ok(6)
    assert store.merge(table.id, 2, lines, 7.0) == dup(6)
    assert store.merge(table.id, 6, lines[:3], 7.0) == dup(6)
    assert store.merge(table.id, 6, [], 7.0) == dup(6)
    assert store.entries(table.id) == tuple(
        Entry(n + 1, f"k{n}", {"type": "won", "seat": n % 2}, float(n), n % 2) for n in range(6)
    )
    assert store.version(table.id) == 6
    assert store.append(table.id, 6, "new", CARD, 8.0) == ok(7)


@pytest.mark.parametrize(
    "lines",
    [
        [NewEntry(CARD, "b"), NewEntry(OTHER, "a")],
        [NewEntry(CARD, "b"), NewEntry(OTHER, "b")],
        [NewEntry(CARD, "b"), NewEntry(CARD)],
    ],
)
def test_a_merge_is_all_or_nothing(store: Store, table: TableRow, lines: list[NewEntry]) -> None:
    store.append(table.id, 0, "a", CARD, 1.0)
    with pytest.raises((KeyReused, ValueError)):
        store.merge(table.id, 1, lines, 2.0)
    assert [entry.key for entry in store.entries(table.id)] == ["a"]
    assert store.head(table.id) == Head(1, 0)


def together(count: int, work: Callable[[int], object]) -> list[object]:
    """Runs so many calls at the same moment, a thread each."""
    gate = Barrier(count)

    def start(number: int) -> object:
        gate.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(start, range(count)))


def test_a_key_tapped_by_eight_at_once_is_saved_once_and_never_a_conflict(store: Store, table: TableRow) -> None:
    # At READ COMMITTED, asking for the key before the version answers "conflict" within some 20 rounds.
    for turn in range(40):
        answers = together(8, lambda _, turn=turn: store.append(table.id, turn, f"key-{turn}", CARD, 1.0))  # type: ignore[misc]
        assert sorted(answers, key=str) == [*[dup(turn + 1)] * 7, ok(turn + 1)]


def test_of_eight_different_entries_at_once_one_is_saved(store: Store, table: TableRow) -> None:
    for turn in range(20):
        answers = together(8, lambda n, turn=turn: store.append(table.id, turn, f"{turn}-{n}", CARD, 1.0))  # type: ignore[misc]
        assert sorted(answers, key=str) == [*[conflict(turn + 1)] * 7, ok(turn + 1)]


def test_eight_threads_leave_no_gap_and_nothing_is_locked(store: Store, table: TableRow) -> None:
    def play(thread: int) -> list[int]:
        version, got = 0, []
        for number in range(15):
            while (answer := store.append(table.id, version, f"{thread}-{number}", BODY, 1.0)).status == "conflict":
                version = answer.version
            version = answer.version
            got.append(version)
            assert store.version(table.id) >= version
            assert len(store.entries(table.id)) >= version
        return got

    versions = [version for got in together(8, play) for version in got]  # type: ignore[attr-defined]
    assert sorted(versions) == list(range(1, 121))
    assert [entry.seq for entry in store.entries(table.id)] == list(range(1, 121))


def test_changes_that_read_first_are_not_lost(place: Place, store: Store, table: TableRow) -> None:
    # Two stores, as in two processes: no lock but the database's own is between them.
    with closing(open_store(place.url)) as other:
        for turn in range(5):
            together(8, lambda n, turn=turn: (store, other)[n % 2].set_settings(table.id, {f"{turn}-{n}": n}))  # type: ignore[misc]
    assert len(store.settings(table.id)) == 40
    assert store.head(table.id).edition == 40


@sqlite_only
def test_writers_of_one_process_wait_for_each_other_in_turn(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite's own waiting is unfair, so here it does not wait at all.
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0)
    with closing(open_store(place.url)) as store:
        row = store.create("leapfrog", [], {}, 1.0)
        for turn in range(10):
            together(8, lambda n, turn=turn: store.append(row.id, turn, f"{turn}-{n}", BODY, 1.0))  # type: ignore[misc]
        assert store.version(row.id) == 10


@pytest.mark.slow
def test_two_processes_share_a_table(place: Place, store: Store, table: TableRow) -> None:
    context = processes()
    acknowledged: dict[str, int] = {}
    running = []
    for name in "ab":
        hear, say = context.Pipe(duplex=False)
        process = context.Process(target=append_contended, args=(place, table.id, name, 40, say))
        process.start()
        say.close()
        running.append((process, hear))
    for process, hear in running:
        for _ in range(40):
            key, version = hear.recv()
            acknowledged[key] = version
        process.join(30)
        assert process.exitcode == 0
        hear.close()
        process.close()
    assert {entry.key: entry.seq for entry in store.entries(table.id)} == acknowledged
    assert sorted(acknowledged.values()) == list(range(1, 81))
    assert store.version(table.id) == 80
