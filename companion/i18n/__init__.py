"""The wording of everything people read: gettext catalogues, one folder a language, one .po file a domain.

Messages are known by dotted keys (`play.who-won`) that are unique over all domains, so a caller never names the domain.
The catalogues are read as they lie, at first use: nothing has to be compiled.
"""

import gettext
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

LANGUAGES = ("en", "ja")
DEFAULT = LANGUAGES[0]
FOLDER = Path(__file__).resolve().parent

_RANGE = re.compile(r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?", re.ASCII)


class Catalogue(NamedTuple):
    """Every message of one language, its key to its text, or to its plural forms and which form a number takes."""

    texts: dict[str, str]
    plurals: dict[str, tuple[tuple[str, ...], Callable[[int], int]]]


def load(folder: Path) -> Catalogue:
    """Reads all catalogues of one language's folder. Raises ValueError where two domains hold the same key."""
    # Only where words are read: Babel takes longer to import than the rest of this package.
    from babel.messages.pofile import read_po

    texts: dict[str, str] = {}
    plurals: dict[str, tuple[tuple[str, ...], Callable[[int], int]]] = {}
    home: dict[str, str] = {}
    for path in sorted(folder.glob("*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, abort_invalid=True)
        choose = gettext.c2py(catalogue.plural_expr)
        for message in catalogue:
            if not message.id:
                continue
            key = message.id if isinstance(message.id, str) else message.id[0]
            if key in home:
                raise ValueError(f"the message {key!r} stands in {home[key]} and in {path.name} of {folder.name!r}")
            home[key] = path.name
            if isinstance(message.id, str):
                texts[key] = str(message.string)
            else:
                plurals[key] = (tuple(str(form) for form in message.string or ()), choose)
    return Catalogue(texts, plurals)


@cache
def catalogue(language: str) -> Catalogue:
    """Returns the catalogue of a language, read once a process. Raises KeyError for a language that we do not speak."""
    if language not in LANGUAGES:
        raise KeyError(f"no catalogue for the language {language!r}")
    return load(FOLDER / language)


class Words:
    """The words of one language: `words("play.who-won", n=5)`."""

    __slots__ = ("_plurals", "_texts", "lang")

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._texts, self._plurals = catalogue(lang)

    def __call__(self, key: str, /, **params: Any) -> str:
        """Returns the message with its parameters in place; `n` also chooses the plural form.

        Raises KeyError for a key that is not in the catalogue and for a parameter that is not given.
        """
        text = self._texts.get(key)
        return (self.template(key, params) if text is None else text).format_map(params)

    def template(self, key: str, params: Mapping[str, Any]) -> str:
        """Returns the message as it stands in the catalogue, for a caller that fills in the parameters itself.

        Raises as a call does.
        """
        text = self._texts.get(key)
        if text is None:
            if key not in self._plurals:
                raise KeyError(f"no message {key!r} in {self.lang!r}")
            forms, choose = self._plurals[key]
            text = forms[choose(params["n"])]
        return text

    def __contains__(self, key: object) -> bool:
        return key in self._texts or key in self._plurals


def pick(accept_language: str | None, kept: str | None = None) -> str:
    """Chooses the language to speak: the one kept from before, else what the browser likes best, else English."""
    if kept in LANGUAGES:
        return str(kept)
    best, weight = DEFAULT, 0.0
    for part in (accept_language or "").split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            continue
        language = match[1].partition("-")[0].lower()
        asked = float(match[2] or 1)
        # The first of equals wins, and what is not allowed (q=0) never does.
        if language in LANGUAGES and asked > weight:
            best, weight = language, asked
    return best
