"""What holds for every test: nothing leaves this computer, and chance repeats itself."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from companion.store import open_store
from companion.table import Tables

# A time limit for each example would make a busy machine fail tests.
settings.register_profile("companion", deadline=None, derandomize=True, print_blob=True)
# By hand: HYPOTHESIS_PROFILE=long tries new things, and many more of them.
settings.register_profile("long", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "companion"))

# There pytest works out a full diff of what should be equal: of two whole games, hundreds of states, for minutes.
for name in ("CI", "BUILD_NUMBER"):
    os.environ.pop(name, None)

LOOPBACK = ("127.", "::1", "localhost")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden playthroughs anew, for review")


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    """Lets sockets connect to this computer only; a datagram socket's connect sends nothing and is left alone."""

    def guarded(name: str) -> Any:
        real = getattr(socket.socket, name)

        def connect(self: socket.socket, address: Any) -> Any:
            inward = self.family not in (socket.AF_INET, socket.AF_INET6) or self.type == socket.SOCK_DGRAM
            if not inward and not str(address[0]).startswith(LOOPBACK):
                raise AssertionError(f"a test tried to connect to {address}")
            return real(self, address)

        return connect

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, guarded(name))
        yield


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    """A table service on a database of the test's own."""
    store = open_store(f"sqlite:///{tmp_path}/tables.sqlite3")
    yield Tables(store, clock=lambda: 1_800_000_000.0)
    store.close()
