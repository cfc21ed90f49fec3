"""What the table rules by itself in Leapfrog!: adjusting, showing cards, conceding, in every phase."""

from typing import Any

import pytest

from companion.engine.game import Ruling
from tests.dsl import Table, adjust, given, reveal, tricks

PHASES = {
    "before the first card": given(),
    "in a trick": given().when("A 4S, B 10S"),
    "in a trick by its result": given().when("B leap"),
    "between tricks": given().when("A 4S, B 10S, A 5H, B 6H"),
    "between rounds": given().when(tricks("AAAAAAA")),
    "at a choice": given("3B 0A 1 2 / 4K 6 0 8").when("A won"),
    "after the last round": given().when(tricks("A" * 28)),
    "after a concession": given().when("A 4S, B concedes"),
}
OPEN = ("in a trick", "in a trick by its result", "at a choice")
OVER = ("after the last round", "after a concession")


@pytest.mark.parametrize("phase", PHASES)
def test_what_may_always_be_set(phase: str) -> None:
    table = PHASES[phase]
    order = list(reversed(table.state.hierarchy))
    after = table.when(adjust(totals=[30, 31], powers_used=[2, 1], hierarchy=order, king=7, frogs=[5, 6]))
    after.then(totals=[30, 31], powers_used=[2, 1], order=">".join(order), king=7, frogs=[5, 6])
    # Nothing else has changed, and undo takes all of it back.
    before, now = (table.fold.game.json(table.state) for table in (table, after))
    changed = {key for key in now if now[key] != before[key]}
    assert changed <= {"totals", "powers_used", "hierarchy", "king", "frogs"}
    assert after.undo().state == table.state


@pytest.mark.parametrize("phase", PHASES)
def test_who_leads_is_set_between_tricks(phase: str) -> None:
    table = PHASES[phase]
    if phase in OPEN + OVER:
        finding = table.refuses(adjust(leader=1), "wrong-phase")[0]
        assert finding.params == {"phase": "trick-open"}
    else:
        for leader in (0, 1):
            table.when(adjust(leader=leader)).then(leader="AB"[leader], to_act="AB"[leader])


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    ("new", "code"),
    [
        ({"hierarchy": ["S", "H", "D"]}, "other-suits"),
        ({"hierarchy": ["S", "S", "C"]}, "other-suits"),
        ({"frogs": [5, 5]}, "pad-taken"),
        ({"frogs": [5, 6], "king": 5}, "pad-taken"),
        ({"frogs": [5, 6], "king": 6}, "pad-taken"),
        ({"totals": [9, 9], "frogs": [1, 1]}, "pad-taken"),
    ],
)
def test_what_the_table_cannot_be(phase: str, new: dict[str, Any], code: str) -> None:
    PHASES[phase].refuses(adjust(**new), code)


def test_both_frogs_may_go_back_to_the_start() -> None:
    """leapfrog/start."""
    given("6 1A 3B 5 / 2 4 9 0K").when(adjust(frogs=[0, 0])).then(track="6AB 1 3 5 / 2 4 9 0K")
    given("3 0A 1B 2 / 4K 6 0 8").when(adjust(frogs=[0, 0])).then(track="3AB 0 1 2 / 4K 6 0 8")
    given("6AB 1 3 5 / 2 4 9 0K").refuses(adjust(king=0), "pad-taken")


def test_totals_set_at_the_end_change_who_has_won() -> None:
    over = PHASES["after the last round"]
    over.when(adjust(totals=[4, 3])).then(outcome="A total")
    over.when(adjust(totals=[3, 4])).then(outcome="B total")
    over.when(adjust(totals=[4, 4], frogs=[1, 5])).then(outcome="B pad")
    over.when(adjust(totals=[4, 4], frogs=[0, 0])).then(outcome="draw")


def test_an_order_set_within_a_trick_rules_it() -> None:
    """The ruling shown afterwards is that of the order in force, with a Leap in the trick or without."""
    for first in ("A 4S", "A leap"):
        table = given().when(first, "B 9H", "A 8C", adjust(hierarchy=["H", "C", "S"]), "B 2C")
        ruling = last_ruling(table.then(leader="B", order="H>C>S"))
        assert (ruling.winner, ruling.card) == (1, "9H")
        assert ruling.because[-3].code == "strongest-suit"
    lying = given().when("A leap, B 9H, A 8C", adjust(hierarchy=["H", "C", "S"]))
    so_far = lying.fold.game.so_far(lying.state)
    assert so_far is not None
    assert (so_far.winner, so_far.card) == (1, "9H")


def test_an_order_set_at_a_choice_leaves_the_trick_as_it_was() -> None:
    table = given("3B 0A 1 2 / 4K 6 0 8").when("A 10S, B 9H, A 4C, B 2H", adjust(hierarchy=["C", "H", "S"]), "A dive")
    ruling = last_ruling(table.then(order="C>H>S", leader="A"))
    assert (ruling.winner, ruling.card) == (0, "10S")
    assert [reason.code for reason in ruling.because] == ["strongest-suit", "only-card", "dived"]


