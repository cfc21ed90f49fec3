"""The log: corrections, undo and redo across every boundary, places named, limits kept, history in items."""

import json
from dataclasses import replace
from typing import Any

import pytest

from companion.engine.findings import RecordError, Refused
from companion.engine.fold import MOST_REFOLDED, Fold, fold, start, steps
from companion.engine.record import MOST_ENTRIES, Line, Revised, record_from
from companion.engine.registry import GAMES
from companion.engine.replay import replay
from tests.dsl import Table, adjust, given, reveal, revise, tricks


def test_a_card_changed_two_tricks_ago() -> None:
    """B17, B20: the lead, the frogs and the order of play follow."""
    table = given().when("A 4S, B 10S, A 5S, B 2H, B 3C, A 7C, B 9C, A AC").then(track="6A 1 3B 5 / 2 4 9 0K")
    # It was the 6, so A's 4 took the first trick; but then B did not lead the second.
    finding = table.refuses(revise(1, 1, "B 6S"), "wrong-turn")[0]
    assert (finding.entries, finding.params) == ((5,), {"seat": 1, "to_act": 0})
    mended = table.when(revise(1, 7, "B 6S", "A 5S", "B 2H", "A 7C", "B 3C", "A AC", "B 9C"))
    mended.then(track="6 1A 3B 5 / 2 4 9 0K", leader="B", trick=3)


def test_another_winner_three_tricks_ago() -> None:
    table = given().when(tricks("AABA")).then(track="6 1B 3 5A / 2 4 9 0K", leader="A")
    mended = table.when(revise(1, 1, "B won")).then(track="6 1 3A 5B / 2 4 9 0K", leader="A")
    assert mended.state == given().when(tricks("ABBA")).state


def test_b24_after_undo_nobody_has_won_yet() -> None:
    table = given().when("A 5H, B 9H, A 7H, B 8H")
    undone = table.undo()
    assert undone.state == given().when("A 5H, B 9H, A 7H").state
    assert undone.state.last is None
    assert undone.fold.history()[-1].taken is None


def test_b28_correcting_the_last_round_makes_no_new_one() -> None:
    over = given().when(tricks("A" * 28)).then(round=4, trick=7)
    mended = over.when(revise(27, 1, "B won")).then(round=4, trick=7, to_act=None)
    assert len(mended.state.rounds) == 4
    assert len(mended.fold.lines) == 28


@pytest.mark.parametrize(
    "boundary",
    [
        pytest.param(given().when("A 4S"), id="first entry"),
        pytest.param(given().when("A 4S, B 5S, A 6S, B 7S"), id="trick"),
        pytest.param(given().when(tricks("ABABABA")), id="round"),
        pytest.param(given().when(tricks("AB" * 14)), id="game"),
        pytest.param(given("3B 0A 1 2 / 4K 6 0 8").when("A won, A dive"), id="dive"),
        pytest.param(given().when("B leap"), id="power"),
        pytest.param(given().when(tricks("ABABABA"), reveal("4S")), id="reveal"),
        pytest.param(given().when(adjust(totals=[1, 2])), id="adjust"),
        pytest.param(given().when("A won, B concedes"), id="concession"),
    ],
)
def test_b22_undo_at_every_boundary(boundary: Table) -> None:
    """B19: at the end of the game as well, which un-finishes it."""
    before = boundary.undo()
    assert before.state == boundary.fold.states[-2]
    assert before.fold.game.outcome(before.state) is None
    again = before.redo()
    assert (again.state, again.fold.lines) == (boundary.state, boundary.fold.lines)
    assert again.fold.version == boundary.fold.version + 2


