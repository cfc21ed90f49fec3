"""How soon a tap shows the new state on a phone six times slower than this computer, the server included.

python -m tests.bench.bench_tap
"""

import statistics

from tests.bench.bench_phones import at_a_table
from tests.browser.test_targets import table

SLOWER = 6
TAPS = 24
# From the finger that leaves the glass to the new state in the page, and to the end of the frame that shows it.
WATCH = """() => {
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
    }).observe(document.querySelector('[data-part=past]'),
        { attributes: true, characterData: true, childList: true, subtree: true });
}"""
WAIT = """before => new Promise(done => {
    const look = () => window.taken.length > before ? done() : setTimeout(look, 20);
    look();
})"""


def main() -> None:
    with at_a_table(1) as (server, [phone]):
        phone.page.goto(table(phone, server.url))
        phone.page.evaluate(WATCH)
        for slower in (1, SLOWER):
            phone.context.new_cdp_session(phone.page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
            phone.page.evaluate("window.taken.length = 0")
            for tap in range(TAPS):
                # Answers of a poll must not be taken for the tap's.
                phone.page.wait_for_timeout(300)
                phone.tap("button.win.a" if tap % 4 else "button.win.b")
                phone.page.evaluate(WAIT, tap)
            columns = zip(*phone.page.evaluate("window.taken"), strict=True)
            for name, taken in zip(("in the page", "drawn"), columns, strict=True):
                p95 = sorted(taken)[round(TAPS * 0.95) - 1]
                print(  # noqa: T201
                    f"CPU {slower} times slower, {name}: {statistics.median(taken):.0f} ms median, {p95:.0f} ms p95"
                )
            phone.page.goto(table(phone, server.url))
            phone.page.evaluate(WATCH)


if __name__ == "__main__":
    main()
