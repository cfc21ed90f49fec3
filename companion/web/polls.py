"""Answers unchanged polls in front of the framework: phones ask every second, and nearly always nothing is new."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Flask

from companion.config import Config
from companion.store import StoreError
from companion.table import Tables
from companion.web.guard import host_ok
from companion.web.views import tag_head

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_KNOWN = 4096
_POLL = re.compile(r"/([tw])/([A-Za-z0-9_-]{22,32})/live\Z")
_UNCHANGED = [("Cache-Control", "private, no-cache"), ("X-Content-Type-Options", "nosniff")]


class Polls:
    """A WSGI application around another: what it cannot answer itself it hands on."""

    def __init__(self, flask: Flask, tables: Tables, config: Config) -> None:
        self._app: WSGIApplication = flask.wsgi_app
        self._flask = flask
        self._tables = tables
        self._phones: dict[str, str | None] = {}
        self._public = urlsplit(config.public_url).hostname if config.public_url else None
        self._hosted = config.hosted

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        mark: str | None = environ.get("HTTP_IF_NONE_MATCH")
        if mark and environ["REQUEST_METHOD"] == "GET" and not environ.get("QUERY_STRING"):
            found = _POLL.match(environ.get("PATH_INFO", ""))
            if (
                found
                and host_ok(environ.get("HTTP_HOST", ""), self._public, self._hosted)
                and self._same(found, mark, environ)
            ):
                start_response("304 NOT MODIFIED", _UNCHANGED)
                return ()
        return self._app(environ, start_response)

    def _same(self, found: "re.Match[str]", mark: str, environ: "WSGIEnvironment") -> bool:
        kind, code = found.groups()
        store, now = self._tables.store, self._tables.clock()
        try:
            table_id = code if kind == "t" else self._tables.watched(code)
            head = store.head(table_id)
            phone = self._phone(environ)
            if phone is not None:
                store.seen(phone, table_id, now)
            here = store.present(table_id, head.edition, now)
        except StoreError:
            # The framework says what is wrong.
            return False
        # How a phone wants things is the rest of the mark; when that changes it asks without one.
        return mark.startswith(tag_head(*head, here))

    def _phone(self, environ: "WSGIEnvironment") -> str | None:
        cookies = environ.get("HTTP_COOKIE", "")
        try:
            return self._phones[cookies]
        except KeyError:
            session = self._flask.session_interface.open_session(self._flask, self._flask.request_class(environ))
            found = None if session is None else session.get("device")
            if len(self._phones) >= _KNOWN:
                self._phones.clear()
            self._phones[cookies] = found
            return found


def register(app: Flask) -> None:
    """Puts the polls in front."""
    app.wsgi_app = Polls(app, app.extensions["tables"], app.extensions["companion"])  # type: ignore[method-assign]
