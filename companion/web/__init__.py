"""The pages. No rule lives here: what may be entered is asked of the game, what happens is asked of the service."""

from flask import Flask

from companion.web import amend, assets, errors, guard, home, join, look, menu, past, play, polls, record, rules


def register(app: Flask) -> None:
    """Adds everything to the app."""
    for part in (guard, look, assets, errors, home, play, past, amend, menu, join, rules, record, polls):
        part.register(app)
