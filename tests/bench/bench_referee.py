"""The referee over games with known hands and planted revokes: false accusations, the share proved, the time.

Run by hand: `python -m tests.bench.bench_referee [GAMES [FIRST [KIND]]]`; GAMES of each kind from the seed FIRST on, so
that a long run can be had in parts. A fifth of the tricks is entered by its result. In half of the games all that
stayed hidden is told of at the end of a round or hand, in the others nothing is; half of the bouts are entered card by
card, the others carelessly. Bouts have at most 12 Cycles; "cycles" are bouts of 60.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

from companion.engine.evidence import Part
from companion.engine.measure_and_tempo_evidence import referee as bout_referee
from companion.engine.record import read_line
from companion.engine.registry import GAMES
from tests.bench.bench_engine import report
from tests.engine.bouts import Bout, Style
from tests.engine.dealt_games import PLAYED, Log, false_words, judged

GAMES_EACH = 100
REVOKES = (0.0, 0.01, 0.05, 0.3)
Judged = list[tuple[Part, dict[int, bool]]]


def dealt(slug: str) -> Callable[[Random, float, bool], Callable[[], Judged]]:
    def play(random: Random, revoke: float, fully: bool) -> Callable[[], Judged]:
        log: Log = PLAYED[slug](random, revoke, told=float(fully))
        return lambda: list(judged(log))

    return play


def bout(cycles: int) -> Callable[[Random, float, bool], Callable[[], Judged]]:
    def play(random: Random, revoke: float, fully: bool) -> Callable[[], Judged]:
        careless = {} if fully else {"by_result": 0.2, "blind": 0.1}
        most = cycles if cycles == 60 else random.randrange(cycles + 1)
        played = Bout(random, Style(revoke=revoke, cycles=most, **careless)).play()
        lines = [read_line(entry, GAMES["measure-and-tempo"], 2) for entry in played.entries]

        def judge() -> Judged:
            part = bout_referee(lines)
            return [(part, {play.entry: play.entry not in played.revokes for play in part.plays})]

        return judge

    return play


KINDS = {
    "leapfrog": (dealt("leapfrog"), "round", "nothing told", "all told"),
    "chameleon-tricks": (dealt("chameleon-tricks"), "hand", "nothing told", "all told"),
    "measure-and-tempo": (bout(12), "bout", "carelessly entered", "card by card"),
    "cycles": (bout(60), "60-Cycle bout", "carelessly entered", "card by card"),
}


def tally(kind: str, games: int, first: int) -> Iterator[str]:
    """Plays games and yields what the referee made of them."""
    play, part_name, *halves = KINDS[kind]
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    times: tuple[list[float], list[float]] = ([], [])
    for seed in range(first, first + games):
        half = seed // len(REVOKES) % 2
        judge = play(Random(seed), REVOKES[seed % len(REVOKES)], half == 1)
        before = time.process_time()
        found = judge()
        times[half].append((time.process_time() - before) / len(found))
        for part, truth in found:
            for words in false_words(part, truth):
                counts[half]["false"] += 1
                yield f"{kind}, seed {seed}: {words}"
            weigh(counts[half], part, truth)
    for count, spent, name in zip(counts, times, halves, strict=True):
        if spent:
            yield f"{kind}, {name}, {len(spent)} games from seed {first}: {count['false']} false accusations"
            yield (
                f"  {count['plays']} plays off suit, {count['unknown']} undecided; {count['revokes']} revokes, "
                f"{count['proved']} proved ({share(count, 'proved', 'revokes')}); of {count['spoilt']} {part_name}s "
                f"with any, {count['noticed']} found out ({share(count, 'noticed', 'spoilt')})"
            )
            mean = sum(spent) / len(spent)
            yield f"  a {part_name} takes {mean * 1e3:.1f} ms, in the slowest game {max(spent) * 1e3:.0f} ms"


def weigh(count: Counter[str], part: Part, truth: dict[int, bool]) -> None:
    count["plays"] += len(part.plays)
    for play in part.plays:
        count["unknown"] += play.verdict == "unknown"
        if not truth[play.entry]:
            count["revokes"] += 1
            count["proved"] += play.verdict == "illegal"
    if not all(truth.values()):
        count["spoilt"] += 1
        count["noticed"] += part.consistent is False


def share(count: Counter[str], some: str, whole: str) -> str:
    return f"{count[some] / count[whole]:.1%}" if count[whole] else "none"


def figures(games: int, first: int, kinds: list[str]) -> Iterator[str]:
    """Yields a few lines a kind of game."""
    for kind in kinds:
        yield from tally(kind, games, first)


if __name__ == "__main__":
    number, begin = map(int, (*sys.argv[1:3], *(str(GAMES_EACH), "0")[len(sys.argv[1:3]) :]))
    report(figures(number, begin, sys.argv[3:] or list(KINDS)))
