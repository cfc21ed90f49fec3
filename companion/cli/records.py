"""`companion replay`, `check` and `referee`: records and positions in, one JSON answer a line out."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from companion.checker import NAMES
from companion.checker import check as rule_on
from companion.cli import FINE, REFUSED, UNREADABLE
from companion.cli.streams import Piece, answer, opened, positions, problem, records, shown
from companion.engine.evidence import Part
from companion.engine.evidence import referee as judge
from companion.engine.findings import RecordError, Refused
from companion.engine.fold import fold
from companion.engine.record import Record, parse, read_record
from companion.engine.replay import replay as replay_record
from companion.i18n import DEFAULT, Words
from companion.i18n.wording import Wording


def replay(arguments: argparse.Namespace, words: Words) -> int:
    """Replays each record."""
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


def referee(arguments: argparse.Namespace, words: Words) -> int:
    """Tells what each record proves about the plays off the led suit."""
    status = FINE
    for piece in pieces(arguments.files, records, words):
        if piece is None:
            status = UNREADABLE
            continue
        try:
            record = read_record(piece.source)
            found = judge(fold(record))
        except RecordError as error:
            problem(_unreadable("referee", piece, error, words))
            status = UNREADABLE
        except Refused as refused:
            problem(*(f"companion referee: {piece.place}: {line}" for line in told(refused, record, words)))
            answer({"refused": replay_record(record)["refused"]})
            status = max(status, REFUSED)
        else:
            answer({"parts": [_part(part, record, words) for part in found]})
    return status


def _part(part: Part, record: Record, words: Words) -> dict[str, Any]:
    slug = record.game.slug
    # A label for programs, the same in every language.
    label = Words(DEFAULT)(f"chapter.{slug}", chapter=part.chapter).lower() if part.chapter else "bout"
    say = Wording(words, named(record))
    said = [say.finding(proof.code, proof.params, slug) for proof in part.proofs]
    return {"part": label, **part.json(), "text": say.gap.join(said) or _nothing(part, words)}


def _nothing(part: Part, words: Words) -> str:
    """Says how little is proved where nothing is proved against anybody."""
    verdicts = {play.verdict for play in part.plays}
    if not verdicts:
        return words("cli.referee.no-plays")
    if part.consistent is None:
        return words("cli.referee.unknown")
    return words("cli.referee.honest" if verdicts == {"legal"} else "cli.referee.open")


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
    say = Wording(words, named(record))
    return [say.finding(finding.code, finding.params, record.game.slug) for finding in refused.findings]


def named(record: Record) -> list[str]:
    """Returns what to call each player: a letter where no name was given."""
    return [name.strip() or letter for name, letter in zip(record.players, NAMES, strict=False)]
