"""The referee over whole games with known hands and planted revokes: false accusations, the share proved, the time.

Run by hand: `python -m tests.bench.bench_referee [GAMES]`. A fifth of the tricks is entered by its result, some hidden
cards are told of at the end of a round or hand; "told" are games in which all of them are.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from random import Random

from companion.engine.evidence import referee
from tests.bench.bench_engine import report
from tests.engine.dealt_games import PLAYED, false_words, judged

GAMES = 10_000
REVOKES = (0.0, 0.01, 0.05, 0.3)


def tally(slug: str, games: int, told: float) -> Iterator[str]:
    """Plays games and yields what the referee made of them."""
    count: Counter[str] = Counter()
    slowest = 0.0
    for seed in range(games):
        log = PLAYED[slug](Random(seed), REVOKES[seed % len(REVOKES)], told=told)
        before = time.process_time()
        parts = referee(log.fold)
        slowest = max(slowest, (time.process_time() - before) / len(parts))
        for part, truth in judged(log):
            false = false_words(part, truth)
            count["false"] += len(false)
            for words in false:
                yield f"{slug}, seed {seed}: {words}"
            count["plays"] += len(part.plays)
            for play in part.plays:
                if not truth[play.entry]:
                    count["revokes"] += 1
                    count["proved"] += play.verdict == "illegal"
            if not all(truth.values()):
                count["spoilt"] += 1
                count["noticed"] += part.consistent is False
    yield (
        f"{slug}, {told:.0%} told: {games} games, {count['plays']} plays off suit, {count['false']} false accusations; "
        f"{count['revokes']} revokes, {count['proved'] / count['revokes']:.1%} proved by the end of the round or hand; "
        f"of {count['spoilt']} rounds or hands with any, {count['noticed'] / count['spoilt']:.1%} are found out; "
        f"slowest {slowest * 1e3:.1f} ms"
    )


def figures(games: int) -> Iterator[str]:
    """Yields one line a figure."""
    for slug in PLAYED:
        for told in (0.0, 1.0):
            yield from tally(slug, games, told)


if __name__ == "__main__":
    report(figures(int(sys.argv[1]) if len(sys.argv) > 1 else GAMES))
