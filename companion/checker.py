"""The trick checker: a position in, a ruling out (RECORD.md, `check`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from companion.engine.reading import thing
from companion.engine.registry import find
from companion.i18n import Words
from companion.i18n.wording import Wording

NAMES = ("A", "B", "C")


def check(position: Any, words: Words, names: Sequence[str] = NAMES) -> dict[str, Any]:
    """Rules on a position, in JSON and in words. Raises RecordError where it cannot be read."""
    asked: Mapping[str, Any] = thing(position)
    game = find(asked.get("game"))
    ruling = game.rule_on(asked)
    return {**ruling.json(), "text": Wording(words, names).ruling(game.slug, ruling)}
