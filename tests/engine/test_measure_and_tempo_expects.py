"""What Measure and Tempo offers next: every choice, why it is closed, and what it would do; and how a tempo is told."""

from typing import Any

import pytest

from companion.engine.fold import Fold
from companion.engine.game import Option, Ruling
from companion.engine.record import read_line
from companion.engine.registry import GAMES
from tests.engine.test_measure_and_tempo import given, play, refuses, when, won

GAME = GAMES["measure-and-tempo"]


def options(fold: Fold, kind: str, **like: Any) -> list[Option]:
    """Returns the options of this type whose entry has these values; `card=""`: that name no card."""
    found = [option for option in GAME.expects(fold.state).options if option.entry["type"] == kind]
    for key, value in like.items():
        found = [one for one in found if (key not in one.entry if value == "" else one.entry.get(key, "") == value)]
    return found


def one(fold: Fold, kind: str, **like: Any) -> Option:
    (option,) = options(fold, kind, **like)
    return option


def codes(fold: Fold, kind: str, **like: Any) -> list[str]:
    return [finding.code for finding in one(fold, kind, **like).closed]


def circled(times: int) -> Fold:
    fold = given()
    for step in range(times):
        fold = when(fold, f"{'AB'[step % 2]} cycle")
    return fold


@pytest.mark.parametrize(
    ("before", "phase", "seat", "kinds"),
    [
        ("A cycle", "out", 1, "cycle guard stall strike"),
        ("A strike", "answer", 1, "answer won"),
        ("A strike 9H", "answer", 1, "answer won"),
        ("A feint, B 10H", "turn-up", 0, "turned won"),
        ("A strike, B won", "winner", 1, "disengage lead won"),
        # Nobody can lay anything more, and only the table knows.
        ("A strike, B 10H", "answer", None, "won"),
        ("A guard, B stall, A strike 9H, B 10S", "answer", None, "won"),
    ],
)
def test_the_question(before: str, phase: str, seat: int | None, kinds: str) -> None:
    expects = GAME.expects(when(given(), before).state)
    assert (expects.phase, expects.seat) == (phase, seat)
    assert sorted({option.entry["type"] for option in expects.options}) == kinds.split()


@pytest.mark.parametrize("end", [{"type": "concede", "seat": 0}, {"type": "adjust", "set": {"scores": [0, 11]}}])
def test_at_the_end_nothing_is_offered(end: dict[str, Any]) -> None:
    expects = GAME.expects(when(given(), end).state)
    assert (expects.phase, expects.seat, expects.options) == ("over", None, ())


def test_the_twelfth_action_is_closed_but_for_the_strike() -> None:
    fold = circled(11)
    for kind in ("cycle", "stall"):
        assert codes(fold, kind) == ["must-strike"]
    assert {tuple(finding.code for finding in option.closed) for option in options(fold, "guard")} == {("must-strike",)}
    assert not any(option.closed for option in options(fold, "strike"))
    assert codes(circled(10), "cycle") == []


def test_stall_after_stall_is_closed() -> None:
    fold = when(given(), "A stall")
    assert codes(fold, "stall") == ["stall-after-stall"]
    assert codes(fold, "cycle") == []


def test_every_form_of_a_guard_and_a_strike_is_offered() -> None:
    fold = when(given(), "A guard KS, B guard 9H")
    assert codes(fold, "guard", card="KS") == ["guard-already-there"]
    assert codes(fold, "guard", card="9H") == ["opponents-guard"]
    assert codes(fold, "guard", card=None) == []
    assert codes(fold, "guard", card="") == []
    assert len(options(fold, "guard")) == 54
    assert codes(fold, "strike", card="KS") == ["guard-played"]
    assert codes(fold, "strike", card="9H") == ["opponents-guard"]
    assert codes(fold, "strike", feint=True) == []
    assert codes(fold, "strike", card="", feint="") == []
    assert codes(when(given(), "A stall"), "guard", card=None) == ["no-guard-to-take-back"]


