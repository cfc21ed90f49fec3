"""Starts `companion serve` and waits until it says where it is."""

import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.cli.command import environment


class Serving(NamedTuple):
    """A companion that answers, under `url`; `log` gathers what it wrote."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def serving(
    data: Path,
    *arguments: str,
    command: Sequence[str] = (sys.executable, "-m", "companion"),
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> Iterator[Serving]:
    """Serves on a free port of this computer until the block ends."""
    typed = ["serve", "--host", "127.0.0.1", "--data", str(data), "--lang", "en", *(arguments or ("--port", "0"))]
    with tempfile.NamedTemporaryFile(prefix="companion-", suffix=".log") as out:
        process = subprocess.Popen(
            [*command, *typed],
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=environment() if env is None else env,
        )
        log = Path(out.name)
        try:
            yield Serving(process, _address(process, log), log)
        finally:
            process.kill()
            process.wait(10)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        said = log.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"^    (http://127\.0\.0\.1:\d+)$", said, re.MULTILINE)
        if found and "Ctrl-C" in said:
            return found[1]
        if process.poll() is not None:
            break
        time.sleep(0.02)
    raise AssertionError(f"nothing is served:\n{log.read_text(encoding='utf-8', errors='replace')}")


def wait_for(port: int) -> None:
    """Waits until somebody listens on this port of this computer."""
    until = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            assert time.monotonic() < until, "nobody listens"
            time.sleep(0.02)
        else:
            return
