"""Home and setup: two taps from the QR code to a game, nothing to type."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    current_app,
    g,
    jsonify,
    redirect,
    render_template,
    request,
    session,
)
from werkzeug.wrappers import Response as AnyResponse

from companion.config import Config
from companion.engine.findings import RecordError
from companion.engine.game import Field, Game
from companion.engine.record import NAME_LENGTH
from companion.engine.registry import GAMES
from companion.store import Expired
from companion.table import Table, Tables
from companion.web import again
from companion.web.forms import KeyForm
from companion.web.limits import may_create
from companion.web.phones import device
from companion.web.signs import letters, signs_of
from companion.web.telling import said_error
from companion.web.views import Seat, View, seats

bp = Blueprint("home", __name__)
DRAW = "draw"
MOST = 12


class Resume(NamedTuple):
    """One table this phone knows."""

    url: str
    slug: str
    seats: list[Seat]
    text: str


def tables() -> Tables:
    service: Tables = current_app.extensions["tables"]
    return service


@bp.get("/")
def home() -> str:
    """Shows the games, the tables to resume and the tools."""
    store, now = tables().store, tables().clock()
    places = store.tables_of(session["device"]) if "device" in session else ()
    known = {row.id: place.role == "watch" for row, place in places}
    config: Config = current_app.extensions["companion"]
    if not config.hosted and again.holds(config.secret_key, request.args.get("again", ""), now):
        known = {row.id: False for row in store.recent(now - again.SECONDS, MOST)} | known
    resume = []
    for table_id in list(known)[:MOST]:
        with suppress(Expired):
            resume.append(resumed(tables().open(table_id), known[table_id]))
    return render_template("home.html", games=GAMES.values(), resume=resume, s=signs_of(g.words.lang))


def last_game() -> str:
    """Returns the slug of the game played last on this phone, else of the first one."""
    known = tables().store.tables_of(session["device"]) if "device" in session else ()
    return known[0][0].game if known else next(iter(GAMES))


def resumed(table: Table, watch: bool) -> Resume:
    """Returns a table as the list shows it."""
    view = View(table, watch=watch)
    sides = [g.words("home.side", seat=seat.name, points=seat.total) for seat in view.seats]
    where = view.result if view.outcome else view.where
    return Resume(view.url, view.slug, view.seats, g.words("home.resume", sides=" · ".join(sides), where=where))


@bp.get("/new/<slug>")
def setup(slug: str) -> str:
    """Asks what a game must know before the first card."""
    game = GAMES.get(slug) or abort(404)
    return _setup_page(game, _players(game), {}, None)


@bp.post("/new/<slug>")
def start(slug: str) -> AnyResponse:
    """Opens the table."""
    game = GAMES.get(slug) or abort(404)
    if not may_create():
        abort(429)
    form = KeyForm()
    players = _players(game)
    asked = request.form
    names = [name.strip() for name in asked.getlist("name")][:players]
    names = [name or "ABC"[place] for place, name in enumerate(names + [""] * (players - len(names)))]
    try:
        if not form.validate():
            raise RecordError("form-broken")
        raw = read_fields(game.setup_fields(players), asked, players)
        table = tables().start(slug, names, raw, key=form.mark, device=device())
    except RecordError as error:
        return Response(_setup_page(game, players, asked.to_dict(flat=False), said_error(error)), 422)
    if asked.get("agree") == "yes":
        tables().store.set_settings(table.row.id, {"agree": True})
    session["names"] = [name if name != "ABC"[place] else "" for place, name in enumerate(names)]
    url = f"/t/{table.row.id}"
    if request.headers.get("Accept") == "application/json":
        return jsonify(url=url)
    return redirect(url, 303)


def _players(game: Game) -> int:
    try:
        asked = int(request.values.get("players", game.seats.start))
    except ValueError:
        asked = game.seats.start
    return asked if asked in game.seats else game.seats.start


def _setup_page(game: Game, players: int, values: dict[str, list[str]], problem: str | None) -> str:
    remembered = (values.get("name") or session.get("names") or []) + [""] * players
    marks = letters([name or "ABC"[place] for place, name in enumerate(remembered[:players])])
    return render_template(
        "setup.html",
        game=game,
        slug=game.slug,
        players=players,
        fields=game.setup_fields(players),
        values=values,
        problem=problem,
        names=remembered[:players],
        marks=marks,
        seats=seats([name or "ABC"[place] for place, name in enumerate(remembered[:players])], [0] * players),
        longest=NAME_LENGTH,
        form=KeyForm(),
        s=signs_of(g.words.lang),
    )


def read_fields(fields: Sequence[Field], asked: Any, players: int) -> dict[str, Any]:
    """Reads a setup form: what is left to the lot stays out. What it holds is judged by the game, not here."""
    raw: dict[str, Any] = {}
    for field in fields:
        if field.when is not None and raw.get(field.when[0]) != field.when[1]:
            continue
        given = asked.getlist(field.name)
        if field.kind in ("suits", "order"):
            if asked.get(f"{field.name}-how") == DRAW or not any(given):
                continue
            raw[field.name] = [_value(field, one) for one in given]
        elif given and given[0] not in ("", DRAW):
            raw[field.name] = _value(field, given[0])
        elif field.kind == "switch":
            raw[field.name] = False
        elif field.default is not None:
            raw[field.name] = field.default
    return raw


def _value(field: Field, text: str) -> Any:
    if field.kind == "switch":
        return text == "yes"
    if field.kind in ("seat", "number") or (field.choices and isinstance(field.choices[0], int)):
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else text
    return text


def register(app: Flask) -> None:
    """Adds home and setup."""
    app.register_blueprint(bp)
