"""Measure and Tempo, rule by rule. Seats are A and B; a play is written as it is said at the table."""

from collections.abc import Sequence
from typing import Any

import pytest

from companion.engine.findings import RecordError, Refused
from companion.engine.fold import Fold, start
from companion.engine.measure_and_tempo_tempos import answer_wins, beats, trump_of
from companion.engine.record import Line, read_line
from companion.engine.registry import GAMES

GAME = GAMES["measure-and-tempo"]
WHO = "AB"


def entry(text: str) -> dict[str, Any]:
    """Reads one entry: `A cycle`, `A guard KS`, `A guard back`, `A feint`, `B 10H`, `A turns AS`, `A won`."""
    who, what, *rest = text.split()
    body: dict[str, Any] = {"seat": WHO.index(who)}
    match what, rest:
        case "guard", ["back"]:
            return {"type": "guard", **body, "card": None}
        case (("guard" | "strike" | "lead"), [card]):
            return {"type": what, **body, "card": card}
        case "feint", []:
            return {"type": "strike", **body, "feint": True}
        case "leads", ["feint"]:
            return {"type": "lead", **body, "feint": True}
        case "turns", [card]:
            return {"type": "turned", **body, "card": card}
        case (("cycle" | "stall" | "guard" | "strike" | "lead" | "won" | "disengage"), []):
            return {"type": what, **body}
        case card, []:
            return {"type": "answer", **body, "card": card}
    raise AssertionError(text)


def line(what: str | dict[str, Any]) -> Line:
    return read_line(entry(what) if isinstance(what, str) else what, GAME, 2)


def given(first: str = "A", **limits: bool) -> Fold:
    return start(GAME, GAME.read_setup({"first": WHO.index(first), **limits}, 2), 2)


def when(fold: Fold, *steps: str | dict[str, Any]) -> Fold:
    """Plays steps; text may hold several, with commas between them."""
    for step in steps:
        for one in step.split(",") if isinstance(step, str) else [step]:
            fold = fold.add(line(one))
    return fold


def then(fold: Fold, **promised: Any) -> Fold:
    public = GAME.json(fold.state)
    assert {key: public[key] for key in promised} == promised
    return fold


def refuses(fold: Fold, what: str | dict[str, Any], code: str) -> None:
    before = (fold.lines, fold.states)
    with pytest.raises(Refused) as caught:
        fold.add(line(what))
    assert [finding.code for finding in caught.value.findings] == [code]
    assert (fold.lines, fold.states) == before


def won(winners: str) -> list[dict[str, Any]]:
    return [{"type": "won", "seat": WHO.index(winner)} for winner in winners]


def play(fold: Fold, winners: str) -> Fold:
    """A whole play by its result: who strikes is on turn; fewer than six tempos end with a Disengage."""
    fold = when(fold, {"type": "strike", "seat": fold.state.to_act}, *won(winners))
    return fold if len(winners) == 6 else when(fold, {"type": "disengage", "seat": WHO.index(winners[-1])})


LOOP = [
    ("KH", "10H", True),
    ("10H", "AH", True),
    ("AH", "KH", True),
    ("10H", "KH", False),
    ("AH", "10H", False),
    ("KH", "AH", False),
    ("KH", "QH", True),
    ("QH", "JH", True),
    ("10H", "9H", True),
    ("3H", "2H", True),
    ("2H", "3H", False),
    ("KS", "KH", False),
]


@pytest.mark.parametrize(("one", "other", "expected"), LOOP)
def test_the_loop(one: str, other: str, expected: bool) -> None:
    assert beats(one, other) is expected


@pytest.mark.parametrize(
    ("guards", "trump"),
    [
        ((None, None), None),
        (("KS", None), "S"),
        ((None, "2D"), "D"),
        (("KS", "10H"), "S"),
        (("10H", "AS"), "H"),
        (("AS", "KH"), "S"),
        (("KS", "KH"), None),
        (("9C", "10C"), "C"),
        (("?", None), "?"),
        (("KS", "?"), "?"),
    ],
)
def test_the_guards_make_trump(guards: Any, trump: str | None) -> None:
    assert trump_of(guards) == trump


