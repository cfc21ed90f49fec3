"""Chameleon Tricks, rule by rule. `A 7C 7D` is a stack, `B won 10C` a result, with counts after it."""

from typing import Any

import pytest

from companion.engine.chameleon_tricks_stacks import count, take
from companion.engine.findings import Refused
from companion.engine.fold import Fold, start
from companion.engine.record import Line, read_line
from companion.engine.registry import GAMES

GAME = GAMES["chameleon-tricks"]
WHO = "ABC"


def entry(text: str) -> dict[str, Any]:
    who, what, *rest = text.split()
    seat = WHO.index(who)
    if what == "won":
        counts = {"counts": [int(number) for number in rest[1:]]} if rest[1:] else {}
        return {"type": "won", "seat": seat, "card": rest[0], **counts}
    return {"type": "stack", "seat": seat, "cards": [what, *rest]}


def line(what: str | dict[str, Any], players: int) -> Line:
    return read_line(entry(what) if isinstance(what, str) else what, GAME, players)


def given(players: int = 3, dealer: str = "A", points: str = "shown") -> Fold:
    return start(GAME, GAME.read_setup({"dealer": WHO.index(dealer), "points": points}, players), players)


def when(fold: Fold, *steps: str | dict[str, Any]) -> Fold:
    for step in steps:
        for one in step.split(",") if isinstance(step, str) else [step]:
            fold = fold.add(line(one, fold.players))
    return fold


def then(fold: Fold, **promised: Any) -> Fold:
    public = GAME.json(fold.state)
    assert {key: public[key] for key in promised} == promised
    return fold


def refuses(fold: Fold, what: str | dict[str, Any], code: str) -> None:
    before = (fold.lines, fold.states)
    with pytest.raises(Refused) as caught:
        fold.add(line(what, fold.players))
    assert [finding.code for finding in caught.value.findings] == [code]
    assert (fold.lines, fold.states) == before


def left(fold: Fold, *cards_left: int, **more: Any) -> Fold:
    """Puts a hand near its end, by the table's own ruling."""
    return when(fold, {"type": "adjust", "set": {"cards_left": list(cards_left), **more}})


@pytest.mark.parametrize(
    ("stacks", "winner", "card"),
    [
        ("A 2C, B 10H, C 10D", "A", "2C"),
        ("A 7C 7D, B 2C, C 9H", "B", "2C"),
        ("A 10D, B 3D, C 2S", "C", "2S"),
        ("A 5S, B 9S 9H, C 6D", "B", "9H"),
        ("A 7D 7S 7H 7C, B 10H, C 2H", "A", "7C"),
        ("A 10S, B 9S, C 2S", "A", "10S"),
    ],
)
def test_only_last_cards_count(stacks: str, winner: str, card: str) -> None:
    lines = [line(text, 3).entry for text in stacks.split(",")]
    best = take(lines)
    assert (WHO[best.seat], best.cards[-1]) == (winner, card)
    fold = when(given(), stacks)
    points = [0, 0, 0]
    points[WHO.index(winner)] = int(card[:-1])
    then(fold, points=points, leader=WHO.index(winner), to_act=WHO.index(winner), trick=2)


def test_the_first_card_sets_the_lead_suit_also_after_additions() -> None:
    then(when(given(), "A 7C 7D"), lead_suit="C", to_act=1, cards_left=[10, 12, 12])


def test_additions_are_of_one_rank() -> None:
    refuses(given(), "A 7C 8C", "added-other-rank")
    refuses(given(), "A 7C 7C", "duplicate-card")
    refuses(when(given(), "A 7C 7D"), "B 7D", "duplicate-card")
    refuses(given(), "A AC", "not-in-deck")
    refuses(given(), "B 7C", "wrong-turn")


def test_a_result_in_one_entry_counts_one_card_each() -> None:
    then(when(given(), "B won 10C"), cards_left=[11, 11, 11], points=[0, 10, 0], leader=1)
    then(when(given(), "B won 10C 2 1 3"), cards_left=[10, 11, 9], points=[0, 10, 0])
    refuses(when(given(), "B won 10C"), "B won 10C", "duplicate-card")


def test_a_result_closes_a_trick_begun_card_by_card() -> None:
    fold = when(given(), "A 7C 7D")
    then(when(fold, "C won 9H 2 1 1"), cards_left=[10, 11, 11], points=[0, 0, 9])
    refuses(fold, "C won 9H 1 1 1", "counts-differ")
    refuses(when(given(), "A 7C"), "C won 9H", "result-impossible")


def test_d12_and_each_tied_top_is_halved() -> None:
    assert count((40, 40, 10)) == (20, 20, 10)
    assert count((10, 40, 40)) == (10, 20, 20)
    assert count((43, 3)) == (21, 3)
    assert count((0, 0)) == (0, 0)


def hand(fold: Fold, *points: int) -> Fold:
    """Ends a hand with these points: the last trick takes a 2 of diamonds off the last seat's sum."""
    last = len(points) - 1
    sums = list(points)
    sums[last] -= 2
    short = [1] * len(points)
    fold = left(fold, *short, points=sums, leader=last)
    counts = " ".join(["1"] * len(points))
    return when(fold, f"{WHO[last]} won 2C {counts}")


