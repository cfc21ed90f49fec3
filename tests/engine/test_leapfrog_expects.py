"""What Leapfrog! offers next: every choice, why it is closed, and what it would do; and how a trick is told."""

from typing import Any

import pytest

from companion.engine.game import Option
from companion.engine.leapfrog_tricks import explain
from tests.dsl import Table, given, tricks


def options(table: Table, **like: Any) -> list[Option]:
    """Returns the options whose entry has these values."""
    found = table.fold.game.expects(table.state).options
    return [option for option in found if like.items() <= dict(option.entry).items()]


def codes(table: Table, **like: Any) -> list[str]:
    (option,) = options(table, **like)
    return [finding.code for finding in option.closed]


@pytest.mark.parametrize(
    ("table", "phase", "seat"),
    [
        (given(), "trick", 0),
        (given(deals="B"), "trick", 1),
        (given().when("A 4S"), "trick", 1),
        (given().when("B leap"), "result", None),
        (given("3B 0A 1 2 / 4K 6 0 8").when("A won"), "hop", 0),
        (given().when(tricks("A" * 28)), "over", None),
        (given().when("B concedes"), "over", None),
    ],
)
def test_the_question(table: Table, phase: str, seat: int | None) -> None:
    expects = table.fold.game.expects(table.state)
    assert (expects.phase, expects.seat) == (phase, seat)
    assert bool(expects.options) == (phase != "over")


def test_all_cards_are_offered_and_closed_ones_know_why() -> None:
    table = given(order="D>S>C").when("A 4S")
    cards = [option.entry["card"] for option in options(table, type="card")]
    assert cards[:2] == ["AS", "2S"]
    assert cards == [rank + suit for suit in "SDC" for rank in "A 2 3 4 5 6 7 8 9 10".split()]
    assert codes(table, card="4S") == ["duplicate-card"]
    assert codes(table, card="5S") == []
    # By result no card fits, and each says so.
    by_result = given().when("B leap")
    assert codes(by_result, card="5S") == ["wrong-phase"]


def test_powers_are_offered_to_both_seats() -> None:
    table = given().when("A leap, A won, B leap, A won, A king, A won, B leap")
    assert codes(table, type="power", seat=0, power="leap") == ["second-power"]
    table = table.when("A won")
    assert codes(table, type="power", seat=0, power="leap") == ["power-limit"]
    assert codes(table, type="power", seat=0, power="king") == ["power-limit"]
    assert codes(table, type="power", seat=1, power="king") == ["power-limit"]
    fresh = given().when("A leap, A won")
    assert codes(fresh, type="power", seat=0, power="leap") == []


def test_a_dive_is_offered_where_one_is_open() -> None:
    assert options(given("3B 0 1K 2 / 4 6 0A 8"), dive=True) == []
    assert options(given("3B 0K 1 2 / 4 6 0A 8"), dive=True) == []
    (first, second) = options(given("3B 0K 1A 2 / 4 6 0 8"), dive=True)
    assert [first.entry["seat"], second.entry["seat"]] == [0, 1]
    assert first.effect == {"to": 6, "pad": 6, "over": []}


