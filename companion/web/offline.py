"""The page for moments without a network, and the script that shows it where browsers allow that (https)."""

import hashlib
import json

from flask import Blueprint, Flask, Response, abort, g, render_template

from companion.web.assets import asset, versioned
from companion.web.signs import signs_of

bp = Blueprint("offline", __name__)


@bp.get("/offline")
def page() -> str:
    """Says that there is no connection."""
    return render_template("offline.html", s=signs_of(g.words.lang))


@bp.get("/sw.js")
def worker() -> Response:
    """Serves the script, with the files that it keeps; it changes when one of them does, or the phone's language."""
    found = asset("sw.js") or abort(404)
    files = ["/offline", *map(versioned, ("tokens.css", "app.css", "app.js", "icon.svg"))]
    mark = hashlib.sha256("".join([page(), *files]).encode()).hexdigest()[:12]
    head = f"'use strict';\nconst CACHE = 'offline-{mark}';\nconst FILES = {json.dumps(files)};\n"
    answer = Response(head.encode() + found.body, mimetype="text/javascript")
    answer.headers["Cache-Control"] = "no-cache"
    return answer


def register(app: Flask) -> None:
    """Adds the page and the script."""
    app.register_blueprint(bp)
