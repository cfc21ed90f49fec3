"""The table service: rules and store together, and what it keeps in mind equals a fresh fold."""

import json
from pathlib import Path
from typing import Any

import pytest

from companion.engine.findings import RecordError, Refused
from companion.engine.fold import fold
from companion.engine.record import MOST_BYTES, Revised, read_record, record_from, written
from companion.engine.registry import GAMES
from companion.giving import give_back
from companion.lots import drawn
from companion.store import Expired, NoTable, open_store
from companion.table import Table, Tables

VECTORS = Path(__file__).parent / "vectors"


def played(tables: Tables, *seats: int, **setup: Any) -> Table:
    table = tables.start("leapfrog", ["Ann", "Ben"], {"variant": "standard", "dealer": 0, **setup})
    for version, seat in enumerate(seats):
        table = tables.record(table.row.id, version, f"key{version}", {"type": "won", "seat": seat}).table
    return table


def same_as_fresh(tables: Tables, table: Table) -> None:
    """Asserts that what is kept equals what the stored record folds to."""
    fresh = fold(record_from(tables.record_of(table)))
    assert table.fold.states == fresh.states
    assert list(table.items) == fresh.history()
    assert table.version == fresh.version


@pytest.mark.parametrize("slug", GAMES)
def test_what_is_left_out_is_drawn(slug: str) -> None:
    game = GAMES[slug]
    fields = game.setup_fields(game.seats.start)
    chosen = {field.name: field.default for field in fields if not field.drawn}
    setups = [drawn(game, chosen, game.seats.start) for _ in range(40)]
    for setup in setups:
        game.read_setup(setup, game.seats.start)
    assert len({json.dumps(setup) for setup in setups}) > 1


def test_freshwater_pads_are_drawn_only_for_freshwater() -> None:
    assert "track" not in drawn(GAMES["leapfrog"], {"variant": "standard"}, 2)
    assert sorted(drawn(GAMES["leapfrog"], {"variant": "freshwater"}, 2)["track"]) == [0, 0, 1, 2, 3, 4, 6, 8]


@pytest.mark.parametrize("name", ["leapfrog.by-card", "leapfrog.by-result", "measure-and-tempo.by-card",
                                  "chameleon-tricks.by-result"])  # fmt: skip
