"""A recorded game as rows to print. All figures come from the game's own states, so paper and screen agree."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.engine.disputes import disputes
from companion.engine.fold import Fold, steps
from companion.engine.game import Outcome
from companion.engine.record import Record, Revised
from companion.i18n import Words
from companion.i18n.wording import Wording
from companion.printing.wording import width

MOST_EVENTS = 120
LINE_WIDTH, WHOLE_WIDTH = 51, 76
"""How much a line below the ledger holds, beside a rule's name or alone; a wide character counts as two."""


class Event(NamedTuple):
    """One line below the ledger: where it happened, what, and the rule it rests on."""

    where: str
    what: str
    rule: str = ""


class Line(NamedTuple):
    """One line on paper below the ledger: a heading has no place."""

    head: bool
    event: Event
    units: int


@dataclass(frozen=True, slots=True)
class Score:
    """A game to print. `rows` are the game's own, `unfinished` says how far it got, `variant` what was agreed on.

    `lines` are what happened beside the scores, under headings; `nothing` names what did not happen.
    """

    names: tuple[str, ...]
    totals: tuple[int, ...]
    outcome: Outcome | None
    verdict: str
    unfinished: str
    variant: tuple[str, ...]
    rows: Any
    end: Mapping[str, Any]
    lines: tuple[Line, ...]
    nothing: str

    @property
    def title(self) -> str:
        """Names and totals in one line."""
        return ", ".join(f"{name} {total}" for name, total in zip(self.names, self.totals, strict=True))

    def pages(self, first: int, rest: int) -> list[list[Line]]:
        """Returns the lines page by page: `first` fit below the ledger, `rest` on each page after it."""
        pages: list[list[Line]] = [[]]
        room = first
        for n, line in enumerate(self.lines):
            # A heading never stands alone at the foot of a page.
            needed = line.units + (self.lines[n + 1].units if line.head and n + 1 < len(self.lines) else 0)
            if needed > room:
                pages.append([])
                room = rest
            pages[-1].append(line)
            room -= line.units
        return pages


class Named(Wording):
    """Says findings with the names of cards: their signs would hang on the font."""

    def card(self, card: Any) -> str:
        return self.words("print.card-name", rank=card[:-1], suit=self.words(f"print.suit.{card[-1]}"))


class Teller:
    """Says in words what entries did: names of players, cards, places."""

    def __init__(self, record: Record, words: Words) -> None:
        self.words = words
        self.slug = record.game.slug
        self.names = tuple(name or words("print.nobody", n=seat + 1) for seat, name in enumerate(record.players))

    def card(self, card: str) -> str:
        """Returns a card's name."""
        return self.words("print.card-name", rank=card[:-1], suit=self.words(f"print.suit.{card[-1]}"))

    def place(self, state: Mapping[str, Any]) -> str:
        """Returns where in the game a state is."""
        numbers = {name: state[name] for name in ("round", "hand", "play", "trick") if name in state}
        return self.words(f"print.at.{self.slug}", **numbers)

    def entry(self, entry: Mapping[str, Any]) -> str:
        """Returns an entry in few words."""
        kind, seat = entry["type"], entry.get("seat")
        name = "" if seat is None else self.names[seat]
        cards = entry.get("cards") or [card for card in [entry.get("card")] if card is not None]
        detail = [self.card(card) for card in cards]
        if "power" in entry:
            detail.insert(0, self.words(f"print.power.{entry['power']}"))
        shown = self.words("print.comma").join(detail)
        return self.words("print.entry.with" if shown else "print.entry.plain",
                          what=self.words(f"print.entry.{kind}"), name=name, shown=shown).strip(" :：")  # fmt: skip

    def setting(self, name: str, value: Any, state: Mapping[str, Any]) -> str:
        """Returns one part of a ruling by the table: what was set, and to what."""
        return self.words("print.set", part=self.words(f"print.part.{name}"), value=self._value(name, value, state))

    def _value(self, name: str, value: Any, state: Mapping[str, Any]) -> str:
        if isinstance(value, list | tuple):
            return self.words("print.comma").join(self._value(name, part, state) for part in value)
        if value is None:
            return self.words("print.none")
        if name in ("frogs", "king"):
            return str(state["track"][value])
        if name == "leader":
            return str(self.names[value])
        if name == "hierarchy":
            return self.words(f"print.suit.{value}")
        return self.card(value) if isinstance(value, str) else str(value)


