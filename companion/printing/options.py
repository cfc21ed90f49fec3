"""How a sheet is to be printed, and what cannot be: every refusal names its limit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from companion.i18n import DEFAULT, LANGUAGES
from companion.printing.geometry import measures

NAME_LENGTH = 40
LETTER = frozenset("BZ CA CL CO CR GT MX NI PA PH PR SV US VE".split())
"""Where paper is US Letter, by the CLDR."""
CHOICES: dict[str, tuple[str, ...]] = {
    "paper": ("a4", "letter"),
    "lang": LANGUAGES,
    "kind": ("blank", "fillable", "filled"),
    "layout": ("duplex", "gutterfold", "single"),
    "flip": ("long", "short"),
    "side": ("both", "fronts", "backs"),
    "card": ("poker", "us"),
}
CARD_ONLY = ("layout", "flip", "side", "card", "marks", "dx", "dy")


def usual_paper(locale: str) -> str:
    """Returns the paper of a place, named as a browser or a system does: `en-US`, `es_MX.UTF-8`."""
    return "letter" if LETTER.intersection(re.split("[-_.]", locale)[1:]) else "a4"


class PrintRefused(ValueError):
    """Something cannot be printed as asked: `key` names the sentence that says so, `params` what goes into it."""

    def __init__(self, key: str, **params: Any) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params


@dataclass(frozen=True, slots=True)
class Options:
    """How to print. `dx` and `dy` move the backs only, in millimetres, right and down as the back's own page lies.

    Raises PrintRefused for a value that is no choice and for an offset off its steps or beyond its limit.
    """

    paper: str = "a4"
    lang: str = DEFAULT
    kind: str = "blank"
    layout: str = "duplex"
    flip: str = "long"
    side: str = "both"
    card: str = "poker"
    marks: bool = True
    dx: float = 0
    dy: float = 0
    colour: bool = False

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise PrintRefused("print.refused.choice", option=name, value=value, choices=", ".join(choices))
        step, limit = measures()["offset"]["step"], measures()["offset"]["limit"]
        for name in ("dx", "dy"):
            value = getattr(self, name)
            if not -limit <= value <= limit or (value / step) % 1:
                raise PrintRefused("print.refused.offset", value=value, step=step, limit=limit)
        if self.layout == "gutterfold" and self.side != "both":
            raise PrintRefused("print.refused.fold-side")

    @classmethod
    def read(cls, raw: Mapping[str, str]) -> "Options":
        """Reads options as an address or a command line writes them: all text, yes as `1`. Raises PrintRefused."""
        read: dict[str, Any] = {}
        kinds = {field.name: type(field.default) for field in fields(cls)}
        for name, text in raw.items():
            if name not in kinds:
                raise PrintRefused("print.refused.option", option=name, choices=", ".join(kinds))
            if name in ("dx", "dy"):
                try:
                    read[name] = float(text)
                except ValueError:
                    raise PrintRefused("print.refused.number", option=name, value=text) from None
            elif name in ("marks", "colour"):
                if text not in ("0", "1"):
                    raise PrintRefused("print.refused.choice", option=name, value=text, choices="0, 1")
                read[name] = text == "1"
            else:
                read[name] = text
        return cls(**read)

    def query(self) -> dict[str, str]:
        """Returns what differs from the defaults, as `read` takes it."""
        found = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                found[field.name] = str(int(value)) if isinstance(value, bool) else f"{value}"
        return found

    def without(self, *names: str) -> "Options":
        """Returns these options with the named ones set back to their defaults."""
        defaults: dict[str, Any] = {field.name: field.default for field in fields(self) if field.name in names}
        return replace(self, **defaults)
