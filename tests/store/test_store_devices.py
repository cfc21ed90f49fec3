"""Phones: where each sits, and when it was last heard of."""

from collections.abc import Callable

import pytest

from companion.store import Binned, Device, Head, NoTable, Role, StoreError, TableRow, open_store
from companion.store.store import Store
from tests.store.children import Place


def test_a_phone_is_remembered_once(store: Store, table: TableRow) -> None:
    store.remember("phone", table.id, "play", 0, 10.0)
    assert store.device("phone", table.id) == Device("phone", table.id, "play", 0, 10.0)
    assert store.head(table.id) == Head(0, 1)
    store.remember("phone", table.id, "play", 0, 11.0)
    assert store.head(table.id) == Head(0, 1)
    assert store.devices(table.id) == (Device("phone", table.id, "play", 0, 11.0),)


@pytest.mark.parametrize(("role", "seat"), [("play", 1), ("play", None), ("watch", None), ("out", None)])
def test_a_changed_place_is_told_to_the_others(store: Store, table: TableRow, role: Role, seat: int | None) -> None:
    store.remember("phone", table.id, "play", 0, 10.0)
    store.remember("phone", table.id, role, seat, 12.0)
    assert store.devices(table.id) == (Device("phone", table.id, role, seat, 12.0),)
    assert store.head(table.id) == Head(0, 2)


def test_a_role_is_one_of_three(store: Store, table: TableRow) -> None:
    with pytest.raises(Exception, match="role"):
        store.remember("phone", table.id, "owner", None, 1.0)  # type: ignore[arg-type]
    assert store.devices(table.id) == ()


def test_a_forgotten_phone_was_never_there(store: Store, table: TableRow) -> None:
    store.remember("phone", table.id, "play", 0, 10.0)
    store.forget("phone", table.id)
    assert store.device("phone", table.id) is None
    assert store.tables_of("phone") == ()
    assert store.head(table.id) == Head(0, 2)
    store.forget("phone", "nowhere")


def test_only_real_tables_are_remembered(store: Store, table: TableRow) -> None:
    with pytest.raises(NoTable):
        store.remember("phone", "nowhere", "play", 0, 1.0)
    store.bin(table.id, 1.0)
    with pytest.raises(Binned):
        store.remember("phone", table.id, "play", 0, 1.0)


def test_a_phones_tables_come_the_last_played_first(store: Store) -> None:
    early, late, other = (store.create("leapfrog", [], {}, float(n), device="phone") for n in range(3))
    store.append(early.id, 0, "a", {"type": "won", "seat": 0}, 50.0)
    store.remember("phone", other.id, "out", None, 60.0)
    assert [(row.id, at.table_id) for row, at in store.tables_of("phone")] == [(early.id,) * 2, (late.id,) * 2]
    assert store.tables_of("stranger") == ()


def written(ask: Callable[[str], list[tuple[object, ...]]]) -> list[tuple[object, ...]]:
    return ask("SELECT device, seen_at FROM device ORDER BY device")


def test_being_seen_is_written_every_ten_seconds_for_all_at_once(
    store: Store, table: TableRow, raw: Callable[[str], list[tuple[object, ...]]]
) -> None:
    for name in ("a", "b"):
        store.remember(name, table.id, "play", None, 100.0)
    store.seen("a", table.id, 101.0)
    for second in range(102, 111):
        store.seen("a", table.id, float(second))
        store.seen("b", table.id, float(second))
    assert written(raw) == [("a", 101.0), ("b", 100.0)]
    assert [at.seen_at for at in store.devices(table.id)] == [110.0, 110.0]
    store.seen("b", table.id, 111.5)
    assert written(raw) == [("a", 110.0), ("b", 111.5)]
    assert store.head(table.id) == Head(0, 2)


def test_being_seen_never_goes_back(
    place: Place, store: Store, table: TableRow, raw: Callable[[str], list[tuple[object, ...]]]
) -> None:
    store.remember("a", table.id, "play", None, 100.0)
    other = open_store(place.url)
    store.seen("a", table.id, 200.0)
    other.seen("a", table.id, 150.0)
    assert written(raw) == [("a", 200.0)]
    # A clock put back must not stop the writing.
    store.seen("a", table.id, 50.0)
    other.seen("a", table.id, 155.0)
    other.close()
    assert [at.seen_at for at in store.devices(table.id)] == [200.0]


def test_closing_writes_who_was_seen(place: Place, raw: Callable[[str], list[tuple[object, ...]]]) -> None:
    store = open_store(place.url)
    row = store.create("leapfrog", [], {}, 1.0, device="phone")
    store.seen("phone", row.id, 100.0)
    store.seen("phone", row.id, 105.0)
    store.close()
    assert written(raw) == [("phone", 105.0)]


def test_an_unknown_phone_being_seen_is_no_phone_at_the_table(store: Store, table: TableRow) -> None:
    store.seen("stranger", table.id, 1.0)
    store.seen("stranger", "nowhere", 100.0)
    assert store.devices(table.id) == ()


def test_a_store_error_tells_its_code(store: Store) -> None:
    with pytest.raises(StoreError) as caught:
        store.table("nowhere")
    assert (caught.value.code, caught.value.params, str(caught.value)) == ("store.no-table", {}, "store.no-table")


def test_a_seat_is_taken_while_its_phone_is_awake(store: Store, table: TableRow) -> None:
    store.remember("ann", table.id, "play", 0, 100.0)
    store.remember("ben", table.id, "play", 1, 110.0)
    store.remember("cat", table.id, "watch", None, 110.0)
    edition = store.head(table.id).edition
    assert store.present(table.id, edition, 111.0) == (0, 1)
    # In mind for five seconds, then looked up again: with a poll every four, a phone is gone 30 s after its last word.
    assert store.present(table.id, edition, 100.0 + 26.0) == (1,)
    assert store.present(table.id, edition, 110.0 + 26.0) == ()
    store.seen("ann", table.id, 200.0)
    assert store.present(table.id, edition, 201.0) == (0,)


def test_a_seat_that_was_taken_now_is_shown_at_once(store: Store, table: TableRow) -> None:
    assert store.present(table.id, store.head(table.id).edition, 100.0) == ()
    store.remember("ann", table.id, "play", 0, 100.5)
    assert store.present(table.id, store.head(table.id).edition, 101.0) == (0,)


def test_who_polls_one_process_is_awake_to_the_other(place: Place, store: Store, table: TableRow) -> None:
    """A phone's polls go to either process in turn; what one wrote the other reads, with a word every ten seconds."""
    other = open_store(place.url)
    store.remember("ann", table.id, "play", 0, 100.0)
    edition = store.head(table.id).edition
    for second in range(100, 160, 4):
        (store, other)[second // 4 % 2].seen("ann", table.id, float(second))
        for one in (store, other):
            assert one.present(table.id, edition, float(second)) == (0,)
    for second in (156 + 30, 200):
        for one in (store, other):
            assert one.present(table.id, edition, float(second)) == ()
    other.close()
