"""Tables: made once, imported once, named, set, binned."""

import json
from collections.abc import Callable

import pytest

from companion.store import Binned, Entry, Head, NewEntry, NoTable, TableRow
from companion.store.database import Clash
from companion.store.store import Store
from companion.store.tables import BIN_SECONDS, CLAIM_SECONDS, watching

SETUP = {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0}
DAY = 24 * 3600.0


def won(*seats: int, keys: str = "abcdefgh", start: int = 0) -> list[NewEntry]:
    return [NewEntry({"type": "won", "seat": s}, keys[n + start], 10.0 + n, s) for n, s in enumerate(seats)]


def stored(count: int, ask: Callable[[str], list[tuple[object, ...]]]) -> bool:
    return ask("SELECT count(*) FROM game_table") == [(count,)]


def test_a_table_comes_back_as_it_was_made(store: Store) -> None:
    made = store.create("leapfrog", ["Ann", "あかり"], SETUP, 7.25, entries=won(1, 0))
    assert made == store.table(made.id) == store.table_by_watch(made.watch)
    assert (made.players, made.setup, made.settings) == (("Ann", "あかり"), SETUP, {})
    assert (made.version, made.edition, made.created_at, made.active_at, made.binned_at) == (2, 0, 7.25, 7.25, None)
    assert [(e.seq, e.key, e.body, e.at, e.by) for e in store.entries(made.id)] == [
        (1, "a", {"type": "won", "seat": 1}, 10.0, 1),
        (2, "b", {"type": "won", "seat": 0}, 11.0, 0),
    ]


def test_addresses_cannot_be_guessed_and_fit_into_a_url(store: Store) -> None:
    rows = [store.create("leapfrog", [], {}, 1.0) for _ in range(200)]
    codes = [code for row in rows for code in (row.id, row.watch)]
    assert len(set(codes)) == 400
    # 22 letters of an alphabet of 62 or 64 hold 128 bits.
    assert all(len(code) == 22 and code.replace("-", "").replace("_", "").isalnum() for code in codes)


def test_an_address_to_write_is_letters_and_digits_also_after_a_phone_was_put_out(store: Store) -> None:
    # Else one in 64 begins with a hyphen, and a command line takes it for an option.
    rows = [store.create("leapfrog", [], {}, 1.0) for _ in range(200)]
    moved = [store.put_out(row.id, "phone") for row in rows[:20]]
    assert all(code.isalnum() and code.isascii() for code in (*(row.id for row in rows), *moved))


def test_the_watching_address_is_no_play_address(store: Store, table: TableRow) -> None:
    with pytest.raises(NoTable):
        store.table(table.watch)
    with pytest.raises(NoTable):
        store.table_by_watch(table.id)


def test_a_start_tapped_twice_makes_one_table_a_phone(store: Store) -> None:
    first = store.create("leapfrog", ["Ann", "Ben"], SETUP, 1.0, key="k", device="phone")
    assert store.create("leapfrog", ["Ann", "Ben"], SETUP, 2.0, key="k", device="phone") == first
    # Another phone with the same key must not be handed this table.
    assert store.create("leapfrog", ["Ann", "Ben"], SETUP, 2.0, key="k", device="other").id != first.id
    assert [table for table, _ in store.tables_of("phone")] == [first]


def test_a_lost_table_comes_back_under_its_old_addresses(store: Store) -> None:
    row = store.create("leapfrog", ["Ann", "Ben"], SETUP, 1.0, entries=won(0), id="A" * 22)
    assert (row.id, row.watch, row.version) == ("A" * 22, watching("A" * 22), 1)
    assert store.create("leapfrog", ["X", "Y"], {}, 2.0, id="A" * 22) == row


def test_who_only_watches_cannot_make_a_table_under_the_address_that_others_watch(store: Store) -> None:
    lost = watching("A" * 22)
    row = store.create("leapfrog", ["X", "Y"], {}, 1.0, id=lost)
    assert row.watch != lost
    with pytest.raises(NoTable):
        store.table_by_watch(lost)