def test_a_whole_game_entered_one_by_one_equals_its_fold(tables: Tables, name: str) -> None:
    raw = json.loads((VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[0])["record"]
    table = tables.start(raw["game"], raw["players"], raw["setup"])
    for version, entry in enumerate(raw["entries"]):
        answer = tables.record(table.row.id, version, f"k{version}", entry)
        assert (answer.status, answer.table.version) == ("ok", version + 1)
        table = answer.table
    same_as_fresh(tables, table)


def test_a_table_opened_by_another_process_is_the_same(tables: Tables) -> None:
    table = played(tables, 0, 1, 1)
    assert Tables(tables.store).open(table.row.id).fold.states == table.fold.states


def test_news_from_another_process_is_read(tables: Tables) -> None:
    table = played(tables, 0)
    other = Tables(tables.store)
    other.record(table.row.id, 1, "theirs", {"type": "won", "seat": 1})
    assert tables.open(table.row.id).version == 2
    assert tables.record(table.row.id, 1, "ours", {"type": "won", "seat": 0}).status == "conflict"


def test_the_same_key_is_the_same_entry(tables: Tables) -> None:
    table = played(tables)
    answers = [tables.record(table.row.id, 0, "tap", {"type": "won", "seat": 1}) for _ in range(5)]
    assert [answer.status for answer in answers] == ["ok", "dup", "dup", "dup", "dup"]
    assert answers[-1].table.version == 1


def test_a_conflict_brings_what_was_not_seen(tables: Tables) -> None:
    table = played(tables, 0, 1)
    answer = tables.record(table.row.id, 1, "late", {"type": "won", "seat": 0})
    assert answer.status == "conflict"
    assert [entry.body for entry in answer.since] == [{"type": "won", "seat": 1}]


def test_a_refused_entry_changes_nothing(tables: Tables) -> None:
    table = played(tables, 0)
    with pytest.raises(Refused):
        tables.record(table.row.id, 1, "x", {"type": "hop", "seat": 0, "dive": True})
    assert tables.open(table.row.id).version == 1


def test_undo_goes_back_through_every_boundary_and_redo_returns(tables: Tables) -> None:
    seats = [0, 1] * 14
    table = played(tables, *seats)
    states = table.fold.states
    assert table.game.outcome(table.state) is not None
    for step in range(28):
        table = tables.undo(table.row.id, table.version, f"undo{step}").table
        assert table.state == states[27 - step]
        same_as_fresh(tables, table)
    with pytest.raises(RecordError):
        tables.undo(table.row.id, table.version, "one too many")
    for step in range(28):
        table = tables.redo(table.row.id, table.version, f"redo{step}").table
    assert table.state == states[28]


def test_an_undo_sent_again_takes_back_one_entry(tables: Tables) -> None:
    table = played(tables, 0, 1)
    assert tables.undo(table.row.id, 2, "tap").status == "ok"
    again = tables.undo(table.row.id, 2, "tap")
    assert again.status == "dup"
    assert len(again.table.fold.lines) == 1


def test_a_winner_put_right_three_tricks_ago_equals_a_fresh_game(tables: Tables) -> None:
    table = played(tables, 0, 0, 1, 0, 1)
    raw = {"type": "revise", "at": 1, "drop": 1, "entries": [{"type": "won", "seat": 1}]}
    preview = tables.preview(table, tables.read(table, raw))
    saved = tables.record(table.row.id, 5, "fix", raw).table
    assert preview.after is not None
    assert preview.after.state == saved.state
    fresh = played(tables, 0, 1, 1, 0, 1, hierarchy=list(table.fold.setup.hierarchy))
    assert saved.fold.states == fresh.fold.states
    assert [item.taken for item in saved.items] == [item.taken for item in fresh.items]


def test_what_a_correction_breaks_can_be_taken_out_with_it(tables: Tables) -> None:
    table = played(tables)
    cards = [("card", 0, "5S"), ("card", 1, "6S"), ("card", 0, "7H"), ("card", 1, "8H")]
    for version, (kind, seat, card) in enumerate(cards):
        table = tables.record(table.row.id, version, f"c{version}", {"type": kind, "seat": seat, "card": card}).table
    revised = tables.read(table, {"type": "revise", "at": 0, "drop": 0, "entries": [{"type": "won", "seat": 1}]})
    assert isinstance(revised, Revised)
    refused = tables.preview(table, revised)
    assert refused.after is None
    assert refused.findings[0].code == "wrong-turn"
    mended = tables.mended(table, revised)
    assert mended.after is not None
    stored = tables.record(table.row.id, 4, "mend", mended.revised.json()).table
    assert stored.fold.states == mended.after.fold.states
    same_as_fresh(tables, stored)


def test_a_rematch_starts_afresh_with_the_deal_passed(tables: Tables) -> None:
    table = played(tables, *[0, 1] * 14)
    fresh = tables.rematch(table, key="again")
    assert fresh.row.setup["dealer"] == 1
    assert fresh.version == 0
    assert tables.rematch(table, key="again").row.id == fresh.row.id


def test_a_watching_address_leads_to_the_same_table(tables: Tables) -> None:
    table = played(tables, 0)
    assert tables.watch(table.row.watch).row.id == table.row.id
    with pytest.raises(NoTable):
        tables.watch(table.row.id)


def test_names_change_for_everybody(tables: Tables) -> None:
    table = played(tables, 0)
    other = Tables(tables.store)
    other.open(table.row.id)
    tables.rename(table, ["Amy", "Bob"])
    assert other.open(table.row.id).row.players == ("Amy", "Bob")


DAY = 24 * 3600.0


@pytest.fixture
def passing(tables: Tables) -> Tables:
    """Tables that expire after 90 days."""
    tables.keep = 90 * DAY
    return tables


def later(tables: Tables, days: float) -> None:
    now = tables.clock() + days * DAY
    tables.clock = lambda: now


def test_a_table_expires_so_long_after_its_last_entry(passing: Tables) -> None:
    table = played(passing, 0)
    later(passing, 89)
    assert passing.left(passing.open(table.row.id)) == DAY
    passing.record(table.row.id, 1, "late", {"type": "won", "seat": 1})
    later(passing, 89)
    assert passing.left(passing.open(table.row.id)) == DAY
    later(passing, 1)
    for way in (passing.open, lambda _: passing.watch(table.row.watch)):
        with pytest.raises(Expired):
            way(table.row.id)


def test_an_entry_of_another_process_keeps_a_table(passing: Tables) -> None:
    table = played(passing, 0)
    other = Tables(passing.store, passing.clock, passing.keep)
    later(other, 60)
    other.record(table.row.id, 1, "k", {"type": "won", "seat": 1})
    later(passing, 120)
    assert passing.open(table.row.id).version == 2


def test_on_a_laptop_nothing_expires(tables: Tables) -> None:
    table = played(tables, 0)
    later(tables, 4000)
    assert tables.open(table.row.id).version == 1
    tables.sweep()
    assert tables.store.table(table.row.id).binned_at is None


def test_sweeping_is_for_one_process_an_hour(passing: Tables) -> None:
    old = played(passing, 0)
    other = Tables(passing.store, passing.clock, passing.keep)
    later(passing, 91)
    later(other, 91)
    fresh = passing.start("leapfrog", ["Ann", "Ben"], {"variant": "standard"})
    assert passing.store.table(old.row.id).binned_at == passing.clock()
    assert passing.store.table(fresh.row.id).binned_at is None
    idle = passing.store.create("leapfrog", ["A", "B"], {}, 0.0)
    other.sweep()
    passing.sweep()
    assert passing.store.table(idle.id).binned_at is None
    later(other, 1 / 24)
    other.sweep()
    assert passing.store.table(idle.id).binned_at is not None
    # Binned tables stay expired, and are deleted when their time in the bin is over.
    with pytest.raises(Expired):
        passing.open(old.row.id)
    later(other, 31)
    other.sweep()
    with pytest.raises(NoTable):
        other.open(old.row.id)


def test_the_old_addresses_of_a_table_that_moved_open_nothing(tables: Tables) -> None:
    table = played(tables, 0)
    assert tables.watch(table.row.watch).row.id == table.row.id
    fresh = tables.open(tables.store.put_out(table.row.id, "somebody"))
    for way in (tables.open, tables.watch):
        for code in (table.row.id, table.row.watch):
            with pytest.raises(NoTable):
                way(code)
    assert tables.watch(fresh.row.watch).version == tables.open(fresh.row.id).version == 1


def full(tables: Tables, table: Table, entry: dict[str, Any]) -> Table:
    """Enters the same again and again until the record has no room left for it."""
    try:
        while True:
            table = tables.record(table.row.id, table.version, f"key{table.version}", entry).table
    except Refused as refused:
        if [finding.code for finding in refused.findings] != ["record-full"]:
            raise
    return table


def test_a_record_never_outgrows_what_can_be_read_back(tables: Tables, tmp_path: Path) -> None:
    note = {"type": "adjust", "set": {"king": 1}, "note": "日" * 280}
    table = full(tables, played(tables), {"type": "revise", "at": 0, "drop": 0, "entries": [note] * 20})
    # A smaller entry still finds room, until nothing does.
    for entry in ({**note, "note": "日" * 100}, {"type": "adjust", "set": {"king": 1}}):
        table = full(tables, table, entry)
    assert tables.open(table.row.id).version == table.version
    table = tables.rename(table, ["🐸" * 40, '"' * 40])
    text = written(tables.record_of(table))
    assert MOST_BYTES - 1000 < len(text.encode()) <= MOST_BYTES
    assert len(read_record(text).lines) == table.version
    # Another process counts the same bytes.
    fresh = Tables(tables.store, clock=tables.clock)
    assert fresh.open(table.row.id).size == table.size
    copy = open_store(f"sqlite:///{tmp_path}/copy.sqlite3")
    same_as_fresh(Tables(copy), Tables(copy).open(Tables(copy).bring_in(read_record(text)).table.id))
    copy.close()


def test_a_large_record_without_keys_comes_out_without_them(tables: Tables) -> None:
    """The keys an entry is given on its way in may take more room than the record has."""
    note = {"type": "adjust", "set": {"king": 1}, "note": "n" * 60}
    whole = {
        "format": "companion-record", "version": 1, "game": "leapfrog", "players": ["Ann", "Ben"],
        "setup": {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0}, "entries": [note] * 2000,
    }  # fmt: skip
    record = read_record(written(whole))
    back = tables.record_of(tables.open(tables.bring_in(record).table.id))
    assert back == whole
    assert read_record(written(back)) == record
    # One with room for them keeps them, so that phones can give its entries back.
    small = read_record(written({**whole, "entries": [note]}))
    assert "id" in tables.record_of(tables.open(tables.bring_in(small).table.id))["entries"][0]


def test_a_leap_second_comes_in_as_the_one_before(tables: Tables) -> None:
    entry = {"type": "won", "seat": 0, "id": "k", "at": "2017-01-01T08:59:60+09:00"}
    whole = {**tables.record_of(played(tables)), "entries": [entry]}
    back = tables.record_of(tables.open(tables.bring_in(record_from(whole)).table.id))
    assert back["entries"] == [{**entry, "at": "2016-12-31T23:59:59Z"}]


def raw_record(tables: Tables, table: Table) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(tables.record_of(table)))
    return found


