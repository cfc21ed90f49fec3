"""Buttons from what the game expects: open ones post their entry, closed ones know why they are closed."""

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from companion.engine.game import Expects, Option
from companion.i18n.wording import Wording

# Few different buttons come again and again, so each is written once: by table names and language, then by what it is.
_WRITTEN: dict[Any, dict[Any, Markup]] = {}
_MOST_TABLES = 256
_MOST = 4096


class Offer:
    """One choice: `attrs` makes a button of it, `effect` is what it would do."""

    __slots__ = ("attrs", "code", "effect", "entry", "open")

    def __init__(self, option: Option, attrs: Markup) -> None:
        self.entry = option.entry
        self.effect = option.effect
        self.open = not option.closed
        self.code = option.closed[0].code if option.closed else ""
        self.attrs = attrs


class Offers:
    """All choices of one moment, found by what they would enter."""

    def __init__(self, expects: Expects, slug: str, plain: Wording) -> None:
        self.phase = expects.phase
        self.seat = expects.seat
        self._slug = slug
        self._plain = plain
        self._by_type: dict[str, list[Option]] = {}
        for option in expects.options:
            self._by_type.setdefault(option.entry["type"], []).append(option)
        table = (plain.words.lang, slug, plain.names)
        if table not in _WRITTEN and len(_WRITTEN) >= _MOST_TABLES:
            _WRITTEN.clear()
        self._written = _WRITTEN.setdefault(table, {})

    def options(self, kind: str) -> list[Option]:
        """Returns the bare choices of this entry type."""
        return self._by_type.get(kind, [])

    def all(self, kind: str, **match: Any) -> list[Offer]:
        """Returns the choices of this entry type with these values, in the game's order."""
        return [Offer(option, self.attrs(option)) for option in self.options(kind) if _fits(option.entry, match)]

    def one(self, kind: str, **match: Any) -> Offer | None:
        """Returns the first such choice, or None."""
        for option in self.options(kind):
            if _fits(option.entry, match):
                return Offer(option, self.attrs(option))
        return None

    def bare(self, kind: str) -> Offer | None:
        """Returns the choice of this entry type that says nothing but who, or None."""
        for option in self.options(kind):
            if option.entry.keys() <= {"type", "seat"}:
                return Offer(option, self.attrs(option))
        return None

    def sending(self, entry: Mapping[str, Any], **more: Any) -> Markup:
        """Returns what makes a button send this entry with more said."""
        return Markup("name=\"entry\" value='{}'").format(json.dumps({**entry, **more}, separators=(",", ":")))

    def attrs(self, option: Option) -> Markup:
        """Returns what makes a button send this choice, or say why it is closed."""
        entry = option.entry
        key: Any = (*entry.values(), *(option.closed[0].params.values() if option.closed else ()))
        try:
            found = self._written.get((entry["type"], option.closed and option.closed[0].code, key))
        except TypeError:
            # Lists cannot be looked up as they are.
            key = repr(key)
            found = self._written.get((entry["type"], option.closed and option.closed[0].code, key))
        if found is None:
            if len(self._written) >= _MOST:
                self._written.clear()
            found = self._written[entry["type"], option.closed and option.closed[0].code, key] = self._write(option)
        return found

    def _write(self, option: Option) -> Markup:
        body = json.dumps(option.entry, separators=(",", ":"))
        attrs = f"name=\"entry\" value='{body}'"
        if option.closed:
            finding = option.closed[0]
            why = self._plain.finding(finding.code, finding.params, self._slug)
            cited = f' data-rule="{escape(finding.rule)}"' if finding.rule else ""
            attrs += f' aria-disabled="true" data-why="{escape(why)}"{cited}'
        return Markup(attrs)


def _fits(entry: Mapping[str, Any], match: Mapping[str, Any]) -> bool:
    return all(entry.get(name) == value for name, value in match.items())