@pytest.mark.parametrize("code", ["", "1", "A" * 21, "A" * 33, "A" * 21 + "/", "A" * 22 + "\n", "あ" * 22])
def test_a_code_that_could_be_guessed_is_refused(store: Store, code: str) -> None:
    with pytest.raises(ValueError, match="22 to 32"):
        store.create("leapfrog", [], {}, 1.0, id=code)


def test_what_phones_say_is_kept_until_the_log_moves_on(store: Store, table: TableRow) -> None:
    ann, ben = {"type": "won", "seat": 0}, {"type": "won", "seat": 1}
    assert store.claim(table.id, 0, "one", ann, 1.0) == {"one": ann}
    assert store.claim(table.id, 0, "two", ben, 2.0) == {"one": ann, "two": ben}
    assert store.claim(table.id, 0, "two", ann, 3.0) == {"one": ann, "two": ann}
    assert store.claim(table.id, 0, "one", None, 4.0) == {"two": ann}
    assert store.head(table.id) == Head(0, 4)
    assert store.claim(table.id, 0, "one", ben, 3.0 + CLAIM_SECONDS) == {"one": ben}
    store.append(table.id, 0, "k", ann, 5.0)
    assert store.claim(table.id, 0, "two", ann, 6.0) == {}
    assert store.claim(table.id, 1, "two", ann, 6.0) == {"two": ann}
    assert store.settings(table.id)["claims"]["version"] == 1
    store.bin(table.id, 7.0)
    with pytest.raises(Binned):
        store.claim(table.id, 1, "two", ann, 8.0)


def test_names_change_and_phones_are_told(store: Store, table: TableRow) -> None:
    assert store.head(table.id) == Head(0, 0)
    store.rename(table.id, ["Zoë", "二郎"])
    assert store.table(table.id).players == ("Zoë", "二郎")
    assert store.head(table.id) == Head(0, 1)


def test_settings_change_one_by_one(store: Store, table: TableRow) -> None:
    assert store.settings(table.id) == {}
    assert store.set_settings(table.id, {"agree": True, "suits": 4}) == {"agree": True, "suits": 4}
    assert store.set_settings(table.id, {"suits": None, "look": {"far": "turned"}}) == {
        "agree": True,
        "look": {"far": "turned"},
    }
    assert store.settings(table.id) == store.table(table.id).settings == {"agree": True, "look": {"far": "turned"}}
    assert store.head(table.id) == Head(0, 2)
    store.set_settings(table.id, {"agree": True})
    assert store.head(table.id) == Head(0, 2)


def test_what_is_deleted_lies_in_the_bin_for_30_days(store: Store, table: TableRow) -> None:
    # CASES B31.
    store.append(table.id, 0, "a", {"type": "won", "seat": 0}, 100.0)
    store.remember("phone", table.id, "play", 0, 100.0)
    store.bin(table.id, 1000.0)
    store.bin(table.id, 9000.0)
    assert store.table(table.id).binned_at == 1000.0
    assert store.tables() == ()
    assert store.tables_of("phone") == ()
    assert [row.id for row, _ in store.tables_of("phone", binned=True)] == [table.id]
    with pytest.raises(Binned):
        store.rename(table.id, ["X", "Y"])
    with pytest.raises(Binned):
        store.set_settings(table.id, {"x": 1})
    assert store.purge(1000.0 + BIN_SECONDS - 1) == 0
    assert len(store.entries(table.id)) == 1

    store.restore(table.id, 5000.0)
    assert store.table(table.id).binned_at is None
    assert [row.id for row, _ in store.tables_of("phone")] == [table.id]
    assert store.append(table.id, 1, "b", {"type": "won", "seat": 0}, 5000.0).status == "ok"
    assert store.purge(1e12) == 0


