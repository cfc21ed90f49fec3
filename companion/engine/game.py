"""The protocol that every game keeps, and what all games share.

A game is five pure functions over immutable states: `start`, `check`, `evolve`, `expects`, `outcome`. Shared code never
asks which game it has. States are NamedTuples: a copy with two fields changed costs a quarter of what a frozen
dataclass takes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from companion.engine.cards import Card
from companion.engine.evidence import Hidden, Part
from companion.engine.findings import Findings, RecordError
from companion.engine.reading import Read, Shape, card, seat_of, several, shape, text, thing

NOTE_LENGTH = 280
S = TypeVar("S", bound=tuple[Any, ...])


class Entry(Protocol):
    """One fact of the table."""

    def json(self) -> dict[str, Any]:
        """Returns the entry as RECORD.md writes it."""
        ...


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The table's own ruling: named parts of the state set by hand."""

    set: tuple[tuple[str, Any], ...]
    note: str = ""

    def json(self) -> dict[str, Any]:
        note = {"note": self.note} if self.note else {}
        return {"type": "adjust", "set": {key: plain(value) for key, value in self.set}, **note}


@dataclass(frozen=True, slots=True)
class Revealed:
    """Cards looked at after a round or hand that were never dealt, or were left."""

    cards: tuple[Card, ...]

    def json(self) -> dict[str, Any]:
        return {"type": "reveal", "cards": list(self.cards)}


@dataclass(frozen=True, slots=True)
class Conceded:
    """A seat gave the game up."""

    seat: int

    def json(self) -> dict[str, Any]:
        return {"type": "concede", "seat": self.seat}


class Reason(NamedTuple):
    """One step of a ruling, as a code and parameters."""

    code: str
    rule: str | None
    params: Mapping[str, Any] = {}

    def json(self) -> dict[str, Any]:
        return {"code": self.code, "rule": self.rule, "params": dict(self.params)}


class Without(NamedTuple):
    """Who would have taken the trick, and with which card, had this card not counted."""

    card: Card
    winner: int | None
    card_then: Card | None


class Ruling(NamedTuple):
    """Who took a trick, by which card and rule, and what would have changed it."""

    winner: int | None
    card: Card | None
    because: tuple[Reason, ...] = ()
    without: tuple[Without, ...] = ()
    findings: Findings = ()
    more: Mapping[str, Any] = {}

    def json(self) -> dict[str, Any]:
        """Returns the ruling as RECORD.md writes it, but for its `text`."""
        return {
            "winner": self.winner,
            "card": self.card,
            "because": [reason.json() for reason in self.because],
            "without": [part._asdict() for part in self.without],
            "findings": [finding.json() for finding in self.findings],
            **self.more,
        }


class Taken(NamedTuple):
    """One finished trick or tempo: `chapter` is its round, play or hand and `number` its place there, both 1-based.

    `card` is None where the table named the winner. `facts` is what the game needs to explain it later.
    """

    chapter: int
    number: int
    leader: int
    winner: int
    card: Card | None
    plays: tuple[Any, ...]
    facts: Any


class Choice:
    """One entry that a game offers, and how RECORD.md writes it. Each is made once, so it is known by its identity."""

    __slots__ = ("body", "card", "entry")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.body: Mapping[str, Any] = entry.json()
        shown = self.body.get("card") or (self.body.get("cards") or (None,))[0]
        self.card: Card | None = shown


Choices = Mapping[str, tuple[Choice, ...]]


def choices(entries: Iterable[Entry]) -> Choices:
    """Returns these entries as choices, by their type."""
    found: dict[str, tuple[Choice, ...]] = {}
    for choice in map(Choice, entries):
        kind = choice.body["type"]
        found[kind] = (*found.get(kind, ()), choice)
    return found


class Option(NamedTuple):
    """One thing that could be entered now: the entry, why it is closed (empty: it is open), and what it would do."""

    entry: Mapping[str, Any]
    closed: Findings = ()
    effect: Mapping[str, Any] = {}


class Turn(NamedTuple):
    """One turn of a position: whose it is and what was laid, as words: cards, or what the game has beside them."""

    seat: int
    laid: tuple[str, ...] = ()


