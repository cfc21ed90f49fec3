"""What prints cost: time, size, ink, memory, and what a poll feels of a long render.

Run by hand: `python -m tests.bench.bench_print`.
"""

import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from datetime import date
from pathlib import Path
from urllib.request import urlopen

from waitress.server import create_server

from companion.press.renderer import RENDERER
from companion.printing import SHEETS, Context, Options, Pdf, pdf, score_sheet
from companion.printing.sheets import Sheet
from tests.printing.conftest import ADDRESS, pictures, recorded

ROUNDS = 9
COLD = ["-m", "companion", "print", "leapfrog-cards", "--url", "https://companion.example", "-o", os.devnull]


def say(line: str) -> None:
    """Prints a line."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def make(name: str, n: int = 0, **options: str) -> Pdf:
    """Returns a sheet under an address of its own, so that it is made and not found."""
    return pdf(SHEETS[name], Options(**options), Context(app=f"{ADDRESS}?{n}"))


def memory() -> float:
    """Returns the worker's memory in MB."""
    assert RENDERER._process is not None, "a render started it"
    status = Path(f"/proc/{RENDERER._process.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def spent() -> float:
    """Returns the processor time of the worker so far, in seconds."""
    assert RENDERER._process is not None, "a render started it"
    fields = Path(f"/proc/{RENDERER._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def times() -> None:
    """Measures cold and warm renders, on the clock and by the processor, which other work hardly changes."""
    cold = []
    for _ in range(3):
        begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *COLD], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        cold.append((time.perf_counter() - begun, busy))
    clock, busy = (statistics.median(column) for column in zip(*cold, strict=True))
    say(f"cold process, two-page kit: median {clock:.2f} s, processor {busy:.2f} s (two processes, side by side)")
    warm = []
    make("leapfrog-cards")
    for n in range(1, ROUNDS):
        begun, before = time.perf_counter(), spent()
        make("leapfrog-cards", n)
        warm.append((time.perf_counter() - begun, spent() - before))
    clock, busy = (statistics.median(column) for column in zip(*warm, strict=True))
    best = min(warm)[0]
    say(f"warm two-page kit: median {clock * 1e3:.0f} ms, best {best * 1e3:.0f} ms, processor {busy * 1e3:.0f} ms")
    begun = time.perf_counter()
    make("leapfrog-cards")
    say(f"the same again, kept: {(time.perf_counter() - begun) * 1e3:.2f} ms")
    begun = time.process_time()
    sum(range(10_000_000))
    loop = time.process_time() - begun
    say(f"for comparison, this machine adds ten million numbers in {loop * 1e3:.0f} ms of its processor")


def sizes() -> None:
    """Measures files and the black on their pages."""
    for name, sheet in SHEETS.items():
        for lang in ("en", "ja"):
            found = []
            for kind in [kind for kind in sheet.kinds if kind != "filled"]:
                made = make(name, lang=lang, kind=kind)
                ink = [
                    sum(255 - value for value in page.tobytes()) / 255 / (page.width * page.height)
                    for page in pictures(made.body, 200)
                ]
                found.append(f"{kind} {len(made.body) / 1024:.0f} KiB, black {max(ink):.1%}")
            say(f"{name} {lang}: {'; '.join(found)}")
    for file in ("leapfrog", "measure-and-tempo", "chameleon-tricks"):
        record = recorded(f"{file}.by-card.jsonl")
        for lang in ("en", "ja"):
            sheet = score_sheet(record.game.slug, len(record.players))
            context = Context(table=ADDRESS, record=record, day=date(2025, 11, 30))
            made = pdf(sheet, Options(lang=lang, kind="filled"), context)
            say(f"{sheet.name} filled {lang}: {len(made.body) / 1024:.0f} KiB, {made.pages} pages")


def growth() -> None:
    """Measures the worker's memory over a hundred renders."""
    RENDERER.close()
    for n in range(1, 101):
        make("leapfrog-cards", 1000 + n)
        if n in (10, 100):
            say(f"memory after {n} renders: {memory():.0f} MB")


def polls() -> None:
    """Measures polls of a server whose process waits for a render of twelve pages."""
    sheet = Sheet("leapfrog-pads", "leapfrog", cards=SHEETS["leapfrog-pads"].cards * 6)

    def app(_environ: object, start_response: object) -> list[bytes]:
        start_response("304 Not Modified", [("ETag", '"1"')])  # type: ignore[operator]
        return []

    server = create_server(app, host="127.0.0.1", port=0, threads=16)
    threading.Thread(target=server.run, daemon=True).start()
    address = f"http://127.0.0.1:{server.effective_port}/"
    took: list[float] = []
    done = threading.Event()

    def poll() -> None:
        while not done.is_set():
            begun = time.perf_counter()
            try:
                urlopen(address, timeout=5).close()
            except OSError:  # urllib takes 304 for an error
                pass
            took.append(time.perf_counter() - begun)
            time.sleep(0.02)

    make("leapfrog-cards", 5000)
    poller = threading.Thread(target=poll)
    poller.start()
    begun = time.perf_counter()
    for n in range(3):
        pages = pdf(sheet, Options(), Context(app=f"{ADDRESS}?poll{n}")).pages
    spent = time.perf_counter() - begun
    done.set()
    poller.join()
    server.close()
    p95 = statistics.quantiles(took, n=20)[-1] * 1e3
    say(f"{len(took)} polls while {pages} pages rendered 3 times in {spent:.1f} s: p95 {p95:.0f} ms")


if __name__ == "__main__":
    times()
    sizes()
    growth()
    polls()