def another(tmp_path: Path) -> Tables:
    return Tables(open_store(f"sqlite:///{tmp_path}/other.sqlite3"), clock=lambda: 1_800_000_001.0)


def test_a_lost_table_is_given_back_once(tables: Tables, tmp_path: Path) -> None:
    table = played(tables, 0, 1, 1)
    tables.undo(table.row.id, 3, "undo")
    raw, other = raw_record(tables, table), another(tmp_path)
    assert give_back(other, table.row.id, record_from(raw), device="phone").status == "made"
    assert [give_back(other, table.row.id, record_from(raw)).status for _ in range(4)] == ["same"] * 4
    back = other.open(table.row.id)
    assert (back.version, back.row.watch) == (4, table.row.watch)
    assert raw_record(other, back) == raw
    assert [row.id for row, _ in other.store.tables_of("phone")] == [table.row.id]
    other.store.close()


def test_an_older_table_gains_what_it_lacks_and_a_shorter_copy_changes_nothing(tables: Tables, tmp_path: Path) -> None:
    table = played(tables, 0, 1, 1, 0)
    raw, other = raw_record(tables, table), another(tmp_path)
    short = {**raw, "entries": raw["entries"][:2]}
    give_back(other, table.row.id, record_from(short))
    given = give_back(other, table.row.id, record_from(raw))
    assert (given.status, given.table.version, given.common) == ("grown", 4, 4)
    assert give_back(other, table.row.id, record_from(short)).status == "same"
    assert raw_record(other, other.open(table.row.id)) == raw
    other.store.close()


