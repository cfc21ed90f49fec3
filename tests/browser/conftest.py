"""Phones at a table: Debian's Chromium as a phone, on an address that is no secure context."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, Playwright, expect, sync_playwright

from tests.cli.command import environment
from tests.cli.serving import wait_for

WHOLE = os.environ.get("CHROMIUM") or "/usr/bin/chromium"
# The build without windows takes half the time. It keeps no page that was left, so Back needs the whole one.
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or WHOLE
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A name that is not this computer's: what works here works on a phone in the same network.
    "--host-resolver-rules=MAP *.test 127.0.0.1",
]
SMALL = (360, 640)
# How long a page may take on a machine with much else to do; how quick it is, the benchmarks tell.
expect.set_options(timeout=15_000)


HEARING = """new Promise((done) => {
    const look = (times) => times && document.querySelector('[data-deaf]') ? setTimeout(look, 10, times - 1) : done();
    look(500);
})"""


def hearing(page: Page) -> None:
    """Waits while the page is deaf, as it is for a moment after a tap, so that a finger that shakes enters once."""
    # Asked in the page itself: from outside it is looked at four times a second at first, then ever less often.
    with suppress(Error):  # another page has come meanwhile
        page.evaluate(HEARING)
    expect(page.locator("[data-deaf]")).to_have_count(0)


class Phone:
    """One phone, and how often it was tapped."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page = context.new_page()
        self.page.set_default_timeout(20_000)
        self.taps = 0
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))

    def find(self, css: str, text: str = "") -> Locator:
        found = self.page.locator(css)
        return (found.filter(has_text=text) if text else found).first

    def tap(self, css: str, text: str = "") -> "Phone":
        return self.press(self.find(css, text))

    def press(self, what: Locator) -> "Phone":
        hearing(self.page)
        # Closed keys are pressed as well: they say why.
        what.tap(force=True)
        self.taps += 1
        return self

    def fits(self) -> None:
        """Asserts that nothing has to be scrolled to."""
        size = self.page.viewport_size
        assert size is not None
        assert self.page.evaluate("document.documentElement.scrollHeight") <= size["height"]
        assert self.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        within = "[...document.querySelectorAll('main')].every(one => one.scrollHeight <= one.clientHeight)"
        assert self.page.evaluate(within)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as found:
        yield found


def launched(playwright: Playwright, program: str, **options: Any) -> Browser:
    assert Path(program).exists(), f"the browser tests need Chromium at {program}"
    return playwright.chromium.launch(executable_path=program, args=FLAGS, **options)


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    browser = launched(playwright, CHROMIUM)
    yield browser
    browser.close()


class Served:
    """A companion served under a name in the local network; it may be killed, and started again with other settings."""

    def __init__(self, data: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.data = data
        self.url = f"http://lan.test:{self.port}"
        self.start()

    def start(self, **environ: str) -> None:
        command = [sys.executable, "-m", "companion", "serve", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.data / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--data", str(self.data), "--public-url", self.url],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment(**environ),
            )
        wait_for(self.port)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)


@contextmanager
def served(data: Path) -> Iterator[Served]:
    """Serves until the block ends."""
    found = Served(data)
    try:
        yield found
    finally:
        found.kill()
    assert "Traceback" not in (data / "log").read_text(encoding="utf-8", errors="replace")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a companion that all tests share."""
    with served(tmp_path_factory.mktemp("site")) as found:
        yield found.url


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Served]:
    """A companion of the test's own; asked for before the phones, since what is asked for last ends first."""
    with served(tmp_path) as found:
        yield found


@pytest.fixture
def new_phone(chromium: Browser) -> Iterator[Callable[..., Phone]]:
    """Makes phones; at the end none of them may have complained."""
    phones: list[Phone] = []

    def make(size: tuple[int, int] = SMALL, *, lang: str = "en", scheme: str = "light", script: bool = True) -> Phone:
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            has_touch=True,
            is_mobile=True,
            locale=lang,
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=script,
        )
        phones.append(Phone(context))
        return phones[-1]

    yield make
    for phone in phones:
        phone.context.close()
    assert [line for phone in phones for line in phone.said] == []


@pytest.fixture
def phone(new_phone: Callable[..., Phone]) -> Phone:
    return new_phone()