def test_undo_and_redo_walk_across_everything() -> None:
    """Plain entries, corrections in the middle, both grains: back to nothing and forward again."""
    table = given()
    shown = [table.fold]
    for step in [
        "A 4S",
        "B 10S",
        revise(0, 1, "A 5S"),
        "A won",
        revise(0, 3, "B won"),
        adjust(frogs=[1, 2]),
        "A leap",
        revise(1, 2),
        tricks("AAAAAA"),
        revise(0, 7, *tricks("BBBBBBB").split(", ")),
        "B concedes",
    ]:
        for part in step.split(", ") if isinstance(step, str) else [step]:
            table = table.when(part)
            shown.append(table.fold)
    for earlier in reversed(shown[:-1]):
        table = table.undo()
        assert (table.fold.lines, table.fold.states) == (earlier.lines, earlier.states)
    assert table.fold.undo() is None
    for later in shown[1:]:
        table = table.redo()
        assert (json_of(table.fold), table.state) == (json_of(later), later.state)
    assert table.fold.redo() is None


def json_of(folded: Fold) -> list[dict[str, Any]]:
    return [line.json() for line in folded.lines]


def test_after_something_new_there_is_nothing_to_redo() -> None:
    undone = given().when("A won, B won").undo()
    assert undone.fold.redo() is not None
    assert undone.when("A won").fold.redo() is None
    assert undone.when(revise(0, 1, "B won")).fold.redo() is None
    # The same as was taken back, entered by hand, is something new too.
    assert undone.when("B won").fold.redo() is None


def test_a_correction_that_is_an_undo_by_its_shape_is_one() -> None:
    table = given().when("A won, B won", revise(1, 1))
    redo = table.fold.redo()
    assert redo is not None
    assert redo.json() == revise(1, 0, "B won")
    assert table.when(revise(1, 0, "B won")).fold.undo() == Revised(1, 1, ())


def test_undo_keeps_time_and_seat_but_no_clients_key() -> None:
    """A key is unique in the record: the line that had it first keeps it."""
    won = {"type": "won", "seat": 0, "at": "2026-01-31T20:00:00Z", "by": 1}
    table = given().when({**won, "id": "k"}, revise(0, 1, "B won"))
    undo = table.fold.undo()
    assert undo is not None
    assert undo.json() == revise(0, 1, won)
    assert json_of(table.undo().fold) == [won]


def whole(entries: list[Any]) -> dict[str, Any]:
    return {
        "format": "companion-record",
        "version": 1,
        "game": "leapfrog",
        "players": ["Ann", "Ben"],
        "setup": {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0},
        "entries": entries,
    }


@pytest.mark.parametrize(
    ("correction", "params"),
    [
        (revise(3, 0, "A won"), {"at": 3, "drop": 0, "length": 2}),
        (revise(2, 1), {"at": 2, "drop": 1, "length": 2}),
        (revise(0, 3), {"at": 0, "drop": 3, "length": 2}),
        (revise(2000, 2000), {"at": 2000, "drop": 2000, "length": 2}),
    ],
)
def test_beyond_the_end(correction: dict[str, Any], params: dict[str, int]) -> None:
    table = given().when("A won, B won")
    assert table.refuses(correction, "revise-out-of-range")[0].params == params
    table.when(revise(2, 0, "A won")).then(trick=4)


def test_a_correction_that_empties_the_game() -> None:
    table = given().when(tricks("A" * 28), revise(0, 28)).then(round=1, trick=1, track="6AB 1 3 5 / 2 4 9 0K")
    assert table.fold.lines == ()
    table.undo().then(round=4, to_act=None)
    assert table.fold.history() == []


@pytest.mark.parametrize("before", ["", "A won, "])
def test_a_redo_that_looks_like_the_next_undo(before: str) -> None:
    """A last entry taken out, entered again, undone: redo enters it, and undo then takes out that and not what was."""
    place = len(before) // 7
    table = given().when(before + "B won, A won", revise(0, 0), revise(place + 1, 1), "A won").undo(1)
    again = table.redo(1)
    assert len(again.fold.lines) == place + 2
    assert again.fold.redo() is None
    assert again.undo(1).fold.lines == table.fold.lines
    assert again.undo(2).fold.lines == again.fold.lines


def test_a_correction_that_changes_nothing() -> None:
    table = given().when("A won")
    same = table.when(revise(0, 0))
    assert (same.state, same.fold.lines, same.fold.version) == (table.state, table.fold.lines, 2)
    assert same.undo().undo().state == given().state


