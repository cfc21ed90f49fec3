"""Proved faults at a table: told in words, each with the plays that prove it and with what the table made of it.

Weighing what a log proves may take longer than an entry may, so an entry is answered without it: the tag of that answer
says that it is still to be weighed, and the phone's next poll does it.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import g

from companion.engine.disputes import Fault, disputes, hidden, stands
from companion.engine.evidence import Hidden
from companion.engine.fold import Fold
from companion.web.telling import tell_entry

if TYPE_CHECKING:
    from companion.table import Table
    from companion.web.views import View

_MOST = 512


class Weighed(NamedTuple):
    """What a table's log proves, and what could be turned over to prove more."""

    fold: Fold
    faults: tuple[Fault, ...]
    hidden: tuple[Hidden, ...]


_WEIGHED: dict[str, Weighed] = {}


class Play(NamedTuple):
    """One play that a fault names: its entry, the item it belongs to (1-based), where that was, and what was laid."""

    entry: int
    place: int
    where: Any
    what: Any


class Case(NamedTuple):
    """One fault in words: whose, why (`plain`: without signs), the plays that prove it, what the table made of it."""

    head: Any
    text: Any
    plain: str
    plays: tuple[Play, ...]
    answer: Any


def weighed(table: "Table") -> Weighed:
    """Returns what a table's log proves."""
    known = known_by_now(table)
    if known is None:
        if len(_WEIGHED) >= _MOST:
            _WEIGHED.clear()
        fold = table.fold
        known = _WEIGHED[table.row.id] = Weighed(fold, disputes(fold), hidden(fold))
    return known


def known_by_now(table: "Table") -> Weighed | None:
    """Returns what a table's log proves if it has been weighed, else None."""
    known = _WEIGHED.get(table.row.id)
    return known if known is not None and known.fold is table.fold else None


def cases(view: "View", faults: Iterable[Fault]) -> list[Case]:
    """Returns faults in words: those that one card proves are one."""
    found: dict[Any, list[Fault]] = {}
    for fault in faults:
        proof = fault.finding.entries if fault.shown is None else (fault.shown, *fault.finding.params.values())
        found.setdefault((proof, fault.answer), []).append(fault)
    return [_case(view, together) for together in found.values()]


def touching(view: "View", first: int, last: int) -> list[Case]:
    """Returns the faults that name one of the entries from `first` to `last` (0-based, both included)."""
    return cases(view, (f for f in view.faults if any(first < entry <= last + 1 for entry in f.finding.entries)))


def accused(view: "View") -> set[int]:
    """Returns the items that a fault names, 1-based."""
    return {_place(view, entry) for fault in view.faults for entry in fault.finding.entries}


def taken_back(view: "View", case: Case) -> str:
    """Returns the page that shows what taking back the trick of the earliest play, and all after it, would change."""
    place = case.plays[0].place
    first = view.table.items[place - 1].first
    return f"{view.url}/item/{place}/fix?at={first}&drop={len(view.table.fold.lines) - first}"


def standing(view: "View") -> Any:
    """Returns what makes a button let things stand."""
    return view.offers.sending(stands(view.table.fold).json())


def answered(view: "View") -> list[Case]:
    """Returns the faults that the table has answered."""
    return cases(view, (fault for fault in view.faults if fault.answer))


def _case(view: "View", faults: list[Fault]) -> Case:
    finding = faults[0].finding
    head = view.w.fill("fault.who" if "seat" in finding.params else "fault.somebody", finding.params)
    text = view.w.finding(finding.code, finding.params, view.slug)
    suits = {play.entry: play.suit for fault in faults for play in fault.plays}
    named = sorted({entry for fault in faults for entry in fault.finding.entries})
    answer = g.words(f"fault.{faults[0].answer}") if faults[0].answer else ""
    plain = view.plain.finding(finding.code, finding.params, view.slug)
    return Case(head, text, plain, tuple(plays(view, named, suits)), answer)


def plays(view: "View", entries: Iterable[int], suits: Mapping[int, Any] = MappingProxyType({})) -> Iterator[Play]:
    """Yields entries (1-based) as they are told, with the suit led where it is given."""
    for entry in entries:
        what = tell_entry(view.w, view.slug, view.table.fold.lines[entry - 1].entry.json())
        if entry in suits:
            what = view.w.put("fault.off", {"what": what, "suit": view.w.suit(suits[entry])})
        place = _place(view, entry)
        taken = view.table.items[place - 1].taken
        if taken is None and place == len(view.table.items):
            where = g.words("fault.now")
        elif taken is None:
            where = g.words(f"where.{view.slug}", **view.game.json(view.table.fold.states[entry - 1]))
        else:
            where = view.item_name(taken.number)
            if taken.chapter != view.state.last.chapter:
                chapter = g.words(f"chapter.{view.slug}", chapter=taken.chapter)
                where = g.words("over.moment", chapter=chapter, item=where)
        yield Play(entry, place, where, what)


def _place(view: "View", entry: int) -> int:
    return next(n for n, item in enumerate(view.table.items, 1) if item.first < entry <= item.last + 1)