@pytest.mark.parametrize(
    ("before", "card", "trump"),
    [
        ("A stall", "KS", "S"),
        ("A stall", "", "?"),
        ("A guard KS", "9H", "S"),
        ("A guard KS", "AH", "H"),
        ("A guard KS", "KH", None),
        ("A guard KS, B guard 9H, A stall", None, "S"),
        ("A guard KS, B guard AH, A stall", None, "S"),
        ("A guard", "9H", "?"),
    ],
)
def test_a_guard_makes_a_trump(before: str, card: str | None, trump: str | None) -> None:
    fold = when(given(), before)
    entry = one(fold, "guard", card=card).entry
    assert fold.add(read_line(dict(entry), GAME, 2)).state.trump == trump


def test_a_result_says_what_it_makes_of_the_play() -> None:
    fold = when(given(), "A strike", *won("ABA"))
    assert one(fold, "won", seat=0).effect == {"tempos": [3, 1]}
    assert one(fold, "won", seat=1).effect == {"tempos": [2, 2]}
    assert one(fold, "disengage").effect == {"scored": [1, 0]}
    fold = when(fold, *won("BA"))
    assert one(fold, "won", seat=0).effect == {"tempos": [4, 2], "scored": [2, 0]}
    assert one(fold, "won", seat=1).effect == {"tempos": [3, 3], "scored": [0, 0]}


def test_a_feint_needs_an_ace() -> None:
    """The other player's Guard, and three that lie there already: no Ace is left to be led face down."""
    fold = when(given(), "A stall, B guard AC, A strike AS, B AD, A lead AH, B KH")
    refuses(fold, "A leads feint", "no-ace-left")
    assert codes(fold, "lead", feint=True) == ["no-ace-left"]


def test_the_only_ace_that_can_lie_there_is_no_answer() -> None:
    fold = when(given(), "A stall, B guard AC, A strike AS, B AD, A leads feint")
    assert one(fold, "answer", card="AH").closed[0].params == {"card": "AH", "seat": 0}
    refuses(fold, "B AH", "card-elsewhere")
    fold = when(fold, "B 5H")
    assert [option.entry["card"] for option in options(fold, "turned") if not option.closed] == ["AH"]
    # While two can lie there, each may be the answer.
    assert when(given(), "A stall, B guard AC, A strike AS, B 5S, B disengage, A feint, B AH").state.phase == "turn-up"


def test_nothing_else_comes_before_the_turn_up() -> None:
    fold = when(given(), "A feint, B 10H")
    for entry in ("A lead 2S", "B 9H", "A disengage", "B disengage", "A cycle", "A strike 2S"):
        refuses(fold, entry, "feint-not-turned")
    refuses(when(given(), "A feint"), "A turns AS", "wrong-phase")
    refuses(when(given(), "A strike 9H"), "A turns AS", "wrong-phase")


def test_disengage_is_the_winners() -> None:
    for before in ("A stall", "A strike", "A strike 9H", "A strike, B 2H"):
        refuses(when(given(), before), "A disengage", "disengage-not-open")
        refuses(when(given(), before), "B disengage", "disengage-not-open")
    refuses(when(given(), "A strike, B won"), "A disengage", "disengage-not-open")


# The table's own rulings


def ruled(fold: Fold, **new: Any) -> Fold:
    return when(fold, {"type": "adjust", "set": new})


def test_a_ruling_on_the_guards_decides_what_hung_on_trump() -> None:
    fold = when(given(), "A guard, B stall, A strike 9H, B 10S")
    assert ruled(fold, guards=["KS", None]).state.tempos == (0, 1)
    assert ruled(fold, guards=["KH", None]).state.tempos == (1, 0)
    assert ruled(fold, guards=[None, None]).state.tempos == (1, 0)
    assert ruled(fold, guards=["KD", "?"]).state.to_act is None
    feint = when(given(), "A guard, B stall, A feint, B 10S, A turns AH")
    assert ruled(feint, guards=["2S", None]).state.tempos == (0, 1)
    # While the Ace lies face down there is nothing to decide.
    assert ruled(when(given(), "A guard, B stall, A feint, B 10S"), guards=["2S", None]).state.phase == "turn-up"


