"""For whoever runs a hosted companion: is this process alive, can it serve, and what did it do."""

import json
import logging
import re
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from flask import Blueprint, Flask, Response, current_app, g, has_request_context, request

from companion.store import StoreError

bp = Blueprint("health", __name__)
PATHS = ("/healthz", "/readyz")
_ACCESS = logging.getLogger("companion.access")
# What opens a table, what could hold a password, and the address of a phone.
_PRIVATE = (
    (re.compile(r"/([tw])/[A-Za-z0-9_-]{22,32}"), r"/\1/-"),
    (re.compile(r"://[^/\s@]+@"), "://-@"),
)


@bp.get("/healthz")
def alive() -> Response:
    """Tells that this process answers."""
    return _plain("alive", 200)


@bp.get("/readyz")
def ready() -> Response:
    """Tells whether this process can serve: whether the database answers it."""
    try:
        current_app.extensions["tables"].store.ready()
    except StoreError as error:
        return _plain(error.code, 503)
    return _plain("ready", 200)


def _plain(text: str, status: int) -> Response:
    answer = Response(f"{text}\n", status, mimetype="text/plain")
    answer.headers["Cache-Control"] = "no-store"
    return answer


class Lines(logging.Formatter):
    """Writes one JSON object a line. Of an error it tells the kind and the places in the code, never its words:
    those may hold what players typed."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        for pattern, instead in _PRIVATE:
            message = pattern.sub(instead, message)
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": message,
        }
        if has_request_context():
            line["request"] = getattr(g, "request_id", None)
        line |= getattr(record, "told", {})
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            line["where"] = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(line, ensure_ascii=False)


def write_lines() -> None:
    """Turns every log of this process into lines of JSON on the standard error stream."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    _ACCESS.setLevel(logging.INFO)
    for other in logging.getLogger("gunicorn.error").handlers:
        other.setFormatter(handler.formatter)


def register(app: Flask) -> None:
    """Adds the addresses; a hosted companion also notes each request, polls with nothing new apart."""
    app.register_blueprint(bp)
    if not app.extensions["companion"].hosted:
        return

    @app.before_request
    def begin() -> None:
        g.began, g.request_id = time.perf_counter(), token_hex(4)

    @app.after_request
    def end(response: Response) -> Response:
        if request.path not in PATHS:
            told = {
                "method": request.method,
                # The rule, not the path: a path may hold the address of a table.
                "route": request.url_rule.rule if request.url_rule else None,
                "status": response.status_code,
                "ms": round((time.perf_counter() - g.began) * 1000, 1),
            }
            _ACCESS.info("request", extra={"told": told})
        return response