def test_after_30_days_nothing_of_it_is_left(
    store: Store, table: TableRow, raw: Callable[[str], list[tuple[object, ...]]]
) -> None:
    kept = store.create("leapfrog", ["Cy", "Di"], {}, 1.0, entries=won(0), device="phone")
    store.append(table.id, 0, "a", {"type": "won", "seat": 0}, 100.0)
    store.remember("phone", table.id, "play", 0, 100.0)
    store.bin(table.id, 1000.0)
    assert store.purge(1000.0 + BIN_SECONDS) == 1
    with pytest.raises(NoTable):
        store.table(table.id)
    assert raw("SELECT table_id FROM entry") == raw("SELECT table_id FROM device") == [(kept.id,)]


def test_the_bin_is_emptied_however_full(store: Store, raw: Callable[[str], list[tuple[object, ...]]]) -> None:
    for n in range(201):
        store.create("leapfrog", [], {}, float(n))
    assert store.expire(200.0, 300.0) == 200
    assert store.expire(200.0, 400.0) == 0
    assert store.purge(300.0 + BIN_SECONDS) == 200
    assert stored(1, raw)


def test_tables_expire_by_their_last_entry(store: Store) -> None:
    old, played, restored = (store.create("leapfrog", ["A", "B"], {}, 0.0) for _ in range(3))
    store.append(played.id, 0, "a", {"type": "won", "seat": 0}, 80 * DAY)
    store.bin(restored.id, 1.0)
    store.restore(restored.id, 85 * DAY)
    assert store.expire(90 * DAY - 90 * DAY, 90 * DAY) == 0
    assert store.expire(100 * DAY - 90 * DAY, 100 * DAY) == 1
    assert store.table(old.id).binned_at == 100 * DAY
    assert store.table(played.id).binned_at is store.table(restored.id).binned_at is None


def test_binning_what_is_not_there_is_told(store: Store) -> None:
    for change in (store.bin, store.restore):
        with pytest.raises(NoTable):
            change("nowhere", 1.0)


def test_all_tables_can_be_walked_through(store: Store) -> None:
    made = sorted(store.create("leapfrog", [], {}, 1.0).id for _ in range(5))
    assert [row.id for row in store.tables(most=2)] == made[:2]
    assert [row.id for row in store.tables(made[1], most=2)] == made[2:4]
    assert [row.id for row in store.tables(made[3])] == made[4:]


def test_the_same_record_twice_is_one_table(store: Store) -> None:
    lines = [NewEntry({"type": "won", "seat": 0}), NewEntry({"type": "won", "seat": 1}, at=5.0, by=1)]
    first = store.import_record(["Ann", "Ben"], "leapfrog", SETUP, lines, "digest", 50.0)
    assert (first.new, first.added, first.table.version) == (True, 2, 2)
    again = store.import_record(["Ann", "Ben"], "leapfrog", SETUP, lines, "digest", 60.0)
    assert (again.new, again.added, again.table) == (False, 0, first.table)
    assert [(e.body, e.at, e.by) for e in store.entries(first.table.id)] == [(n.body, n.at, n.by) for n in lines]
    # Entries that came without keys have some now, by which phones can give them back.
    assert len({e.key for e in store.entries(first.table.id)}) == 2
    assert all(0 < len(e.key) <= 64 for e in store.entries(first.table.id))


def test_an_exported_table_is_found_again(store: Store) -> None:
    own = store.create("leapfrog", ["Ann", "Ben"], SETUP, 1.0, entries=won(0, 1, 0))
    same = store.import_record(["Ann", "Ben"], "leapfrog", SETUP, won(0, 1, 0), "digest", 2.0)
    assert (same.table, same.new, same.added) == (own, False, 0)


def test_an_older_copy_changes_nothing_and_a_newer_one_goes_on(store: Store) -> None:
    own = store.create("leapfrog", ["Ann", "Ben"], SETUP, 1.0, entries=won(0, 1))
    older = store.import_record(["Ann", "Ben"], "leapfrog", SETUP, won(0), "older", 2.0)
    assert (older.table, older.new, older.added) == (own, False, 0)
    newer = store.import_record(["Ann", "Ben"], "leapfrog", SETUP, won(0, 1, 1, 0), "newer", 3.0)
    assert (newer.table.id, newer.new, newer.added) == (own.id, False, 2)
    assert newer.table == store.table(own.id)
    assert store.entries(own.id) == tuple(
        Entry(n + 1, new.key or "", new.body, new.at, new.by) for n, new in enumerate(won(0, 1, 1, 0))
    )