def test_a_ruling_on_the_guards_in_the_sixth_tempo_ends_the_play() -> None:
    fold = when(given(), "A guard, B stall, A strike", *won("BBBBA"), "A lead 9H, B 10S")
    fold = ruled(fold, guards=[None, "KS"])
    assert (fold.state.scores, fold.state.plays_done, fold.state.to_act) == ((0, 4), 1, 0)
    assert fold.history()[-1].taken is fold.state.last


def test_a_ruling_that_leaves_a_feint_no_ace_leaves_the_tempo_to_the_table() -> None:
    fold = when(given(), "A strike AS, B AD, A lead AH, B KH, A leads feint, B 5D")
    fold = ruled(fold, guards=[None, "AC"])
    assert all(option.closed for option in options(fold, "turned"))
    assert when(fold, "A won").state.tempos == (3, 0)
    assert when(fold, "B won").state.tempos == (2, 1)


def test_a_ruling_on_the_tempos() -> None:
    fold = ruled(when(given(), "A strike", *won("AAB")), tempos=[1, 2])
    assert (fold.state.tally, fold.state.tempo) == ((0, 1, 1), 4)
    assert when(fold, "B disengage").state.scores == (0, 1)
    refuses(fold, {"type": "adjust", "set": {"tempos": [3, 3]}}, "too-many-tempos")
    refuses(when(fold, "B disengage"), {"type": "adjust", "set": {"tempos": [1, 2]}}, "wrong-phase")


def test_a_ruling_on_the_score_ends_a_bout_only_between_plays() -> None:
    fold = ruled(when(given(), "A strike", *won("A")), scores=[0, 12])
    assert not fold.state.over
    fold = when(fold, "A disengage")
    assert GAME.outcome(fold.state) == ((1,), "eleven", (1, 12))
    back = ruled(fold, scores=[1, 2])
    assert GAME.json(back.state) | {"guards": []} == {
        "play": 2,
        "phase": "out",
        "to_act": 1,
        "actions": 0,
        "actions_left": 11,
        "guards": [],
        "trump": None,
        "tempos": [0, 0],
        "bout_tempos": [1, 0],
        "scores": [1, 2],
    }


def test_who_was_on_turn_stays_on_turn_when_a_bout_is_brought_back() -> None:
    fold = ruled(when(given(), "A cycle"), scores=[11, 0])
    assert (fold.state.over, GAME.json(fold.state)["play"]) == (True, 1)
    assert ruled(fold, scores=[0, 0]).state.to_act == 1


def test_two_guards_are_two_cards_and_lie_nowhere_else() -> None:
    fold = when(given(), "A strike 9H")
    refuses(fold, {"type": "adjust", "set": {"guards": ["9H", None]}}, "duplicate-card")
    refuses(fold, {"type": "adjust", "set": {"guards": ["KS", "KS"]}}, "opponents-guard")
    assert ruled(fold, guards=["?", "?"]).state.trump == "?"


def test_cards_are_shown_when_all_is_over() -> None:
    reveal = {"type": "reveal", "cards": ["4S", "7H"]}
    refuses(given(), reveal, "wrong-phase")
    over = when(given(), {"type": "concede", "seat": 1}, reveal)
    assert over.state.revealed == ("4S", "7H")
    refuses(over, {"type": "reveal", "cards": ["7H"]}, "card-elsewhere")
    refuses(over, {"type": "reveal", "cards": ["9H", "9H"]}, "card-elsewhere")


# The history, and what is told of a tempo


def test_actions_tempos_and_disengage_are_items_of_the_history() -> None:
    fold = when(given(), "A cycle, B stall, A strike 9H, B 10H, B won, B leads feint, A 9S, B turns AS, A disengage")
    items = [(item.first, item.last, item.taken and item.taken.winner) for item in fold.history()]
    assert items == [(0, 0, None), (1, 1, None), (2, 3, 1), (4, 4, 1), (5, 7, 0), (8, 8, None)]
    taken = [item.taken for item in fold.history() if item.taken]
    assert [(one.chapter, one.number, one.leader, one.card) for one in taken] == [
        (1, 1, 0, "10H"),
        (1, 2, 1, None),
        (1, 3, 1, "9S"),
    ]
    open_one = when(given(), "A cycle, B strike").history()[-1]
    assert (open_one.first, open_one.last, open_one.taken) == (1, 1, None)


