"""An app on an empty folder, and a phone that speaks to it in forms."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from werkzeug.test import Client, TestResponse

from companion.app import create_app
from companion.config import load

HOST = "192.168.1.20:8765"


class Phone:
    """One phone: what it was shown last is what it sends from."""

    def __init__(self, app: Flask, lang: str = "en") -> None:
        self.client: Client = app.test_client()
        self.headers = {"Host": HOST, "Accept-Language": lang}
        self.page = ""
        self.table = ""

    def get(self, path: str, **headers: str) -> TestResponse:
        answer = self.client.get(path, headers={**self.headers, **headers})
        if answer.mimetype == "text/html" and answer.status_code != 303:
            self.page = answer.text
        return answer

    def post(self, path: str, fields: dict[str, Any], **headers: str) -> TestResponse:
        answer = self.client.post(path, data=fields, headers={**self.headers, **headers})
        if answer.mimetype == "text/html" and answer.status_code != 303:
            self.page = answer.text
        return answer

    def hidden(self, name: str) -> str:
        """Returns a hidden field of the page shown last."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        assert found, f"no field {name} on the page"
        return html.unescape(found[1])

    def start(self, slug: str = "leapfrog", **setup: Any) -> str:
        """Opens a table with the first dealer A and returns its address."""
        self.get(f"/new/{slug}")
        first = {"dealer": "0", "first": "0"}
        answer = self.post(f"/new/{slug}", {**self.form(), "name": ["Ann", "Ben"], **first, **setup})
        assert answer.status_code == 303, answer.text
        self.table = answer.headers["Location"]
        self.get(self.table)
        return self.table

    def form(self) -> dict[str, Any]:
        return {name: self.hidden(name) for name in ("csrf_token", "key") if f'name="{name}"' in self.page}

    def enter(self, entry: dict[str, Any] | None = None, **fields: Any) -> TestResponse:
        """Sends the table's form as a phone without scripts does, and follows to what comes then."""
        sent = {**self.form(), "expected": self.hidden("expected"), **fields}
        if entry is not None:
            sent["entry"] = json.dumps(entry)
        answer = self.post(self.table, sent)
        if answer.status_code == 303:
            self.get(self.table)
        return answer

    def won(self, *seats: int) -> None:
        """Enters tricks by their results."""
        for seat in seats:
            assert self.enter({"type": "won", "seat": seat}).status_code == 303

    def record(self) -> dict[str, Any]:
        """Returns the table's record."""
        found: dict[str, Any] = json.loads(self.get(f"{self.table}/record.json").text)
        return found


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """Returns what keeps compiled templates from one test to the next: they take most of a test's time."""
    return FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))


@pytest.fixture
def app(tmp_path: Path, compiled: FileSystemBytecodeCache) -> Iterator[Flask]:
    made = create_app(load(data=str(tmp_path), environ={}))
    made.jinja_env.bytecode_cache = compiled
    made.testing = True
    yield made
    made.extensions["tables"].store.close()


@pytest.fixture
def phone(app: Flask) -> Phone:
    return Phone(app)
