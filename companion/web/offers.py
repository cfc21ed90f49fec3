"""Buttons from what the game expects: open ones post their entry, closed ones know why they are closed."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from markupsafe import Markup, escape

from companion.engine.findings import Findings
from companion.engine.game import Choice, Expects
from companion.i18n.wording import Wording

# Few different buttons come again and again, so each is written once: the open ones by what they are, the closed ones
# also by table names and language, and why.
_OPEN: dict[Choice, Markup] = {}
_CLOSED: dict[Any, dict[Any, Markup]] = {}
_MOST_TABLES = 256
_MOST = 4096


class Offer:
    """One choice: `attrs` makes a button of it, `effect` is what it would do."""

    __slots__ = ("attrs", "code", "effect", "entry", "open")

    def __init__(self, choice: Choice, closed: Findings, effect: Mapping[str, Any], attrs: Markup) -> None:
        self.entry = choice.body
        self.effect = effect
        self.open = not closed
        self.code = closed[0].code if closed else ""
        self.attrs = attrs


class Offers:
    """All choices of one moment, found by what they would enter."""

    def __init__(self, expects: Expects, slug: str, plain: Wording) -> None:
        self.phase = expects.phase
        self.seat = expects.seat
        self.check = expects.check
        self._expects = expects
        self._slug = slug
        self._plain = plain

    def all(self, kind: str, **match: Any) -> list[Offer]:
        """Returns the choices of this entry type with these values, in the game's order."""
        return [self._offer(choice) for choice in self._choices(kind) if match.items() <= choice.body.items()]

    def one(self, kind: str, **match: Any) -> Offer | None:
        """Returns the first such choice, or None."""
        for choice in self._choices(kind):
            if match.items() <= choice.body.items():
                return self._offer(choice)
        return None

    def bare(self, kind: str) -> Offer | None:
        """Returns the choice of this entry type that says nothing but who, or None."""
        for choice in self._choices(kind):
            if choice.body.keys() <= {"type", "seat"}:
                return self._offer(choice)
        return None

    def cards(self, kind: str, suit: str) -> Sequence[Choice]:
        """Returns the choices of this entry type that show one card of this suit."""
        return _by_suit(self._choices(kind)).get(suit, ())

    def sending(self, entry: Mapping[str, Any], **more: Any) -> Markup:
        """Returns what makes a button send this entry with more said."""
        return _sending({**entry, **more})

    def attrs(self, choice: Choice, closed: Findings) -> Markup:
        """Returns what makes a button send this choice, or say why it is closed."""
        if not closed:
            found = _OPEN.get(choice)
            if found is None:
                found = _OPEN[choice] = _sending(choice.body)
            return found
        finding = closed[0]
        written = self._written
        key: Any = (choice, finding.code, *finding.params.values())
        try:
            found = written.get(key)
        except TypeError:
            # Lists cannot be looked up as they are.
            key = (choice, finding.code, repr(finding.params))
            found = written.get(key)
        if found is None:
            if len(written) >= _MOST:
                written.clear()
            why = self._plain.finding(finding.code, finding.params, self._slug)
            cited = f' data-rule="{escape(finding.rule)}"' if finding.rule else ""
            shut = Markup(f' aria-disabled="true" data-why="{escape(why)}"{cited}')
            found = written[key] = _sending(choice.body) + shut
        return found

    @cached_property
    def _written(self) -> dict[Any, Markup]:
        table = (self._plain.words.lang, self._slug, self._plain.names)
        if table not in _CLOSED and len(_CLOSED) >= _MOST_TABLES:
            _CLOSED.clear()
        return _CLOSED.setdefault(table, {})

    def _choices(self, kind: str) -> tuple[Choice, ...]:
        return self._expects.choices.get(kind, ())

    def _offer(self, choice: Choice) -> Offer:
        closed = self.check(choice.entry)
        return Offer(choice, closed, self._expects.effect(choice.entry), self.attrs(choice, closed))


def _sending(entry: Mapping[str, Any]) -> Markup:
    # An entry that a game offers holds codes and numbers only.
    return Markup(f"name=\"entry\" value='{json.dumps(entry, separators=(',', ':'))}'")


@lru_cache(maxsize=256)
def _by_suit(choices: tuple[Choice, ...]) -> dict[str, list[Choice]]:
    found: dict[str, list[Choice]] = {}
    for choice in choices:
        if choice.card:
            found.setdefault(choice.card[-1], []).append(choice)
    return found