def told(ruling: Ruling | None) -> list[str]:
    assert ruling is not None
    assert all(reason.rule is None or reason.rule in GAME.rules for reason in ruling.because)
    return [reason.code for reason in ruling.because]


@pytest.mark.parametrize(
    ("plays", "winner", "card", "reasons"),
    [
        ("A strike 9H, B 10H", 1, "10H", "no-guards higher"),
        ("A strike KH, B AH", 1, "AH", "no-guards ace-beats"),
        ("A strike AH, B 2H", 1, "2H", "no-guards number-beats"),
        ("A strike 10H, B JH", 1, "JH", "no-guards face-beats"),
        ("A strike KH, B AS", 0, "KH", "no-guards off-suit"),
        ("A guard QH, B stall, A strike 10H, B AH", 0, "10H", "one-guard both-trumps number-beats"),
        ("A guard QH, B stall, A strike KS, B 2H", 1, "2H", "one-guard trump-beats but-for-trump"),
        ("A guard QH, B stall, A strike KS, B 2D", 0, "KS", "one-guard off-suit"),
        ("A guard QH, B guard KS, A strike KH, B 2S", 1, "2S", "two-guards trump-beats but-for-trump"),
        ("A guard QH, B guard QS, A strike KH, B 2S", 0, "KH", "equal-guards off-suit"),
        ("A feint, B 10H, A turns AS", 0, "AS", "feint no-guards off-suit"),
        ("A guard, B stall, A strike 9H, B 10H", 1, "10H", "trump-unknown higher"),
        ("A guard, B stall, A strike 9H, B 10S, B won", 1, "10S", "trump-unknown hangs-on-trump by-result"),
        ("A guard, B stall, A strike 9H, B 10S, A won", 0, "9H", "trump-unknown hangs-on-trump by-result"),
        ("A strike, B won", 1, None, "by-result"),
        ("A strike 9H, B won", 1, None, "by-result"),
        ("A feint, B 10H, B won", 1, None, "by-result"),
    ],
)
def test_how_a_tempo_is_told(plays: str, winner: int, card: str | None, reasons: str) -> None:
    last = when(given(), plays).state.last
    ruling = GAME.explain(last)
    assert (ruling.winner, ruling.card, told(ruling)) == (winner, card, reasons.split())


def test_the_sixth_tempo_tells_the_score() -> None:
    ruling = GAME.explain(play(given(), "ABABAA").state.last)
    assert told(ruling) == ["by-result", "six-tempos", "scored"]
    assert ruling.because[-1].params == {"seat": 0, "points": 2}
    assert told(GAME.explain(play(given(), "ABABAB").state.last)) == ["by-result", "six-tempos", "even-split"]


@pytest.mark.parametrize(
    ("plays", "reasons"),
    [
        ("A guard QH, B stall, A strike", "one-guard"),
        ("A strike KS", "no-guards"),
        ("A feint", "face-down no-guards"),
        ("A feint, B 10H", "face-down no-guards"),
        ("A guard, B stall, A strike 9H, B 10S", "trump-unknown hangs-on-trump"),
    ],
)
def test_what_is_known_of_an_open_tempo(plays: str, reasons: str) -> None:
    ruling = GAME.so_far(when(given(), plays).state)
    assert told(ruling) == reasons.split()
    assert ruling is not None
    assert (ruling.winner, ruling.card) == (None, None)
    assert GAME.so_far(given().state) is None


def test_what_would_have_been_without_a_card() -> None:
    ruling = GAME.explain(when(given(), "A strike 9H, B 10H").state.last)
    assert [tuple(part) for part in ruling.without] == [("9H", 1, "10H"), ("10H", 0, "9H")]
