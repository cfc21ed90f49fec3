"""The games there are. A new one is registered here, and nowhere else."""

from companion.engine.findings import RecordError
from companion.engine.game import Game
from companion.engine.leapfrog import Leapfrog

GAMES: dict[str, Game] = {game.slug: game for game in (Leapfrog(),)}


def find(slug: object) -> Game:
    """Returns the game of this name. Raises RecordError."""
    if isinstance(slug, str) and slug in GAMES:
        return GAMES[slug]
    raise RecordError("game-unknown", "game", value=str(slug)[:40], choices=list(GAMES))
