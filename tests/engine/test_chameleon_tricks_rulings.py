"""What Chameleon Tricks tells: why a trick went where it did, why an entry is refused, what could be entered next."""

from typing import Any

import pytest

from companion.engine.cards import BIT
from companion.engine.chameleon_tricks_stacks import may_add, possible
from companion.engine.findings import RecordError, Refused
from companion.engine.registry import GAMES
from tests.engine.test_chameleon_tricks import GAME, given, left, line, refuses, then, when

A, B, C = 0, 1, 2


def reasons(ruling: Any) -> list[str]:
    return [step.code for step in ruling.because]


def stacks(text: str) -> list[dict[str, Any]]:
    """Reads a position's stacks as `A 7C 7D, B 2C`."""
    turns = [part.split() for part in text.split(",") if part]
    return [{"seat": "ABC".index(who), "cards": cards} for who, *cards in turns]


def rule(text: str, **more: Any) -> Any:
    return GAME.rule_on({"game": "chameleon-tricks", "stacks": stacks(text), **more})


@pytest.mark.parametrize(
    ("lying", "codes"),
    [
        ("A 7D", ["strongest-laid", "only-card"]),
        ("A 2C, B 10H", ["strongest-suit", "only-card"]),
        ("A 2C, B 10C", ["strongest-suit", "highest-card"]),
        ("A 7C 7D, B 9D", ["covered", "strongest-laid", "highest-card"]),
        ("A 10D, B 2S, C 9D", ["strongest-laid", "only-card", "lead-no-power"]),
        ("A 5S 5C, B 9S, C 2S 2C", ["covered", "covered", "strongest-suit", "highest-card", "lead-no-power"]),
    ],
)
def test_the_steps_of_a_ruling(lying: str, codes: list[str]) -> None:
    assert reasons(rule(lying)) == codes


def test_without_its_last_card_a_stack_counts_the_one_beneath() -> None:
    ruled = rule("A 7C 7D, B 9D 9H, C 2S")
    assert [(part.card, part.winner, part.card_then) for part in ruled.without] == [
        ("7D", A, "7C"),
        ("9H", C, "2S"),
        ("2S", B, "9H"),
    ]
    assert rule("A 7C").without[0] == ("7C", None, None)


def test_a_hand_ends_with_its_reasons() -> None:
    fold = when(left(given(), 1, 1, 2, points=[10, 20, 21]), "A 10D, B 3D, C 4D")
    ruled = GAME.explain(fold.state.last)
    assert reasons(ruled)[-3:] == ["kept", "hand-over", "halved"]
    assert dict(ruled.because[-1].params) == {"seat": C, "points": 21, "score": 10}
    # Two that are level are both halved.
    fold = when(left(given(), 1, 1, 2, points=[11, 21, 21]), "A 10D, B 3D, C 4D")
    assert [dict(step.params)["seat"] for step in GAME.explain(fold.state.last).because[-3:]] == [A, B, C]


def test_a_lead_that_is_passed_says_to_whom() -> None:
    fold = when(left(given(), 2, 1, 3), "A 9D, B 2C, C 3D")
    ruled = GAME.explain(fold.state.last)
    assert reasons(ruled)[-1] == "lead-passed"
    assert dict(ruled.because[-1].params) == {"seat": B, "to_act": C}
    then(fold, leader=C, to_act=C, cards_left=[1, 0, 2])


def test_the_next_on_the_left_without_cards_is_passed_over() -> None:
    then(when(left(given(), 1, 1, 2), "A 9C, B 8C, C 7C 7D"), hand=2)
    fold = when(left(given(), 1, 2, 2), "A 9C, B 8C 8D, C 7C")
    then(fold, hand=2, hands=[[4, 0, 0]])
    fold = when(left(given(), 2, 1, 3, leader=B), "B 2C, C 3D, A 4D")
    then(fold, leader=C, to_act=C)
    refuses(fold, "B 9H", "wrong-turn")
    then(when(fold, "C 5C, A 6C"), hand=2)


def test_by_result_names_the_card_only() -> None:
    fold = when(given(), "B won 10C")
    ruled = GAME.explain(fold.state.last)
    assert (ruled.winner, ruled.card, reasons(ruled)) == (B, "10C", ["by-result", "kept"])
    assert ruled.without == ()


def test_a_revoke_shown_by_ones_own_addition() -> None:
    found = rule("A 5C, B 7D 7C").findings
    assert [(one.severity, one.code, dict(one.params)) for one in found] == [
        ("fault", "revoke", {"seat": B, "suit": "C", "card": "7C"})
    ]
    assert rule("A 5C, B 7C 7D").findings == ()
    # It is no reason to refuse the stack.
    then(when(given(), "A 5C, B 7D 7C"), to_act=C)


def test_what_a_hand_may_play() -> None:
    assert rule("", hand=["5C", "5D"]).more == {"legal": {"first": ["5C", "5D"]}}
    assert rule("A 2D 2C", hand=["5C", "5D", "10D"]).more == {"legal": {"first": ["10D", "5D"]}}
    assert rule("A 2D, B 3D", hand=["5C", "9H"]).more == {"legal": {"first": ["5C", "9H"]}}


