"""The worker: one render at a time, with limits, and what happens when it fails."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.press.jobs import Job
from companion.press.renderer import SECONDS, Renderer
from companion.printing import SHEETS, Options, PrintFailed
from companion.printing.document import build
from tests.printing.conftest import ALL

pytestmark = pytest.mark.slow


def job(name: str = "qr-card", **changes: object) -> Job:
    return build(SHEETS[name], Options(), ALL).job()._replace(**changes)


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    found = Renderer()
    yield found
    found.close()


def test_a_render_beyond_its_time_is_stopped_and_the_next_one_works(renderer: Renderer) -> None:
    renderer.render(job())
    renderer.seconds = 0.3
    with pytest.raises(PrintFailed) as failed:
        renderer.render(job("leapfrog-kit"))
    assert failed.value.key == "print.engine.failed"
    assert failed.value.retry_after
    renderer.seconds = SECONDS
    assert renderer.render(job()).pages == 1


def test_a_worker_that_dies_is_replaced(renderer: Renderer) -> None:
    renderer.render(job())
    assert renderer._process is not None
    renderer._process.kill()
    renderer._process.wait()
    assert renderer.render(job()).pages == 1


def test_a_worker_is_replaced_after_so_many_renders(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    workers = []
    for _ in range(3):
        renderer.render(job())
        assert renderer._process is not None
        workers.append(renderer._process.pid)
        monkeypatch.setattr(renderer, "renders", renderer._made + (len(workers) == 1))
    assert workers[0] == workers[1] != workers[2]


def test_no_worker_leaves_files_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fonts that the engine unpacks go with the worker, whether it ends by itself, is killed or is left alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = Renderer()
    own.render(job())
    [folder] = tmp_path.iterdir()
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) > 1_000_000, "fonts lie here"
    own.close()
    assert list(tmp_path.iterdir()) == []

    own.render(job())
    own.seconds = 0.01
    with pytest.raises(PrintFailed):
        own.render(job("leapfrog-kit"))
    assert list(tmp_path.iterdir()) == []

    left = "from companion.press.renderer import RENDERER; import os; RENDERER.engine(); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", left], env=os.environ | {"TMPDIR": str(tmp_path)}, check=False)
    until = time.monotonic() + 30
    while list(tmp_path.iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "markup",
    [
        '<link rel="stylesheet" href="file:///etc/passwd"/>',
        '<link rel="attachment" href="file:///etc/passwd"/>',
        '<link rel="stylesheet" href="http://127.0.0.1:9/x.css"/>',
        '<link rel="stylesheet" href="http://printables/css/../sheets.json"/>',
        '<img src="file:///etc/hostname" alt="x"/>',
        '<img src="data:text/html,x" alt="x"/>',
    ],
)
def test_a_sheet_reaches_no_file_and_no_network(renderer: Renderer, markup: str) -> None:
    place = "</body>" if markup.startswith("<img") else "</head>"
    evil = job()._replace(html=job().html.replace(place, markup + place))
    with pytest.raises(PrintFailed):
        renderer.render(evil)
    assert renderer.render(job()).pages == 1


def test_a_render_that_wants_too_much_memory_fails_and_the_app_stays() -> None:
    renderer = Renderer(memory=500 << 20)
    assert renderer.render(job()).pages == 1
    with pytest.raises(PrintFailed):
        renderer.render(job(html=f"<html><p>{'x ' * (100 << 20)}</p></html>"))
    assert renderer.render(job()).pages == 1
    renderer.close()


def test_many_at_once_get_their_own_sheets(renderer: Renderer) -> None:
    made: dict[str, int] = {}
    names = ["qr-card", "leapfrog-score", "calibration", "chameleon-tricks-score-2"]

    def ask(name: str) -> None:
        made[name] = renderer.render(job(name)).pages

    threads = [threading.Thread(target=ask, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == {"qr-card": 1, "leapfrog-score": 1, "calibration": 2, "chameleon-tricks-score-2": 1}


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("raise OSError('cannot load library libgobject-2.0-0')", "print.engine.pango"),
        ("raise ImportError('No module named weasyprint')", "print.engine.missing"),
    ],
)
def test_without_the_engine_the_reason_is_told_and_pages_still_come(
    broken: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, importlib.abc\n"
        "class Gone(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'weasyprint':\n"
        "            print('a banner of advice')\n"
        f"            {broken}\n"
        "sys.meta_path.insert(0, Gone())\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    renderer = Renderer()
    assert renderer.engine() == (False, reason)
    with pytest.raises(PrintFailed) as failed:
        renderer.render(job())
    assert failed.value.key == reason
    assert "<html" in build(SHEETS["leapfrog-cards"], Options(), ALL, "/a/").html
