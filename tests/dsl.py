"""Tables of play in tests: given a table, when this is laid, then that holds.

Leapfrog! in text. Seats are A and B. The track is drawn as it lies, tokens behind their pads (K is the King):

    6AB 1 3 5 / 2 4 9 0K

Entries: `A 10S` a card, `B leap`, `B king`, `B king dive` a power, `A won` a result, `A hop`, `A dive` a choice,
`A concedes`. Several stand side by side, with commas between them.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from companion.engine.findings import Finding, Refused
from companion.engine.fold import Fold, start
from companion.engine.record import Line, read_line
from companion.engine.registry import GAMES

SEATS = "ABC"
FRESH = sorted("00123468")
CLOCKWISE = (0, 1, 2, 3, 7, 6, 5, 4)
START = "6AB 1 3 5 / 2 4 9 0K"


def seat(letter: str) -> int:
    return SEATS.index(letter)


def entry(text: str) -> dict[str, Any]:
    """Reads one Leapfrog! entry."""
    who, what, *rest = text.split()
    body: dict[str, Any] = {"seat": seat(who)}
    match what, rest:
        case "leap", []:
            return {"type": "power", **body, "power": "leap"}
        case "king", [] | ["dive"]:
            return {"type": "power", **body, "power": "king", "dive": bool(rest)}
        case "won", []:
            return {"type": "won", **body}
        case ("hop" | "dive"), []:
            return {"type": "hop", **body, "dive": what == "dive"}
        case "concedes", []:
            return {"type": "concede", **body}
        case _, []:
            return {"type": "card", **body, "card": what}
    raise AssertionError(text)


def entries(text: str) -> list[dict[str, Any]]:
    """Reads several Leapfrog! entries."""
    return [entry(part) for part in text.replace("\n", " ").split(",")]


def tricks(winners: str) -> str:
    """Returns tricks by their result: `AB` is `A won, B won`."""
    return ", ".join(f"{winner} won" for winner in winners)


def revise(at: int, drop: int, *put: Mapping[str, Any] | str) -> dict[str, Any]:
    """Returns a correction."""
    return {"type": "revise", "at": at, "drop": drop, "entries": [*map(body, put)]}


def adjust(**new: Any) -> dict[str, Any]:
    """Returns the table's own ruling."""
    return {"type": "adjust", "set": new}


def reveal(*cards: str) -> dict[str, Any]:
    return {"type": "reveal", "cards": list(cards)}


def body(what: Mapping[str, Any] | str) -> dict[str, Any]:
    return entry(what) if isinstance(what, str) else dict(what)


class Drawn:
    """A drawn track: the pads clockwise from the top left, and where the tokens stand."""

    def __init__(self, text: str) -> None:
        words = text.replace("/", " ").split()
        assert len(words) == 8, text
        round_ = [words[place] for place in CLOCKWISE]
        self.pads = [int(word[0]) for word in round_]
        self.at = {token: pad for pad, word in enumerate(round_) for token in word[1:]}
        assert set(self.at) == set("ABK"), text


def draw(state: Any) -> str:
    """Draws a Leapfrog! table."""
    at = {"A": state.frogs[0], "B": state.frogs[1], "K": state.king}
    words = [str(value) + "".join(token for token in at if at[token] == pad) for pad, value in enumerate(state.track)]
    lying = [words[CLOCKWISE[place]] for place in range(8)]
    return " ".join(lying[:4]) + " / " + " ".join(lying[4:])


class Table:
    """A game in the middle; every step returns a new one."""

    def __init__(self, fold: Fold) -> None:
        self.fold = fold

    @property
    def state(self) -> Any:
        return self.fold.state

    def line(self, what: Mapping[str, Any] | str) -> Line:
        return read_line(body(what), self.fold.game, self.fold.players)

    def when(self, *steps: Mapping[str, Any] | str) -> "Table":
        """Plays entries; text may hold several."""
        fold = self.fold
        for step in steps:
            for one in entries(step) if isinstance(step, str) else [step]:
                fold = fold.add(self.line(one))
        return Table(fold)

    def placed(self, track: str, **more: Any) -> "Table":
        """Puts the tokens where they are drawn, by the table's own ruling; where they stand there is none."""
        at = Drawn(track).at
        frogs = (at["A"], at["B"])
        if (frogs, at["K"]) == (self.state.frogs, self.state.king) and not more:
            return self
        return self.when(adjust(frogs=list(frogs), king=at["K"], **more))

    def undo(self, times: int = 1) -> "Table":
        fold = self.fold
        for _ in range(times):
            revised = fold.undo()
            assert revised is not None, "nothing to undo"
            fold = fold.add(Line(revised))
        return Table(fold)

    def redo(self, times: int = 1) -> "Table":
        fold = self.fold
        for _ in range(times):
            revised = fold.redo()
            assert revised is not None, "nothing to redo"
            fold = fold.add(Line(revised))
        return Table(fold)

    def refuses(self, what: Mapping[str, Any] | str, *codes: str) -> tuple[Finding, ...]:
        """Asserts that the entry is refused for exactly these reasons, and that nothing has changed by it."""
        before = (self.fold.lines, self.fold.states, self.fold.version)
        with pytest.raises(Refused) as caught:
            self.fold.add(self.line(what))
        assert [finding.code for finding in caught.value.findings] == list(codes)
        assert (self.fold.lines, self.fold.states, self.fold.version) == before
        return caught.value.findings

    def then(self, track: str | None = None, order: str | None = None, **promised: Any) -> "Table":
        """Asserts what holds: the drawn track, the suit order as `S>H>C`, and keys of the public state.

        Seats are letters; `outcome` is `A total`, `draw`, or None while the game goes on.
        """
        public = self.fold.game.json(self.state)
        if track is not None:
            assert draw(self.state) == " ".join(track.split())
        if order is not None:
            assert ">".join(self.state.hierarchy) == order
        for key, value in promised.items():
            if key == "outcome":
                assert self.outcome() == value
            elif key == "history":
                assert [(item.first, item.last) for item in self.fold.history()] == value
            else:
                found = public[key]
                if isinstance(value, str):
                    found = SEATS[found]
                assert found == value, (key, found, value)
        return self

    def outcome(self) -> str | None:
        outcome = self.fold.game.outcome(self.state)
        if outcome is None:
            return None
        return " ".join(["".join(SEATS[winner] for winner in outcome.winners), outcome.reason]).strip()

    def options(self) -> dict[str, tuple[str, ...]]:
        """Returns what may be entered, as JSON without seats, and the codes that close it."""
        return {
            str(dict(option.entry)): tuple(finding.code for finding in option.closed)
            for option in self.fold.game.expects(self.state).options
        }


def given(track: str = START, order: str = "S>H>C", deals: str = "A") -> Table:
    """Sets a Leapfrog! table up as drawn."""
    drawn = Drawn(track)
    game = GAMES["leapfrog"]
    fresh = sorted(map(str, drawn.pads)) == FRESH
    raw: dict[str, Any] = {"variant": "freshwater" if fresh else "standard", "hierarchy": order.split(">")}
    raw |= {"dealer": seat(deals), "track": drawn.pads}
    return Table(start(game, game.read_setup(raw, 2), 2)).placed(track)
