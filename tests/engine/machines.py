"""State machines that play a game on the engine and on a slow model of its rules, and compare the two.

A model is a module with `begin(setup)`, `refusal(state, entry)`, `evolve(state, entry)`, `replay(setup, entries)`,
`public(state)` and `outcome(state)`; its entries are the JSON of RECORD.md.
"""

from types import ModuleType
from typing import Any, ClassVar

import pytest
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from companion.engine.findings import Refused
from companion.engine.fold import Fold, start
from companion.engine.game import Game
from companion.engine.record import Line, read_line
from tests.strategies import open_entries

Entries = list[dict[str, Any]]


class GameMachine(RuleBasedStateMachine):
    """Plays `game` beside `model`.

    `entries` are those in force; `done` and `undone` the changes that undo and redo take back.
    """

    game: ClassVar[Game]
    model: ClassVar[ModuleType]
    fold: Fold

    def begin_with(self, setup: dict[str, Any], players: int) -> None:
        self.players = players
        self.setup = setup | {"players": players}
        self.fold = start(self.game, self.game.read_setup(setup, players), players)
        self.entries: Entries = []
        self.state = self.model.begin(self.setup)
        self.done: list[tuple[int, Entries, Entries]] = []
        self.undone: list[tuple[int, Entries, Entries]] = []

    @rule(pick=st.integers(0, 2**16))
    def what_is_open(self, pick: int) -> None:
        if entries := open_entries(self.game, self.fold.state):
            self.post(entries[pick % len(entries)])

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
                at, dropped, put = self.again()
                assert (revised.at, revised.drop) == (at, len(dropped))
                self.revise(at, len(dropped), put)

    def post(self, entry: dict[str, Any]) -> None:
        """Adds a plain entry on both sides: both take it, or both refuse it for the same reason."""
        note(f"{entry}")
        line = read_line(entry, self.game, self.players)
        assert line.json() == entry
        code = self.model.refusal(self.state, entry)
        if code is not None:
            self.refused(line, [code])
            return
        self.state = self.model.evolve(self.state, entry)
        self.entries = [*self.entries, entry]
        self.add(line)
        self.done.append((len(self.entries) - 1, [], [entry]))
        self.undone.clear()

    def revise(self, at: int, drop: int, put: Entries) -> None:
        entry = {"type": "revise", "at": at, "drop": drop, "entries": put}
        note(f"{entry}")
        line = read_line(entry, self.game, self.players)
        if at + drop > len(self.entries):
            self.refused(line, ["revise-out-of-range"])
            return
        entries = [*self.entries[:at], *put, *self.entries[at + drop :]]
        broken, state = [], self.model.replay(self.setup, entries[:at])
        for place in range(at, len(entries)):
            code = self.model.refusal(state, entries[place])
            if code is None:
                state = self.model.evolve(state, entries[place])
            else:
                broken.append((code, place + 1))
        if broken:
            findings = self.refused(line, [code for code, _ in broken])
            assert [finding.entries[0] for finding in findings] == [place for _, place in broken]
            return
        change = (at, self.entries[at : at + drop], put)
        again = bool(self.undone) and change == self.again()
        self.entries, self.state = entries, state
        self.add(line)
        if self.done and change == self.inverse(self.done[-1]):
            self.undone.append(self.done.pop())
        else:
            self.done.append(self.undone[-1] if again else change)
            self.undone = self.undone[:-1] if again else []

    def again(self) -> tuple[int, Entries, Entries]:
        """Returns what redo does: with one entry more on both sides where undo would do the very same."""
        at, dropped, put = self.undone[-1]
        if not self.done or self.undone[-1] != self.inverse(self.done[-1]):
            return at, dropped, put
        near = self.entries[max(at - 1, 0) : at]
        return at - len(near), [*near, *dropped], [*near, *put]

    @staticmethod
    def inverse(change: tuple[int, Entries, Entries]) -> tuple[int, Entries, Entries]:
        at, dropped, put = change
        return at, put, dropped

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
            assert self.game.json(self.fold.state) == self.model.public(self.state)
            outcome = self.game.outcome(self.fold.state)
            assert (outcome.json() if outcome else None) == self.model.outcome(self.state)

    @invariant()
    def same_choices(self) -> None:
        if not hasattr(self, "state"):
            return
        for option in self.game.expects(self.fold.state).options:
            code = self.model.refusal(self.state, dict(option.entry))
            assert [finding.code for finding in option.closed] == ([code] if code else []), option
