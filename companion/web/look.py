"""How a phone wants things: language, light or dark, suits, and the way it enters tricks. Kept in one cookie."""

from functools import cache, lru_cache
from typing import NamedTuple

from flask import Flask, Response, g, request

from companion.i18n import LANGUAGES, Words, pick

COOKIE = "companion_look"
_YEAR = 365 * 24 * 3600
CHOICES = {
    "theme": ("auto", "light", "dark"),
    "suits": ("2", "4"),
    "letters": ("on", "off"),
    "lang": ("", *LANGUAGES),
    "by": ("result", "card", "flat"),
    "hints": ("on", "off"),
}


class Look(NamedTuple):
    """One phone's choices; `lang` empty: as the browser says."""

    theme: str = "auto"
    suits: str = "2"
    letters: str = "on"
    lang: str = ""
    by: str = "result"
    hints: str = "on"

    def written(self) -> str:
        """Returns the cookie's value."""
        return ".".join(self)


@lru_cache(maxsize=256)
def read(cookie: str) -> Look:
    """Reads the cookie's value; what is not known stays as it is by default."""
    parts = cookie.split(".")
    if len(parts) > len(Look._fields):
        return Look()
    # An older cookie has fewer.
    chosen = {name: part for name, part in zip(Look._fields, parts, strict=False) if part in CHOICES[name]}
    return Look(**chosen)


@cache
def words_of(lang: str) -> Words:
    """Returns the words of a language, one object a process."""
    return Words(lang)


_language = lru_cache(maxsize=256)(pick)


def register(app: Flask) -> None:
    """Gives every request its look and its words."""
    secure: bool = app.config["SESSION_COOKIE_SECURE"]

    @app.before_request
    def choose() -> None:
        kept = read(request.cookies.get(COOKIE, ""))
        asked = {name: value for name in request.args if (value := request.args[name]) in CHOICES.get(name, ())}
        g.look = kept._replace(**asked) if asked else kept
        g.look_changed = g.look != kept
        g.words = words_of(_language(request.headers.get("Accept-Language"), g.look.lang))

    @app.after_request
    def keep(response: Response) -> Response:
        if getattr(g, "look_changed", False):
            response.set_cookie(COOKIE, g.look.written(), max_age=_YEAR, httponly=True, secure=secure, samesite="Lax")
        return response

    @app.context_processor
    def context() -> dict[str, object]:
        return {"t": g.words, "look": g.look}
