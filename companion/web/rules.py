"""The rules of each game, every rule under its name: what findings and rulings cite lands here."""

from flask import Blueprint, Flask, abort, g, render_template

from companion.engine.registry import GAMES
from companion.web.signs import signs_of

bp = Blueprint("rules", __name__)


@bp.get("/rules/<slug>")
def rules(slug: str) -> str:
    """Shows one game's rules."""
    game = GAMES.get(slug) or abort(404)
    return render_template("rules.html", games=GAMES.values(), game=game, slug=slug, s=signs_of(g.words.lang))


def register(app: Flask) -> None:
    """Adds the rules."""
    app.register_blueprint(bp)