def test_what_breaks_is_listed_with_its_cause() -> None:
    table = given().when("A 10S, B 2H, A 3H, B 4H, A 8S, B 9S, A 2C, B 3C")
    findings = table.refuses(revise(3, 1, "B 8S"), "duplicate-card", "wrong-turn")
    assert [finding.entries for finding in findings] == [(5, 4), (6,)]
    # Unless it drops or replaces those as well.
    table.when(revise(3, 3, "B 8S")).then(trick=2, to_act="A")
    table.when(revise(3, 2, "B 8S", "A 7S")).then(trick=3)


def test_a_correction_that_unfinishes_the_game_keeps_nothing_after_it() -> None:
    over = given().when(tricks("A" * 28), reveal("4S"))
    # Without one of the tricks the game is not over, and the last round not to be looked at.
    findings = over.refuses(revise(27, 1), "wrong-phase")
    assert findings[0].entries == (28,)
    over.when(revise(27, 2)).then(trick=7, outcome=None)
    # One trick more than the game has: the last is refused.
    assert over.refuses(revise(0, 0, "A won"), "game-over")[0].entries == (29,)


def test_no_more_than_2000_in_force() -> None:
    """Undo can then name every place in the log's own limits."""
    table = given().when(revise(0, 0, *[adjust(king=1)] * MOST_ENTRIES))
    assert len(table.fold.lines) == MOST_ENTRIES
    for more in ("A won", adjust(king=2), revise(5, 0, adjust(king=2)), revise(5, 1, *[adjust(king=2)] * 2)):
        table.refuses(more, "too-many-entries")
    table.when(revise(5, 1, adjust(king=2)), revise(1999, 1), "A won").undo(3)
    log = [revise(0, 0, *[adjust(king=1)] * MOST_ENTRIES), {"type": "won", "seat": 0}]
    with pytest.raises(Refused, match="too-many-entries"):
        fold(record_from(whole(log)))


def test_two_thousand_entries_fold() -> None:
    entries = [adjust(king=1 + number % 6) for number in range(MOST_ENTRIES - 2)]
    folded = fold(record_from(whole([*entries, revise(0, 1), revise(0, 0, entries[0])])))
    assert (folded.version, len(folded.lines), folded.state.king) == (2000, 1998, 1 + 1997 % 6)


