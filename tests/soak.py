"""Tables with three phones each, cut off and repeating themselves at random, while their server is killed again.

    python -m tests.soak --tables 50 --entries 200 [--postgresql] [--seconds 100]

Each phone does what static/table.js does: a queue in order, a key for each entry, the version it saw, a question at a
clash. At the end nothing acknowledged may be missing, nothing may stand twice, every record must fold, and every phone
must hold what the server holds.
"""

import argparse
import http.client
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from companion.engine.findings import RecordError, Refused
from companion.engine.fold import fold
from companion.engine.record import record_from
from tests.cli.command import environment
from tests.cli.serving import wait_for
from tests.pg import Cluster

PHONES = 3
THREADS = 12
FORM = "application/x-www-form-urlencoded"


class Servers:
    """Processes on one database, of which any may be killed; phones come to one of them, as through a proxy."""

    def __init__(self, data: Path, url: str | None, processes: int) -> None:
        self.data = data
        self.url = url
        self.key = "k" * 40
        self.ports = [_free_port() for _ in range(processes)]
        self.log = (data / "log").open("ab")
        # One after the other, as migrations are made by the first.
        self.running: list[subprocess.Popen[bytes]] = []
        for port in self.ports:
            self.running.append(self._start(port))
            wait_for(port)

    def _start(self, port: int) -> subprocess.Popen[bytes]:
        where = {"COMPANION_DATABASE_URL": self.url} if self.url else {}
        return subprocess.Popen(
            [sys.executable, "-m", "companion", "serve", "--host", "127.0.0.1", "--port", str(port)],
            stdout=self.log,
            stderr=self.log,
            env=environment(COMPANION_DATA=str(self.data), COMPANION_SECRET_KEY=self.key, **where),
        )

    def kill(self, which: int) -> None:
        """Kills one process in the middle of whatever it does, and starts it again."""
        self.running[which].kill()
        self.running[which].wait(10)
        self.running[which] = self._start(self.ports[which])
        wait_for(self.ports[which])

    def turn_key(self) -> None:
        """Starts every process again with another secret key: no session and no form token holds any more."""
        self.key = f"{random.getrandbits(200):050x}"
        for which in range(len(self.running)):
            self.kill(which)

    def close(self) -> None:
        for process in self.running:
            process.kill()
            process.wait(10)
        self.log.close()


class Waiting(NamedTuple):
    """One entry in a phone's queue."""

    key: str
    expected: int
    fields: tuple[tuple[str, str], ...]