@pytest.mark.parametrize(
    ("lead", "answer", "trump", "wins"),
    [
        # D02: with Guard QH.
        ("10H", "AH", "H", False),
        ("KH", "AH", "H", True),
        ("AH", "10H", "H", True),
        ("AH", "KH", "H", False),
        ("KS", "2H", "H", True),
        ("2H", "KS", "H", False),
        ("2S", "KD", None, False),
        ("2S", "KS", "?", True),
        ("2S", "KD", "?", None),
    ],
)
def test_who_wins_a_tempo(lead: str, answer: str, trump: Any, wins: bool | None) -> None:
    assert answer_wins(lead, answer, trump) is wins


def test_actions_alternate_and_the_twelfth_is_a_strike() -> None:
    fold = given()
    for step in range(11):
        then(fold, actions=step, actions_left=11 - step, to_act=step % 2, phase="out")
        fold = when(fold, f"{WHO[step % 2]} cycle")
    then(fold, actions=11, actions_left=0, to_act=1)
    for closed in ("B cycle", "B stall", "B guard KS", "B guard"):
        refuses(fold, closed, "must-strike")
    then(when(fold, "B strike 9H"), phase="answer", to_act=0, actions=11)


def test_without_the_limit_circling_goes_on() -> None:
    fold = given(circle_limit=False)
    for step in range(30):
        fold = when(fold, f"{WHO[step % 2]} cycle")
    then(fold, actions=30, actions_left=None)


def test_stall() -> None:
    fold = when(given(), "A stall")
    refuses(fold, "B stall", "stall-after-stall")
    fold = when(fold, "B cycle, A stall, B strike, B won, B disengage")
    then(when(fold, "A stall"), actions=1)


def test_d19_the_same_cycle_is_one_action() -> None:
    fold = when(given(), "A cycle")
    then(fold, actions=1, to_act=1)
    refuses(fold, "A cycle", "wrong-turn")


def test_guards() -> None:
    fold = given()
    refuses(fold, "A guard back", "no-guard-to-take-back")
    fold = then(when(fold, "A guard KS"), guards=["KS", None], trump="S", to_act=1)
    refuses(fold, "B guard KS", "opponents-guard")
    fold = then(when(fold, "B guard 10H"), guards=["KS", "10H"], trump="S")
    refuses(fold, "A guard KS", "guard-already-there")
    fold = then(when(fold, "A guard AD"), guards=["AD", "10H"], trump="H")
    fold = then(when(fold, "B guard"), guards=["AD", "?"], trump="?")
    fold = then(when(fold, "A guard back"), guards=[None, "?"], trump="?")
    then(when(fold, "B guard back"), guards=[None, None], trump=None)


def test_a_guard_stays_and_cannot_be_played() -> None:
    fold = when(given(), "A guard KS, B stall")
    refuses(fold, "A strike KS", "guard-played")
    fold = when(fold, "A strike 9H")
    refuses(fold, "B KS", "opponents-guard")
    then(when(fold, "B 10H, B disengage"), guards=["KS", None], trump="S", scores=[0, 1], to_act=0)


def test_a_tempo_passes_the_lead_to_its_winner() -> None:
    fold = then(when(given(), "A strike 9H, B 10H"), tempos=[0, 1], phase="winner", to_act=1)
    refuses(fold, "A lead 2S", "wrong-turn")
    refuses(fold, "A disengage", "disengage-not-open")
    fold = when(fold, "B lead QD, A 4C")
    then(fold, tempos=[0, 2], bout_tempos=[0, 2], to_act=1)
    then(when(fold, "B disengage"), scores=[0, 2], play=2, phase="out", to_act=0, tempos=[0, 0], bout_tempos=[0, 2])


