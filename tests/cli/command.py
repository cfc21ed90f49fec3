"""Runs the command line as a person does: bytes in, bytes out."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from companion.cli import main

ROOT = Path(__file__).parents[2]


class Ran(NamedTuple):
    """What a command left behind."""

    status: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def answers(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def environment(**more: str) -> dict[str, str]:
    """Returns this environment without anything that would change how the command speaks or where it looks."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMPANION_", "LC_", "LANG"))}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def companion(*arguments: str, given: str | bytes = b"", encoding: str = "utf-8", **environ: str) -> Ran:
    """Runs one command line in this process, with this standard input and streams of this encoding."""
    taken, out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(3))
    taken.buffer.write(given.encode() if isinstance(given, str) else given)
    taken.buffer.seek(0)
    with (
        mock.patch.multiple(sys, stdin=taken, stdout=out, stderr=err),
        mock.patch.dict(os.environ, environment(**environ), clear=True),
    ):
        try:
            status = main(arguments)
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        out.flush()
        err.flush()
    return Ran(status, out.buffer.getvalue(), err.buffer.getvalue().decode())


@contextmanager
def program(*arguments: str, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
    """Runs `python -m companion` with pipes on all sides until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "companion", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**{"PYTHONWARNINGS": "error", **environ}),
    )
    with process:
        try:
            yield process
        finally:
            process.kill()
