"""What an entry and a poll cost through the whole app, as multiples of a bare hello-world request of the same run.

    python -m tests.bench.bench_web

Processor time, so that neither the disk's sync nor other programs count. An entry and a hello take turns: each then
finds the processor's caches as the other left them, as on a server that does more than one thing.
"""

import io
import json
import re
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Flask

from companion.app import create_app
from companion.config import load
from companion.engine.record import MOST_ENTRIES, read_record
from companion.engine.registry import GAMES
from companion.table import Tables
from tests.bench.bench_bouts import bout

VECTORS = Path(__file__).parents[1] / "vectors"
HOST = "192.168.1.20:8765"
TIMES = 4


def environ(method: str, path: str, body: bytes = b"", **more: str) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "table",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": HOST,
        "HTTP_ACCEPT": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **more,
    }


def timed(app: Callable[..., Iterable[bytes]], request: dict[str, Any], expected: str) -> tuple[float, bytes]:
    """Returns the processor time of one request, in seconds, and its answer."""
    status: list[str] = []
    began = time.thread_time()
    body = b"".join(app(request, lambda found, headers, error=None: status.append(found)))
    spent = time.thread_time() - began
    assert status[0].startswith(expected), (status, body[:300])
    return spent, body


def leave_out_the_sync(store: Any) -> None:
    """Keeps the disk out of it: what a sync costs is the disk's affair, and bench_store's."""
    connection = store._database.engine.raw_connection()
    connection.cursor().execute("PRAGMA synchronous=OFF")
    connection.close()


def cases() -> Iterator[tuple[str, dict[str, Any], int]]:
    """Yields what to play: a name, a record, and how many of its entries stand before the first one timed."""
    for slug in GAMES:
        for kind in ("by-result", "by-card"):
            name = f"{slug}.{kind}"
            line = (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[0]
            yield name, json.loads(line)["record"], 0
    yield "measure-and-tempo, the end of the longest record by-card", bout(MOST_ENTRIES, play_limit=False).json(), 1960


def opened(tables: Tables, raw: dict[str, Any], before: int) -> str:
    if not before:
        return tables.start(raw["game"], raw["players"], raw["setup"]).row.id
    # Two tables of one record would be one table: so each has names of its own.
    names = [f"{name} {secrets.token_hex(4)}" for name in raw["players"]]
    part = read_record(json.dumps(raw | {"players": names, "entries": raw["entries"][:before]}))
    return tables.bring_in(part).table.id


def main() -> None:
    hello = Flask("hello")
    hello.add_url_rule("/", "hello", lambda: "hello")
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(load(data=folder, environ={}))
        tables = app.extensions["tables"]
        leave_out_the_sync(tables.store)
        client = app.test_client()
        page = client.get("/new/leapfrog", headers={"Host": HOST})
        token = re.search(r'csrf_token" value="([^"]+)', page.text)
        assert token
        session = page.headers["Set-Cookie"].partition(";")[0]
        for name, raw, before in cases():
            cookie = f"{session}; companion_look=auto.2.on..{'card' if 'card' in name else 'result'}"
            entries: list[list[float]] = []
            hellos: list[float] = []
            for game in range(TIMES + 1):
                table = opened(tables, raw, before)
                last = tables.lines(tables.open(table), before - 1)[0]["id"] if before else ""
                entries.append([])
                for version, entry in enumerate(raw["entries"][before:], before):
                    fields = {"csrf_token": token[1], "key": f"{game}-{version}", "expected": version}
                    body = urlencode({**fields, "entry": json.dumps(entry)}).encode()
                    asked = environ("POST", f"/t/{table}", body, HTTP_COOKIE=cookie, HTTP_X_HAVE=f"{version}:{last}")
                    spent, answer = timed(app, asked, "200")
                    # The phone keeps the log, and says up to where.
                    last = json.loads(answer)["log"]["lines"][-1]["id"]
                    entries[-1].append(spent)
                    hellos.append(timed(hello, environ("GET", "/"), "200")[0])
            # The first game warms up.
            ratio = statistics.median(chain(*entries[1:])) / statistics.median(hellos)
            half = (len(raw["entries"]) - before) // 2
            early = statistics.median(chain(*(one[:half] for one in entries[1:])))
            late = statistics.median(chain(*(one[half:] for one in entries[1:])))
            print(f"{name}: an entry is {ratio:.1f} hellos (most: 16); its later half {late / early:.2f} of the first")  # noqa: T201
        where = f"/t/{table}/live"
        told = json.loads(timed(app, environ("GET", where, HTTP_COOKIE=session), "200")[1])
        polls, hellos = [], []
        for _ in range(2000):
            polls.append(
                timed(app, environ("GET", where, HTTP_COOKIE=session, HTTP_IF_NONE_MATCH=told["tag"]), "304")[0]
            )
            hellos.append(timed(hello, environ("GET", "/"), "200")[0])
        rate = statistics.median(hellos) / statistics.median(polls)
        print(f"an unchanged poll: {rate:.2f} of the hello rate (least: 0.5)")  # noqa: T201
        tables.store.close()


if __name__ == "__main__":
    main()
