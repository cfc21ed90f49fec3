"""`companion replay` and `companion check`: records and positions in, one JSON answer a line out."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from companion.cli import FINE, REFUSED, UNREADABLE
from companion.cli.streams import Piece, answer, opened, positions, problem, records, shown
from companion.engine.findings import RecordError, Refused
from companion.engine.record import Record, parse, read_record
from companion.i18n import Words
from companion.i18n.wording import Wording


def replay(arguments: argparse.Namespace, words: Words) -> int:
    """Replays each record."""
    from companion.engine.replay import replay as replay_record

    status = FINE
    for piece in pieces(arguments.files, records, words):
        if piece is None:
            status = UNREADABLE
            continue
        try:
            answered = replay_record(read_record(piece.source))
        except RecordError as error:
            problem(_unreadable("replay", piece, error, words))
            status = UNREADABLE
            continue
        answer(answered)
        if "refused" in answered:
            status = max(status, REFUSED)
    return status


def check(arguments: argparse.Namespace, words: Words) -> int:
    """Rules on each position, one a line."""
    from companion.checker import check as rule_on

    status = FINE
    for piece in pieces(arguments.files, positions, words):
        if piece is None:
            status = UNREADABLE
            continue
        try:
            answer(rule_on(parse(piece.source), words))
        except RecordError as error:
            text = unreadable(error, words)
            problem(_unreadable("check", piece, error, words))
            answer({"error": {"code": error.code, "place": error.place, "params": dict(error.params), "text": text}})
            status = max(status, REFUSED)
    return status


def pieces(
    names: list[str], split: Callable[[str, BinaryIO], Iterator[Piece]], words: Words
) -> Iterator[Piece | None]:
    """Yields the pieces of all files; None, after a word, for a file that cannot be opened or read on."""
    for name in names:
        try:
            with opened(name) as stream:
                yield from split(name, stream)
        except OSError as error:
            problem(words("cli.no-file", file=shown(name), reason=error.strerror or str(error)))
            yield None


def _unreadable(command: str, piece: Piece, error: RecordError, words: Words) -> str:
    return f"companion {command}: {piece.place}: {unreadable(error, words)}"


def unreadable(error: RecordError, words: Words) -> str:
    """Says what is wrong with something read, and where in it."""
    params: dict[str, Any] = {**error.params}
    if "choices" in params:
        params["choices"] = ", ".join(map(str, params["choices"]))
    text = words(f"unreadable.{error.code}", **params)
    return f"{error.place}: {text}" if error.place else text


def told(refused: Refused, record: Record, words: Words) -> list[str]:
    """Says why entries are refused, with the names of the record."""
    say = Wording(words, record.players)
    return [say.finding(finding.code, finding.params, record.game.slug) for finding in refused.findings]
