"""Leapfrog! card by card and trick by trick, rule by rule."""

import pytest

from tests.dsl import Table, given, tricks


def test_start() -> None:
    """leapfrog/track, leapfrog/start: both frogs share the 6, King Frog is on the 0."""
    given().then(
        track="6AB 1 3 5 / 2 4 9 0K",
        round=1,
        trick=1,
        totals=[0, 0],
        rounds=[],
        powers_used=[0, 0],
        plays=[],
        choice=None,
        outcome=None,
    )


@pytest.mark.parametrize("deals", ["A", "B"])
def test_the_dealer_leads_then_the_winner(deals: str) -> None:
    """leapfrog/lead, leapfrog/order."""
    other = "BA"["AB".index(deals)]
    table = given(deals=deals).then(leader=deals, to_act=deals, dealer=deals)
    for laid, turn in (("4S", other), ("10S", deals), ("5S", other)):
        table = table.when(f"{table_turn(table)} {laid}").then(to_act=turn)
    table.when(f"{other} 2H").then(leader=other, to_act=other, trick=2, dealer=deals, plays=[])


def table_turn(table: Table) -> str:
    return "AB"[table.state.to_act]


def test_d03_the_leader_follows_the_winner() -> None:
    """D03: B wins both tricks, the second with its third card."""
    table = given(track="6AB 1 3 5 / 2 4 9 0K").when("A 4H, B 10H, A 5H, B 2H").then(leader="B", to_act="B")
    table.when("B 3C, A 7C, B 9C, A AC").then(track="6A 1 3B 5 / 2 4 9 0K", leader="B", to_act="B", trick=3)


def test_d01_the_suit_led_has_no_power() -> None:
    given(order="H>S>C").when("A 10C, B AH, A 9C, B 4S").then(track="6A 1B 3 5 / 2 4 9 0K", leader="B", to_act="B")


@pytest.mark.parametrize(
    ("before", "winner", "after"),
    [
        # leapfrog/hop: one pad clockwise, along the top to the right, along the bottom to the left.
        ("6A 1 3B 5 / 2 4 9 0K", "A", "6 1A 3B 5 / 2 4 9 0K"),
        ("6 1 3B 5A / 2 4 9K 0", "A", "6 1 3B 5 / 2 4 9K 0A"),
        ("6 1 3B 5 / 2A 4 9 0K", "A", "6A 1 3B 5 / 2 4 9 0K"),
        ("6 1 3B 5 / 2 4A 9 0K", "A", "6 1 3B 5 / 2A 4 9 0K"),
        # Over a frog, over the King, over both.
        ("6A 1B 3 5 / 2 4 9 0K", "A", "6 1B 3A 5 / 2 4 9 0K"),
        ("6 1 3B 5A / 2 4 9 0K", "A", "6 1 3B 5 / 2 4 9A 0K"),
        ("6 1 3B 5A / 2 4 9 0K", "B", "6 1 3 5A / 2 4 9B 0K"),
        ("6 1 3 5 / 2A 4B 9K 0", "B", "6B 1 3 5 / 2A 4 9K 0"),
        # Both frogs on the 6: one leaves, the other stays.
        ("6AB 1K 3 5 / 2 4 9 0", "B", "6A 1K 3B 5 / 2 4 9 0"),
    ],
)
def test_the_winners_frog_hops(before: str, winner: str, after: str) -> None:
    given(before).when(f"{winner} won").then(track=after, leader=winner)
    # Card by card as well: the 10 of the strongest suit takes it.
    loser = "BA"["AB".index(winner)]
    given(before, deals=winner).when(f"{winner} 10S, {loser} 2H, {winner} 4C, {loser} 3H").then(track=after)


def test_the_fourth_card_settles_everything() -> None:
    """D04: the last trick of a round moves the frog and scores the round with no further entry."""
    table = given().when(tricks("BABABA")).placed("6 1B 3 5 / 2 4 9A 0K").then(trick=7, round=1)
    table.when("A 9S, B 2S, A 8H, B 3H").then(
        track="6 1B 3 5 / 2 4A 9 0K", rounds=[[4, 1]], totals=[4, 1], round=2, trick=1
    )


