"""The games there are. A new one is registered here, and nowhere else."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from companion.engine.findings import RecordError
from companion.engine.game import Game
from companion.engine.reading import clip


def _leapfrog() -> Game:
    from companion.engine.leapfrog import Leapfrog

    return Leapfrog()


def _measure_and_tempo() -> Game:
    from companion.engine.measure_and_tempo import MeasureAndTempo

    return MeasureAndTempo()


def _chameleon_tricks() -> Game:
    from companion.engine.chameleon_tricks import ChameleonTricks

    return ChameleonTricks()


class _Games(Mapping[str, Game]):
    """The games by their names, each loaded when first asked for: a command reads one game, and a start none."""

    def __init__(self, makers: dict[str, Callable[[], Game]]) -> None:
        self._makers = {slug: cache(make) for slug, make in makers.items()}

    def __getitem__(self, slug: str) -> Game:
        return self._makers[slug]()

    def __contains__(self, slug: object) -> bool:
        return slug in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


GAMES: Mapping[str, Game] = _Games(
    {"leapfrog": _leapfrog, "measure-and-tempo": _measure_and_tempo, "chameleon-tricks": _chameleon_tricks}
)


def find(slug: object) -> Game:
    """Returns the game of this name. Raises RecordError."""
    if isinstance(slug, str) and slug in GAMES:
        return GAMES[slug]
    raise RecordError("game-unknown", "game", value=clip(slug), choices=list(GAMES))