class Phone:
    """One phone at a table."""

    def __init__(self, servers: Servers, chance: random.Random, table: str = "") -> None:
        self.servers = servers
        self.chance = chance
        self.table = table
        self.version = 0
        self.tag = ""
        self.copy: list[dict[str, Any]] | None = None
        self.queue: list[Waiting] = []
        self.acknowledged: Counter[str] = Counter()
        self.let_go: set[str] = set()
        self.away = 0
        self.over = False
        self.counts: Counter[str] = Counter()
        self._cookies: dict[str, str] = {}
        self._token = ""
        self._line: http.client.HTTPConnection | None = None

    def start(self) -> str:
        """Opens a table."""
        page = self._ask("GET", "/new/leapfrog")[1].decode()
        fields = {"csrf_token": self._token_in(page), "key": self._new_key(), "name": "Ann", "variant": "standard"}
        self.table = json.loads(self._ask("POST", "/new/leapfrog", urlencode(fields))[1])["url"]
        return self.table

    def sit_down(self) -> None:
        self._token = self._token_in(self._ask("GET", self.table)[1].decode())

    def step(self) -> None:
        """Does what a phone does in a moment; what fails for want of a server is tried again another time."""
        if self.away:
            self.away -= 1
        elif self.chance.random() < 0.04:
            self.away = self.chance.randrange(1, 6)
            self.counts["away"] += 1
        if len(self.queue) < 4 and (self.away or not self.queue):
            self._tap()
        if self.away:
            return
        try:
            if self.queue:
                self._send()
            if self.chance.random() < 0.3:
                self.poll()
        except (OSError, http.client.HTTPException):
            self.counts["no server"] += 1
            self._hang_up()
            time.sleep(0.05)

    def poll(self) -> None:
        have = "" if self.copy is None else f"{len(self.copy)}:{self.copy[-1]['id'] if self.copy else ''}"
        headers = {"If-None-Match": self.tag} if self.copy is not None and len(self.copy) == self.version else {}
        status, body = self._ask("GET", f"{self.table}/live", None, {**headers, "X-Have": have})
        if status == 200:
            self._show(json.loads(body))

    def _tap(self) -> None:
        self.counts["taps"] += 1
        if self.over or self.chance.random() < 0.25:
            fields = (("undo", "1"),)
        else:
            fields = (("entry", json.dumps({"type": "won", "seat": self.chance.randrange(2)})),)
        self.queue.append(Waiting(self._new_key(), self.version + len(self.queue), fields))

    def _send(self) -> None:
        first = self.queue[0]
        sent = [("csrf_token", self._token), ("key", first.key), ("expected", first.expected), *first.fields]
        body = urlencode([*sent, ("behind", len(self.queue) - 1)])
        fate = self.chance.random()
        if fate < 0.08:
            # The answer is lost: the phone cannot know whether it was entered.
            self.counts["answers lost"] += 1
            self._put("POST", self.table, body, {})
            if fate < 0.04:
                assert self._line
                self._line.getresponse().read()
            self._hang_up()
            return
        if fate < 0.12:
            self.counts["repeats"] += 1
            for _ in range(4):
                self._ask("POST", self.table, body)
        status, answer = self._ask("POST", self.table, body)
        if status >= 500:
            raise http.client.HTTPException
        told = json.loads(answer)
        if "csrf" in told:
            self.counts["keys turned"] += 1
            self._token = told["csrf"]
            return
        self._settle(status, first)
        self._show(told)
        if status == 409 and self.queue:
            if self.chance.random() < 0.7:
                self.queue = [one._replace(expected=self.version + n) for n, one in enumerate(self.queue)]
            else:
                self.let_go.update(one.key for one in self.queue)
                self.queue.clear()

    def _settle(self, status: int, first: Waiting) -> None:
        self.counts[str(status)] += 1
        undo = first.fields[0][0] == "undo"
        if status == 200:
            self.acknowledged[first.key] += 1
            self.over = False
        elif status in (400, 422) or undo:
            # Refused: the game is over, or there is nothing to take back.
            self.let_go.add(first.key)
            self.over = not undo
        if status != 409 or undo:
            self.queue.remove(first)
        if status in (400, 422):
            self.let_go.update(one.key for one in self.queue)
            self.queue.clear()

    def _show(self, told: dict[str, Any]) -> None:
        assert told["version"] >= self.version, "the table went back"
        self.version, self.tag = told["version"], told["tag"]
        log = told["log"]
        assert "apart" not in log, "the log was rewritten"
        lines = [] if "head" in log else self.copy or []
        if log["after"] == len(lines):
            self.copy = [*lines, *log["lines"]]

    def _ask(self, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None) -> Any:
        self._put(method, path, body, {"X-Have": self._have(), **(headers or {})})
        assert self._line
        answer = self._line.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, rest = value.partition(";")[0].partition("=")
                self._cookies[cookie] = rest
        return answer.status, answer.read()

    def _have(self) -> str:
        return "" if self.copy is None else f"{len(self.copy)}:{self.copy[-1]['id'] if self.copy else ''}"

    def _put(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> None:
        if self._line is None:
            self._line = http.client.HTTPConnection("127.0.0.1", self.chance.choice(self.servers.ports), timeout=10)
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        accept = {"Accept": "text/html" if path.startswith("/new") and method == "GET" else "application/json"}
        self._line.request(method, path, body, {**accept, "Cookie": cookies, "Content-Type": FORM, **headers})

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def _new_key(self) -> str:
        return f"{self.chance.getrandbits(128):032x}"

    def _token_in(self, page: str) -> str:
        found = re.search(r'name="csrf_token" value="([^"]+)"', page)
        assert found
        return found[1]


class Found(NamedTuple):
    """What came of it: everything but the first two must be 0."""

    acknowledged: int
    counts: Counter[str]
    lost: int
    doubled: int
    unwanted: int
    unfoldable: int
    differing: int

    @property
    def clean(self) -> bool:
        return not any(self[2:])


def soak(servers: Servers, tables: int, entries: int, kills: int, seconds: float = 1e9, seed: int = 1) -> Found:
    """Plays until every phone has so many entries acknowledged or the time is over, and looks at what is left."""
    chance = random.Random(seed)
    phones: list[list[Phone]] = []
    for number in range(tables):
        first = Phone(servers, random.Random(f"{seed} {number} 0"))
        first.start()
        others = [Phone(servers, random.Random(f"{seed} {number} {n}"), first.table) for n in range(1, PHONES)]
        phones.append([first, *others])
        for phone in phones[-1]:
            phone.sit_down()
    until = time.monotonic() + seconds
    failed: list[BaseException] = []

    def play(mine: list[Phone]) -> None:
        try:
            busy = mine
            while busy and time.monotonic() < until and not failed:
                for phone in busy:
                    phone.step()
                busy = [phone for phone in busy if phone.acknowledged.total() < entries]
        except BaseException as error:
            failed.append(error)

    every = [phone for table in phones for phone in table]
    # The phones of a table are in different threads.
    threads = [threading.Thread(target=play, args=(every[n::THREADS],)) for n in range(min(THREADS, len(every)))]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    goal = tables * PHONES * entries
    for number in range(1, kills + 1):
        while any(thread.is_alive() for thread in threads):
            done = sum(phone.acknowledged.total() for phone in every)
            share = (time.monotonic() - begun) / seconds
            if max(done / goal, share) >= number / (kills + 1):
                break
            time.sleep(0.02)
        if number % 3 == 2:
            servers.turn_key()
        else:
            servers.kill(chance.randrange(len(servers.ports)))
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return _look(phones)


def _look(phones: list[list[Phone]]) -> Found:
    lost = doubled = unwanted = unfoldable = differing = acknowledged = 0
    counts: Counter[str] = Counter()
    for table in phones:
        for phone in table:
            phone._hang_up()
            phone.poll()
            counts.update(phone.counts)
            acknowledged += len(phone.acknowledged)
        raw = json.loads(table[0]._ask("GET", f"{table[0].table}/record.json")[1])
        for phone in table:
            phone._hang_up()
        keys = Counter(entry["id"] for entry in raw["entries"])
        lost += sum(1 for phone in table for key in phone.acknowledged if not keys[key])
        doubled += sum(1 for key in keys if keys[key] > 1)
        doubled += sum(1 for phone in table for times in phone.acknowledged.values() if times > 1)
        unwanted += sum(1 for phone in table for key in phone.let_go if keys[key])
        differing += sum(1 for phone in table if phone.copy != raw["entries"])
        try:
            fold(record_from(raw))
        except (RecordError, Refused):
            unfoldable += 1
    return Found(acknowledged, counts, lost, doubled, unwanted, unfoldable, differing)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in (("tables", 50), ("entries", 200), ("kills", 12), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--postgresql", action="store_true")
    asked = parser.parse_args()
    cluster = Cluster() if asked.postgresql else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            servers = Servers(Path(folder), cluster.new_database() if cluster else None, 2 if cluster else 1)
            try:
                begun = time.monotonic()
                found = soak(servers, asked.tables, asked.entries, asked.kills, asked.seconds, asked.seed)
                spent = time.monotonic() - begun
            finally:
                servers.close()
    finally:
        if cluster:
            cluster.close()
    what = (
        f"{asked.tables} tables x {PHONES} phones, {len(servers.ports)} process(es), {asked.kills} kills, {spent:.0f} s"
    )
    print(f"{what}: {found}")  # noqa: T201
    sys.exit(not found.clean)


if __name__ == "__main__":
    main()
