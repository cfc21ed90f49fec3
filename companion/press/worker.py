"""The process that makes PDFs: reads jobs from standard input, one after the other, and answers on standard output.

A process of its own keeps a long render from holding up the polls of other phones (Python threads would share one
interpreter), can be stopped when it takes too long, and gives its memory back when it is replaced.
"""

import gc
import os
import pickle
import shutil
import sys
import tempfile
from typing import Any, BinaryIO

HEAD = 8


def send(stream: BinaryIO, message: Any) -> None:
    """Writes one message. Both ends are ours, so pickle is safe here."""
    body = pickle.dumps(message)
    stream.write(len(body).to_bytes(HEAD, "big") + body)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Reads one message. Raises EOFError where the other end is gone."""
    head = stream.read(HEAD)
    body = stream.read(int.from_bytes(head, "big")) if len(head) == HEAD else b""
    if not body:
        raise EOFError
    return pickle.loads(body)


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    os.nice(5)


def main() -> None:
    """Says whether the engine is there, then works until standard input ends.

    Arguments: the bytes it may take, and a folder of its own for files, which goes with it if the other end is gone.
    """
    tempfile.tempdir = sys.argv[2]
    try:
        _work()
    finally:
        shutil.rmtree(tempfile.tempdir, ignore_errors=True)


def _work() -> None:
    jobs = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints, such as the advice on a missing Pango, must not get between the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _limit(int(sys.argv[1]))
    # A document is thousands of small objects that all die with it: they are counted out between two jobs.
    gc.disable()
    try:
        from companion.press import weasy
    except ImportError:
        return send(answers, "print.engine.missing")
    except OSError:  # the package is there, Pango is not
        return send(answers, "print.engine.pango")
    send(answers, None)
    weasy.warm()
    gc.freeze()
    while True:
        try:
            job = receive(jobs)
        except EOFError:
            return None
        try:
            send(answers, weasy.make(job))
        except Exception as error:  # whatever it is, the other end must hear of it
            send(answers, f"{type(error).__name__}: {error}")
        gc.collect()


if __name__ == "__main__":
    main()
