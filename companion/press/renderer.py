"""One render at a time, in a worker process with a time limit and a memory limit."""

import atexit
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import NamedTuple, cast

from companion.press.jobs import Job, Made
from companion.press.worker import receive, send

SECONDS = 60.0
"""What one render may take: a second or two, far more on a small board that is busy."""
PATIENCE = 30.0
"""How long a print waits for those before it."""
MEMORY = 1 << 30
"""The address space it may take, in bytes; 160 pages need less than half of it."""
RENDERS = 200
"""After so many the worker is replaced, which gives back what its libraries kept."""
log = logging.getLogger("companion.press")


class PrintFailed(RuntimeError):
    """A PDF could not be made now: `key` names the sentence why, `retry_after` the seconds until asking again helps."""

    def __init__(self, key: str, retry_after: int | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.retry_after = retry_after


class Engine(NamedTuple):
    """Whether PDFs can be made here, and if not the key of the sentence that says what to install."""

    available: bool
    reason: str | None


class Renderer:
    """The worker and the queue before it."""

    def __init__(self, seconds: float = SECONDS, renders: int = RENDERS, memory: int = MEMORY) -> None:
        self.seconds = seconds
        self.memory = memory
        self.renders = renders
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._owner = 0
        self._made = 0
        self._greeted = False
        self._reason: str | None = None

    def warm(self) -> None:
        """Starts the worker if none lives, without waiting for it: it loads while a document is put together."""
        if self._lock.acquire(blocking=False):
            try:
                self._live() or self._spawn()
            finally:
                self._lock.release()

    def engine(self) -> Engine:
        """Returns whether the engine is there; the first call starts it. One that is at work is there."""
        if self._lock.acquire(blocking=False):
            try:
                if self._reason is None:
                    self._ready()
            finally:
                self._lock.release()
        return Engine(self._reason is None, self._reason)

    def render(self, job: Job) -> Made:
        """Returns the PDF of a document. Raises PrintFailed."""
        if not self._lock.acquire(timeout=PATIENCE):
            raise PrintFailed("print.engine.busy", retry_after=5)
        try:
            process = self._ready()
            if process is None:
                raise PrintFailed(self._reason or "print.engine.failed")
            answer = self._ask(process, job)
            if not isinstance(answer, Made):
                log.error("a render failed: %s", answer)
                raise PrintFailed("print.engine.failed", retry_after=5)
            for line in answer.log:
                log.warning("the PDF engine says: %s", line)
            return answer
        finally:
            self._lock.release()

    def close(self) -> None:
        """Ends the worker."""
        with self._lock:
            self._stop()

    def _live(self) -> subprocess.Popen[bytes] | None:
        if self._owner != os.getpid():
            self._process = None  # inherited by a fork: it is the parent's to talk to
        if self._process is not None and (self._process.poll() is not None or self._made >= self.renders):
            self._stop()
        return self._process

    def _spawn(self) -> subprocess.Popen[bytes]:
        root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
        environ = os.environ | {"PYTHONPATH": path}
        if os.name == "posix":
            # It has no other program to run; the search for Pango would run a compiler over and over, if there is one.
            environ["PATH"] = os.devnull
        # The engine unpacks the fonts, some megabytes, and a killed worker cannot take them away.
        self._folder = mkdtemp(prefix="companion-press-")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "companion.press.worker", str(self.memory), self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environ,
        )
        self._owner, self._made, self._greeted = os.getpid(), 0, False
        return self._process

    def _ready(self) -> subprocess.Popen[bytes] | None:
        """Returns a worker that has greeted; None, with the reason kept, where it found no engine."""
        process = self._live() or self._spawn()
        if self._greeted:
            return process
        answer = self._ask(process, None)
        if answer is None and process.poll() is None:
            self._greeted, self._reason = True, None
            return process
        self._stop()
        self._reason = answer if isinstance(answer, str) and answer.startswith("print.") else "print.engine.failed"
        return None

    def _ask(self, process: subprocess.Popen[bytes], job: Job | None) -> Made | str | None:
        """Sends a job and returns the answer: a text is an error. Without a job it waits for the worker's greeting."""
        assert process.stdin is not None, "opened as a pipe"
        assert process.stdout is not None, "opened as a pipe"
        limit = threading.Timer(self.seconds, process.kill)
        limit.start()
        try:
            if job is not None:
                send(process.stdin, job)  # type: ignore[arg-type]  # a pipe is a BinaryIO in all but name
                self._made += 1
            return cast("Made | str | None", receive(process.stdout))  # type: ignore[arg-type]
        except (EOFError, OSError):
            self._stop()
            return "the worker ended: out of time or memory, or crashed"
        finally:
            limit.cancel()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:  # what was still to be written to it is lost with it
                        pass
            process.wait()
            rmtree(self._folder, ignore_errors=True)


RENDERER = Renderer()
atexit.register(RENDERER.close)
