"""Proved faults, and what the table made of them. The rules give no penalty, so that is the table's own affair.

Nothing of it is stored beside the log. A table that lets things stand logs a correction that changes nothing, at the
end of what was in force; a ruling of its own and a concession are entries as they are. Each of them answers what was
proved by then: a fault that is proved later, or by a past that was corrected since, is asked about anew.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from companion.engine.cards import Card
from companion.engine.evidence import Hidden, OffSuit, Part, Proof
from companion.engine.findings import Finding
from companion.engine.fold import Fold
from companion.engine.game import Adjusted, Conceded, Revealed
from companion.engine.record import Line, Revised, read_lines


class Fault(NamedTuple):
    """One proved fault: `plays` are those off the led suit that it names, `shown` the entry that gives it away.

    Entries are 1-based. `answer` is what the table made of it: `stands`, `ruled`, `conceded`, empty while it is silent.
    """

    finding: Finding
    plays: tuple[OffSuit, ...]
    shown: int | None
    answer: str = ""


def disputes(so_far: Fold) -> tuple[Fault, ...]:
    """Returns the faults that the entries in force prove, in the order of the game."""
    found = _faults(so_far, len(so_far.lines))
    if not found:
        return ()
    answers = [("stands", let_stand_at(so_far)), *_own(so_far)]
    before = {end: {_same(fault) for fault in _faults(so_far, end)} for _, end in answers if end}
    said = [fault._replace(answer=_answer(fault, answers, before)) for fault in found]
    return tuple(sorted(said, key=lambda fault: fault.finding.entries))


def turnable(so_far: Fold) -> tuple[Card, ...]:
    """Returns the cards that may be turned over now: none while a round or hand is being played."""
    game, state = so_far.game, so_far.state
    return tuple(card for card in game.deck(so_far.setup) if not game.check(state, Revealed((card,))))


def hidden(so_far: Fold) -> tuple[Hidden, ...]:
    """Returns what stayed hidden, if it may be turned over now and that could prove a revoke."""
    return so_far.game.hidden(so_far.lines, so_far.states) if turnable(so_far) else ()


def turned_over(so_far: Fold, up: Mapping[int, Card], never: Sequence[Card]) -> Any:
    """Returns the one entry that turns cards over: those laid face down by their entries, and those never laid."""
    shown = Revealed(tuple(never))
    if not up:
        return shown
    at = min(up) - 1
    raws = [line.entry.json() for line in so_far.lines[at:]]
    for entry, card in up.items():
        raws[entry - 1 - at]["card"] = card
    kept = read_lines(raws, so_far.game, so_far.players)
    return Revised(at, len(kept), (*kept, *([Line(shown)] if never else [])))


def stands(so_far: Fold) -> Revised:
    """Returns the entry that lets stand all that is proved so far."""
    return Revised(len(so_far.lines), 0, ())


def let_stand_at(so_far: Fold) -> int:
    """Returns how many of the entries in force the table had before it as it last let things stand."""
    end = 0
    for change in so_far.done:
        if change is not None:
            # A correction further ahead may change what is proved.
            end = min(end, change.at) if change.dropped or change.added else change.at
    return end


def _own(so_far: Fold) -> list[tuple[str, int]]:
    """Returns the last ruling of the table and the concession, with how many entries were in force before each."""
    last = {}
    for place, line in enumerate(so_far.lines):
        if isinstance(line.entry, Adjusted | Conceded):
            last["ruled" if isinstance(line.entry, Adjusted) else "conceded"] = place
    return list(last.items())


def _answer(fault: Fault, answers: Sequence[tuple[str, int]], before: dict[int, set[Any]]) -> str:
    """Returns the last answer that came after the fault was proved."""
    known = [(end, answer) for answer, end in answers if end and _same(fault) in before[end]]
    return max(known, key=lambda one: (one[0], one[1] != "stands"))[1] if known else ""


def _faults(so_far: Fold, end: int) -> list[Fault]:
    """Returns what the first entries in force prove."""
    parts = so_far.game.evidence(so_far.lines[:end], so_far.states[: end + 1])
    rule = f"{so_far.game.slug}/follow"
    return [_fault(part, proof, rule) for part in parts for proof in part.proofs]


def _fault(part: Part, proof: Proof, rule: str) -> Fault:
    shown = proof.entries[-1] if "card" in proof.params else None
    # One stack can hold both the card that did not follow and the one that gives it away.
    off = proof.entries[:1] if shown else proof.entries
    named = tuple(play for play in part.plays if play.entry in off)
    return Fault(Finding("fault", proof.code, rule, proof.entries, proof.params), named, shown)


def _same(fault: Fault) -> Any:
    """Returns what stays of a fault while more is entered: its proof may become a better one."""
    if "suit" in fault.finding.params:
        return fault.finding.entries[0]
    return fault.finding.code, fault.finding.params.get("seat"), fault.plays[0].entry if fault.plays else 0
