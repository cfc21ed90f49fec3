"""The games there are. A new one is registered here, and nowhere else."""

from companion.engine.chameleon_tricks import ChameleonTricks
from companion.engine.findings import RecordError
from companion.engine.game import Game
from companion.engine.leapfrog import Leapfrog
from companion.engine.measure_and_tempo import MeasureAndTempo
from companion.engine.reading import clip

GAMES: dict[str, Game] = {game.slug: game for game in (Leapfrog(), MeasureAndTempo(), ChameleonTricks())}


def find(slug: object) -> Game:
    """Returns the game of this name. Raises RecordError."""
    if isinstance(slug, str) and slug in GAMES:
        return GAMES[slug]
    raise RecordError("game-unknown", "game", value=clip(slug), choices=list(GAMES))