@pytest.mark.parametrize(
    ("text", "more", "code", "place"),
    [
        ("A 7C, A 8C", {}, "position-turn", "stacks[1].seat"),
        ("A 7C, C 8C, B 9C", {}, "position-turn", "stacks[2].seat"),
        ("A 7C 8C", {}, "position-other-rank", "stacks[0].cards[1]"),
        ("A 7C, B 7C", {}, "position-card-twice", "stacks[1].cards[0]"),
        ("A AC", {}, "position-not-in-deck", "stacks[0].cards[0]"),
        ("A 7C", {"hand": ["7C"]}, "position-card-twice", "hand[0]"),
        ("A 7C, B 8C, C 9C", {"hand": ["2C"]}, "position-finished", "hand"),
    ],
)
def test_a_position_that_cannot_be(text: str, more: dict[str, Any], code: str, place: str) -> None:
    with pytest.raises(RecordError) as caught:
        rule(text, **more)
    assert (caught.value.code, caught.value.place) == (code, place)


def refusal(fold: Any, what: str) -> tuple[str, str | None, dict[str, Any]]:
    with pytest.raises(Refused) as caught:
        fold.add(line(what, fold.players))
    (finding,) = caught.value.findings
    return finding.code, finding.rule, dict(finding.params)


def test_a_card_seen_before_says_where() -> None:
    fold = when(given(), "A 7C 7D, B 2C, C 9H, B won 10C")
    rule_name = "chameleon-tricks/deal"
    assert refusal(fold, "B 7D") == ("duplicate-card", rule_name, {"card": "7D", "seat": A, "trick": 1})
    assert refusal(fold, "C won 10C") == ("duplicate-card", rule_name, {"card": "10C", "seat": B, "trick": 2})
    fold = when(fold, "B 3H")
    assert refusal(fold, "C 3H") == ("duplicate-card", rule_name, {"card": "3H", "seat": B, "trick": 3})
    # A hand later every card can come again.
    assert refusal(when(left(given(), 1, 1, 1), "A 7C, B 2D, C 3D, B 7C"), "C 7C")[2]["trick"] == 1


@pytest.mark.parametrize(
    ("before", "what", "code", "named"),
    [
        ("A 7C 7D", "C won 9H 1 1 1", "counts-differ", {"seat": A, "laid": 2}),
        ("A 7C", "C won 9C 1 0 1", "card-missing", {"seat": B}),
        ("A 7C", "C won 9C 1 1 4", "too-many-cards", {"seat": C, "most": 3}),
        ("A 7C", "C won 6C", "result-impossible", {"seat": C, "card": "6C", "top": "7C"}),
        ("A 7C 7D", "A won 7C 2 1 1", "result-impossible", {"seat": A, "card": "7C", "top": "7D"}),
        ("A 2C", "B won 2D", "result-impossible", {"seat": B, "card": "2D", "top": "2C"}),
        ("A 2D", "A won 2D", "result-impossible", {"seat": A, "card": "2D"}),
        ("A 9C 9S, B 3C", "B won 3C 2 2 1", "counts-differ", {"seat": B, "laid": 1}),
        ("A 9C 9H", "C won 9D 2 1 3", "result-impossible", {"seat": C, "card": "9D", "top": "9H"}),
        ("A 3D 3H", "C won 3C 2 1 3", "counts-impossible", {"seat": C, "card": "3C"}),
    ],
)
def test_a_result_that_cannot_be(before: str, what: str, code: str, named: dict[str, Any]) -> None:
    found = refusal(when(left(given(), 12, 12, 3), before), what)
    assert (found[0], found[2]) == (code, named)


def test_a_seat_that_is_out() -> None:
    fold = left(given(), 3, 0, 3)
    then(fold, to_act=A)
    assert refusal(fold, "B won 9C")[:2] == ("result-impossible", "chameleon-tricks/out")
    assert refusal(fold, "A won 9C 1 1 1") == ("too-many-cards", "chameleon-tricks/out", {"seat": B, "most": 0})
    fold = when(fold, "A 5D")
    assert refusal(fold, "B 9C")[:2] == ("wrong-turn", "chameleon-tricks/out")
    then(when(fold, "C 6D"), cards_left=[2, 0, 2], leader=C)
    then(when(fold, "C won 6D"), cards_left=[2, 0, 2], points=[0, 0, 6])
    then(when(fold, "C won 6D 1 0 2"), cards_left=[2, 0, 1])


def bits(*cards: str) -> int:
    return sum(BIT[card] for card in cards)


