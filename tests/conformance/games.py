"""Every registered game with every number of players, and whole games of it played by chance."""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from companion.engine.fold import Fold, start
from companion.engine.game import Field, Game
from companion.engine.registry import GAMES
from tests.strategies import open_entries, read

SEATINGS = [(game, players) for game in GAMES.values() for players in game.seats]
LONGEST = 1500
"""No game of ours takes more entries than this."""

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
every_seating = pytest.mark.parametrize(
    ("game", "players"), SEATINGS, ids=[f"{game.slug}-{players}" for game, players in SEATINGS]
)


def chosen(field: Field, players: int, chance: Random) -> Any:
    """Answers a question of a setup, or of the adjust form, by chance."""
    if field.each:
        return [chosen(field._replace(each=False), players, chance) for _ in range(players)]
    match field.kind:
        case "seat":
            return chance.randrange(players)
        case "suits":
            return chance.sample(field.default or field.choices, field.size)
        case "order":
            return chance.sample(field.choices, len(field.choices))
        case "switch":
            return chance.random() < 0.5
        case "choice":
            return chance.choice(field.choices)
        case "number":
            return chance.randint(*field.choices)
        case "pad":
            return chance.randrange(8)
        case "card":
            return chance.choice((None, *field.choices))
    raise AssertionError(field)


def setup_by_chance(game: Game, players: int, chance: Random) -> dict[str, Any]:
    raw: dict[str, Any] = {}
    for field in game.setup_fields(players):
        if field.when is None or raw.get(field.when[0]) == field.when[1]:
            raw[field.name] = chosen(field, players, chance)
    return raw


def with_limits(game: Game, players: int, chance: Random) -> dict[str, Any]:
    """Returns a setup by chance, where the limits it may switch off are in force."""
    limits = {field.name: True for field in game.setup_fields(players) if field.kind == "switch"}
    return setup_by_chance(game, players, chance) | limits


def played(game: Game, players: int, seed: int, longest: int = LONGEST) -> Iterator[Fold]:
    """Yields a game after each entry, from before the first."""
    chance = Random(seed)
    fold = start(game, game.read_setup(with_limits(game, players, chance), players), players)
    yield fold
    for _ in range(longest):
        entries = open_entries(game, fold.state)
        if not entries:
            return
        # One type is as likely as another: there are far more cards to lay than results to enter.
        kind = chance.choice(sorted({entry["type"] for entry in entries}))
        entry = chance.choice([entry for entry in entries if entry["type"] == kind])
        fold = fold.add(read(game, players, entry))
        yield fold


@cache
def whole_game(game: Game, players: int, seed: int) -> Fold:
    """Returns a game played to its end."""
    *_, fold = played(game, players, seed)
    assert game.outcome(fold.state) is not None, f"{len(fold.lines)} entries and no end"
    return fold
