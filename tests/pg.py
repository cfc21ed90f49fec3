"""A PostgreSQL server of the tests' own: made in a temporary folder, gone afterwards. A missing server is a failure."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import psycopg


def _programs() -> Path:
    beside = shutil.which("postgres")
    if beside:
        return Path(beside).resolve().parent
    # Debian keeps the server's programs, by version, off the search path.
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not found:
        raise RuntimeError("these tests need the PostgreSQL server programs (Debian: apt-get install postgresql)")
    return found[-1]


class Cluster:
    """A running server on a free loopback port; `settings` go to its command line."""

    def __init__(self, **settings: str) -> None:
        self._bin = _programs()
        self._numbers = count(1)
        self._settings = settings
        self.folder = Path(tempfile.mkdtemp(prefix="companion-pg-"))
        self._who: dict[str, Any] = {}
        if os.geteuid() == 0:
            # The server refuses to run as root.
            names = {entry.pw_name for entry in pwd.getpwall()}
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self._data = self.folder / "data"
        try:
            how = ("-U", "companion", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
            self._run("initdb", *how, "-D", str(self._data))
            self.port = _free_port()
            self.start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._bin / program, *arguments],
            check=True,
            cwd=self.folder,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            **self._who,
        )

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
            "max_connections": "100",
            "shared_buffers": "32MB",
            "autovacuum": "off",
            **self._settings,
        }
        line = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self._run("pg_ctl", "start", "-w", "-s", "-D", str(self._data), "-l", str(self.folder / "log"), "-o", line)

    def stop(self, how: str = "fast") -> None:
        """Stops the server; `immediate` is as a crash to it."""
        self._run("pg_ctl", "stop", "-w", "-s", "-m", how, "-D", str(self._data))

    def close(self) -> None:
        """Stops the server and removes its folder."""
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def process(self) -> int:
        """The id of the server's first process."""
        return int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])

    def url(self, database: str) -> str:
        """Returns a database's address."""
        return f"postgresql://companion@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Makes an empty database and returns its address."""
        name = f"test_{next(self._numbers)}"
        self.ask(f"CREATE DATABASE {name}")
        return self.url(name)

    def ask(self, statement: str, url: str | None = None) -> list[tuple[Any, ...]]:
        """Runs one statement on a connection of its own."""
        with psycopg.connect(url or self.url("postgres"), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def drop_connections(self, url: str) -> None:
        """Cuts every connection to a database, and waits until they are gone."""
        name = url.rpartition("/")[2]
        cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        until = time.monotonic() + 10
        while self.ask(cut):
            if time.monotonic() > until:
                raise RuntimeError("connections stay")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
