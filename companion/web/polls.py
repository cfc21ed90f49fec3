"""Answers unchanged polls in front of the framework: phones ask every second, and nearly always nothing is new."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flask import Flask

from companion.config import Config
from companion.store import StoreError
from companion.table import Tables
from companion.web.guard import host_ok

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_POLL = re.compile(r"/([tw])/([A-Za-z0-9_-]{22,32})/live\Z")
_UNCHANGED = [("Cache-Control", "private, no-cache"), ("X-Content-Type-Options", "nosniff")]


class Polls:
    """A WSGI application around another: what it cannot answer itself it hands on."""

    def __init__(self, app: "WSGIApplication", tables: Tables, config: Config) -> None:
        self._app = app
        self._tables = tables
        self._public = urlsplit(config.public_url).hostname if config.public_url else None
        self._hosted = config.hosted

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        mark: str | None = environ.get("HTTP_IF_NONE_MATCH")
        if mark and environ["REQUEST_METHOD"] == "GET" and not environ.get("QUERY_STRING"):
            found = _POLL.match(environ.get("PATH_INFO", ""))
            if found and host_ok(environ.get("HTTP_HOST", ""), self._public, self._hosted) and self._same(found, mark):
                start_response("304 NOT MODIFIED", _UNCHANGED)
                return ()
        return self._app(environ, start_response)

    def _same(self, found: "re.Match[str]", mark: str) -> bool:
        kind, code = found.groups()
        try:
            table_id = code if kind == "t" else self._tables.watched(code)
            head = self._tables.store.head(table_id)
        except StoreError:
            # The framework says what is wrong.
            return False
        # How a phone wants things is the rest of the mark; when that changes it asks without one.
        return mark.startswith(f'"{head.version}.{head.edition}.')


def register(app: Flask) -> None:
    """Puts the polls in front."""
    inner: Callable[..., Any] = app.wsgi_app
    app.wsgi_app = Polls(inner, app.extensions["tables"], app.extensions["companion"])  # type: ignore[method-assign]