Rows = Callable[[Fold, Teller], tuple[Any, Mapping[str, Any], tuple[Event, ...], tuple[str, ...]]]


def scores(record: Record, words: Words, rows: Mapping[str, Rows]) -> Score:
    """Returns a recorded game as it is printed; `rows` holds for each game what makes its ledger.

    Raises Refused where the record holds an entry that the rules refuse.
    """
    tell = Teller(record, words)
    game = record.game
    folded = None
    corrections: list[Event] = []
    rulings: list[Event] = []
    looked_at: list[Event] = []
    before = Fold(game, len(record.players), record.setup, (), (game.start(record.setup, len(record.players)),))
    for line, after in steps(record):
        if isinstance(line.entry, Revised) and (line.entry.drop or line.entry.entries):
            corrections.append(_correction(line.entry, before, tell))
        before = folded = after
    folded = folded or before
    for line, state in zip(folded.lines, folded.states, strict=False):
        raw, at = line.entry.json(), game.json(state)
        if raw["type"] == "adjust":
            parts = [tell.setting(name, value, at) for name, value in raw["set"].items()]
            text = words("print.semicolon").join(parts)
            note = raw.get("note")
            rulings.append(Event(tell.place(at), words("print.noted", text=text, note=note) if note else text))
        elif raw["type"] == "reveal":
            looked_at.append(Event(tell.place(at), tell.entry(raw)))
    made, end, turns, variant = rows[game.slug](folded, tell)
    outcome = game.outcome(folded.state)
    return Score(
        tell.names,
        tuple(game.totals(folded.state)),
        outcome,
        _verdict(outcome, folded, tell),
        "" if outcome else words("print.unfinished", place=tell.place(game.json(folded.state))),
        variant,
        made,
        end,
        *_lines(
            {
                f"turns.{game.slug}": turns,
                "corrections": tuple(corrections),
                "rulings": tuple(rulings),
                "looked-at": tuple(looked_at),
                "faults": _faults(folded, tell),
            },
            words,
        ),
    )


def _lines(lists: Mapping[str, tuple[Event, ...]], words: Words) -> tuple[tuple[Line, ...], str]:
    lines: list[Line] = []
    nothing = []
    for name, events in lists.items():
        if not events:
            if name in ("corrections", "rulings", "faults"):
                nothing.append(words("print.no", what=words(f"print.list.{name}")))
            continue
        head = words("print.list-head", what=words(f"print.list.{name}"), n=len(events))
        lines.append(Line(True, Event("", head), 2))
        shown = [*events[:MOST_EVENTS]]
        if len(events) > len(shown):
            shown.append(Event("", words("print.and-more", n=len(events) - len(shown))))
        for event in shown:
            lines.append(Line(False, event, 1 + width(event.what) // (LINE_WIDTH if event.rule else WHOLE_WIDTH)))
    return tuple(lines), words("print.space").join(nothing)


def _correction(revised: Revised, before: Fold, tell: Teller) -> Event:
    dropped = [line.entry.json() for line in before.lines[revised.at : revised.at + revised.drop]]
    added = [line.entry.json() for line in revised.entries]
    kind = "replaced" if dropped and added else "taken-back" if dropped else "put-in"
    comma = tell.words("print.comma")
    said = {
        side: comma.join(tell.entry(entry) for entry in entries[:3]) + (" …" if len(entries) > 3 else "")
        for side, entries in (("old", dropped), ("new", added))
    }
    place = tell.place(before.game.json(before.states[revised.at]))
    return Event(place, tell.words(f"print.correction.{kind}", **said))


def _faults(folded: Fold, tell: Teller) -> tuple[Event, ...]:
    """Returns the revokes that the log proves, each where the first of the plays that prove it was made.

    What the table made of it is told with it.
    """
    say = Named(tell.words, tell.names)
    return tuple(
        Event(
            tell.place(folded.game.json(folded.states[found.entries[0] - 1])),
            say.gap.join([say.finding(found.code, found.params, tell.slug), tell.words(f"fault.{answer or 'open'}")]),
            found.rule or "",
        )
        for found, _, _, answer in disputes(folded)
    )


def _verdict(outcome: Outcome | None, folded: Fold, tell: Teller) -> str:
    if outcome is None:
        return ""
    winners = tell.words("print.and").join(tell.names[seat] for seat in outcome.winners)
    loser = "" if folded.state.conceded is None else tell.names[folded.state.conceded]
    return tell.words(f"print.verdict.{outcome.reason}", winner=winners, loser=loser)
