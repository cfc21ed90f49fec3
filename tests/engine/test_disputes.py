"""What the table made of a proved revoke is read from the log alone, and goes with undo."""

from companion.engine.disputes import disputes, stands
from companion.engine.fold import Fold
from companion.engine.record import Line, Revised
from tests.dsl import adjust, revise
from tests.engine.test_evidence import card, table

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
