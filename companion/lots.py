"""What a table leaves to chance before the first card: who deals, the suit order, how the pads lie."""

import secrets
from collections.abc import Mapping
from typing import Any

from companion.engine.game import Field, Game

_CHANCE = secrets.SystemRandom()


def drawn(game: Game, raw_setup: Mapping[str, Any], players: int) -> dict[str, Any]:
    """Returns the setup with everything that may be drawn, and was left out, drawn by lot."""
    setup = dict(raw_setup)
    for field in game.setup_fields(players):
        if field.name in setup or not field.drawn:
            continue
        if field.when is None or setup.get(field.when[0]) == field.when[1]:
            setup[field.name] = _draw(field, players)
    return setup


def _draw(field: Field, players: int) -> Any:
    match field.kind:
        case "seat":
            return _CHANCE.randrange(players)
        case "suits":
            return _CHANCE.sample(field.default or field.choices, field.size)
        case "order":
            return _CHANCE.sample(field.choices, len(field.choices))
        case _:
            return _CHANCE.choice(field.choices)
