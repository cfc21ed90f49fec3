"""The engine's cost, in units that do not depend on the machine: python-chess moves and bare Flask requests.

Run by hand: `python -m tests.bench.bench_engine`. Each figure is the best of many short runs, the pairs taken in turn.
"""

import json
import sys
import timeit
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
from flask import Flask
from werkzeug.test import EnvironBuilder

from companion.engine.fold import fold, steps
from companion.engine.record import Record, read_record
from companion.engine.registry import GAMES

VECTORS = Path(__file__).parents[1] / "vectors"
ROUNDS = 60


def hello_request() -> Callable[[], bytes]:
    """Returns a call of a bare hello-world application."""
    app = Flask("hello")
    app.add_url_rule("/", view_func=lambda: "Hello, World!")
    environ = EnvironBuilder("/").get_environ()
    return lambda: b"".join(app(dict(environ), lambda status, headers, error=None: lambda data: None))


def chess_moves() -> tuple[Callable[[], None], int]:
    """Returns a call of `is_legal` and `push` over an opening on a new board, and its number of moves."""
    line = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5".split()
    moves = [chess.Move.from_uci(move) for move in line]

    def play() -> None:
        board = chess.Board()
        for move in moves:
            if not board.is_legal(move):
                raise AssertionError(move)
            board.push(move)

    return play, len(moves)


def checked_moves(record: Record) -> tuple[Callable[[], None], int]:
    """Returns a call of `check` and `evolve` over a whole record, and its number of entries."""
    game = record.game
    positions = [(so_far.states[-2], line.entry) for line, so_far in steps(record)]
    check, evolve = game.check, game.evolve

    def play() -> None:
        for state, entry in positions:
            if check(state, entry):
                raise AssertionError(entry)
            evolve(state, entry)

    return play, len(positions)


def best(*calls: Callable[[], Any]) -> list[float]:
    """Returns each call's best time in microseconds, the calls taken in turn."""
    times = [[timeit.timeit(call, number=3) / 3 for call in calls] for _ in range(ROUNDS)]
    return [min(column) * 1e6 for column in zip(*times, strict=True)]


def report(lines: Iterator[str]) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")


def figures() -> Iterator[str]:
    """Yields one line a figure."""
    hello = hello_request()
    chess_play, moves = chess_moves()
    for slug in GAMES:
        for kind in ("by-card", "by-result"):
            lines = (VECTORS / f"{slug}.{kind}.jsonl").read_text().splitlines()
            whole = max((json.dumps(json.loads(line)["record"]) for line in lines), key=len)
            record = read_record(whole)
            play, entries = checked_moves(record)
            chess_us, board_us, play_us, hello_us, fold_us = best(
                chess_play, chess.Board, play, hello, lambda text=whole: fold(read_record(text))
            )
            theirs, ours = (chess_us - board_us) / moves, play_us / entries
            yield f"{slug} {kind}: checked move {ours:.2f} us, python-chess {theirs:.2f}: {theirs / ours:.1f} times"
            requests = f"{fold_us / hello_us:.1f} hello-world requests of {hello_us:.0f} us"
            yield f"{slug} {kind}: {entries} entries folded from their text in {fold_us:.0f} us = {requests}"


if __name__ == "__main__":
    report(figures())
