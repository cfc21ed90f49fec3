"""Scripts by chance: entries, corrections, undos and redos of any game, compared with a fresh fold.

What must be in force is kept beside the fold as plain lists, which know nothing of how a correction is worked out.
"""

from contextlib import suppress
from random import Random
from typing import Any

from companion.engine.findings import Refused
from companion.engine.fold import Fold, extend, fold, start
from companion.engine.game import Game
from companion.engine.record import Line, Record, Revised, read_lines
from tests.conformance.games import chosen, whole_game
from tests.strategies import open_entries, read

STEPS = 12
GAMES_EACH = 20
"""So many whole games each script begins in the middle, or at the end, of."""


class Script:
    """One script: `log` is all that was entered, `now` the entries in force, `past` and `future` those lists before
    and after. `differences` are what a fresh fold has otherwise; `taken` counts the steps that were not refused.
    """

    def __init__(self, game: Game, players: int, seed: int) -> None:
        self.chance = Random(seed)
        self.game, self.players = game, players
        whole = whole_game(game, players, seed % GAMES_EACH)
        self.log = list(whole.lines[: self.chance.randrange(len(whole.lines) + 1)])
        self.fold = extend(start(game, whole.setup, players), self.log)
        self.now = [line.entry for line in self.log]
        self.past = [self.now[:length] for length in range(len(self.now))]
        self.future: list[list[Any]] = []
        self.differences: list[str] = []
        self.taken = 0

    def run(self) -> "Script":
        for _ in range(STEPS):
            self.chance.choice((self.enter, self.enter, self.correct, self.correct, self.undo, self.redo))()
        self.compare()
        record = Record(self.game, ("",) * self.players, self.fold.setup, {}, self.reread())
        self.expect("the whole log", fold(record) == self.fold)
        return self

    def reread(self) -> tuple[Line, ...]:
        return read_lines([line.json() for line in self.log], self.game, self.players)

    def enter(self) -> None:
        entries = open_entries(self.game, self.fold.state)
        if self.chance.random() < 0.2:
            field = self.chance.choice(self.game.adjustable)
            entries = [{"type": "adjust", "set": {field.name: chosen(field, self.players, self.chance)}}]
        if entries:
            line = read(self.game, self.players, self.chance.choice(entries))
            with suppress(Refused):
                self.add(line, [*self.now, line.entry])

    def correct(self) -> None:
        """Puts in what could stand there, or stands elsewhere; what that breaks is sometimes taken out too."""
        length = len(self.now)
        at = self.chance.randrange(length + 1)
        drop = self.chance.randrange(min(3, length - at) + 1)
        pool = [*open_entries(self.game, self.fold.states[at]), *(entry.json() for entry in self.now)]
        picked = self.chance.sample(pool, min(len(pool), self.chance.randrange(3)))
        put = tuple(read(self.game, self.players, raw) for raw in picked)
        try:
            self.revise(Revised(at, drop, put))
        except Refused as refused:
            if self.chance.random() < 0.5:
                broken = {finding.entries[0] - 1 for finding in refused.findings}
                lines = [*self.fold.lines[:at], *put, *self.fold.lines[at + drop :]]
                kept = [line for place, line in enumerate(lines) if place not in broken]
                self.revise(Revised(at, length - at, tuple(kept[at:])))

    def revise(self, entry: Revised) -> None:
        after = [*self.now[: entry.at], *(line.entry for line in entry.entries), *self.now[entry.at + entry.drop :]]
        # A correction that happens to be the undo, or the redo, is one.
        if entry == self.fold.undo():
            self.undo()
        elif entry == self.fold.redo():
            self.redo()
        else:
            self.add(Line(entry), after)

    def add(self, line: Line, after: list[Any]) -> None:
        folded = self.fold.add(line)
        self.past.append(self.now)
        self.future.clear()
        self.take(line, folded, after)

    def undo(self) -> None:
        entry = self.fold.undo()
        self.expect("whether there is an undo", (entry is None) == (not self.past))
        if entry is not None and self.past:
            self.future.append(self.now)
            self.take(Line(entry), self.fold.add(Line(entry)), self.past.pop())

    def redo(self) -> None:
        entry = self.fold.redo()
        self.expect("whether there is a redo", (entry is None) == (not self.future))
        # Of the only entry on the table undo and redo can look alike: then it is the undo.
        if entry is not None and self.future and entry != self.fold.undo():
            self.past.append(self.now)
            self.take(Line(entry), self.fold.add(Line(entry)), self.future.pop())

    def take(self, line: Line, folded: Fold, after: list[Any]) -> None:
        """Makes the step; what a correction leads to is compared with a game that never saw anything else."""
        self.log.append(line)
        self.fold, self.now = folded, after
        self.taken += 1
        self.expect("the entries in force", [line.entry for line in folded.lines] == after)
        if isinstance(line.entry, Revised):
            self.compare()

    def compare(self) -> None:
        folded = self.fold
        fresh = extend(start(self.game, folded.setup, self.players), [Line(entry) for entry in self.now])
        self.expect("the states", folded.states == fresh.states)
        self.expect("the history", folded.history() == fresh.history())
        self.expect("the outcome", self.game.outcome(folded.state) == self.game.outcome(fresh.state))

    def expect(self, what: str, holds: bool) -> None:
        if not holds:
            self.differences.append(f"step {len(self.log)}: {what}")
