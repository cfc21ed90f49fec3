"""The rules of each game, every rule under its name: what findings and rulings cite lands here. And their search."""

import unicodedata
from functools import cache
from urllib.parse import urlsplit

from flask import Blueprint, Flask, abort, current_app, g, redirect, render_template, request, session
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect
from werkzeug.wrappers import Response as AnyResponse

from companion.checker import read
from companion.engine.game import Game
from companion.engine.registry import GAMES
from companion.i18n import LANGUAGES
from companion.web.checks import Check
from companion.web.home import last_game
from companion.web.look import words_of
from companion.web.signs import signs_of

bp = Blueprint("rules", __name__)
FROM = "rules"
LONGEST = 60
_KEPT = 1000
# Hiragana is found as katakana: who searches need not switch the keyboard.
_KATAKANA = {sign: sign + 0x60 for sign in range(0x3041, 0x3097)}


@bp.get("/rules")
def start() -> AnyResponse:
    """Leads to the rules of the game played last on this phone."""
    return redirect(f"/rules/{last_game()}")


@bp.get("/rules/<slug>")
def rules(slug: str) -> str:
    """Shows one game's rules, or those that hold every word of `q`, in either language."""
    game = GAMES.get(slug) or abort(404)
    q = " ".join(request.args.get("q", "").split())[:LONGEST]
    shown = {one.slug: found(one, q) for one in GAMES.values()}
    return render_template(
        [f"rules/{slug}.html", "rules/layout.html"],
        games=GAMES.values(),
        game=game,
        slug=slug,
        s=signs_of(g.words.lang),
        q=q,
        shown=shown,
        back=_way_back(),
        drawn=lambda query: drawn(game, query),
    )


def found(game: Game, q: str) -> tuple[str, ...]:
    """Returns the names of the rules that hold every word, a part of a word being enough."""
    wanted = _plain(q).split()
    return tuple(name for name, text in _texts(game.slug) if all(word in text for word in wanted))


def drawn(game: Game, query: str) -> Check:
    """Returns a position for drawing, from its address at the checker, with the ruling on it."""
    return Check(read(game, [part.split("=", 1) for part in query.split("&")]), "", "", None)  # type: ignore[misc]


@cache
def _texts(slug: str) -> tuple[tuple[str, str], ...]:
    """Returns what each rule says in every language, under its name."""
    told = []
    for rule in GAMES[slug].rules:
        name = rule.partition("/")[2]
        keys = (f"rule.{rule}", f"rule-text.{rule}", f"rule-note.{name}")
        known = [words(key) for words in map(words_of, LANGUAGES) for key in keys if key in words]
        told.append((name, _plain(" ".join(known))))
    return tuple(told)


def _plain(text: str) -> str:
    """Returns a text as it is compared: no capitals, no wide letters, no hiragana."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_KATAKANA)


def _way_back() -> str:
    """Returns the page of ours from which the rules were opened; looking through them does not change it."""
    came = urlsplit(request.referrer or "")
    if came.netloc != request.host:
        session.pop(FROM, None)
    elif not f"{came.path}/".startswith("/rules/"):
        session[FROM] = f"{came.path}?{came.query}".rstrip("?") if _opens(came.path) else "/"
        if len(session[FROM]) > _KEPT:
            session[FROM] = came.path[:_KEPT]
    back: str = session.get(FROM, "/")
    return back


def _opens(path: str) -> bool:
    """Tells whether there is a page to look at under a path: what answered a form may have none."""
    try:
        current_app.url_map.bind("").match(path, method="GET")
    except (HTTPException, RequestRedirect):
        return False
    return True


def register(app: Flask) -> None:
    """Adds the rules."""
    app.register_blueprint(bp)
