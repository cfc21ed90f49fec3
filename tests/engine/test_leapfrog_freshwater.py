"""Leapfrog!'s Freshwater: any order of the pads, and tokens on water that may dive."""

import pytest

from tests.dsl import Table, adjust, given

# The two waters apart, and side by side.
START = "3AB 0 1 2 / 4K 6 0 8"


def test_start() -> None:
    """leapfrog/freshwater: frogs on the 3, King Frog on the 4, wherever these lie."""
    given(START).then(track=START, totals=[0, 0])
    given("0 8 6 0 / 1 3AB 4K 2").then(track="0 8 6 0 / 1 3AB 4K 2", frogs=[6, 6], king=5)


@pytest.mark.parametrize(
    ("before", "hop", "dive"),
    [
        # leapfrog/dive: to the other water pad, then 1 pad clockwise from there.
        ("3B 0A 1 2 / 4K 6 0 8", "3B 0 1A 2 / 4K 6 0 8", "3B 0 1 2 / 4K 6A 0 8"),
        ("3B 0 1 2 / 4K 6 0A 8", "3B 0 1 2 / 4K 6A 0 8", "3B 0 1A 2 / 4K 6 0 8"),
        # Leapfrogging over the King, and over both.
        ("3B 0A 1 2 / 4 6K 0 8", "3B 0 1A 2 / 4 6K 0 8", "3B 0 1 2 / 4A 6K 0 8"),
        ("3 0A 1 2 / 4K 6B 0 8", "3 0 1A 2 / 4K 6B 0 8", "3A 0 1 2 / 4K 6B 0 8"),
        # Waters side by side: from the second to the first and on, back to the pad that was left.
        ("3B 0 0A 1 / 2 4K 6 8", "3B 0 0 1A / 2 4K 6 8", "3B 0 0A 1 / 2 4K 6 8"),
        # From the first to the second and on.
        ("3B 0A 0 1 / 2 4K 6 8", "3B 0 0A 1 / 2 4K 6 8", "3B 0 0 1A / 2 4K 6 8"),
        # Waters round the corner.
        ("0A 3B 1 2 / 0 4K 6 8", "0 3B 1A 2 / 0 4K 6 8", "0A 3B 1 2 / 0 4K 6 8"),
    ],
)
def test_the_winner_on_water_chooses(before: str, hop: str, dive: str) -> None:
    choosing = given(before).when("A won").then(choice="A", to_act="A", trick=1, track=before)
    choosing.when("A hop").then(track=hop, choice=None, leader="A", to_act="A", trick=2)
    choosing.when("A dive").then(track=dive, choice=None, leader="A", to_act="A", trick=2)
    by_card = given(before, deals="B").when("B 2H, A 10S, B 3H, A 2C").then(choice="A", to_act="A", track=before)
    by_card.when("A dive").then(track=dive, leader="A", plays=[])


def test_while_a_choice_is_open() -> None:
    choosing = given("3B 0A 1 2 / 4K 6 0 8").when("A won")
    for entry in ("A 4S", "B 4S", "A leap", "B king", "A won", "B won"):
        assert choosing.refuses(entry, "hop-missing")[0].params == {"seat": 0}
    choosing.refuses("B hop", "wrong-turn")
    choosing.refuses("B dive", "wrong-turn")
    choosing.refuses({"type": "reveal", "cards": ["4S"]}, "wrong-phase")
    choosing.refuses(adjust(leader=1), "wrong-phase")
    assert [tuple(option.entry.items())[-1] for option in choosing.fold.game.expects(choosing.state).options] == [
        ("dive", False),
        ("dive", True),
    ]


@pytest.mark.parametrize(
    "track",
    [
        # Not on water; another token on the other water: a frog, the King.
        "3 0B 1A 2 / 4K 6 0 8",
        "3 0A 1 2 / 4K 6 0B 8",
        "3B 0A 1 2 / 4 6 0K 8",
        # The standard track's 0 is no water.
        "6B 1 3 5 / 2K 4 9 0A",
    ],
)
def test_where_no_dive_is_open_nothing_is_asked(track: str) -> None:
    given(track).when("A won").then(choice=None, trick=2).refuses("A hop", "hop-not-asked")
    given(track).when("A won").refuses("A dive", "hop-not-asked")


