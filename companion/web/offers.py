"""Buttons from what the game expects: open ones post their entry, closed ones know why they are closed."""

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from companion.engine.game import Expects, Option
from companion.i18n.wording import Wording

# A closed choice costs a sentence; the same sentence stands on many keys, and again at the next tap.
_SAID: dict[Any, str] = {}
_MOST = 4096


class Offer:
    """One choice: `attrs` makes a button of it, `effect` is what it would do."""

    __slots__ = ("attrs", "effect", "entry", "open")

    def __init__(self, option: Option, why: str, rule: str | None) -> None:
        self.entry = option.entry
        self.effect = option.effect
        self.open = not option.closed
        body = json.dumps(option.entry, separators=(",", ":"))
        attrs = f"name=\"entry\" value='{body}'"
        if not self.open:
            cited = f' data-rule="{escape(rule)}"' if rule else ""
            attrs += f' aria-disabled="true" data-why="{escape(why)}"{cited}'
        self.attrs = Markup(attrs)


class Offers:
    """All choices of one moment, found by what they would enter."""

    def __init__(self, expects: Expects, slug: str, plain: Wording) -> None:
        self.phase = expects.phase
        self.seat = expects.seat
        self._slug = slug
        self._plain = plain
        self._made: dict[int, Offer] = {}
        self._by_type: dict[str, list[Option]] = {}
        for option in expects.options:
            self._by_type.setdefault(option.entry["type"], []).append(option)

    def all(self, kind: str, **match: Any) -> list[Offer]:
        """Returns the choices of this entry type with these values, in the game's order."""
        wanted = match.items()
        return [
            self._offer(option)
            for option in self._by_type.get(kind, ())
            if not wanted or wanted <= option.entry.items()
        ]

    def one(self, kind: str, **match: Any) -> Offer | None:
        """Returns the first such choice, or None."""
        wanted = match.items()
        for option in self._by_type.get(kind, ()):
            entry: Mapping[str, Any] = option.entry
            if all(entry.get(name) == value for name, value in wanted):
                return self._offer(option)
        return None

    def _offer(self, option: Option) -> Offer:
        made = self._made.get(id(option))
        if made is None:
            why, rule = self._why(option)
            made = self._made[id(option)] = Offer(option, why, rule)
        return made

    def _why(self, option: Option) -> tuple[str, str | None]:
        if not option.closed:
            return "", None
        finding = option.closed[0]
        key = (self._plain.words.lang, self._slug, tuple(self._plain.names), finding.code, repr(finding.params))
        said = _SAID.get(key)
        if said is None:
            if len(_SAID) >= _MOST:
                _SAID.clear()
            said = _SAID[key] = self._plain.finding(finding.code, finding.params, self._slug)
        return said, finding.rule
