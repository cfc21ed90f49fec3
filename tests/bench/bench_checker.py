"""What an answer of the trick checker costs: server time and size of each page and of its parts, seconds on a phone.

Run by hand: `python -m tests.bench.bench_checker`. Each figure is the median and the worst of many requests; `cpu`
leaves out what other programs took. The phone enters a whole position, from nothing to the answer.
"""

import gzip
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from companion.app import create_app
from companion.config import load
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.test_checking import ANSWERS, ENTRIES
from tests.cli.serving import serving

ROUNDS = 60
HOST = {"Host": "192.168.1.20:8765"}
PAGES = {
    "Leapfrog!, nothing laid": "leapfrog?order=SHC",
    "Leapfrog!, three cards": "leapfrog?order=SHC&plays=0:10S,1:9S,0:8H",
    "Leapfrog!, ruling with tokens": "leapfrog?order=SHC&frogs=61&king=0&plays=1:10S,0:9S,1:leap,0:5C&who=Ann&who=Ben",
    "Leapfrog!, a hand of 14": "leapfrog?order=SHC&plays=0:7H&ask=1&hand=AS,2S,3S,4S,5S,6S,7S,8S,AH,2H,3H,AC,2C,3C",
    "Leapfrog!, all 24 orders": "leapfrog?order=SHC&at=order",
    "Measure and Tempo, nothing laid": "measure-and-tempo?guards=-,-",
    "Measure and Tempo, ruling": "measure-and-tempo?guards=KS,3C&plays=0:9H,1:2S",
    "Measure and Tempo, a Guard": "measure-and-tempo?guards=KS,3C&at=guards0",
    "Chameleon Tricks, one stack": "chameleon-tricks?plays=0:7C-7D",
    "Chameleon Tricks, ruling": "chameleon-tricks?plays=0:7C-7D,1:2C,2:3H",
    "a bad address": "leapfrog?order=SHZ&plays=0:10S,1:9S,0:2S,1:5X&what=1",
}


def pages() -> None:
    """Measures the server alone."""
    with tempfile.TemporaryDirectory() as data:
        app = create_app(load(data=data, environ={}))
        client = app.test_client()
        for name, address in PAGES.items():
            for kind, accept in (("page", "text/html"), ("parts", "application/json")):
                took, cpu, body = [], [], b""
                for _ in range(ROUNDS):
                    begun, spent = time.perf_counter(), time.process_time()
                    body = client.get(f"/check/{address}", headers={**HOST, "Accept": accept}).data
                    took.append(1000 * (time.perf_counter() - begun))
                    cpu.append(1000 * (time.process_time() - spent))
                size = len(gzip.compress(body, 6)) / 1024
                sys.stdout.write(
                    f"{name:34}{kind:6} median {statistics.median(took[1:]):5.1f} ms   worst {max(took[1:]):5.1f} ms"
                    f"   cpu {statistics.median(cpu[1:]):5.1f} ms   first {took[0]:5.1f} ms"
                    f"   {len(body) / 1024:5.1f} kB, packed {size:4.1f}\n"
                )
        app.extensions["tables"].store.close()


def phone(browser: Browser, url: str, script: bool) -> None:
    """Measures a phone that taps as fast as the pages come."""
    for slug, keys in ENTRIES.items():
        took = []
        for _ in range(5):
            context = browser.new_context(
                viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True, java_script_enabled=script
            )
            page = context.new_page()
            page.goto(f"{url}/check/{slug}")
            begun = time.perf_counter()
            for key in keys:
                expect(page.locator("[data-deaf]")).to_have_count(0)
                page.locator(f"[data-key='{key}']").first.tap(force=True)
            expect(page.locator(".ruling h2")).to_contain_text(ANSWERS[slug])
            took.append(time.perf_counter() - begun)
            context.close()
        with_ = "with scripts" if script else "without scripts"
        sys.stdout.write(f"{slug:34}{len(keys)} taps, {with_}: median {statistics.median(took):.2f} s\n")


def main() -> None:
    pages()
    with tempfile.TemporaryDirectory() as data, serving(Path(data)) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for script in (True, False):
            phone(browser, served.url, script)
        browser.close()


if __name__ == "__main__":
    main()
