"""What phones do to a page: lose the network, sleep, go back, tap twice, run without scripts."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Playwright, Route, expect

from tests.browser.conftest import WHOLE, Phone, Served, launched
from tests.browser.test_targets import axe, table

pytestmark = pytest.mark.browser


def asked(phone: Phone, number: int) -> None:
    expect(phone.page.locator("h2").first).to_contain_text(f"trick {number}?")


def test_a_shaky_finger_enters_once(phone: Phone, site: str) -> None:
    table(phone, site)
    winner = phone.page.locator("button.win.a")
    box = winner.bounding_box()
    assert box
    # However busy this machine is: both taps come at one moment of the phone.
    phone.page.evaluate("() => { const at = Date.now(); window.flows = Date.now; Date.now = () => at; }")
    for _ in range(2):
        phone.page.touchscreen.tap(box["x"] + 40, box["y"] + 20)
    asked(phone, 2)
    phone.page.evaluate("() => { Date.now = window.flows; }")
    phone.page.wait_for_timeout(600)
    asked(phone, 2)


def test_quick_taps_do_not_zoom(phone: Phone, site: str) -> None:
    table(phone, site)
    for _ in range(10):
        phone.page.touchscreen.tap(180, 200)
    assert phone.page.evaluate("visualViewport.scale") == 1


def test_entries_wait_while_the_network_is_gone(phone: Phone, site: str) -> None:
    table(phone, site)
    phone.context.set_offline(True)
    phone.tap("button.win.b")
    expect(phone.page.locator("[role=status]")).to_contain_text("1 waiting")
    phone.tap("button.win.a")
    expect(phone.page.locator("[role=status]")).to_contain_text("2 waiting")
    # Marked, worded and named in the strip of tricks, each with the sign of who it is about.
    expect(phone.page.locator(".late .tok")).to_have_count(2)
    expect(phone.page.locator(".late").last).to_contain_text("Ann")
    expect(phone.page.locator(".late").last).to_contain_text("waits")
    phone.fits()
    expect(phone.page.locator("#lost")).to_be_visible()
    expect(phone.page.locator("#lost")).to_contain_text("As of")
    phone.context.set_offline(False)
    asked(phone, 3)
    expect(phone.page.locator("[role=status]")).to_contain_text("Trick 2: Ann")
    expect(phone.page.locator("#lost")).to_be_hidden()
    expect(phone.page.locator(".late")).to_have_count(0)
    # The browser itself reports each request that could not be made.
    phone.said[:] = [line for line in phone.said if "ERR_INTERNET_DISCONNECTED" not in line]


def test_a_lost_answer_is_asked_for_again_and_counts_once(phone: Phone, site: str) -> None:
    address = table(phone, site)
    lost = []

    def lose(route: object) -> None:
        if not lost and route.request.method == "POST":  # type: ignore[attr-defined]
            lost.append(1)
            url = route.request.url.replace("lan.test", "127.0.0.1")  # type: ignore[attr-defined]
            route.fetch(url=url, headers={**route.request.headers, "host": site[7:]})  # type: ignore[attr-defined]
            route.abort()  # type: ignore[attr-defined]
        else:
            route.continue_()  # type: ignore[attr-defined]

    phone.page.route("**/t/*", lose)
    phone.tap("button.win.b")
    asked(phone, 2)
    expect(phone.page.locator("[role=status]")).to_contain_text("Trick 1: Ben", timeout=10_000)
    phone.page.goto(f"{address}/all")
    expect(phone.page.locator("a.item")).to_have_count(1)
    phone.said[:] = [line for line in phone.said if "ERR_FAILED" not in line]


def test_both_enter_the_same_trick(new_phone: Callable[..., Phone], site: str) -> None:
    one, two = new_phone(), new_phone()
    address = table(one, site)
    two.page.goto(address)
    # The second phone sleeps while the first enters.
    two.page.route("**/live*", lambda route: route.abort())
    one.tap("button.win.a")
    asked(one, 2)
    two.tap("button.win.b")
    expect(two.page.locator(".sheet")).to_contain_text("The table moved on")
    expect(two.page.locator(".sheet")).to_contain_text("Ann took it")
    expect(two.page.locator(".sheet")).to_be_focused()
    two.page.unroute("**/live*")
    two.tap(".sheet .go")
    asked(two, 2)
    two.said.clear()


def test_news_that_comes_in_under_a_finger_is_asked_about(new_phone: Callable[..., Phone], site: str) -> None:
    one, two = new_phone(), new_phone()
    address = table(one, site)
    two.page.goto(address)
    # A key, since a finger that rests for long is no tap.
    one.page.locator("button.win.a").focus()
    one.page.keyboard.down("Space")
    two.tap("button.win.b")
    asked(one, 2)
    one.page.keyboard.up("Space")
    expect(one.page.locator(".sheet")).to_be_visible()
    record = json.loads(two.page.evaluate(f"fetch('{address}/record.json').then((answer) => answer.text())"))
    assert [entry["seat"] for entry in record["entries"]] == [1]
    one.said.clear()


def test_a_clash_asks_about_everything_that_waits(new_phone: Callable[..., Phone], site: str) -> None:
    one, two = new_phone(), new_phone((320, 568))
    two.page.goto(table(one, site))
    two.context.set_offline(True)
    two.tap("button.win.b")
    two.tap("button.win.b")
    one.tap("button.win.a")
    asked(one, 2)
    two.context.set_offline(False)
    sheet = two.page.locator(".sheet")
    expect(sheet).to_contain_text("Ann took it")
    expect(sheet).to_contain_text("One more entry waits")
    # Nothing is let go by leaving: the question comes again.
    two.page.reload()
    expect(sheet).to_contain_text("One more entry waits")
    two.tap("[data-again]")
    asked(two, 4)
    asked(one, 4)
    two.said.clear()


def test_a_silent_network_is_seen_within_five_seconds(phone: Phone, site: str) -> None:
    phone.page.clock.install()
    table(phone, site)
    phone.page.clock.run_for(1000)
    # Long idle, so that the phone asks seldom.
    phone.page.clock.fast_forward(300_000)
    phone.page.clock.run_for(30_000)
    expect(phone.page.locator("#lost")).to_be_hidden()
    phone.page.route("**/live*", lambda route: None)
    phone.page.clock.run_for(5000)
    expect(phone.page.locator("#lost")).to_contain_text("As of")
    # The server may be gone for good: after a while what the phone holds can be taken elsewhere.
    phone.page.clock.run_for(30_000)
    with phone.page.expect_download() as saved:
        phone.page.locator("#lost a").tap()
    record = json.loads(saved.value.path().read_text(encoding="utf-8"))
    assert (record["game"], record["players"]) == ("leapfrog", ["Ann", "Ben"])
    phone.page.unroute_all(behavior="ignoreErrors")


def test_a_killed_server_and_a_lost_one(mortal: Served, new_phone: Callable[..., Phone]) -> None:
    """Killed in the middle of a game and back with another key; then back with nothing at all."""
    one, two = new_phone(), new_phone()
    address = table(one, mortal.url)
    two.page.goto(address)
    one.tap("button.win.a")
    asked(two, 2)
    mortal.kill()
    two.tap("button.win.b")
    two.tap("button.win.b")
    expect(two.page.locator(".late")).to_have_count(2)
    mortal.start(COMPANION_SECRET_KEY="another key, forty characters of it......")
    expect(two.page.locator("h2").first).to_contain_text("trick 4?", timeout=20_000)
    asked(one, 4)
    mortal.kill()
    for file in mortal.data.glob("tables.sqlite3*"):
        file.unlink()
    mortal.start()
    expect(one.page.locator("h1")).to_contain_text("Give the table back", timeout=20_000)
    expect(one.page.locator("[data-copy]")).to_contain_text("Ann – Ben: 3 entries")
    axe(one.page)
    one.tap("[data-copy] button")
    one.page.wait_for_url(address)
    asked(one, 4)
    expect(one.page.locator("[role=status]")).to_contain_text("Trick 3: Ben")
    two.page.goto(address)
    two.tap("button.win.a")
    asked(one, 5)
    for phone in (one, two):
        phone.said.clear()


def test_two_phones_must_say_the_same(new_phone: Callable[..., Phone], site: str) -> None:
    one, two = new_phone(), new_phone()
    address = table(one, site)
    one.page.goto(f"{address}/menu")
    with one.page.expect_navigation():
        one.page.locator("[name=agree][value=yes]").check(force=True)
    one.page.goto(address)
    two.page.goto(address)
    one.tap("button.win.a")
    expect(one.page.locator(".sheet")).to_contain_text("Waiting for another phone")
    expect(two.page.locator("[role=status]")).to_contain_text("The other phone has said who")
    two.tap("button.win.b")
    for phone in (one, two):
        expect(phone.page.locator(".sheet")).to_contain_text("do not agree")
        phone.fits()
    axe(one.page)
    two.tap("[name=unsay]")
    two.tap("button.win.a")
    asked(one, 2)
    asked(two, 2)


def test_back_does_not_leave_a_running_game(phone: Phone, site: str) -> None:
    address = table(phone, site)
    phone.tap("button.win.a")
    asked(phone, 2)
    phone.page.evaluate("history.back()")
    expect(phone.page.locator("[role=status]")).to_contain_text("Back once more")
    assert phone.page.url.startswith(address)
    asked(phone, 2)


def test_setup_is_not_behind_a_running_game(phone: Phone, site: str) -> None:
    phone.page.goto(site)
    table(phone, site)
    for _ in range(2):
        phone.page.evaluate("history.back()")
        phone.page.wait_for_timeout(300)
    expect(phone.page.locator("h1")).to_contain_text("What is on the table?")
    expect(phone.page.locator("a.item").first).to_contain_text("Leapfrog!")


def test_turning_the_phone_keeps_what_was_begun(phone: Phone, site: str) -> None:
    table(phone, site)
    phone.tap("a.end", "Cards")
    phone.tap("button.ck.H >> nth=2")
    expect(phone.page.locator(".slot.best")).to_have_count(1)
    phone.page.set_viewport_size({"width": 640, "height": 360})
    expect(phone.page.locator(".slot.best")).to_contain_text("3")
    phone.page.set_viewport_size({"width": 360, "height": 640})
    expect(phone.page.locator(".slot.best")).to_contain_text("3")


def test_a_late_answer_does_not_undo_another_view(phone: Phone, site: str) -> None:
    table(phone, site)
    before = phone.page.evaluate("fetch(`${location.pathname}/live`).then((answer) => answer.text())")
    assert "Who won" in before
    held: list[Route] = []
    phone.page.route("**/live", lambda route: held.append(route))
    phone.page.evaluate("dispatchEvent(new Event('online'))")
    phone.tap("a.end", "Cards")
    expect(phone.page.locator(".pad .ck").first).to_be_visible()
    held[0].fulfill(body=before, content_type="application/json")
    phone.page.wait_for_timeout(500)
    expect(phone.page.locator(".pad .ck").first).to_be_visible()
    phone.page.unroute_all(behavior="ignoreErrors")


def test_a_phone_that_wakes_shows_the_truth_at_once(new_phone: Callable[..., Phone], site: str) -> None:
    one, two = new_phone(), new_phone()
    two.page.goto(table(one, site))
    two.page.route("**/live*", lambda route: route.abort())
    for number in range(2, 5):
        one.tap("button.win.a")
        asked(one, number)
    two.page.unroute("**/live*")
    two.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(two.page.locator("[role=status]")).to_contain_text("Trick 3: Ann", timeout=2000)
    two.said.clear()


def test_a_page_that_the_browser_kept_whole_shows_the_truth(
    playwright: Playwright, new_phone: Callable[..., Phone], site: str
) -> None:
    # Playwright switches the keeping off, so this is a browser of its own.
    browser = launched(playwright, WHOLE, ignore_default_args=["--disable-back-forward-cache"])
    one, two = Phone(browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True)), new_phone()
    address = table(one, site)
    one.page.evaluate("() => { window.kept = true; }")
    one.page.goto(f"{site}/rules/leapfrog")
    two.page.goto(address)
    two.tap("button.win.a")
    asked(two, 2)
    one.page.evaluate("history.back()")
    expect(one.page.locator("[role=status]")).to_contain_text("Trick 1: Ann")
    assert one.page.evaluate("window.kept")
    browser.close()


def test_without_scripts_the_whole_way_works(new_phone: Callable[..., Phone], site: str) -> None:
    phone = new_phone(script=False)
    address = table(phone, site)
    phone.page.locator("button.win.b").tap()
    asked(phone, 2)
    phone.page.locator("a.end").tap()
    phone.page.locator("button.ck.S").nth(3).tap()
    expect(phone.page.locator(".slot.best")).to_contain_text("4")
    phone.page.locator("button.ck.S").nth(3).tap(force=True)
    expect(phone.page.locator(".sheet")).to_contain_text("laid the 4")
    phone.page.goto(address)
    phone.page.locator(".undo").tap()
    expect(phone.page.locator(".slot.best")).to_have_count(0)
    phone.page.locator("a.chip[aria-label^='Trick 1']").tap()
    phone.page.locator("a.win").tap()
    phone.page.locator("button.win.ink").tap()
    expect(phone.page.locator("[role=status]")).to_contain_text("Trick 1: Ann")
    phone.said.clear()


def test_storage_that_is_closed_is_no_hindrance(chromium: Browser, new_phone: Callable[..., Phone], site: str) -> None:
    phone = new_phone((320, 568))
    phone.page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('closed'); }})")
    table(phone, site)
    phone.fits()
    phone.context.set_offline(True)
    phone.tap("button.win.a")
    expect(phone.page.locator(".late")).to_have_count(1)
    phone.context.set_offline(False)
    asked(phone, 2)
    phone.page.reload()
    asked(phone, 2)
    phone.said.clear()


def test_nothing_needs_a_secure_address(phone: Phone, site: str) -> None:
    table(phone, site)
    assert not phone.page.evaluate("isSecureContext")
    phone.tap("button.win.a")
    asked(phone, 2)
