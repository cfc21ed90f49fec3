"""The fold: a log becomes the entries in force and the state after each of them.

A correction (`revise`) rewrites the list of entries in force; undo and redo are corrections too, known by their shape.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from companion.engine.findings import Finding, Findings, Refused, refused
from companion.engine.game import Game, Taken
from companion.engine.record import MOST_ENTRIES, Line, Record, Revised

MOST_REFOLDED = 100_000
"""How many entries all corrections of a game together may have folded again: a crafted log costs no more than that."""


class Change(NamedTuple):
    """What one log line did to the list in force: at `at`, `dropped` made way for `added`."""

    at: int
    dropped: tuple[Line, ...]
    added: tuple[Line, ...]

    def inverse(self) -> "Change":
        return Change(self.at, self.added, self.dropped)

    def revision(self) -> Revised:
        """Returns the correction that does this: a client's key stays with the line that had it first."""
        return Revised(self.at, len(self.dropped), tuple(line._replace(id=None) for line in self.added))


class Item(NamedTuple):
    """One item of the history: entries `first` to `last` (0-based, both included) and what they led to."""

    first: int
    last: int
    taken: Taken | None


@dataclass(frozen=True, slots=True)
class Fold:
    """A game as it stands. `states[i]` is the state before `lines[i]`; `version` counts the log's lines.

    `done` and `undone` are the changes that undo and redo would take back, newest last; None stands for a plain
    entry at the end. `refolded` counts the entries that corrections made it fold again.
    """

    game: Game
    players: int
    setup: Any
    lines: tuple[Line, ...]
    states: tuple[Any, ...]
    done: tuple[Change | None, ...] = ()
    undone: tuple[Change, ...] = ()
    version: int = 0
    refolded: int = 0

    @property
    def state(self) -> Any:
        """The state as it stands."""
        return self.states[-1]

    def add(self, line: Line) -> "Fold":
        """Returns the game after one more log line. Raises Refused."""
        if isinstance(line.entry, Revised):
            return self._revise(line.entry)
        if len(self.lines) >= MOST_ENTRIES:
            raise Refused(_too_many())
        findings = self.game.check(self.states[-1], line.entry)
        if findings:
            raise Refused(_located(findings, line.entry, self.lines))
        state = self.game.evolve(self.states[-1], line.entry)
        return Fold(
            self.game,
            self.players,
            self.setup,
            # Joined, not unpacked: a long game is copied once an entry, not twice.
            self.lines + (line,),  # noqa: RUF005
            self.states + (state,),  # noqa: RUF005
            self.done + (None,),  # noqa: RUF005
            (),
            self.version + 1,
            self.refolded,
        )

    def undo(self) -> Revised | None:
        """Returns the entry that takes back the last change, or None where there is none."""
        if not self.done:
            return None
        change = self.done[-1]
        return Revised(len(self.lines) - 1, 1, ()) if change is None else change.inverse().revision()

    def redo(self) -> Revised | None:
        """Returns the entry that does again what undo took back last."""
        return self._again().revision() if self.undone else None

    def history(self) -> list[Item]:
        """Returns the entries in force as items: tricks, tempos, actions, and last the open one."""
        items = []
        first = 0
        for place, line in enumerate(self.lines):
            before, after = self.states[place], self.states[place + 1]
            if self.game.closes(before, line.entry, after):
                items.append(Item(first, place, after.last if after.done > before.done else None))
                first = place + 1
        if first < len(self.lines):
            items.append(Item(first, len(self.lines) - 1, None))
        return items

    def _revise(self, entry: Revised) -> "Fold":
        if entry.at + entry.drop > len(self.lines):
            raise Refused(refused("revise-out-of-range", None, at=entry.at, drop=entry.drop, length=len(self.lines)))
        change = Change(entry.at, self.lines[entry.at : entry.at + entry.drop], entry.entries)
        lines = (*self.lines[: entry.at], *entry.entries, *self.lines[entry.at + entry.drop :])
        if len(lines) > MOST_ENTRIES:
            raise Refused(_too_many())
        # What only takes back the last entry folds nothing, so that it stays open whatever was corrected.
        refolded = self.refolded + len(lines) - entry.at
        if refolded > MOST_REFOLDED and len(lines) > entry.at:
            raise Refused(refused("too-many-corrections", None))
        states = list(self.states[: entry.at + 1])
        broken: list[Finding] = []
        for place in range(entry.at, len(lines)):
            findings = self.game.check(states[-1], lines[place].entry)
            if findings:
                # What breaks is skipped, so that the list names everything that would.
                broken += [
                    finding._replace(entries=(place + 1, *finding.entries))
                    for finding in _located(findings, lines[place].entry, lines[:place])
                ]
            else:
                states.append(self.game.evolve(states[-1], lines[place].entry))
        if broken:
            raise Refused(broken)
        done, undone = self._histories(change)
        return replace(
            self,
            lines=lines,
            states=tuple(states),
            done=done,
            undone=undone,
            version=self.version + 1,
            refolded=refolded,
        )

    def _histories(self, change: Change) -> tuple[tuple[Change | None, ...], tuple[Change, ...]]:
        if self.done and _same(change, self._last_change().inverse()):
            return self.done[:-1], (*self.undone, self._last_change())
        if self.undone and _same(change, self._again()):
            return (*self.done, self.undone[-1]), self.undone[:-1]
        return (*self.done, change), ()

    def _again(self) -> Change:
        """Returns the change that redo makes: with the entry before it where it would look like the next undo.

        Only an entry at the end can: taken out by a correction, entered once more, and undone.
        """
        change = self.undone[-1]
        if not self.done or not _same(change, self._last_change().inverse()):
            return change
        near = self.lines[: change.at][-1:]
        return Change(change.at - len(near), (*near, *change.dropped), (*near, *change.added))

    def _last_change(self) -> Change:
        change = self.done[-1]
        return Change(len(self.lines) - 1, (), self.lines[-1:]) if change is None else change


