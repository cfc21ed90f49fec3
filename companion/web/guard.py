"""What stands before every request and behind every answer: hosts, headers, sessions, form tokens."""

import ipaddress
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, Request, abort, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask_wtf.csrf import CSRFProtect

from companion.config import Config
from companion.web.health import PATHS

HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
_KNOWN = 4096


class Sessions(SecureCookieSessionInterface):
    """Checks each cookie's signature once: a phone shows the same one every second."""

    def __init__(self) -> None:
        self._read: dict[str, dict[str, Any]] = {}

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        value = request.cookies.get(self.get_cookie_name(app), "")
        known = self._read.get(value)
        if known is not None:
            return self.session_class(known)
        session = super().open_session(app, request)
        if session:
            if len(self._read) >= _KNOWN:
                self._read.clear()
            self._read[value] = dict(session)
        return session


class Tokens(CSRFProtect):  # type: ignore[misc]
    """Checks a token's signature once for each session: tokens do not expire, and a table sends one for hours."""

    def __init__(self, app: Flask) -> None:
        self._good: set[tuple[str, str]] = set()
        super().__init__(app)

    def protect(self, *args: Any, **options: Any) -> None:
        pair = (request.form.get("csrf_token", ""), session.get("csrf_token", ""))
        # Over https the sender's address is checked as well, each time.
        if pair in self._good and not request.is_secure:
            g.csrf_valid = True
            return
        super().protect(*args, **options)
        if getattr(g, "csrf_valid", False) and all(pair):
            if len(self._good) >= _KNOWN:
                self._good.clear()
            self._good.add(pair)


def register(app: Flask) -> None:
    """Puts the guards in place."""
    config: Config = app.extensions["companion"]
    public = urlsplit(config.public_url).hostname if config.public_url else None
    app.session_interface = Sessions()

    @app.before_request
    def check_host() -> None:
        # A balancer asks by number how we are.
        if request.path not in PATHS and not host_ok(request.host, public, config.hosted):
            abort(400, "host")

    inner = app.wsgi_app

    def guarded(environ: Any, start_response: Any) -> Any:
        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            own = {name for name, _ in headers}
            return start_response(status, [*headers, *(one for one in HEADERS if one[0] not in own)], *error)

        return inner(environ, start)

    # Around the framework, so that no answer can come without them; a page may bring stricter ones of its own.
    app.wsgi_app = guarded  # type: ignore[method-assign]


def check_tokens(app: Flask) -> None:
    """Asks every form for its token: behind the host check, and once the words for a refusal are chosen."""
    Tokens(app)


@lru_cache(maxsize=256)
def host_ok(host: str, public: str | None, hosted: bool) -> bool:
    """Tells whether a request may name this host: ours, or on the local network any private address.

    Names of strangers are refused, else a page of theirs could reach us through its own name (DNS rebinding).
    """
    name = host if host.endswith("]") else host.rsplit(":", 1)[0]
    name = name.strip("[]").rstrip(".").lower()
    if name == public:
        return True
    if hosted:
        return False
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".local")
    return address.is_private or address.is_loopback or address.is_link_local
