"""Leapfrog! by its results: one entry a trick, both grains mixed, and results that cannot be."""

from typing import Any

import pytest
from hypothesis import example
from hypothesis import given as drawn
from hypothesis import strategies as st

from companion.engine.leapfrog_tricks import CardLaid
from tests.dsl import Table, given, tricks
from tests.engine import model_leapfrog as model


@pytest.mark.parametrize("lying", ["", "A 10S", "A 10S, B 2H", "A 10S, B 2H, A 3C"])
@pytest.mark.parametrize("winner", ["A", "B"])
def test_a_result_closes_a_trick_at_any_card(lying: str, winner: str) -> None:
    table = given().when(lying) if lying else given()
    table = table.when(f"{winner} won").then(trick=2, leader=winner, to_act=winner, plays=[])
    # Card by card again, as if nothing had been.
    loser = "BA"["AB".index(winner)]
    table.when(f"{winner} 4H").then(to_act=loser)


@pytest.mark.parametrize(
    ("lying", "entry"),
    [
        ("", "B leap"),
        ("A 4S", "A king"),
        ("A 4S, B 7S", "B leap"),
        ("A 4S, B 5S, A 6S", "B leap"),
    ],
)
def test_a_power_out_of_turn_makes_the_trick_one_by_its_result(lying: str, entry: str) -> None:
    """RECORD.md: from then on only `power` and `won` fit, until the trick closes. In turn it stays card by card."""
    table = given().when(lying) if lying else given()
    in_turn = "AB"[table.state.to_act] == entry[0]
    table = table.when(entry)
    if in_turn:
        assert len(table.state.plays) in (0, 4) or table.state.to_act is not None
        return
    table.then(to_act=None)
    for card in ("A 9C", "B 9C"):
        finding = table.refuses(card, "wrong-phase")[0]
        assert finding.params == {"phase": "result"}
    table.refuses("A king", "second-power")
    table.refuses("B king", "second-power")
    assert table.fold.game.expects(table.state).phase == "result"
    table.when("B won").then(trick=2, to_act="B", leader="B", plays=[])


def test_a_leaders_power_in_turn_stays_card_by_card() -> None:
    given().when("A king").then(to_act="B").when("B 4S").then(to_act="A")
    given().when("A king, B won").then(trick=2, leader="B")


def test_a_result_entry_costs_one() -> None:
    """A whole round by its results, powers included."""
    table = given().when("B leap, A won, B won, A king, B won", tricks("ABAB"))
    table.then(round=2, track="6 1 3 5A / 2 4B 9K 0", order="C>S>H", powers_used=[0, 0])


@pytest.mark.parametrize(
    ("seen", "lying", "impossible"),
    [
        # One place is left. B's 8S would end the run 10, 9, 8.
        ("", "A 10S, B 2H, A 9S", ""),
        # The 8S is out: nothing can go below the 9.
        ("A 8S, B 2S, A 3C, B 4C", "A 10S, B 2H, A 9S", "B"),
        # A is done, and a spade of B takes it whatever else B lays.
        ("", "A 2H, B 10S, A 4H", "A"),
        # A spade below the 10 would be B's own.
        ("", "A 2S, B 10S, A 4C", "A"),
        # Two places left, one each: A may hold the 9.
        ("", "A 2S, B 10S", ""),
        ("A 9S, B 8H, A 7H, B 6H", "A 2S, B 10S", "A"),
        # A power in the trick takes a place.
        ("", "A 2S, B 10S, A king", "A"),
        ("", "A king, B 10S, A 2S", "A"),
        # After a Leap another suit is the strongest.
        ("", "A 2S, B 10S, A leap", "A"),
        ("", "A 2C, B 10S, A leap", ""),
    ],
)
def test_results_that_cannot_be(seen: str, lying: str, impossible: str) -> None:
    table = given()
    if seen:
        table = table.when(seen)
        assert table.state.to_act == 0
    table = table.when(lying)
    for winner in "AB":
        if winner in impossible:
            finding = table.refuses(f"{winner} won", "result-impossible")[0]
            assert (finding.rule, finding.params) == ("leapfrog/strongest", {"seat": "AB".index(winner)})
        else:
            table.when(f"{winner} won").then(leader=winner)


@pytest.mark.parametrize("entry", ["A leap", "B leap", "A king", "B king"])
@pytest.mark.parametrize("winner", ["A", "B"])
def test_while_no_card_lies_face_up_either_may_have_won(entry: str, winner: str) -> None:
    """Even in a round's last trick five cards are unseen."""
    table = given()
    cards = iter(model.deck_of(["S", "H", "C"]))
    while table.state.trick < 7:
        table = lay(table, next(cards))
    table.when(entry, f"{winner} won").then(round=2)
    table.when(f"{winner} won").then(round=2)


def lay(table: Table, card: str) -> Table:
    return table.when(CardLaid(table.state.to_act, card).json())


@st.composite
def unfinished(draw: st.DrawFn) -> tuple[Table, dict[str, Any]]:
    """Draws tricks card by card, the last one unfinished, on the engine's table and on the model's."""
    order = draw(st.permutations("SHC"))
    sides = model.deck_of(list(order))
    # With the strong cards gone first, more results cannot be.
    cards = draw(st.permutations(sides) | st.integers(0, 29).map(lambda cut: sides[cut:] + sides[:cut]))
    missing = draw(st.integers(1, 3))
    laid = 4 * draw(st.integers(2 if missing < 3 else 4, 6)) + 4 - missing
    setup = {"variant": "standard", "hierarchy": list(order), "dealer": 0}
    table, state = given(order=">".join(order)), model.begin(setup)
    down = draw(st.integers(0, 3))
    for number in range(laid):
        last = laid - number <= 4 - missing
        entry: dict[str, Any] = {"type": "card", "seat": table.state.to_act, "card": cards[number]}
        if last and down == laid - number - 1 and not any(play.power for play in table.state.plays):
            entry = {"type": "power", "seat": table.state.to_act, "power": "king", "dive": False}
        table, state = table.when(entry), model.evolve(state, entry)
    return table, state


@drawn(unfinished())
def test_results_against_every_way_to_fill_the_trick(both: tuple[Table, dict[str, Any]]) -> None:
    table, state = both
    for seat in (0, 1):
        entry = {"type": "won", "seat": seat}
        if not any(play["type"] == "card" for play in state["plays"]) or model.could_win(state, seat):
            table.when(entry)
        else:
            table.refuses(entry, "result-impossible")


@drawn(st.lists(st.sampled_from("AB"), min_size=28, max_size=28))
@example(list("A" * 28))
@example(list("AB" * 14))
def test_a_standard_game_never_draws(winners: list[str]) -> None:
    table = given().when(tricks("".join(winners)))
    outcome = table.fold.game.outcome(table.state)
    assert outcome is not None
    assert len(outcome.winners) == 1
