"""Builds the web app: wiring only."""

from datetime import timedelta

from flask import Flask

from companion.config import Config, load
from companion.resources import data_dir
from companion.store import open_store
from companion.table import Tables
from companion.web import register
from companion.web.health import write_lines

COOKIE = "companion"
KEPT = timedelta(days=180)
MOST_BYTES = 64 * 1024
DAY = 24 * 3600.0


def create_app(config: Config) -> Flask:
    """Returns the app for these settings. Raises StoreError."""
    app = Flask("companion", template_folder=str(data_dir("templates")), static_folder=None)
    app.config.from_mapping(
        SECRET_KEY=config.secret_key,
        # Cookies know no port: a common name would be wiped by the next app on this address.
        SESSION_COOKIE_NAME=COOKIE,
        SESSION_COOKIE_SECURE=config.hosted,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=KEPT,
        MAX_CONTENT_LENGTH=MOST_BYTES,
        MAX_FORM_MEMORY_SIZE=MOST_BYTES,
        WTF_CSRF_TIME_LIMIT=None,
        TRUSTED_HOSTS=None,
    )
    app.extensions["companion"] = config
    app.extensions["tables"] = Tables(open_store(config.database_url), keep=config.keep_days * DAY)
    if config.proxies:
        from werkzeug.middleware.proxy_fix import ProxyFix

        hops = config.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    register(app)
    return app


def hosted() -> Flask:
    """Returns the app for the settings of the environment, as a server of many processes asks for it.

    Raises ConfigError, StoreError.
    """
    write_lines()
    return create_app(load())
