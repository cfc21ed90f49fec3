"""What a server does in a second: entries and polls, hosted with 1, 2 and 4 processes, and on a laptop.

    python -m tests.bench.bench_live [laptop | hosted | growth]

By hand, on Linux. The load comes from this process, over connections that stay open, and shares the cores with the
server and with PostgreSQL: the rates are those of the whole machine, and what else runs on it takes its part. What a
request costs is the processor time of the server's processes and of PostgreSQL's, which nobody else can change much.
Every phone polls with its own cookie, as in life; entries go to tables of their own, the disk's sync included.
"""

import json
import os
import re
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from secrets import token_urlsafe
from typing import NamedTuple
from urllib.parse import urlencode

from sqlalchemy import insert

from companion.store import open_store
from companion.store.schema import GAME_TABLE
from tests.bench.bench_store import fill_postgresql, show
from tests.cli.serving import serving
from tests.pg import Cluster
from tests.web.served import PROXY, hosted

WARM, SECONDS = 1.0, 4.0
CONNECTIONS = 8
PLAYED = 28
FILLED = 5
SETUP = {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0}


class Line:
    """One connection that stays open; an answer is its status, its headers and its body."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._port = port
        self._head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._socket = self._open()

    def _open(self) -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self._port), timeout=30)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def request(self, method: str, path: str, body: str = "", **more: str) -> bytes:
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in more.items())
        if body:
            lines += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        return f"{method} {path} HTTP/1.1\r\n{self._head}{lines}\r\n{body}".encode()

    def ask(self, request: bytes) -> tuple[int, str, bytes]:
        for _ in range(3):
            try:
                self._socket.sendall(request)
                return self._answer()
            except (ConnectionError, EOFError):
                # A worker that had its share of requests was replaced.
                self._socket.close()
                self._socket = self._open()
        raise ConnectionError("no answer")

    def _answer(self) -> tuple[int, str, bytes]:
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, body = got.partition(b"\r\n\r\n")
        text = head.decode("latin-1")
        status = int(text.split(" ", 2)[1])
        length = re.search(r"\r\ncontent-length: (\d+)", text, re.IGNORECASE)
        if status == 304:
            return status, text, b""
        if length is None:
            raise ValueError(text)
        while len(body) < int(length[1]):
            body += self._more()
        return status, text, body

    def _more(self) -> bytes:
        some = self._socket.recv(65536)
        if not some:
            raise EOFError
        return some


class Seated(NamedTuple):
    """A phone at a table: what it sends with every request."""

    table: str
    cookie: str
    token: str
    tag: str


def seat(line: Line, table: str) -> Seated:
    """Opens a table's page as a new phone does."""
    status, head, body = line.ask(line.request("GET", f"/t/{table}"))
    assert status == 200, body[:200]
    cookie = re.findall(r"set-cookie: (companion=[^;]+)", head, re.IGNORECASE)[0]
    token = re.findall(rb'csrf_token" value="([^"]+)', body)[0].decode()
    told = json.loads(line.ask(line.request("GET", f"/t/{table}/live", Cookie=cookie, Accept="application/json"))[2])
    return Seated(table, cookie, token, told["tag"])


def new_tables(database: str, count: int) -> list[str]:
    """Makes tables all at once, in one transaction."""
    rows = [
        {
            **{"id": token_urlsafe(16), "watch": token_urlsafe(16), "game": "leapfrog", "players": '["Ann", "Ben"]'},
            **{"setup": json.dumps(SETUP), "settings": "{}", "version": 0, "edition": 0, "origin": None},
            **{"created_at": time.time(), "active_at": time.time(), "binned_at": None},
        }
        for _ in range(count)
    ]
    with closing(open_store(database)) as store:
        store._database.write(lambda run: run.many(insert(GAME_TABLE), rows))
    return [str(row["id"]) for row in rows]


class Rate(NamedTuple):
    """Requests a second, and the processor time of each in milliseconds: the server's and its database's."""

    each_second: float
    server: float
    database: float


def rate(port: int, headers: dict[str, str], work: Callable[[Line, int, float], int], *processes: int) -> Rate:
    """Measures how many requests come back over so many connections at once, and what these processes spend on them."""
    lines = [Line(port, headers) for _ in range(CONNECTIONS)]

    def together(seconds: float) -> int:
        until = time.perf_counter() + seconds
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            return sum(pool.map(work, lines, range(CONNECTIONS), [until] * CONNECTIONS))

    # Every process has answered before it counts.
    together(WARM)
    before, began = [spent(one) for one in processes], time.perf_counter()
    done = together(SECONDS)
    took = time.perf_counter() - began
    costs = [(spent(one) - then) / done * 1000 for one, then in zip(processes, before, strict=True)]
    return Rate(done / took, *costs, *[0.0] * (2 - len(costs)))


