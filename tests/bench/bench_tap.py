"""How soon a tap shows the new state on a phone six times slower than this computer, the server included.

Beside it, on the same phone, the least that a page can do: thirty bare buttons, and a text that comes from the server.

python -m tests.bench.bench_tap
"""

import statistics
from collections.abc import Callable

from tests.bench.bench_phones import at_a_table
from tests.browser.conftest import Phone
from tests.browser.test_fingers import Finger
from tests.browser.test_targets import table

SLOWER = 6
TAPS = 24
# So long a finger lies on the glass.
RESTS = 70
# From the finger that leaves the glass to the new state in the page, and to the end of the frame that shows it.
WATCH = """part => {
    window.taken = [];
    let begun = 0;
    addEventListener('pointerup', () => { begun = performance.now(); }, { capture: true });
    new MutationObserver(() => {
        if (!begun) return;
        const from = begun, state = performance.now() - begun;
        begun = 0;
        requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => window.taken.push([state, performance.now() - from]);
            port2.postMessage(0);
        });
    }).observe(document.querySelector(part), { attributes: true, characterData: true, childList: true, subtree: true });
}"""
WAIT = """before => new Promise(done => {
    const look = () => window.taken.length > before ? done() : setTimeout(look, 20);
    look();
})"""
BARE = """() => {
    document.body.innerHTML = '<p>0</p>' + '<button>1</button> '.repeat(30);
    document.addEventListener('click', async () => {
        const answer = await fetch('/healthz');
        document.querySelector('p').textContent = await answer.text() + performance.now();
    });
}"""


def measured(phone: Phone, opened: Callable[[], object], part: str, keys: tuple[str, str], taps: int = TAPS) -> None:
    finger = Finger(phone)
    for slower in (1, SLOWER):
        opened()
        phone.page.evaluate(WATCH, part)
        phone.context.new_cdp_session(phone.page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        for tap in range(taps):
            # Answers of a poll must not be taken for the tap's.
            phone.page.wait_for_timeout(300)
            finger.lies(phone.find(keys[tap % 4 == 0]))
            phone.page.wait_for_timeout(RESTS)
            finger.leaves()
            # The question itself is work for the page: asked once all is over.
            phone.page.wait_for_timeout(500)
            phone.page.evaluate(WAIT, tap)
        for name, taken in zip(
            ("in the page", "drawn"), zip(*phone.page.evaluate("window.taken"), strict=True), strict=True
        ):
            p95 = sorted(taken)[round(taps * 0.95) - 1]
            print(f"CPU {slower} times slower, {name}: {statistics.median(taken):.0f} ms median, {p95:.0f} ms p95")  # noqa: T201
        phone.context.new_cdp_session(phone.page).send("Emulation.setCPUThrottlingRate", {"rate": 1})


def bare(phone: Phone, site: str) -> None:
    phone.page.goto(f"{site}/healthz")
    phone.page.evaluate(BARE)


def main() -> None:
    with at_a_table(1) as (server, [phone]):
        print("The winner of a trick of Leapfrog!")  # noqa: T201
        game = "[data-part=past]", ("button.win.a", "button.win.b")
        measured(phone, lambda: table(phone, server.url), *game)
        print("A card of Leapfrog!")  # noqa: T201
        # One suit only: the first who does not follow would soon be said to have revoked.
        cards = "[data-part=main]", (".ck.S:not([aria-disabled])",) * 2
        measured(phone, lambda: phone.page.goto(f"{table(phone, server.url)}?by=card"), *cards, taps=10)
        print("Thirty bare buttons")  # noqa: T201
        measured(phone, lambda: bare(phone, server.url), "p", ("button", "button"))


if __name__ == "__main__":
    main()