def test_d14_each_hand_is_rounded_down_by_itself() -> None:
    fold = hand(hand(hand(given(), 43, 10, 5), 25, 10, 5), 33, 10, 5)
    then(fold, totals=[49, 30, 15], hands=[[21, 10, 5], [12, 10, 5], [16, 10, 5]])
    outcome = GAME.outcome(fold.state)
    assert outcome is not None
    assert outcome.json() == {"winners": [0], "reason": "total", "totals": [49, 30, 15]}


def test_equal_totals_share_the_win() -> None:
    fold = hand(hand(hand(given(), 40, 40, 10), 40, 40, 10), 40, 40, 10)
    outcome = GAME.outcome(fold.state)
    assert outcome is not None
    assert outcome.json() == {"winners": [0, 1], "reason": "shared", "totals": [60, 60, 30]}


def test_d24_a_corrected_hand_is_halved_anew() -> None:
    fold = hand(given(2), 41, 25)
    then(fold, hands=[[20, 25]], totals=[20, 25])
    place = len(fold.lines) - 2
    fixed = {"type": "adjust", "set": {"cards_left": [1, 1], "points": [14, 23], "leader": 1}}
    then(when(fold, {"type": "revise", "at": place, "drop": 1, "entries": [fixed]}), hands=[[14, 12]], totals=[14, 12])


def test_d11_a_hand_that_has_not_begun_is_not_over() -> None:
    then(given(), hand=1, trick=1, cards_left=[12, 12, 12], hands=[])
    assert GAME.outcome(given().state) is None


def test_d16_a_winner_without_cards_passes_the_lead() -> None:
    fold = when(left(given(), 1, 3, 2), "A 10C, B 4D, C 3D")
    then(fold, points=[10, 0, 0], cards_left=[0, 2, 1], leader=1, to_act=1)
    refuses(fold, "A 2C", "wrong-turn")
    fold = when(fold, "B 9S, C 8D")
    then(fold, hand=2, trick=1)


@pytest.mark.parametrize(("answer", "points"), [("B 2D 2C", [0, 2]), ("B 2D", [10, 0])])
def test_d17_a_started_trick_is_finished(answer: str, points: list[int]) -> None:
    fold = when(left(given(2), 1, 2), "A 10D")
    then(fold, to_act=1, cards_left=[0, 2])
    fold = when(fold, answer)
    assert fold.state.last is not None
    assert fold.state.last.facts.scored.points == tuple(points)
    then(fold, hand=2, hands=[[points[0] // 2, points[1] // 2]])


def test_the_deal_passes_left_and_a_rematch_starts_left_of_the_first_dealer() -> None:
    fold = given(3, dealer="C")
    assert then(fold, dealer=2, leader=2).setup.dealer == 2
    fold = hand(fold, 10, 20, 30)
    then(fold, dealer=0, leader=0, hand=2)
    assert GAME.rematch(fold.setup, 3) == {"dealer": 0, "points": "shown"}


def test_what_the_board_shows() -> None:
    board = GAME.board(when(given(), "A 7C 7D, B 2C, C 9H").state)  # type: ignore[attr-defined]
    assert board["points"] == [0, 2, 0]
    assert board["counts"] == [None, 1, None]
    assert board["first_out"] == [0]
    assert len(board["out"]) == 32
    hidden = GAME.board(when(given(points="hidden"), "A 7C, B 2C, C 9H").state)  # type: ignore[attr-defined]
    assert (hidden["points"], hidden["counts"]) == ([None] * 3, [None] * 3)


def test_concede_of_three_leaves_the_best_of_the_others() -> None:
    fold = when(given(), {"type": "adjust", "set": {"totals": [50, 30, 40]}}, {"type": "concede", "seat": 0})
    outcome = GAME.outcome(fold.state)
    assert outcome is not None
    assert outcome.json() == {"winners": [2], "reason": "conceded", "totals": [50, 30, 40]}


@pytest.mark.parametrize("undone", [1, 2, 3, 4])
def test_undo_across_the_end_of_a_hand(undone: int) -> None:
    steps = ("A 10C", "B 4D", "C 3D", "B 9S", "C 8D")
    begun = left(given(), 1, 3, 2)
    fold = when(begun, *steps)
    back = fold
    for _ in range(undone):
        back = back.add(Line(back.undo()))
    assert back.state == when(begun, *steps[: len(steps) - undone]).state
    for _ in range(undone):
        back = back.add(Line(back.redo()))
    assert back.state == fold.state


def test_the_ruling_names_rules_that_exist() -> None:
    fold = when(given(), "A 5S, B 9S 9H, C 6D")
    ruling = GAME.explain(fold.state.last)
    assert (ruling.winner, ruling.card) == (1, "9H")
    assert [(part.card, part.winner, part.card_then) for part in ruling.without][1] == ("9H", 1, "9S")
    assert {step.rule for step in ruling.because if step.rule} <= set(GAME.rules)