def test_tables_that_went_apart_are_left_as_they_are(tables: Tables, tmp_path: Path) -> None:
    table = played(tables, 0, 1, 1)
    raw, other = raw_record(tables, table), another(tmp_path)
    give_back(other, table.row.id, record_from({**raw, "entries": raw["entries"][:1]}))
    other.record(table.row.id, 1, "theirs", {"type": "won", "seat": 0})
    given = give_back(other, table.row.id, record_from(raw))
    assert (given.status, given.common, given.table.version) == ("apart", 1, 2)
    assert (
        give_back(other, table.row.id, record_from({**raw, "setup": {**raw["setup"], "dealer": 1}})).status == "apart"
    )
    assert other.open(table.row.id).version == 2
    other.store.close()


def test_who_was_put_out_cannot_bring_the_table_back_to_where_it_was(tables: Tables) -> None:
    table = played(tables, 0)
    record = record_from(raw_record(tables, table))
    tables.store.put_out(table.row.id, "somebody")
    with pytest.raises(NoTable):
        give_back(tables, table.row.id, record, "somebody")


def test_what_cannot_have_been_played_is_not_given_back(tables: Tables) -> None:
    raw = raw_record(tables, played(tables, 0))
    with pytest.raises(Refused):
        give_back(tables, "B" * 22, record_from({**raw, "entries": [{"type": "hop", "seat": 0, "dive": True}]}))
    with pytest.raises(RecordError, match="key-missing"):
        give_back(tables, "B" * 22, record_from({**raw, "entries": [{"type": "won", "seat": 0}]}))
    with pytest.raises(NoTable):
        tables.open("B" * 22)


def test_two_phones_that_say_the_same_enter_it_once(tables: Tables) -> None:
    table, ann = played(tables), {"type": "won", "seat": 0}
    assert tables.claim(table.row.id, 0, "a", ann, "one").status == "claimed"
    assert tables.claim(table.row.id, 0, "a", ann, "one").status == "claimed"
    assert tables.claim(table.row.id, 0, "b", ann, "two").status == "ok"
    # Answers that were lost: both ask again.
    assert tables.claim(table.row.id, 0, "b", ann, "two").status == "dup"
    assert tables.claim(table.row.id, 0, "a", ann, "one").status == "dup"
    assert tables.open(table.row.id).version == 1
    assert "claims" not in json.dumps(tables.record_of(table))


def test_two_phones_that_differ_enter_nothing_until_one_gives_way(tables: Tables) -> None:
    table, ann, ben = played(tables), {"type": "won", "seat": 0}, {"type": "won", "seat": 1}
    assert tables.claim(table.row.id, 0, "a", ann, "one").status == "claimed"
    assert tables.claim(table.row.id, 0, "b", ben, "two").status == "claimed"
    assert tables.claim(table.row.id, 0, "c", ben, "three").status == "claimed"
    tables.unclaim(table.row.id, 0, "one")
    assert tables.claim(table.row.id, 0, "d", ben, "one").status == "ok"
    with pytest.raises(Refused):
        tables.claim(table.row.id, 1, "e", {"type": "hop", "seat": 0, "dive": True}, "one")
    assert tables.claim(table.row.id, 0, "f", ann, "one").status == "conflict"
