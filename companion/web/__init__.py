"""The pages. No rule lives here: what may be entered is asked of the game, what happens is asked of the service."""

from flask import Flask

from companion.web import (
    amend,
    assets,
    checking,
    errors,
    guard,
    health,
    home,
    join,
    look,
    menu,
    offline,
    past,
    play,
    polls,
    prints,
    record,
    reveal,
    rules,
    rulings,
)


def register(app: Flask) -> None:
    """Adds everything to the app."""
    health.register(app)
    guard.register(app)
    look.register(app)
    guard.check_tokens(app)
    parts = (assets, errors, home, play, past, amend, menu, join, rules, checking, record, reveal, prints, rulings)
    for part in (*parts, offline, polls):
        part.register(app)