@pytest.mark.parametrize(
    ("track", "seat", "effect"),
    [
        ("6AB 1 3 5 / 2 4 9 0K", 0, {"to": 1, "pad": 1, "over": []}),
        ("6A 1B 3 5 / 2 4 9 0K", 0, {"to": 2, "pad": 3, "over": [1]}),
        ("6A 1K 3B 5 / 2 4 9 0", 0, {"to": 3, "pad": 5, "over": ["king", 1]}),
        ("6 1 3 5A / 2 4 9 0K", 0, {"to": 5, "pad": 9, "over": ["king"]}),
        ("3B 0A 1 2 / 4 6K 0 8", 0, {"to": 2, "pad": 1, "over": [], "dive": {"to": 7, "pad": 4, "over": ["king"]}}),
        # A dive passes what lies beyond the other water, not what lay before it.
        ("3 0A 1B 2 / 4 6K 0 8", 0, {"to": 3, "pad": 2, "over": [1], "dive": {"to": 7, "pad": 4, "over": ["king"]}}),
        ("3B 0A 0K 2 / 4 6 1 8", 0, {"to": 3, "pad": 2, "over": ["king"]}),
        ("3B 0 0A 2 / 4 6K 1 8", 0, {"to": 3, "pad": 2, "over": [], "dive": {"to": 2, "pad": 0, "over": []}}),
    ],
)
def test_a_result_says_where_the_frog_would_land(track: str, seat: int, effect: dict[str, Any]) -> None:
    """B33: the pending change is shown before the tap."""
    if "B" not in track:
        track = track.replace("/ 2", "/ 2B")
    table = given(track)
    (option,) = options(table, type="won", seat=seat)
    assert option.effect == effect
    after = table.when(option.entry)
    if "dive" in effect:
        hop, dive = after.fold.game.expects(after.state).options
        assert (hop.effect, dive.effect) == ({key: effect[key] for key in ("to", "pad", "over")}, effect["dive"])
    else:
        assert after.state.frogs[seat] == effect["to"]
        assert after.state.track[after.state.frogs[seat]] == effect["pad"]


def test_a_power_says_what_it_would_do() -> None:
    table = given("6A 1B 3 5 / 2K 4 9 0")
    (leap,) = options(table, power="leap", seat=1)
    assert leap.effect == {"hierarchy": ["C", "S", "H"]}
    (king,) = options(table, power="king", seat=1)
    assert king.effect == {"to": 2, "pad": 3, "over": [0, 1]}


@pytest.mark.parametrize(
    ("track", "lying", "reasons"),
    [
        ("6AB 1 3 5 / 2 4 9 0K", "A won", "by-result hopped"),
        ("6A 1B 3 5 / 2 4 9 0K", "A won", "by-result hopped-over"),
        ("6AB 1 3 5 / 2 4 9 0K", "B leap, A won", "leapt by-result hopped"),
        ("6AB 1 3 5 / 2 4 9 0K", "A 4S, B king, A won", "king-moved by-result hopped"),
        ("6AB 1 3 5 / 2 4 9 0K", "A 6C, B leap, A 5H, B 6S", "leapt strongest-suit only-card hopped"),
        ("3B 0A 1 2 / 4K 6 0 8", "A won, A dive", "by-result dived"),
        ("3B 0A 1 2 / 4 6K 0 8", "A won, A dive", "by-result dived-over"),
        ("3B 0A 1 2 / 4K 6 0 8", "A won, A hop", "by-result hopped"),
        ("3B 0A 1K 2 / 4 6 0 8", "A 10S, B 2H, A 4C, B 3C, A hop", "strongest-suit only-card hopped-over"),
    ],
)
def test_how_a_finished_trick_is_told(track: str, lying: str, reasons: str) -> None:
    table = given(track).when(lying)
    taken = table.state.last
    ruling = explain(taken)
    assert [reason.code for reason in ruling.because] == reasons.split()
    assert (taken.chapter, taken.number, ruling.winner) == (1, 1, 0)
    move = ruling.because[-1].params
    assert move["pad"] == table.state.track[table.state.frogs[0]]
    assert bool(move["tokens"]) == reasons.endswith("over")


def test_the_open_trick_as_it_lies() -> None:
    game = given().fold.game
    assert game.so_far(given().state) is None
    ruling = game.so_far(given().when("A 4S, B 9S, A 8S").state)
    assert ruling is not None
    assert (ruling.winner, ruling.card) == (0, "8S")
    alone = game.so_far(given().when("A king").state)
    assert alone is not None
    assert (alone.winner, [reason.code for reason in alone.because]) == (None, ["king-moved"])


def test_a_rematch_is_dealt_by_the_other() -> None:
    """D10, B40: not by the next after the last dealer; track and order are drawn anew."""
    for deals, next_ in (("A", 1), ("B", 0)):
        for track, variant in (("6AB 1 3 5 / 2 4 9 0K", "standard"), ("3AB 0 1 2 / 4K 6 0 8", "freshwater")):
            fold = given(track, deals=deals).fold
            assert fold.game.rematch(fold.setup, 2) == {"variant": variant, "dealer": next_}