def test_corrections_may_fold_only_so_much_again() -> None:
    """A hundred kilobytes can ask for millions of entries to be folded; no game at a table comes near the limit."""
    most = 100
    entries = [adjust(king=1)] * (MOST_REFOLDED // most)
    log = [*entries, *[revise(0, 1, adjust(king=2))] * most]
    assert fold(record_from(whole(log))).refolded == MOST_REFOLDED
    over = record_from(whole([*log, revise(0, 1, adjust(king=3))]))
    with pytest.raises(Refused, match="too-many-corrections"):
        fold(over)
    assert replay(over)["refused"]["n"] == len(log) + 1


def test_where_no_more_corrections_fit_play_and_undo_go_on() -> None:
    table = given().when("A won, B won")
    table = Table(replace(table.fold, refolded=MOST_REFOLDED))
    for correction in (revise(0, 1, "B won"), revise(0, 2, "B won"), revise(0, 0)):
        table.refuses(correction, "too-many-corrections")
    table.when(revise(1, 1), revise(0, 1), "A won")
    table.when("A won").undo(1)


def test_a_refused_entry_names_the_place_in_the_whole_log() -> None:
    entries = [{"type": "card", "seat": place % 2, "card": card} for place, card in enumerate("4S 10S 5S 4S".split())]
    with pytest.raises(Refused) as caught:
        fold(record_from(whole(entries)))
    assert caught.value.findings[0].entries == (1,)
    assert str(caught.value) == "duplicate-card"


def test_history_is_tricks_and_what_was_done_between() -> None:
    table = given().when("A 4S, B 10S, A 5S, B 2H", adjust(king=2), "B won, B leap, A won", "A 7S")
    table.then(history=[(0, 3), (4, 4), (5, 5), (6, 7), (8, 8)])
    taken = [item.taken for item in table.fold.history()]
    assert [one and (one.chapter, one.number, one.winner, one.card) for one in taken] == [
        (1, 1, 1, "10S"),
        None,
        (1, 2, 1, None),
        (1, 3, 0, None),
        None,
    ]


def test_history_of_what_is_no_trick() -> None:
    given().when(tricks("AAAAAAA"), reveal("4S"), reveal("5S"), "A concedes").then(
        history=[*((place, place) for place in range(10))]
    )


def test_a_choice_belongs_to_its_trick() -> None:
    given("3B 0A 1 2 / 4K 6 0 8").when("A won").then(history=[(0, 0), (1, 1)])
    given("3B 0A 1 2 / 4K 6 0 8").when("A won, A dive, A won").then(history=[(0, 0), (1, 2), (3, 3)])


def test_steps_and_fold_agree() -> None:
    raw = whole(
        [
            {"type": "won", "seat": 0},
            revise(0, 1, "B won"),
            {"type": "won", "seat": 1},
            revise(1, 1),
            {"type": "concede", "seat": 0},
        ]
    )
    record = record_from(raw)
    *_, (line, last) = steps(record)
    assert last == fold(record)
    assert line == record.lines[-1]
    assert [folded.version for _, folded in steps(record)] == [1, 2, 3, 4, 5]


def test_replay() -> None:
    answer = replay(record_from(whole([{"type": "won", "seat": 0}, revise(0, 1, "B won"), adjust(totals=[2, 1])])))
    assert [step["n"] for step in answer["steps"]] == [1, 2, 3]
    # After a correction the step's state is that of the whole game as corrected.
    assert [step["state"]["frogs"] for step in answer["steps"]] == [[1, 0], [0, 1], [0, 1]]
    assert answer["steps"][1]["entry"] == revise(0, 1, "B won")
    assert answer["state"] == answer["steps"][-1]["state"]
    assert (answer["game"], answer["findings"], answer["outcome"], "refused" in answer) == ("leapfrog", [], None, False)
    json.dumps(answer)


def test_replay_stops_at_what_is_refused() -> None:
    entries = [{"type": "won", "seat": 0}, {"type": "hop", "seat": 0, "dive": True}, {"type": "won", "seat": 1}]
    answer = replay(record_from(whole(entries)))
    assert len(answer["steps"]) == 1
    assert answer["refused"]["n"] == 2
    assert answer["refused"]["findings"] == [
        {"severity": "refused", "code": "hop-not-asked", "rule": "leapfrog/dive", "entries": [], "params": {"seat": 0}}
    ]
    assert answer["state"] == answer["steps"][-1]["state"]


def test_replay_says_how_it_ended() -> None:
    answer = replay(record_from(whole([{"type": "won", "seat": 0}] * 28)))
    # A's frog comes to the pads 0, 1, 3 and 6 while B's stays on the 6.
    assert answer["outcome"] == {"winners": [1], "reason": "total", "totals": answer["state"]["totals"]}


def test_d23_a_game_saved_after_any_card_goes_on_as_it_was() -> None:
    """Whose turn it is, the suit led and the whole state are in the record."""
    table = given()
    for entry, turn in (("A 4H", "B"), ("B 10H", "A"), ("A 5H", "B")):
        table = table.when(entry).then(to_act=turn)
        saved = record_from(json.loads(json.dumps(whole(json_of(table.fold)))))
        loaded = Table(fold(saved))
        assert loaded.state == table.state
        assert loaded.options() == table.options()
        assert loaded.state.plays[0].card == "4H"


def test_d19_the_same_key_twice_is_one_entry_or_an_error() -> None:
    """What a client sends again is the store's to know; a record that holds it twice is none."""
    tap = {"type": "won", "seat": 0, "id": "k"}
    with pytest.raises(RecordError, match="id-twice"):
        record_from(whole([tap, tap]))


def test_a_line_is_added_to_what_was_folded() -> None:
    game = GAMES["leapfrog"]
    setup = game.read_setup(whole([])["setup"], 2)
    empty = start(game, setup, 2)
    line = Line(given().line("A won").entry, "k", None, 1)
    assert empty.add(line).lines == (line,)
    assert empty.lines == ()