def test_rounds_follow_each_other() -> None:
    """leapfrog/dealer, leapfrog/score: the deal alternates; tokens and order stay; powers come back."""
    table = given(deals="B").when("B leap, A won", tricks("ABABAB"))
    table.then(round=2, trick=1, dealer="A", leader="A", to_act="A", powers_used=[0, 0], order="C>S>H")
    track = table.state.frogs, table.state.king
    table = table.when(tricks("BBBBBBB")).then(round=3, dealer="B", leader="B")
    assert table.state.frogs[0] == track[0][0]
    table.when(tricks("AAAAAAA")).then(round=4, dealer="A", leader="A")


def test_d08_undo_of_the_last_card_takes_its_hop_back() -> None:
    table = given().when("A 5H, B 9H, A 7H, B 8H").then(track="6B 1A 3 5 / 2 4 9 0K", leader="A")
    table = table.undo().then(track="6AB 1 3 5 / 2 4 9 0K", to_act="B", leader="A")
    table.when("B 2H").then(track="6A 1B 3 5 / 2 4 9 0K", leader="B")
    assert len(table.state.plays) == 3


def test_d09_undo_of_a_power_gives_it_back() -> None:
    table = given().when("A king").then(track="6AB 1 3 5 / 2 4 9K 0", powers_used=[1, 0], to_act="B")
    table.undo().then(track="6AB 1 3 5 / 2 4 9 0K", powers_used=[0, 0], to_act="A", plays=[])


def the_last_trick(track: str, totals: list[int]) -> Table:
    table = given().when(tricks("A" * 7 + "B" * 7 + "A" * 7 + "BABABA")).then(round=4, trick=7, outcome=None)
    return table.placed(track, totals=totals)


def test_d13_equal_totals_the_better_pad_wins() -> None:
    """leapfrog/tie: A hops from the 3 to the 5, B stays on the 9."""
    table = the_last_trick("6K 1 3A 5 / 2 4 9B 0", [12, 8]).when("A won")
    table.then(track="6K 1 3 5A / 2 4 9B 0", totals=[17, 17], outcome="B pad", to_act=None)


def test_most_points_win() -> None:
    """leapfrog/goal; B37: a round that scores nothing is a round like any."""
    table = the_last_trick("6K 1 3 5A / 2 4 9B 0", [10, 0]).when("A won")
    table.then(track="6K 1 3 5 / 2 4 9B 0A", totals=[10, 9], outcome="A total")
    assert table.state.rounds[-1] == (0, 9)


def test_after_the_end_nothing_more_is_played() -> None:
    over = given().when(tricks("A" * 28)).then(trick=7, round=4, to_act=None, choice=None)
    for entry in ("A 4S", "B leap", "A king", "A won", "B hop", "B concedes"):
        findings = over.refuses(entry, "game-over")
        assert findings[0].rule == "leapfrog/goal"
    assert over.options() == {}


@pytest.mark.parametrize(
    ("lying", "entry", "code", "rule"),
    [
        ("A 4S", "A 5S", "wrong-turn", "leapfrog/order"),
        ("A 4S, B 5S", "B 6S", "wrong-turn", "leapfrog/order"),
        ("A 4S", "B 4S", "duplicate-card", "leapfrog/deal"),
        ("A 4S", "B 4D", "not-in-deck", "leapfrog/hierarchy"),
        ("A 4S", "B JS", "not-in-deck", "leapfrog/deal"),
        ("A 4S", "B hop", "hop-not-asked", "leapfrog/dive"),
        ("A 4S", "B king dive", "dive-not-allowed", "leapfrog/dive"),
        ("A leap", "B king", "second-power", "leapfrog/one-power"),
        ("A leap", "B leap", "second-power", "leapfrog/one-power"),
        ("A 4S, B 5S, A 6S", "A leap", "too-many-cards", "leapfrog/order"),
        ("B leap", "A 4S", "wrong-phase", None),
        ("B leap", "B 4S", "wrong-phase", None),
        ("A 4S, A leap", "B 4H", "wrong-phase", None),
        ("A leap, A won, B leap, B won, A king, A won", "A king", "power-limit", "leapfrog/power-limit"),
        ("A leap, A won, B leap, B won, A leap, A won", "A leap", "power-limit", "leapfrog/power-limit"),
        ("A 4S, B 5S, A 6S, B 7S", "A 4S", "duplicate-card", "leapfrog/deal"),
    ],
)
def test_refused(lying: str, entry: str, code: str, rule: str | None) -> None:
    finding = given().when(lying).refuses(entry, code)[0]
    assert (finding.severity, finding.rule) == ("refused", rule)