class Positions(NamedTuple):
    """How positions of a game are put together, turn by turn (companion/checker.py).

    A trick has at most `turns` turns, a hand at most `hand` cards. `words` is what may be laid beside cards. `fields`
    are the questions beside turns and hand, by their short names. `write` makes the position that `rule_on` reads, of
    turns that all hold something; its seat is whose hand is asked about. `choices` yields all that a turn could hold.
    `standing` makes a trick of the game a position: turns, some of them open, and fields. It gets the state in which
    the trick began, and the finished trick, or the state in which it lies open.
    """

    turns: int
    hand: int
    words: tuple[str, ...]
    fields: Mapping[str, "Field"]
    write: Callable[[Sequence[Turn], Mapping[str, Any], int | None], dict[str, Any]]
    choices: Callable[[Sequence[Turn], int, Mapping[str, Any]], Iterable[tuple[str, ...]]]
    standing: Callable[[Any, Any], tuple[tuple[Turn, ...], dict[str, Any]]]


def _nothing(entry: Any) -> Any:
    return ()


def _no_effect(entry: Any) -> Mapping[str, Any]:
    return {}


class Expects(NamedTuple):
    """What the table may enter next. `phase` names the question, `seat` whose answer it is (None: anybody's).

    `check` and `effect` look a choice over: only those that are asked for, since a page shows few of them.
    """

    phase: str
    seat: int | None = None
    choices: Mapping[str, tuple[Choice, ...]] = {}
    check: Callable[[Any], Findings] = _nothing
    effect: Callable[[Any], Mapping[str, Any]] = _no_effect

    def option(self, choice: Choice) -> Option:
        """Returns a choice as it stands now."""
        return Option(choice.body, self.check(choice.entry), self.effect(choice.entry))

    @property
    def options(self) -> tuple[Option, ...]:
        """All of them, by their type."""
        return tuple(self.option(choice) for same in self.choices.values() for choice in same)


class Outcome(NamedTuple):
    """How a game ended: a draw has no winners."""

    winners: tuple[int, ...]
    reason: str
    totals: tuple[int, ...]

    def json(self) -> dict[str, Any]:
        return {"winners": list(self.winners), "reason": self.reason, "totals": list(self.totals)}


class Field(NamedTuple):
    """One question of a game's setup or of its adjust form.

    Kinds: `choice` (one of `choices`), `switch` (yes or no), `seat`, `suits` (`size` different suits in order), `order`
    (all of `choices`, in any order), `number` (`choices` is lowest and highest), `pad` (a place on the track), `card`
    (a card of `choices`, or none). `each`: one answer a seat. `drawn`: left open, it is drawn by lot. `when`: asked
    only where that other field has that value.
    """

    name: str
    kind: str
    choices: tuple[Any, ...] = ()
    default: Any = None
    size: int = 0
    each: bool = False
    drawn: bool = False
    when: tuple[str, Any] | None = None


class State(Protocol):
    """What shared code reads of any game's state."""

    @property
    def to_act(self) -> int | None: ...
    @property
    def done(self) -> int:
        """How many tricks or tempos have been finished in the whole game."""
        ...

    @property
    def last(self) -> Taken | None:
        """The one finished last."""
        ...

    @property
    def conceded(self) -> int | None: ...