def test_the_other_water_is_looked_at_when_the_frog_moves() -> None:
    """leapfrog/dive: after a King Frog that was used in the same trick."""
    # The King leaves the other water, or comes to it.
    given("3B 0A 1 2 / 4 6 0K 8").when("B king, A won").then(choice="A")
    given("3B 0A 1 2 / 4 6 0 8K").when("B king, A won").then(choice=None, track="3B 0 1A 2 / 4 6 0K 8")
    # With the fourth card as well.
    cards = "A 10S, B 2H, A 4C, B king"
    given("3B 0A 1 2 / 4 6 0K 8").when(cards).then(choice="A")
    given("3B 0A 1 2 / 4 6 0 8K").when(cards).then(choice=None, track="3B 0 1A 2 / 4 6 0K 8")


def test_the_table_may_close_an_open_dive() -> None:
    choosing = given("3B 0A 1 2 / 4K 6 0 8").when("A won", adjust(king=5)).then(choice="A")
    choosing.refuses("A dive", "dive-not-allowed")
    choosing.when("A hop").then(track="3B 0 1A 2 / 4 6 0K 8")
    moved = given("3B 0A 1 2 / 4K 6 0 8").when("A won", adjust(frogs=[3, 0])).then(choice="A")
    moved.refuses("A dive", "dive-not-allowed")
    moved.when("A hop").then(track="3B 0 1 2 / 4K 6 0 8A")


@pytest.mark.parametrize(
    ("before", "hop", "dive"),
    [
        ("3B 0K 1 2 / 4A 6 0 8", "3B 0 1K 2 / 4A 6 0 8", "3B 0 1 2 / 4A 6K 0 8"),
        ("3B 0K 1 2 / 4 6A 0 8", "3B 0 1K 2 / 4 6A 0 8", "3B 0 1 2 / 4K 6A 0 8"),
        ("3B 0 0K 1 / 2 4A 6 8", "3B 0 0 1K / 2 4A 6 8", "3B 0 0K 1 / 2 4A 6 8"),
    ],
)
def test_the_powers_player_chooses_for_the_king(before: str, hop: str, dive: str) -> None:
    for user in ("A", "B"):
        given(before, deals=user).when(f"{user} king").then(track=hop, choice=None)
        given(before, deals=user).when(f"{user} king dive").then(track=dive, choice=None)
    # Left out, it hops.
    given(before).when({"type": "power", "seat": 0, "power": "king"}).then(track=hop)


@pytest.mark.parametrize("track", ["3B 0K 1 2 / 4 6 0A 8", "3B 0 1K 2 / 4 6 0A 8", "6AB 1 3 5 / 2 4 9 0K"])
def test_where_the_king_may_not_dive(track: str) -> None:
    finding = given(track).refuses("A king dive", "dive-not-allowed")[0]
    assert finding.params == {"token": "king"}


def test_a_leap_never_dives() -> None:
    entry = {"type": "power", "seat": 0, "power": "leap", "dive": True}
    given("3B 0K 1 2 / 4 6A 0 8").refuses(entry, "dive-not-allowed")


def the_last_trick_of(number: int) -> Table:
    """Plays up to a round's last trick, always hopping."""
    table = given(START)
    while (table.state.round, table.state.trick) != (number, 7):
        winner = "AB"[table.state.trick % 2]
        table = table.when(f"{winner} won")
        if table.state.choice is not None:
            table = table.when(f"{winner} hop")
    return table


def test_a_dive_ends_a_round() -> None:
    table = the_last_trick_of(1).placed("3B 0A 1 2 / 4K 6 0 8").when("A won").then(choice="A", round=1, rounds=[])
    table = table.when("A dive").then(round=2, rounds=[[6, 3]], choice=None, dealer="B", leader="B", to_act="B")
    # Undo takes back the choice alone.
    table.undo().then(choice="A", rounds=[])


def test_both_frogs_on_water_and_equal_totals_are_a_draw() -> None:
    """leapfrog/tie: the one draw there is."""
    last = the_last_trick_of(4)
    last = last.placed("3A 0 1K 2 / 4 6 0B 8", totals=[5, 5])
    last.when("A won").then(track="3 0A 1K 2 / 4 6 0B 8", totals=[5, 5], outcome="draw")
    # One frog dry, and it wins: B's 6 is scored too.
    dry = last.undo().placed("3A 0 1K 2 / 4 6B 0 8", totals=[11, 5])
    dry.when("A won").then(totals=[11, 11], outcome="B pad")


def test_a_choice_given_up() -> None:
    over = given("3B 0A 1 2 / 4K 6 0 8").when("A won, B concedes")
    over.then(choice=None, to_act=None, outcome="A conceded")
    over.refuses("A hop", "game-over")
    over.refuses("A dive", "game-over")
