"""A hosted companion as it is run: the README's gunicorn line, processes of its own, and a proxy in front."""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

from werkzeug.test import Client

from companion import net
from tests.cli.command import environment
from tests.cli.serving import wait_for

README = Path(__file__).parents[2] / "README.md"
HOST = "table.test"
SECRET = "s3cret-" * 6
PROXY = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7", "Referer": f"https://{HOST}/"}


class Hosted(NamedTuple):
    """A companion that answers at a port of this computer; `log` gathers what it wrote."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def lines(self) -> list[dict[str, Any]]:
        """Returns what the workers logged."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def test_client(self) -> Client:
        """Returns a browser behind the proxy."""
        return Client(self._hand_on)

    def _hand_on(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        headers = {name[5:].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
        if environ.get("CONTENT_TYPE"):
            headers["Content-Type"] = environ["CONTENT_TYPE"]
        query = environ.get("QUERY_STRING")
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        path = environ["PATH_INFO"] + (f"?{query}" if query else "")
        connection.request(environ["REQUEST_METHOD"], path, body, {**headers, "Connection": "close"})
        answer = connection.getresponse()
        told = answer.read()
        connection.close()
        start_response(f"{answer.status} {answer.reason}", answer.getheaders())
        return [told]


@contextmanager
def hosted(database: str, workers: int) -> Iterator[Hosted]:
    """Serves a database with so many processes until the block ends."""
    [line] = re.findall(r"^gunicorn .*?'$", README.read_text(encoding="utf-8").replace("\\\n", ""), re.MULTILINE)
    with net.listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    typed = shlex.split(line.replace("127.0.0.1:8000", f"127.0.0.1:{port}"))
    typed[typed.index("--workers") + 1] = str(workers)
    with tempfile.TemporaryDirectory() as home:
        settings = {
            "COMPANION_HOSTED": "1",
            "COMPANION_SECRET_KEY": SECRET,
            "COMPANION_PUBLIC_URL": f"https://{HOST}",
            "COMPANION_DATABASE_URL": database,
            "HOME": home,
        }
        log = Path(home) / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", *typed], env=environment(**settings), stdout=out, stderr=subprocess.STDOUT
            )
            try:
                wait_for(port)
                yield Hosted(process, port, log)
                process.terminate()
                assert process.wait(30) == 0
            finally:
                process.kill()
