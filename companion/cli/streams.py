"""What the commands read and write: records and positions in, JSON out, problems to standard error."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any, BinaryIO, NamedTuple, TextIO

from companion.engine.findings import RecordError
from companion.engine.record import MOST_BYTES, parse

# One byte more than a record may have: enough for the reader to see that it is too large.
_ENOUGH = MOST_BYTES + 1


class Piece(NamedTuple):
    """One record or position as it was found: `place` says where."""

    place: str
    source: bytes


def prepare() -> None:
    """Makes sure that no character can end the program: JSON and words go out whatever the terminal can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def silence(stream: TextIO) -> None:
    """Sends what is still to be written nowhere, so that the interpreter's last flush cannot fail either."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def say(*lines: str) -> None:
    """Writes lines for people to standard output."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def problem(*lines: str) -> None:
    """Writes lines to standard error."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def answer(value: Any) -> None:
    """Writes one line of JSON to standard output, at once and in UTF-8 whatever the locale is."""
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
    sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


@contextlib.contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Opens a file to read, or standard input for `-`. Raises OSError."""
    if name == "-":
        yield sys.stdin.buffer
    else:
        with open(name, "rb") as file:
            yield file


def positions(name: str, stream: BinaryIO) -> Iterator[Piece]:
    """Yields each line, the blank ones too: a line in, a line out."""
    for number, line in _lines(stream):
        yield Piece(f"{shown(name)}:{number}", line.rstrip(b"\r\n"))


def records(name: str, stream: BinaryIO) -> Iterator[Piece]:
    """Yields the records of a file: either the whole file is one, or each line that is not blank is."""
    lines = _lines(stream)
    head: list[bytes] = []
    full: list[tuple[int, bytes]] = []
    for number, line in lines:
        head.append(line)
        if line.strip():
            full.append((number, line))
        if len(full) == 2:
            break
    if not full:
        yield Piece(shown(name), b"")
    elif _whole(full[0][1]) or (len(full) == 2 and b'"format"' in full[1][1] and _whole(full[1][1])):
        for number, line in (*full, *lines):
            if line.strip():
                yield Piece(f"{shown(name)}:{number}", line.rstrip(b"\r\n"))
    else:
        size = sum(map(len, head))
        while size < _ENOUGH and (more := stream.read(_ENOUGH - size)):
            head.append(more)
            size += len(more)
        yield Piece(shown(name), b"".join(head))


def shown(name: str) -> str:
    """Returns a file's name as messages show it."""
    return "<stdin>" if name == "-" else name


def _whole(line: bytes) -> bool:
    try:
        parse(line)
    except RecordError as error:
        return error.code != "not-json" and line.rstrip().endswith(b"}")
    return True


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yields numbered lines; of one that is longer than any record may be, only so much as shows that it is."""
    number = 0
    while line := stream.readline(_ENOUGH):
        number += 1
        yield number, line
        while len(line) == _ENOUGH and not line.endswith(b"\n"):
            line = stream.readline(_ENOUGH)