def spent(process: int) -> float:
    """Returns the processor time that a process and its children have taken so far, in seconds."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat.parent.name) == process:
            # Children that have ended are counted here.
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) == process:
            ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def polls(port: int, headers: dict[str, str], tables: Sequence[str], *processes: int) -> Rate:
    opening = Line(port, headers)
    phones = [seat(opening, table) for table in tables]
    # Each new phone changed what the others see.
    phones = [one._replace(tag=_tag(opening, one)) for one in phones]

    def work(line: Line, part: int, until: float) -> int:
        asked = [_poll(line, one) for one in phones[part::CONNECTIONS]]
        done = 0
        while time.perf_counter() < until:
            status, _, _ = line.ask(asked[done % len(asked)])
            assert status == 304, status
            done += 1
        return done

    return rate(port, headers, work, *processes)


def _poll(line: Line, phone: Seated) -> bytes:
    return line.request("GET", f"/t/{phone.table}/live", Cookie=phone.cookie, If_None_Match=phone.tag)


def _tag(line: Line, phone: Seated) -> str:
    answer = line.ask(line.request("GET", f"/t/{phone.table}/live", Cookie=phone.cookie, Accept="application/json"))
    return str(json.loads(answer[2])["tag"])


def entries(port: int, headers: dict[str, str], tables: Sequence[str], *processes: int) -> Rate:
    """Plays whole games, each connection at tables of its own."""
    phone = seat(Line(port, headers), tables[0])
    fresh = [iter(tables[1 + part :: CONNECTIONS]) for part in range(CONNECTIONS)]

    def work(line: Line, part: int, until: float) -> int:
        done, table = 0, ""
        while time.perf_counter() < until:
            version = done % PLAYED
            if version == 0:
                table = next(fresh[part])
            line_of = {"csrf_token": phone.token, "key": f"k{version}", "expected": version}
            body = urlencode({**line_of, "entry": json.dumps({"type": "won", "seat": done % 2})})
            status, _, told = line.ask(
                line.request("POST", f"/t/{table}", body, Cookie=phone.cookie, Accept="application/json")
            )
            assert status == 200, told[:300]
            done += 1
        return done

    return rate(port, headers, work, *processes)


def bench_hosted(sizes: Iterable[int], workers_each: Iterable[int]) -> None:
    show("hosted, PostgreSQL, sync on")
    found: dict[str, list[float]] = {"polls": [], "entries": []}
    with closing(Cluster(shared_buffers="256MB", autovacuum="on")) as cluster:
        for size in sizes:
            database = cluster.new_database()
            open_store(database).close()
            fill_postgresql(database, size, FILLED)
            for workers in workers_each:
                with hosted(database, workers) as served:
                    headers = {**PROXY, "Connection": "keep-alive"}
                    for name, measure, count in (("polls", polls, 96), ("entries", entries, 500)):
                        tables = new_tables(database, count)
                        value = measure(served.port, headers, tables, served.process.pid, cluster.process)
                        found[name].append(value.server + value.database)
                        show(
                            f"  {size:7} tables stored, {workers} processes: {value.each_second:6.0f} {name} a second; "
                            f"each {value.server:.2f} ms of the server and {value.database:.2f} ms of PostgreSQL"
                        )
    for name, costs in found.items():
        show(f"  {name}: the last cost {costs[-1] / costs[0]:.2f} times the first")


def bench_laptop() -> None:
    """100 tables with three phones each, as quick as they ever poll, beside what the server can do."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        port, process = int(served.url.rpartition(":")[2]), served.process.pid
        headers = {"Host": f"127.0.0.1:{port}", "Connection": "keep-alive"}
        tables = new_tables(f"sqlite:///{folder}/tables.sqlite3", 100)
        most = polls(port, headers, tables, process)
        show(
            f"laptop, one process, SQLite: {most.each_second:.0f} polls a second, each {most.server:.2f} ms: "
            f"{1000 / most.server:.0f} would fill its core"
        )
        line = Line(port, headers)
        phones = [seat(line, table) for table in tables for _ in range(3)]
        phones = [one._replace(tag=_tag(line, one)) for one in phones]
        waits, before, began = [], spent(process), time.perf_counter()
        for turn in range(15):
            for place, phone in enumerate(phones):
                # Evenly over the second; every table's trick takes about ten seconds.
                time.sleep(max(0.0, began + turn + place / len(phones) - time.perf_counter()))
                if place % 30 == turn % 10 * 3:
                    _enter(line, phone, turn // 10)
                asked = time.perf_counter()
                status, _, told = line.ask(_poll(line, phone))
                waits.append(time.perf_counter() - asked)
                if status == 200:
                    phones[place] = phone._replace(tag=json.loads(told)["tag"])
        share = (spent(process) - before) / (time.perf_counter() - began)
        waits.sort()
        show(
            f"  100 tables x 3 phones, a poll a second each, 10 entries a second: {share * 100:.0f} % of its core; "
            f"answers in {waits[len(waits) // 2] * 1000:.1f} ms, p95 {waits[len(waits) * 95 // 100] * 1000:.1f} ms"
        )


def _enter(line: Line, phone: Seated, version: int) -> None:
    body = urlencode(
        {
            "csrf_token": phone.token,
            "key": f"k{version}",
            "expected": version,
            "entry": json.dumps({"type": "won", "seat": version % 2}),
        }
    )
    status, _, told = line.ask(
        line.request("POST", f"/t/{phone.table}", body, Cookie=phone.cookie, Accept="application/json")
    )
    assert status == 200, told[:300]


def main() -> None:
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what in ("", "laptop"):
        bench_laptop()
    if what in ("", "hosted"):
        bench_hosted([1000], [1, 2, 4])
    if what in ("", "growth"):
        bench_hosted([1000, 100_000], [2])


if __name__ == "__main__":
    main()
