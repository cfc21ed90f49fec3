"""How long a start takes: one language's words, the import of the app, and a second `make run` until it answers.

Run by hand: `python -m tests.bench.bench_start`. Each figure is the median and the best of several new processes.
"""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

from companion import net

ROOT = Path(__file__).parents[2]
ROUNDS = 7

WORDS = """
import time
begun = time.perf_counter()
from companion.i18n import Words, catalogue
Words({language!r})
print(time.perf_counter() - begun, len(catalogue({language!r}).texts) + len(catalogue({language!r}).plurals))
"""
APP = """
import time
begun = time.perf_counter()
import companion.app
print(time.perf_counter() - begun)
"""


def timed(script: str) -> tuple[float, str]:
    """Runs a script in a new process and returns the seconds it printed, and what it printed after them."""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, _, rest = done.stdout.strip().partition(" ")
    return float(seconds), rest


def start() -> float:
    """Returns the seconds from typing `make run` to the first page."""
    with tempfile.TemporaryDirectory() as data:
        with net.listen("127.0.0.1", 0) as listener:
            port = listener.getsockname()[1]
        begun = time.perf_counter()
        process = subprocess.Popen(
            ["make", "-s", "run", f"ARGS=--host 127.0.0.1 --port {port} --data {data}"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            while True:
                try:
                    with urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
                        answer.read()
                except OSError:
                    if process.poll() is not None or time.perf_counter() - begun > 60:
                        raise
                    time.sleep(0.01)
                else:
                    return time.perf_counter() - begun
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)


def report(what: str, measure: Callable[[], float]) -> None:
    found = [measure() for _ in range(ROUNDS)]
    sys.stdout.write(f"{what:<44}{statistics.median(found) * 1000:8.0f} ms   best {min(found) * 1000:6.0f} ms\n")


def main() -> None:
    for language in ("en", "ja"):
        script = WORDS.format(language=language)
        report(f"{timed(script)[1]} messages of {language}, import included", lambda script=script: timed(script)[0])
    report("import companion.app", lambda: timed(APP)[0])
    report("second `make run` to the first page", start)


if __name__ == "__main__":
    main()