@pytest.mark.parametrize(
    ("card", "more", "losers", "unseen", "can"),
    [
        ("9C", 0, [1, 1], ("9C", "2D", "3D"), True),
        ("9C", 0, [1, 1], ("9C", "2D", "10C"), False),
        # Two stacks may share a rank, but each needs a last card that is weaker.
        ("4H", 0, [2, 2], ("4H", "5C", "5H", "5S", "5D"), True),
        ("4S", 0, [2, 2], ("4S", "5C", "5H", "5S", "5D"), False),
        ("5S", 1, [1, 1], ("5S", "5C", "5D", "4D"), True),
        ("5S", 1, [1, 1], ("5S", "5C", "5D", "4H"), False),
        ("5S", 2, [1], ("5S", "5C", "5D"), False),
        ("5S", 1, [1], ("5S", "5C", "5D"), True),
    ],
)
def test_which_results_the_unseen_cards_allow(
    card: str, more: int, losers: list[int], unseen: tuple[str, ...], can: bool
) -> None:
    assert possible(card, more, losers, bits(*unseen)) == can  # type: ignore[arg-type]


def test_what_may_be_added() -> None:
    assert may_add("7C", bits("7C", "7D", "7S", "8D")) == ["7S", "7D"]  # type: ignore[arg-type]


def test_the_table_may_end_a_hand() -> None:
    fold = left(when(given(), "A 9C, B 2C, C 3C"), 0, 0, 5)
    then(fold, hand=2, hands=[[4, 0, 0]], cards_left=[12, 12, 12], points=[0, 0, 0], to_act=B)


def test_what_the_table_may_not_set() -> None:
    fold = when(given(), "A 9C")
    refuses(fold, {"type": "adjust", "set": {"leader": 1}}, "wrong-phase")
    refuses(fold, {"type": "adjust", "set": {"cards_left": [11, 0, 12]}}, "wrong-phase")
    then(when(fold, {"type": "adjust", "set": {"cards_left": [0, 1, 1], "points": [3, 2, 1]}}), points=[3, 2, 1])
    over = when(fold, {"type": "concede", "seat": 2})
    refuses(over, {"type": "adjust", "set": {"points": [0, 0, 0]}}, "game-over")
    refuses(over, {"type": "concede", "seat": 0}, "game-over")
    refuses(over, "B 9D", "game-over")
    refuses(over, "B won 10C", "game-over")
    then(when(over, {"type": "adjust", "set": {"totals": [1, 2, 3]}}), totals=[1, 2, 3])


def test_what_stayed_hidden_is_shown_between_hands() -> None:
    shown = {"type": "reveal", "cards": ["4S", "7H"]}
    refuses(given(), shown, "wrong-phase")
    ended = when(left(given(), 1, 1, 1), "A 9C, B 2C, C 3C")
    refuses(when(ended, shown), {"type": "reveal", "cards": ["7H"]}, "card-elsewhere")
    refuses(ended, {"type": "reveal", "cards": ["9C"]}, "card-elsewhere")
    refuses(ended, {"type": "reveal", "cards": ["KC"]}, "not-in-deck")
    refuses(when(ended, "B 5D"), shown, "wrong-phase")
    # A new hand, given up: what is shown now belongs to it.
    given_up = when(ended, shown, "B 9C", {"type": "concede", "seat": 0})
    refuses(given_up, {"type": "reveal", "cards": ["9C"]}, "card-elsewhere")
    when(given_up, shown)


def test_who_runs_out_first() -> None:
    def first(*cards_left: int) -> list[int]:
        return GAME.board(left(given(), *cards_left).state)["first_out"]  # type: ignore[attr-defined,no-any-return]

    assert first(3, 3, 3) == []
    assert first(3, 2, 3) == [B]
    assert first(2, 2, 3) == [A, B]
    assert first(0, 2, 3) == [B]
    # Who has yet to lay is counted as if one card had gone.
    fold = when(left(given(), 3, 3, 3), "A 9C")
    assert GAME.board(fold.state)["first_out"] == []  # type: ignore[attr-defined]
    assert GAME.board(when(fold, "B 2C 2D").state)["first_out"] == [B]  # type: ignore[attr-defined]


@pytest.mark.parametrize("players", [2, 3])
def test_what_may_be_entered(players: int) -> None:
    fold = when(given(players), "A 7C 7D")
    expects = GAME.expects(fold.state)
    assert (expects.phase, expects.seat) == ("follow", B)
    kinds = [option.entry["type"] for option in expects.options]
    assert (kinds.count("stack"), kinds.count("won")) == (36, 36 * players)
    options = {(option.entry["seat"], *option.entry.get("cards", ())): option for option in expects.options}
    assert [finding.code for finding in options[B, "7C"].closed] == ["duplicate-card"]
    won = next(option for option in expects.options if option.entry.get("card") == "9H" and option.entry["seat"] == B)
    assert won.closed == ()


def test_every_step_cites_a_rule_that_exists() -> None:
    rules = set(GAMES["chameleon-tricks"].rules)
    for text in ("A 7C 7D, B 9D 9H, C 2S", "A 10D, B 2S, C 9D", "A 2C, B 10C, C 3C"):
        assert {step.rule for step in rule(text).because} <= rules
