"""Static files: read once, compressed once, and kept by browsers for a year under an address that changes with them."""

import gzip
import hashlib
import mimetypes
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Flask, Response, abort, request, url_for

from companion.resources import data_dir

bp = Blueprint("static", __name__)
_YEAR = "public, max-age=31536000, immutable"
_TEXT = ("text/", "application/javascript", "application/manifest+json", "image/svg+xml")
mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("text/javascript", ".js")


class Asset(NamedTuple):
    """One file, as it is and compressed (None where that gains nothing)."""

    body: bytes
    packed: bytes | None
    kind: str
    mark: str


@cache
def asset(name: str) -> Asset | None:
    """Returns a static file, or None where there is none of that name."""
    folder = data_dir("static")
    path = folder / name
    if Path(name).name != name or not path.is_file():
        return None
    body = path.read_bytes()
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    packed = gzip.compress(body, 9, mtime=0) if kind.startswith(_TEXT) else None
    return Asset(body, packed, kind, hashlib.sha256(body).hexdigest()[:12])


@bp.get("/static/<name>")
def file(name: str) -> Response:
    """Serves one static file."""
    found = asset(name)
    if found is None:
        abort(404)
    packed = found.packed if "gzip" in request.headers.get("Accept-Encoding", "") else None
    response = Response(packed or found.body, mimetype=found.kind)
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = _YEAR if request.args.get("v") == found.mark else "no-cache"
    response.set_etag(found.mark)
    response.make_conditional(request)
    return response


@bp.get("/favicon.ico")
def icon() -> Response:
    """Serves the icon to those who ask for it unasked."""
    return file("icon.svg")


@cache
def versioned(name: str) -> str:
    """Returns the address of a static file."""
    found = asset(name)
    if found is None:
        raise FileNotFoundError(f"no static file {name!r}")
    return url_for("static.file", name=name, v=found.mark)


def register(app: Flask) -> None:
    """Adds the static files, and `asset(name)` to the templates."""
    app.register_blueprint(bp)
    app.jinja_env.globals["asset"] = versioned
