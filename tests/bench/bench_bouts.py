"""The longest bouts of Measure and Tempo: what a replay of them costs, and one more entry at their end.

Run by hand: `python -m tests.bench.bench_bouts`. Each figure is the best of several runs, in CPU time.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from companion.engine.fold import Fold, fold, start
from companion.engine.record import MOST_ENTRIES, Record, read_line, read_record
from companion.engine.registry import GAMES
from companion.engine.replay import replay
from tests.bench.bench_engine import hello_request

GAME = GAMES["measure-and-tempo"]
GUARDS = ("KD", "QD")
TEMPOS = (("3H", "4H"), ("2S", "3S"), ("5H", "6H"), ("4S", "5S"), ("7H", "8H"), ("6S", "7S"))
"""Lead and answer: seat 1 strikes, each answer wins, so that the play splits evenly and nobody nears 11 points."""
RUNS = 9


def bout(entries: int, **limits: bool) -> Record:
    """Returns a bout of at most so many entries: 11 actions before every Strike, six tempos card by card."""
    setup = {"first": 0, **limits}
    so_far = start(GAME, GAME.read_setup(setup, 2), 2)
    log: list[dict[str, Any]] = []
    while len(log) < entries and not so_far.state.over:
        log.append(following(so_far))
        so_far = so_far.add(read_line(log[-1], GAME, 2))
    head = {"format": "companion-record", "version": 1, "game": GAME.slug, "players": ["Ann", "Ben"]}
    return read_record(json.dumps({**head, "setup": setup, "entries": log}))


def following(so_far: Fold) -> dict[str, Any]:
    state = so_far.state
    seat = state.to_act
    if state.phase == "out" and state.actions < 11:
        kind = ("guard", "cycle", "cycle", "stall")[state.actions % 4]
        standing = state.guards[seat]
        return {"type": kind, "seat": seat} | ({"card": None if standing else GUARDS[seat]} if kind == "guard" else {})
    lead, answer = TEMPOS[sum(state.tempos)]
    kind = {"out": "strike", "winner": "lead", "answer": "answer"}[state.phase]
    return {"type": kind, "seat": seat, "card": answer if kind == "answer" else lead}


def best(call: Callable[[], Any]) -> float:
    """Returns the best CPU time of a call in milliseconds."""
    times = []
    for _ in range(RUNS):
        before = time.process_time()
        call()
        times.append(time.process_time() - before)
    return min(times) * 1e3


def figures() -> Iterator[str]:
    """Yields one line a figure."""
    hello = hello_request()
    request = best(lambda: [hello() for _ in range(100)]) / 100
    for name, record in (("30 plays", bout(MOST_ENTRIES)), ("no limits", bout(MOST_ENTRIES, play_limit=False))):
        text = json.dumps(record.json())
        count = len(record.lines)
        read, told = best(lambda text=text: read_record(text)), best(lambda record=record: replay(record))
        yield f"{name}: {count} entries read in {read:.1f} ms, replayed in {told:.1f} ms"
        whole = fold(record)
        last = fold(record.__class__(record.game, record.players, record.setup, record.raw_setup, record.lines[:-1]))
        one = best(lambda last=last, record=record: last.add(record.lines[-1]))
        asked = best(lambda whole=whole: GAME.expects(whole.state).options)
        yield f"{name}: the last entry takes {one * 1e3:.0f} us, what may follow it {asked * 1e3:.0f} us"
        yield f"{name}: together {(one + asked) / request:.1f} hello-world requests of {request * 1e3:.0f} us"


if __name__ == "__main__":
    for line in figures():
        sys.stdout.write(line + "\n")