@pytest.mark.parametrize(
    ("game", "setup", "lines"),
    [
        ("leapfrog", SETUP, won(0, 0)),  # another entry under the same key
        ("leapfrog", SETUP, [*won(0), *won(1, start=2)]),  # another key for the same entry
        ("leapfrog", {**SETUP, "dealer": 1}, won(0, 1)),
        ("chameleon-tricks", SETUP, won(0, 1)),
        ("leapfrog", SETUP, []),
    ],
)
def test_a_record_that_branches_off_is_a_table_of_its_own(
    store: Store, game: str, setup: dict[str, object], lines: list[NewEntry]
) -> None:
    own = store.create("leapfrog", ["Ann", "Ben"], SETUP, 1.0, entries=won(0, 1))
    branch = store.import_record(["Ann", "Ben"], game, setup, lines, "branch", 2.0)
    assert branch.new
    assert branch.table.id != own.id
    assert store.table(own.id) == own
    assert store.import_record(["Ann", "Ben"], game, setup, lines, "branch", 3.0).table == branch.table


def test_importing_a_binned_table_brings_it_back(store: Store) -> None:
    first = store.import_record(["A", "B"], "leapfrog", SETUP, won(0), "x", 1.0).table
    own = store.create("leapfrog", ["Ann", "Ben"], SETUP, 1.0, entries=won(1, start=4))
    for row, lines in ((first, won(0)), (own, won(1, start=4))):
        store.bin(row.id, 2.0)
        back = store.import_record(["A", "B"], "leapfrog", SETUP, lines, "x" if row is first else "y", 3.0)
        assert (back.new, back.table) == (False, store.table(row.id))
        assert back.table.binned_at is None


def test_a_branch_does_not_bring_a_binned_table_back(store: Store) -> None:
    own = store.create("leapfrog", ["Ann", "Ben"], SETUP, 1.0, entries=won(0, 1))
    store.bin(own.id, 2.0)
    assert store.import_record(["Ann", "Ben"], "leapfrog", SETUP, won(0, 0), "branch", 3.0).new
    assert store.table(own.id).binned_at == 2.0


def test_who_holds_a_copy_of_a_record_is_not_handed_its_table(store: Store) -> None:
    # A watcher may export what it sees; importing that must not yield the play address.
    own = store.create("leapfrog", ["Ann", "Ben"], SETUP, 1.0, entries=won(0, 1), device="player")
    store.remember("watcher", own.id, "watch", None, 1.0)
    for device in ("watcher", "stranger"):
        copy = store.import_record(["Ann", "Ben"], "leapfrog", SETUP, won(0, 1), "digest", 2.0, device=device)
        assert copy.new
        assert copy.table.id != own.id
        assert [row.id for row, at in store.tables_of(device) if at.role == "play"] == [copy.table.id]
    assert not store.import_record(["Ann", "Ben"], "leapfrog", SETUP, won(0, 1), "digest", 2.0, device="player").new


def test_a_failed_creation_leaves_nothing(store: Store, raw: Callable[[str], list[tuple[object, ...]]]) -> None:
    with pytest.raises(Clash):
        store.create("leapfrog", [], {}, 1.0, entries=[*won(0), *won(1)])
    with pytest.raises((ValueError, TypeError)):
        store.create("leapfrog", [], {}, 1.0, entries=[*won(0), NewEntry({"x": {1, 2}}, "z")])
    assert stored(0, raw)
    assert raw("SELECT * FROM entry") == []


def test_nothing_derived_is_stored(
    store: Store, table: TableRow, raw: Callable[[str], list[tuple[object, ...]]]
) -> None:
    store.append(table.id, 0, "a", {"type": "won", "seat": 0}, 1.0)
    assert raw("SELECT table_id, seq, key, body, at, by_seat FROM entry") == [
        (table.id, 1, "a", json.dumps({"type": "won", "seat": 0}, separators=(",", ":")), 1.0, None)
    ]
