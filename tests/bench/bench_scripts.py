"""Random scripts of entries, corrections, undos and redos, compared with a fresh fold.

Run by hand: `python -m tests.bench.bench_scripts [SCRIPTS [FIRST [GAME]]]`; SCRIPTS a game from the seed FIRST on, so
that a long run can be had in parts; they are split among a game's numbers of players.
"""

import sys
from collections.abc import Iterator

from companion.engine.registry import GAMES
from tests.bench.bench_engine import report
from tests.conformance.scripts import Script


def figures(scripts: int, first: int, slugs: list[str]) -> Iterator[str]:
    """Yields one line a game."""
    for slug in slugs:
        game = GAMES[slug]
        taken = entries = differences = 0
        for seed in range(first, first + scripts):
            script = Script(game, game.seats[seed % len(game.seats)], seed).run()
            taken += script.taken
            entries += len(script.log)
            differences += len(script.differences)
            for difference in script.differences:
                yield f"{slug}, seed {seed}: {difference}"
        yield (
            f"{slug}: {scripts} scripts from seed {first}, {taken} steps, logs of {entries} entries, "
            f"{differences} differences"
        )


if __name__ == "__main__":
    count, begin = map(int, (*sys.argv[1:3], *("200", "0")[len(sys.argv[1:3]) :]))
    report(figures(count, begin, sys.argv[3:] or list(GAMES)))