def test_a_card_is_played_once_a_play_and_comes_back() -> None:
    fold = when(given(), "A strike 9H, B 10H")
    refuses(fold, "B lead 10H", "duplicate-card")
    refuses(when(fold, "B lead QD"), "A 9H", "duplicate-card")
    fold = when(fold, "B disengage")
    then(when(fold, "A strike 9H"), phase="answer")
    refuses(fold, "A strike 10H", "card-elsewhere")


def test_a_card_known_elsewhere_comes_only_through_the_deck() -> None:
    """What A puts back at a Cycle, the 19th Cycle after it draws."""
    fold = when(given(circle_limit=False), "A strike 9H, B 10H, B disengage")
    fold = when(fold, "A cycle")
    for number in range(18):
        fold = when(fold, f"{WHO[1 - number % 2]} cycle")
    refuses(when(fold, "B stall, A strike 2C"), "B 9H", "card-elsewhere")
    fold = when(fold, "B cycle, A strike 2C")
    then(when(fold, "B 9H"), phase="winner")


def test_a_hand_has_seven_cards() -> None:
    fold = given()
    for place, (one, other) in enumerate(zip("2345678", "23456789"[:7], strict=True)):
        fold = when(
            fold, f"A strike {one}S, B {other}H, A disengage" if place % 2 == 0 else f"B strike {other}H, A {one}S"
        )
        fold = fold if place % 2 == 0 else when(fold, "B disengage")
    refuses(fold, "B strike 10C", "too-many-cards")
    then(when(fold, "B cycle, A stall, B strike 10C"), phase="answer")


def test_feint() -> None:
    fold = then(when(given(), "A feint"), phase="answer", to_act=1)
    fold = then(when(fold, "B 10H"), phase="turn-up", to_act=0)
    refuses(fold, "A lead 2S", "feint-not-turned")
    refuses(fold, "A turns KH", "feint-not-ace")
    refuses(fold, "B turns AS", "wrong-turn")
    then(when(fold, "A turns AH"), tempos=[0, 1], to_act=1)
    then(when(fold, "A turns AS"), tempos=[1, 0], to_act=0)
    later = when(given(), "A strike 9H, B 8H, A leads feint, B KD, A turns AD")
    then(later, tempos=[2, 0])


def test_feint_by_its_result() -> None:
    then(when(given(), "A feint, B won"), tempos=[0, 1], phase="winner")
    then(when(given(), "A feint, B 10H, B won"), tempos=[0, 1], phase="winner")


def test_unknown_trump_leaves_the_tempo_to_the_table() -> None:
    fold = when(given(), "A guard, B stall, A strike 9H, B 2S")
    then(fold, phase="answer", to_act=None, trump="?")
    refuses(fold, "A lead 3S", "wrong-phase")
    then(when(fold, "A won"), tempos=[1, 0])
    then(when(given(), "A guard, B stall, A strike 9H, B 10H"), tempos=[0, 1])


def test_six_tempos_end_a_play_and_an_even_split_scores_nothing() -> None:
    fold = play(given(), "ABABAB")
    then(fold, scores=[0, 0], play=2, phase="out", to_act=0, bout_tempos=[3, 3])
    then(play(given(), "AAABBA"), scores=[2, 0], to_act=1)


def test_d15_the_bout_ends_past_eleven() -> None:
    fold = play(play(given(), "AAAAAA"), "AAA")
    fold = play(fold, "BBBBBB")
    then(fold, scores=[9, 6])
    fold = play(fold, "AAABAA")
    then(fold, scores=[13, 6], phase="over", to_act=None)
    outcome = GAME.outcome(fold.state)
    assert outcome is not None
    assert outcome.json() == {"winners": [0], "reason": "eleven", "totals": [13, 6]}
    for closed in ("A cycle", "B strike 9H", "A won", "A disengage", "B 9H"):
        refuses(fold, closed, "game-over")


