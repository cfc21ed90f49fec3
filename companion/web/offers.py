"""Buttons from what the game expects: open ones post their entry, closed ones know why they are closed."""

import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

from markupsafe import Markup, escape

from companion.engine.findings import Findings
from companion.engine.game import Choice, Expects
from companion.i18n.wording import Wording

# What a card pad's key shows, and sends.
_SHOWN = ("card", "cards")
# Few different buttons come again and again, so each is written once: by what it sends, and why it is closed by table
# names and language as well.
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

    def cards(self, kind: str, suit: str) -> tuple[Choice, ...]:
        """Returns the choices of this entry type that show one card of this suit."""
        return _by_suit(self._choices(kind)).get(suit, ())

    def sending(self, entry: Mapping[str, Any], **more: Any) -> Markup:
        """Returns what makes a button send this entry with more said."""
        return _sending({**entry, **more})

    def attrs(self, choice: Choice, closed: Findings) -> Markup:
        """Returns what makes a button send this choice, or say why it is closed."""
        return _whole(choice) + self.shut(closed) if closed else _whole(choice)

    def turn(self, kind: str) -> Markup:
        """Returns what makes a field send the rest: all that the cards of this entry type have in common."""
        return _turn(next(choice for choice in self._choices(kind) if choice.card))

    def shut(self, closed: Findings) -> Markup:
        """Returns what makes a button say why it is closed."""
        finding = closed[0]
        shut = self._closed
        key: Any = (finding.code, *finding.params.values())
        try:
            found = shut.get(key)
        except TypeError:
            # Lists cannot be looked up as they are.
            key = (finding.code, repr(finding.params))
            found = shut.get(key)
        if found is None:
            if len(shut) >= _MOST:
                shut.clear()
            why = self._plain.finding(finding.code, finding.params, self._slug)
            cited = f' data-rule="{escape(finding.rule)}"' if finding.rule else ""
            found = shut[key] = Markup(f' aria-disabled="true" data-why="{escape(why)}"{cited}')
        return found

    @cached_property
    def _closed(self) -> dict[Any, Markup]:
        table = (self._plain.words.lang, self._slug, self._plain.names)
        if table not in _CLOSED and len(_CLOSED) >= _MOST_TABLES:
            _CLOSED.clear()
        return _CLOSED.setdefault(table, {})

    def _choices(self, kind: str) -> tuple[Choice, ...]:
        return self._expects.choices.get(kind, ())

    def _offer(self, choice: Choice) -> Offer:
        closed = self.check(choice.entry)
        return Offer(choice, closed, self._expects.effect(choice.entry), self.attrs(choice, closed))


def _sending(entry: Mapping[str, Any], name: str = "entry") -> Markup:
    # An entry that a game offers holds codes and numbers only.
    return Markup(f"name=\"{name}\" value='{json.dumps(entry, separators=(',', ':'))}'")


@lru_cache(maxsize=_MOST)
def _whole(choice: Choice) -> Markup:
    return _sending(choice.body)


def sending_card(choice: Choice) -> Markup:
    """Returns what makes a key of a card pad send its card, and only that."""
    return _sending({name: value for name, value in choice.body.items() if name in _SHOWN}, "card")


@lru_cache(maxsize=_MOST)
def _turn(choice: Choice) -> Markup:
    return _sending({name: value for name, value in choice.body.items() if name not in _SHOWN}, "turn")


@lru_cache(maxsize=256)
def _by_suit(choices: tuple[Choice, ...]) -> dict[str, tuple[Choice, ...]]:
    found: dict[str, tuple[Choice, ...]] = {}
    for choice in choices:
        if choice.card:
            found[choice.card[-1]] = (*found.get(choice.card[-1], ()), choice)
    return found