def _too_many() -> Findings:
    # Corrections can make the list in force longer than the log; undo must still be able to name its last place.
    return refused("too-many-entries", None, most=MOST_ENTRIES)


def _same(one: Change, other: Change) -> bool:
    return (
        one.at == other.at
        and len(one.dropped) == len(other.dropped)
        and [line.entry for line in one.added] == [line.entry for line in other.added]
    )


def _located(findings: Findings, entry: Any, lines: tuple[Line, ...]) -> Findings:
    """Names the entry that holds a card laid before, where a finding speaks of one."""

    def entries(finding: Finding) -> tuple[int, ...]:
        card = finding.params.get("card") if finding.code in ("duplicate-card", "card-elsewhere") else None
        # A card twice in the entry itself needs no other to prove it, and earlier rounds may hold it rightly.
        if card is not None and cards_in(entry).count(card) == 1:
            for place in range(len(lines), 0, -1):
                if card in cards_in(lines[place - 1].entry):
                    return (place,)
        return finding.entries

    return tuple(finding._replace(entries=entries(finding)) for finding in findings)


def cards_in(entry: Any) -> tuple[str, ...]:
    """Returns the cards an entry shows."""
    cards = getattr(entry, "cards", None) or (getattr(entry, "card", None),)
    return tuple(card for card in cards if card is not None)


def start(game: Game, setup: Any, players: int) -> Fold:
    """Returns a game before its first entry."""
    return Fold(game, players, setup, (), (game.start(setup, players),))


def steps(record: Record) -> Iterator[tuple[Line, Fold]]:
    """Yields each log line with the game after it. Raises Refused at the first line that is refused."""
    so_far = start(record.game, record.setup, len(record.players))
    for line in record.lines:
        so_far = so_far.add(line)
        yield line, so_far


def fold(record: Record) -> Fold:
    """Folds a whole record. Raises Refused at the first line that is refused."""
    return extend(start(record.game, record.setup, len(record.players)), record.lines)


def extend(so_far: Fold, lines: Iterable[Line]) -> Fold:
    """Returns a game after more log lines, runs of plain entries in one go. Raises Refused."""
    check, evolve = so_far.game.check, so_far.game.evolve
    state = so_far.state
    run: list[Line] = []
    states: list[Any] = []
    for line in lines:
        entry = line.entry
        if type(entry) is Revised:
            so_far = _joined(so_far, run, states).add(line)
            state, run, states = so_far.state, [], []
            continue
        if len(so_far.lines) + len(run) >= MOST_ENTRIES:
            raise Refused(_too_many())
        findings = check(state, entry)
        if findings:
            raise Refused(_located(findings, entry, (*so_far.lines, *run)))
        state = evolve(state, entry)
        states.append(state)
        run.append(line)
    return _joined(so_far, run, states)


def _joined(so_far: Fold, run: list[Line], states: list[Any]) -> Fold:
    if not run:
        return so_far
    return replace(
        so_far,
        lines=(*so_far.lines, *run),
        states=(*so_far.states, *states),
        done=(*so_far.done, *([None] * len(run))),
        undone=(),
        version=so_far.version + len(run),
    )