def last_ruling(table: Table) -> Ruling:
    taken = table.fold.history()[-1].taken
    assert taken is not None
    return table.fold.game.explain(taken)


# A round of 28 cards in which B takes every trick of four of one suit; 9C and 10C are never dealt.
ROUND = [rank + suit for suit in "SHC" for rank in ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")][:28]


def a_round(table: Table, cards: list[str] = ROUND) -> Table:
    for card in cards:
        table = table.when(f"{'AB'[table.state.to_act]} {card}")
    return table


def test_cards_are_shown_after_their_round() -> None:
    after = a_round(given()).then(round=2, trick=1)
    shown = after.when(reveal("9C"), reveal("10c")).then(round=2, trick=1)
    finding = shown.refuses(reveal("9C"), "card-elsewhere")[0]
    assert finding.entries == (29,)
    finding = after.refuses(reveal("9C", "4S"), "card-elsewhere")[0]
    assert (finding.params, finding.entries) == ({"card": "4S"}, (4,))
    after.refuses(reveal("9D"), "not-in-deck")
    after.refuses(reveal("KC"), "not-in-deck")
    # Twice in the same breath: no other entry proves it.
    assert after.refuses(reveal("9C", "9C"), "card-elsewhere")[0].entries == ()
    # So too where an earlier round had it rightly.
    third = after.when(tricks("AAAAAAA")).then(round=3)
    assert third.refuses(reveal("AS", "AS"), "card-elsewhere")[0].entries == ()
    # It is evidence, nothing else.
    assert after.fold.game.json(after.state) == shown.fold.game.json(shown.state)


@pytest.mark.parametrize("phase", [*OPEN, "before the first card", "between tricks"])
def test_nothing_is_shown_while_a_round_is_played(phase: str) -> None:
    finding = PHASES[phase].refuses(reveal("9C"), "wrong-phase")[0]
    assert finding.params == {"phase": "round-open"}


def test_after_the_last_round_its_cards_are_known() -> None:
    over = a_round(given().when(tricks("A" * 21))).then(round=4, to_act=None)
    over.when(reveal("9C", "10C")).refuses(reveal("9C"), "card-elsewhere")
    over.refuses(reveal("AS"), "card-elsewhere")


def test_after_a_concession_the_open_rounds_hands_may_be_shown() -> None:
    second = a_round(given())
    # Every card of the second round's hands may be shown, those of the first round's tricks too.
    second.when(reveal("9C"), f"{'AB'[second.state.to_act]} 9C, A concedes").when(reveal("10C", "AS", "2H"))
    over = second.when("A won, B concedes").when(reveal("AS", "9C"))
    over.refuses(reveal("AS"), "card-elsewhere")
    # A card of the first round that was shown after it was dealt again.
    leader = "AB"[second.state.to_act]
    second.when(reveal("9C"), f"{leader} 10C, A concedes").when(reveal("9C"))
    # Conceded before a card of the round: it is still the round before that lies open.
    second.when(reveal("9C"), "A concedes").refuses(reveal("9C"), "card-elsewhere")
    second.when("A concedes").refuses(reveal("AS"), "card-elsewhere")


def test_a_trick_won_by_its_result_begins_the_round() -> None:
    """Also while its winner has not chosen between hop and dive."""
    second = given("3B 0 1 2 / 4K 6 0 8A").when("A won, A won, A hop, A won, A won, A hop", tricks("AAA"))
    second.then(round=2, track="3B 0 1 2 / 4K 6 0A 8")
    second.when(reveal("9C"), "A won").then(choice="A").when("B concedes", reveal("9C"))


def test_a_new_round_forgets_what_was_shown() -> None:
    second = a_round(given()).when(reveal("9C", "10C"))
    leader = "AB"[second.state.to_act]
    third = second.when(f"{leader} 9C", f"{leader} won", tricks("AAAAAA")).then(round=3)
    third.when(reveal("10C")).refuses(reveal("9C"), "card-elsewhere")


@pytest.mark.parametrize("phase", [phase for phase in PHASES if phase not in OVER])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_concession_ends_the_game_in_any_phase(phase: str, seat: int) -> None:
    table = PHASES[phase].when(f"{'AB'[seat]} concedes")
    table.then(to_act=None, choice=None, outcome=f"{'BA'[seat]} conceded")
    for entry in ("A 9C", "B 9C", "A king", "B won", "A hop", "A concedes", "B concedes"):
        table.refuses(entry, "game-over")
    assert table.options() == {}
    assert table.undo().state == PHASES[phase].state


def test_after_the_end_nobody_concedes() -> None:
    for phase in OVER:
        PHASES[phase].refuses("A concedes", "game-over")