def test_a_card_laid_before_is_named_with_its_entry() -> None:
    table = given().when("A 4S, B 5S, A 6S, B 7S")
    finding = table.refuses("A 6S", "duplicate-card")[0]
    assert (finding.entries, finding.params) == ((3,), {"card": "6S", "seat": 0})
    # In the next round it is dealt again.
    rest = table.when(tricks("AAAAAA")).then(round=2)
    finding = rest.when("B 6S").refuses("A 6S", "duplicate-card")[0]
    assert finding.entries == (11,)


def test_two_powers_a_round() -> None:
    """leapfrog/power-limit: the same or one of each, also one that the other has used."""
    table = given().when("A leap, A won, B leap, B won, A king, A won, B leap, B won").then(powers_used=[2, 2])
    table.refuses("A leap", "power-limit")
    table.refuses("B king", "power-limit")
    table.when(tricks("AAA")).then(round=2, powers_used=[0, 0]).when("B king, A won").then(powers_used=[0, 1])


@pytest.mark.parametrize(
    ("start", "after"),
    [
        ("6AB 1 3 5 / 2 4 9 0K", "6AB 1 3 5 / 2 4 9K 0"),
        # leapfrog/king: over both frogs on the 6, over one after the other.
        ("6AB 1 3 5 / 2K 4 9 0", "6AB 1K 3 5 / 2 4 9 0"),
        ("6A 1B 3 5 / 2K 4 9 0", "6A 1B 3K 5 / 2 4 9 0"),
        ("6 1K 3A 5 / 2 4 9 0B", "6 1 3A 5K / 2 4 9 0B"),
    ],
)
def test_king_frog(start: str, after: str) -> None:
    given(start).when("A king").then(track=after)
    given(start).when("A 4S, B king").then(track=after)


def test_leap_works_at_once() -> None:
    """leapfrog/power, leapfrog/leap: with the fourth card it counts for this trick."""
    table = given(order="S>H>C").when("A 10S, B 2C, A 9H").when("B leap")
    table.then(order="C>S>H", track="6A 1B 3 5 / 2 4 9 0K", leader="B")
    # King Frog with the fourth card has moved before the frog hops.
    table = given("6A 1 3 5K / 2B 4 9 0").when("A 10S, B 2C, A 9H, B king")
    table.then(track="6 1A 3 5 / 2B 4 9 0K")
    given("6 1 3A 5K / 2B 4 9 0").when("A 10S, B 2C, A 9H, B king").then(track="6 1 3 5A / 2B 4 9 0K")


def test_a_face_down_lead() -> None:
    """leapfrog/face-down-lead: the leader keeps the lead, and the turn goes on."""
    table = given().when("A leap").then(order="C>S>H", leader="A", to_act="B")
    table = table.when("B 4H").then(to_act="A").when("A 5H").then(to_act="B").when("B 6H")
    # 4, 5 and 6 of hearts: the lowest of the run.
    table.then(leader="B", trick=2)


@pytest.mark.parametrize("card", ["4S", "4D", "KS"])
def test_a_face_down_card_turned_over_is_a_card_like_any(card: str) -> None:
    power = {"type": "power", "seat": 1, "power": "leap", "card": card}
    code = {"4S": "duplicate-card", "4D": "not-in-deck", "KS": "not-in-deck"}[card]
    given().when("A 4S").refuses(power, code)
    table = given().when("A 5S", {**power, "card": "4S"})
    table.refuses("A 4S", "duplicate-card")
    # It is no part of the run from the 5 down.
    table.when("A 2H, B 3H").then(leader="A")


def test_no_rule_looks_at_the_envelope() -> None:
    bare = given().when("A 4S")
    full = given().when({"type": "card", "seat": 0, "card": "4S", "id": "k", "at": "2026-01-31T20:00:00Z", "by": 1})
    assert bare.state == full.state