@pytest.mark.parametrize(
    ("scores", "bout_tempos", "expected"),
    [
        ([5, 3], [40, 50], {"winners": [0], "reason": "score", "totals": [5, 3]}),
        ([4, 4], [40, 50], {"winners": [1], "reason": "tempos", "totals": [4, 4]}),
        ([4, 4], [50, 50], {"winners": [], "reason": "draw", "totals": [4, 4]}),
    ],
)
def test_thirty_plays(scores: list[int], bout_tempos: list[int], expected: dict[str, Any]) -> None:
    fold = given()
    for _ in range(30):
        assert GAME.outcome(fold.state) is None
        fold = play(fold, "ABABAB")
    then(fold, phase="over", play=30)
    fold = when(fold, {"type": "adjust", "set": {"scores": scores, "bout_tempos": bout_tempos}})
    outcome = GAME.outcome(fold.state)
    assert outcome is not None
    assert outcome.json() == expected


def test_without_the_limit_the_bout_goes_on_past_thirty() -> None:
    fold = given(play_limit=False)
    for _ in range(31):
        fold = play(fold, "ABABAB")
    then(fold, play=32, phase="out")


def test_an_adjusted_score_can_end_a_bout_and_bring_it_back() -> None:
    fold = when(given(), {"type": "adjust", "set": {"scores": [11, 0]}})
    then(fold, phase="over")
    then(when(fold, {"type": "adjust", "set": {"scores": [10, 0]}}), phase="out", to_act=0, play=1)


def test_adjust_names_what_does_not_fit() -> None:
    refuses(given(), {"type": "adjust", "set": {"tempos": [1, 0]}}, "wrong-phase")
    refuses(given(), {"type": "adjust", "set": {"guards": ["KS", "KS"]}}, "opponents-guard")
    with pytest.raises(RecordError, match=r"set.trump: key-unknown"):
        line({"type": "adjust", "set": {"trump": "S"}})


def test_concede_and_rematch() -> None:
    fold = when(given(), {"type": "concede", "seat": 0})
    outcome = GAME.outcome(fold.state)
    assert outcome is not None
    assert outcome.json() == {"winners": [1], "reason": "conceded", "totals": [0, 0]}
    assert GAME.rematch(fold.setup, 2) == {"first": 1, "circle_limit": True, "play_limit": True}


@pytest.mark.parametrize("undone", [1, 2, 5, 9])
def test_undo_and_redo_at_every_boundary(undone: int) -> None:
    steps: Sequence[str] = (
        "A guard KS",
        "B stall",
        "A strike 9H",
        "B 10H",
        "B lead QD",
        "A 4C",
        "B disengage",
        "A cycle",
        "B guard 2D",
    )
    fold = when(given(), *steps)
    back = fold
    for _ in range(undone):
        back = back.add(Line(back.undo()))
    assert back.state == when(given(), *steps[: len(steps) - undone]).state
    for _ in range(undone):
        back = back.add(Line(back.redo()))
    assert (back.state, back.lines) == (fold.state, fold.lines)


def test_a_strike_says_one_thing() -> None:
    with pytest.raises(RecordError, match="feint-with-card"):
        line({"type": "strike", "seat": 0, "card": "AS", "feint": True})


def test_the_ruling_names_rule_and_counterfactual() -> None:
    ruling = GAME.rule_on(
        {
            "game": "measure-and-tempo",
            "guards": ["KS", None],
            "lead": {"seat": 0, "card": "KH"},
            "answer": {"seat": 1, "card": "2S"},
        }
    )
    assert (ruling.winner, ruling.card, ruling.more["trump"]) == (1, "2S", "S")
    assert [(step.code, step.rule) for step in ruling.because] == [
        ("one-guard", "measure-and-tempo/trump"),
        ("trump-beats", "measure-and-tempo/win"),
        ("but-for-trump", "measure-and-tempo/trump"),
    ]
    assert {step.rule for step in ruling.because} <= set(GAME.rules)
