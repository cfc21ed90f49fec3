"""Leapfrog! against its slow model: both grains mixed, powers, dives, rulings, concessions, corrections."""

from typing import Any

import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.engine.findings import Refused
from companion.engine.fold import Fold, start
from companion.engine.record import Line, read_line
from companion.engine.registry import GAMES
from tests.engine import model_leapfrog as model
from tests.strategies import LEAPFROG_ADJUSTS, LEAPFROG_ENTRIES, LEAPFROG_PLAYS, LEAPFROG_SETUPS, SEAT, open_entries

GAME = GAMES["leapfrog"]
Entries = list[dict[str, Any]]


class LeapfrogMachine(RuleBasedStateMachine):
    """`entries` are those in force; `done` and `undone` the changes that undo and redo take back."""

    fold: Fold

    @initialize(setup=LEAPFROG_SETUPS)
    def begin(self, setup: dict[str, Any]) -> None:
        self.setup = setup
        self.fold = start(GAME, GAME.read_setup(setup, 2), 2)
        self.entries: Entries = []
        self.state = model.begin(setup)
        self.done: list[tuple[int, Entries, Entries]] = []
        self.undone: list[tuple[int, Entries, Entries]] = []

    @rule(pick=st.integers(0, 2**16))
    def what_is_open(self, pick: int) -> None:
        if entries := open_entries(GAME, self.fold.state):
            self.post(entries[pick % len(entries)])

    @rule(winners=st.lists(SEAT, min_size=1, max_size=7), dives=st.booleans())
    def by_results(self, winners: list[int], dives: bool) -> None:
        for seat in winners:
            self.post({"type": "won", "seat": seat})
            if self.state["winner"] is not None:
                self.post({"type": "hop", "seat": seat, "dive": dives})

    @rule(cards=st.permutations(range(30)))
    def a_trick_card_by_card(self, cards: list[int]) -> None:
        for number in cards[:4]:
            if model.to_act(self.state) is not None:
                card = self.state["deck"][number]
                self.post({"type": "card", "seat": model.to_act(self.state), "card": card})

    @rule(entry=LEAPFROG_PLAYS)
    def any_play(self, entry: dict[str, Any]) -> None:
        self.post(entry)

    @rule(entry=LEAPFROG_ADJUSTS)
    def the_table_rules(self, entry: dict[str, Any]) -> None:
        self.post(entry)

    @rule(cards=st.lists(st.integers(0, 29), min_size=1, max_size=3))
    def cards_are_shown(self, cards: list[int]) -> None:
        self.post({"type": "reveal", "cards": [self.state["deck"][number] for number in cards]})

    @precondition(lambda self: len(self.entries) > 5)
    @rule(seat=SEAT, leap=st.integers(0, 5))
    def somebody_concedes(self, seat: int, leap: int) -> None:
        # Seldom: hardly anything can follow.
        if leap == 0:
            self.post({"type": "concede", "seat": seat})

    @rule(back=st.integers(0, 12), drop=st.integers(0, 4), put=st.lists(LEAPFROG_ENTRIES, max_size=3))
    def anything_is_revised(self, back: int, drop: int, put: Entries) -> None:
        self.revise(max(len(self.entries) - back, 0), drop, put)

    @rule(place=st.integers(0, 2**16))
    def a_result_is_turned_round(self, place: int) -> None:
        won = [at for at, entry in enumerate(self.entries) if entry["type"] == "won"]
        if won:
            at = won[place % len(won)]
            self.revise(at, 1, [{"type": "won", "seat": 1 - self.entries[at]["seat"]}])

    @rule(times=st.integers(1, 5))
    def undo(self, times: int) -> None:
        for _ in range(times):
            revised = self.fold.undo()
            assert (revised is None) == (not self.done)
            if revised is not None:
                at, dropped, put = self.done[-1]
                assert (revised.at, revised.drop) == (at, len(put))
                self.revise(at, len(put), dropped)

    @rule(times=st.integers(1, 5))
    def redo(self, times: int) -> None:
        for _ in range(times):
            revised = self.fold.redo()
            assert (revised is None) == (not self.undone)
            if revised is not None:
                at, dropped, put = self.undone[-1]
                assert (revised.at, revised.drop) == (at, len(dropped))
                self.revise(at, len(dropped), put)

    def post(self, entry: dict[str, Any]) -> None:
        """Adds a plain entry on both sides: both take it, or both refuse it for the same reason."""
        note(f"{entry}")
        line = read_line(entry, GAME, 2)
        assert line.json() == entry
        code = model.refusal(self.state, entry)
        if code is not None:
            self.refused(line, [code])
            return
        self.state = model.evolve(self.state, entry)
        self.entries = [*self.entries, entry]
        self.add(line)
        self.done.append((len(self.entries) - 1, [], [entry]))
        self.undone.clear()

    def revise(self, at: int, drop: int, put: Entries) -> None:
        entry = {"type": "revise", "at": at, "drop": drop, "entries": put}
        note(f"{entry}")
        line = read_line(entry, GAME, 2)
        if at + drop > len(self.entries):
            self.refused(line, ["revise-out-of-range"])
            return
        entries = [*self.entries[:at], *put, *self.entries[at + drop :]]
        broken, state = [], model.replay(self.setup, entries[:at])
        for place in range(at, len(entries)):
            code = model.refusal(state, entries[place])
            if code is None:
                state = model.evolve(state, entries[place])
            else:
                broken.append((code, place + 1))
        if broken:
            findings = self.refused(line, [code for code, _ in broken])
            assert [finding.entries[0] for finding in findings] == [place for _, place in broken]
            return
        change = (at, self.entries[at : at + drop], put)
        self.entries, self.state = entries, state
        self.add(line)
        if self.done and change == (self.done[-1][0], self.done[-1][2], self.done[-1][1]):
            self.undone.append(self.done.pop())
        else:
            again = bool(self.undone) and change == self.undone[-1]
            self.undone = self.undone[:-1] if again else []
            self.done.append(change)

    def add(self, line: Line) -> None:
        before = self.fold
        self.fold = before.add(line)
        assert self.fold.version == before.version + 1

    def refused(self, line: Line, codes: list[str]) -> tuple[Any, ...]:
        before = self.fold
        kept = (before.lines, before.states, before.done, before.undone, before.version)
        with pytest.raises(Refused) as caught:
            before.add(line)
        assert [finding.code for finding in caught.value.findings] == codes
        assert (before.lines, before.states, before.done, before.undone, before.version) == kept
        return caught.value.findings

    @invariant()
    def same_table(self) -> None:
        if hasattr(self, "state"):
            assert [line.entry.json() for line in self.fold.lines] == self.entries
            assert GAME.json(self.fold.state) == model.public(self.state)
            outcome = GAME.outcome(self.fold.state)
            assert (outcome.json() if outcome else None) == model.outcome(self.state)

    @invariant()
    def same_choices(self) -> None:
        if not hasattr(self, "state"):
            return
        expects = GAME.expects(self.fold.state)
        for option in expects.options:
            code = model.refusal(self.state, dict(option.entry))
            assert [finding.code for finding in option.closed] == ([code] if code else []), option


LeapfrogMachine.TestCase.settings = settings(max_examples=settings().max_examples * 3 // 5, stateful_step_count=40)
TestLeapfrogMachine = LeapfrogMachine.TestCase
