"""Two emulated phones at one table: how soon one sees what the other entered, and a game whose server is killed.

python -m tests.bench.bench_phones
"""

import random
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, Phone, Served, served
from tests.browser.test_targets import table

SAMPLES = 30
TRICKS = 28
SEEN = """() => {
    window.seen = [];
    new MutationObserver(() => window.seen.push(Date.now())).observe(document.querySelector('[data-part=past]'),
        { attributes: true, characterData: true, childList: true, subtree: true });
}"""
WAIT = """before => new Promise(done => {
    const look = () => window.seen.length > before ? done(window.seen[before]) : setTimeout(look, 20);
    look();
})"""
TAPPED = "() => addEventListener('pointerdown', () => { window.tapped = Date.now(); }, { capture: true })"


def delays(one: Phone, two: Phone) -> list[float]:
    """Returns the milliseconds from a finger on one phone to the change on the other; pauses as chance has it."""
    one.page.evaluate(TAPPED)
    two.page.evaluate(SEEN)
    chance = random.Random(6)
    found = []
    for sample in range(SAMPLES):
        one.page.wait_for_timeout(chance.uniform(500, 2500))
        before = two.page.evaluate("window.seen.length")
        one.tap("button.win.a" if sample % 2 == 0 else ".undo")
        seen = two.page.evaluate(WAIT, before)
        found.append(seen - one.page.evaluate("window.tapped"))
    return sorted(found)


def game(one: Phone, two: Phone, server: Served) -> None:
    """Plays a whole game in turns; the server is killed in the middle, while the other phone enters."""
    for trick in range(TRICKS):
        phone = (one, two)[trick % 2]
        if trick == TRICKS // 2:
            server.kill()
            phone.tap("button.win.a")
            expect(phone.page.locator(".late")).to_have_count(1)
            server.start()
        else:
            phone.tap("button.win.b" if trick % 3 else "button.win.a")
        for each in (one, two):
            if trick + 1 < TRICKS:
                expect(each.page.locator("h2").first).to_contain_text(f"trick {(trick + 1) % 7 + 1}?")
            else:
                expect(each.page.locator(".crown")).to_be_visible()


def shown(page: Page) -> str:
    return page.locator(".crown").inner_text()


@contextmanager
def at_a_table(number: int) -> Iterator[tuple[Served, list[Phone]]]:
    """Serves, with so many phones that nobody else uses."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield server, [
            Phone(browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True))
            for _ in range(number)
        ]
        browser.close()


def main() -> None:
    with at_a_table(2) as (server, (one, two)):
        two.page.goto(table(one, server.url))
        found = delays(one, two)
        p95 = found[round(len(found) * 0.95) - 1]
        print(f"{SAMPLES} entries seen after {statistics.median(found):.0f} ms (median), {p95:.0f} ms (p95)")  # noqa: T201
        two.page.goto(table(one, server.url))
        game(one, two, server)
        record = one.page.evaluate("fetch(location.pathname + '/record.json').then((one) => one.json())")
        assert shown(one.page) == shown(two.page)
        played = f"{len(record['entries'])} of {TRICKS} entries"
        print(f"a game with its server killed in the middle: {played}, both phones show the same end")  # noqa: T201


if __name__ == "__main__":
    main()
