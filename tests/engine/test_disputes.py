"""What the table made of a proved revoke is read from the log alone, and goes with undo."""

from itertools import combinations, permutations
from random import Random

from companion.engine.cards import Card
from companion.engine.disputes import disputes, hidden, stands, turnable, turned_over
from companion.engine.evidence import Dealt, prove, telling
from companion.engine.fold import Fold
from companion.engine.record import Line, Revised
from tests.dsl import adjust, revise
from tests.engine.dealt_games import leapfrog
from tests.engine.test_evidence import card, small_deal, table, worlds
from tests.engine.test_evidence import hidden as unseen

# Ben does not follow spades twice in trick 1, and lays one in trick 2.
REVOKE = [card(0, "10S"), card(1, "8H"), card(0, "7S"), card(1, "4H"), card(0, "6H"), card(1, "3S")]
AGAIN = [card(0, "5H"), card(1, "9C"), card(1, "7H")]


def then(so_far: Fold, correction: Revised | None) -> Fold:
    assert correction is not None
    return so_far.add(Line(correction))


def answers(so_far: Fold) -> list[str]:
    return [fault.answer for fault in disputes(so_far)]


def test_a_fault_waits_for_an_answer() -> None:
    assert answers(table("leapfrog", 2, *REVOKE[:5])) == []
    assert answers(table("leapfrog", 2, *REVOKE)) == ["", ""]


def test_playing_on_is_a_correction_that_changes_nothing() -> None:
    before = table("leapfrog", 2, *REVOKE)
    after = then(before, stands(before))
    assert after.state == before.state
    assert answers(after) == ["stands", "stands"]
    undone = then(after, after.undo())
    assert answers(undone) == ["", ""]
    assert answers(then(undone, undone.redo())) == ["stands", "stands"]


def test_it_goes_with_the_record() -> None:
    log = table("leapfrog", 2, *REVOKE, revise(6, 0), card(0, "5H"))
    assert answers(log) == ["stands", "stands"]


def test_playing_on_answers_what_was_proved_by_then() -> None:
    log = table("leapfrog", 2, *REVOKE, revise(6, 0), *AGAIN)
    # Ben's 3 of spades and 9 of clubs did not follow hearts either.
    assert answers(log) == ["stands", "stands", "", ""]


def test_a_correction_of_the_past_asks_anew() -> None:
    log = table("leapfrog", 2, *REVOKE, revise(6, 0), revise(0, 1, card(0, "9S")))
    assert answers(log) == ["", ""]
    assert answers(then(log, log.undo())) == ["stands", "stands"]
    late = table("leapfrog", 2, *REVOKE, revise(6, 0), card(0, "5H"), revise(6, 1, card(0, "4C")))
    assert answers(late) == ["stands", "stands"]


def test_a_ruling_or_a_concession_after_it_is_an_answer() -> None:
    assert answers(table("leapfrog", 2, *REVOKE, adjust(totals=[3, 0]))) == ["ruled", "ruled"]
    assert answers(table("leapfrog", 2, *REVOKE, {"type": "concede", "seat": 1})) == ["conceded", "conceded"]
    assert answers(table("leapfrog", 2, *REVOKE[:5], adjust(totals=[3, 0]), REVOKE[5])) == ["", ""]
    both = table("leapfrog", 2, *REVOKE, revise(6, 0), {"type": "concede", "seat": 1})
    assert answers(both) == ["conceded", "conceded"]


def test_a_corrected_entry_leaves_no_fault() -> None:
    assert answers(table("leapfrog", 2, *REVOKE, revise(5, 1, card(1, "3H")))) == []


def brute(dealt: Dealt, face_down: tuple[int, ...]) -> bool:
    """Tries every way of turning over what stayed hidden: does one prove what is not proved?"""
    before = prove(dealt)
    entries = [one.entry for one in dealt.shown if one.entry in face_down and one.cards == (None,)]
    left = len(dealt.deck) - sum(len(one.cards) for one in dealt.shown)
    for cards in permutations(unseen(dealt), len(entries)):
        up = dict(zip(entries, cards, strict=True))
        shown = tuple(one._replace(cards=(up[one.entry],)) if one.entry in up else one for one in dealt.shown)
        for never in combinations([one for one in unseen(dealt) if one not in cards], left):
            trial = dealt._replace(shown=shown, revealed=tuple(never))
            after = prove(trial)
            proved = any(
                new.verdict == "illegal" and old.verdict == "open"
                for old, new in zip(before.plays, after.plays, strict=True)
            )
            if (proved or (before.consistent and not after.consistent)) and any(worlds(trial, never)):
                return True
    return False


def test_cards_are_turned_over_only_where_that_could_prove_something() -> None:
    found = []
    for seed in range(300):
        dealt = small_deal(Random(seed))._replace(revealed=())
        if dealt.held is None or len(unseen(dealt)) > 6:
            continue
        face_down = tuple(one.entry for one in dealt.shown if one.cards == (None,))
        offered = telling(dealt, face_down)
        assert bool(offered) == brute(dealt, face_down), seed
        found.append(bool(offered))
        left = len(dealt.deck) - sum(len(one.cards) for one in dealt.shown)
        if offered:
            assert sum(one.number for one in offered) == left + len(face_down), seed
    assert {True, False} == set(found)


def test_a_round_that_stayed_in_doubt_is_settled_by_what_was_hidden() -> None:
    proved = 0
    for seed in range(12):
        log = leapfrog(Random(seed), 0.3, by_result=0, told=0)
        end = log.openings[1]
        round_one = Fold(
            log.fold.game, 2, log.fold.setup, log.fold.lines[:end], log.fold.states[: end + 1], (None,) * end, (), end
        )
        assert hidden(Fold(log.fold.game, 2, log.fold.setup, (), log.fold.states[:1])) == ()
        offered = hidden(round_one)
        if not offered or disputes(round_one):
            continue
        down = [one.entry for one in offered if one.entry]
        for cards in permutations(turnable(round_one), len(down) + 2):
            up = dict(zip(down, cards, strict=False))
            entry = turned_over(round_one, up, [Card(one) for one in cards[len(down) :]])
            after = round_one.add(Line(entry))
            if disputes(after):
                proved += 1
                assert then(after, after.undo()).lines == round_one.lines
                break
        else:
            raise AssertionError(f"nothing to be proved in {seed}")
    assert proved