class Game(Protocol):
    """The rules of one game. Any `state` and `entry` is of the game's own types."""

    slug: ClassVar[str]
    version: ClassVar[int]
    seats: ClassVar[range]
    rules: ClassVar[tuple[str, ...]]
    """Every rule's name, in the order of the rules page."""
    adjustable: ClassVar[tuple[Field, ...]]
    """What the table may set by its own ruling."""
    positions: ClassVar[Positions]
    """How the trick checker puts positions together."""

    def deck(self, setup: Any) -> tuple[Card, ...]:
        """Returns the cards this game is played with, in the order they are shown."""
        ...

    def setup_fields(self, players: int) -> tuple[Field, ...]:
        """Returns the questions asked before the first card, in their order."""
        ...

    def read_setup(self, raw: Mapping[str, Any], players: int) -> Any:
        """Reads a setup. Raises RecordError."""
        ...

    def readers(self, players: int) -> Mapping[str, Shape]:
        """Returns the shape of each entry type, `adjust`, `reveal` and `concede` among them."""
        ...

    def start(self, setup: Any, players: int) -> Any:
        """Returns the state before the first entry."""
        ...

    def check(self, state: Any, entry: Any) -> Findings:
        """Returns why the entry is refused: nothing if it can be."""
        ...

    def evolve(self, state: Any, entry: Any) -> Any:
        """Returns the state after an entry that `check` let pass."""
        ...

    def expects(self, state: Any) -> Expects:
        """Returns what may be entered next, closed choices and their reasons included."""
        ...

    def outcome(self, state: Any) -> Outcome | None:
        """Returns how the game ended, or None while it goes on."""
        ...

    def totals(self, state: Any) -> tuple[int, ...]:
        """Returns each seat's score as it stands."""
        ...

    def json(self, state: Any) -> dict[str, Any]:
        """Returns the state as RECORD.md writes it."""
        ...

    def closes(self, before: Any, entry: Any, after: Any) -> bool:
        """Returns whether this entry ends what the history shows as one item (a trick, a tempo, an action)."""
        ...

    def explain(self, taken: Taken) -> Ruling:
        """Returns the full ruling of a finished trick."""
        ...

    def so_far(self, state: Any) -> Ruling | None:
        """Returns the ruling of the open trick as it lies, or None where nothing lies."""
        ...

    def hints(self, state: Any, ruling: Ruling | None) -> tuple[str, ...]:
        """Returns what has just come up that a newcomer may not know; `ruling` is that of a trick just finished."""
        ...

    def rule_on(self, position: Mapping[str, Any]) -> Ruling:
        """Rules on a position as RECORD.md defines it for `check`. Raises RecordError."""
        ...

    def evidence(self, lines: Sequence[Any], states: Sequence[Any]) -> tuple[Part, ...]:
        """Returns what the entries in force prove about hidden hands; `states[i]` is the state before `lines[i]`."""
        ...

    def hidden(self, lines: Sequence[Any], states: Sequence[Any]) -> tuple[Hidden, ...]:
        """Returns what stayed hidden in the round or hand that began last, if turning it over could prove a revoke."""
        ...

    def rematch(self, setup: Any, players: int) -> dict[str, Any]:
        """Returns the raw setup of the game after this one: what it leaves out is drawn by lot."""
        ...


def common_readers(players: int, adjustable: Shape, read_card: Read = card) -> dict[str, Shape]:
    """Returns the shapes of the entries that every game has; `adjustable` reads what `adjust` may set."""

    def read_set(value: Any) -> Any:
        if not thing(value):
            raise RecordError("nothing-set")
        return adjustable.read(value)

    return {
        "adjust": shape(Adjusted, (("note", text(NOTE_LENGTH), ""),), set=read_set),
        "reveal": shape(Revealed, cards=several(read_card, 1, 52)),
        "concede": shape(Conceded, seat=seat_of(players)),
    }


def settable(**keys: Any) -> Shape:
    """Describes what `adjust` may set: each key with its reader; those given come back as pairs."""
    absent = object()
    names = tuple(keys)
    return Shape(
        lambda *values: tuple((name, value) for name, value in zip(names, values, strict=True) if value is not absent),
        {},
        [(name, read, absent) for name, read in keys.items()],
    )


@cache
def _places(kind: type[Any]) -> Mapping[str, int]:
    return {name: place for place, name in enumerate(kind._fields)}


def changed(state: S, **new: Any) -> S:
    """Returns a NamedTuple with some fields changed, at half of what `_replace` costs on a long one."""
    parts = list(state)
    places = _places(type(state))
    for name, value in new.items():
        parts[places[name]] = value
    return tuple.__new__(type(state), parts)


def plain(value: Any) -> Any:
    """Returns a value as JSON has it: tuples become lists."""
    return [plain(part) for part in value] if isinstance(value, tuple) else value


def conceded(seat: int, totals: Sequence[int]) -> Outcome:
    """Returns the outcome after a concession: the others' best wins."""
    others = [other for other in range(len(totals)) if other != seat]
    best = max(totals[other] for other in others)
    return Outcome(tuple(other for other in others if totals[other] == best), "conceded", tuple(totals))
