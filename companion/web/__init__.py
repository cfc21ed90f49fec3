"""The pages. No rule lives here: what may be entered is asked of the game, what happens is asked of the service."""

from flask import Flask

from companion.web import (
    amend,
    assets,
    checking,
    errors,
    files,
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
    table = (play, past, amend, menu, join, record, reveal, files, rulings)
    for part in (assets, errors, home, *table, rules, checking, prints, offline, polls):
        part.register(app)
