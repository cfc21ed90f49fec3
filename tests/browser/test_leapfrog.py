"""Whole games of Leapfrog! on a small phone, with the mishaps of a real table, and the taps they cost."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Phone, hearing

pytestmark = pytest.mark.browser


def start(phone: Phone, site: str, freshwater: bool = False) -> str:
    """Starts a game from home; returns the table's address."""
    phone.page.goto(site)
    phone.tap("a[href='/new/leapfrog']")
    if freshwater:
        phone.page.get_by_text("Freshwater").tap()
    phone.tap(".dock button")
    phone.page.wait_for_url("**/t/*")
    return phone.page.url


def trick(phone: Phone, number: int) -> None:
    """Waits until the page asks for this trick."""
    expect(phone.page.locator(".hub")).to_contain_text(f"Trick {number}/7")


def win(phone: Phone, seat: str, then: int) -> None:
    phone.tap(f"button.win.{seat}")
    trick(phone, then)


def test_a_standard_game_with_everything_that_goes_wrong(phone: Phone, site: str) -> None:
    table = start(phone, site)
    assert phone.taps == 2, "from home to the table"
    phone.fits()

    # Round 1 by result: one tap a trick, two with a power.
    win(phone, "a", 2)
    assert phone.taps == 3
    phone.tap(".duo.b .key", "King")
    expect(phone.page.locator(".duo.b [aria-pressed=true]")).to_have_count(1)
    win(phone, "b", 3)
    assert phone.taps == 5
    win(phone, "a", 4)
    win(phone, "a", 5)
    phone.fits()

    # A wrong winner three tricks ago: the chip, the right winner, the consequences accepted.
    phone.taps = 0
    phone.tap("a.chip[aria-label^='Trick 2']").tap("a.win.a")
    expect(phone.page.locator("table")).to_contain_text("Trick 2")
    phone.tap("button.win.ink")
    phone.page.wait_for_url("**/t/*")
    assert phone.taps == 3
    expect(phone.page.locator("a.chip[aria-label^='Trick 2']")).to_have_attribute("aria-label", "Trick 2: A. Open")

    # A trick card by card: four taps.
    phone.tap("a.end", "Cards")
    expect(phone.page.locator(".pad")).to_be_visible()
    phone.fits()
    phone.taps = 0
    for suit, rank in (("S", 4), ("S", 6), ("S", 5), ("S", 7)):
        phone.tap(f"button.ck.{suit} >> nth={rank}")
        expect(phone.page.locator(f"button.ck.{suit} >> nth={rank}")).to_have_attribute("aria-disabled", "true")
    assert phone.taps == 4
    trick(phone, 6)
    expect(phone.page.locator("[role=status]")).to_contain_text("run")

    # A closed card says why; nothing is entered.
    phone.page.locator("button.ck.S >> nth=4").dispatch_event("click")
    expect(phone.page.locator("[role=status]")).to_contain_text("before")
    trick(phone, 6)

    # A reload in the middle of a trick loses nothing.
    phone.tap("button.ck.C >> nth=0")
    expect(phone.page.locator(".slot.best")).to_have_count(1)
    phone.page.reload()
    expect(phone.page.locator(".slot.best")).to_have_count(1)
    phone.tap(".undo")
    expect(phone.page.locator(".slot.best")).to_have_count(0)
    phone.tap("a.ck", "Result")

    # Over the end of the round and back with one tap each.
    win(phone, "b", 7)
    phone.tap("button.win.a")
    expect(phone.page.locator(".hub")).to_contain_text("Round 2/4")
    phone.taps = 0
    phone.tap(".undo")
    expect(phone.page.locator(".hub")).to_contain_text("Round 1/4")
    assert phone.taps == 1
    phone.tap("button.win.b")

    for number in range(2, 5):
        expect(phone.page.locator(".hub")).to_contain_text(f"Round {number}/4")
        for then in range(2, 8):
            win(phone, "ab"[(number + then) % 2], then)
        phone.tap("button.win.a")
    expect(phone.page.locator("h1")).to_contain_text("wins")
    expect(phone.page.locator(".chart")).to_be_visible()

    # The end can be undone too.
    phone.tap(".undo")
    expect(phone.page.locator(".hub")).to_contain_text("Trick 7/7")
    phone.tap("button.win.b")
    expect(phone.page.locator("h1")).to_contain_text("win")

    phone.page.locator("button", has_text="Rematch").tap()
    expect(phone.page.locator(".hub")).to_contain_text("Round 1/4")
    assert phone.page.url != table


def test_a_freshwater_game_with_its_dives(phone: Phone, site: str) -> None:
    start(phone, site, freshwater=True)
    dives = 0
    for count in range(28):
        phone.tap(f"button.win.{'ab'[count % 3 == 0]}")
        hearing(phone.page)
        question = phone.page.locator("h2", has_text="hop or dive")
        if question.count():
            dives += 1
            expect(phone.page.locator("button.win")).to_have_count(2)
            phone.fits()
            phone.tap("button.win", "Dive" if dives % 2 else "Hop")
        done = count + 1
        if done < 28:
            expect(phone.page.locator(".hub")).to_contain_text(f"Round {done // 7 + 1}/4")
            trick(phone, done % 7 + 1)
    assert dives, "eight pads hold two waters: frogs sit on them now and then"
    expect(phone.page.locator("h1")).to_contain_text("win")
    phone.page.locator("button", has_text="Rematch").tap()
    expect(phone.page.locator(".hub")).to_contain_text("Round 1/4")


def test_card_by_card_through_a_round(phone: Phone, site: str) -> None:
    start(phone, site)
    phone.tap("a.end", "Cards")
    expect(phone.page.locator(".pad")).to_be_visible()
    for place in range(28):
        key = phone.page.locator("button.ck:not([aria-disabled]):not(.v)").first
        name = key.get_attribute("aria-label")
        phone.press(key)
        if place < 27:
            struck = phone.page.locator(f"button.ck[aria-label='{name}']")
            expect(struck).to_have_attribute("aria-disabled", "true")
    expect(phone.page.locator(".hub")).to_contain_text("Round 2/4")
    expect(phone.page.locator("button.ck[aria-disabled]:not(.v)")).to_have_count(0)


def test_setup_as_it_lies(phone: Phone, site: str) -> None:
    """The suits and the pads are tapped in as they lie, and nothing is typed."""
    phone.page.goto(f"{site}/new/leapfrog")
    phone.page.get_by_text("Freshwater").tap()
    for how in phone.page.get_by_text("As it lies").all():
        how.tap()
    for suit in "CHS":
        phone.tap(f"[data-tap={suit}]")
    for pad in ("3", "0", "6", "2", "1", "4", "0", "8"):
        phone.press(phone.page.locator(f"[data-tap='{pad}'][aria-pressed=false]").first)
    phone.tap(".dock button")
    phone.page.wait_for_url("**/t/*")
    label = phone.page.locator(".track").get_attribute("aria-label") or ""
    assert "3 0 6 2 1 4 0 8" in label
    assert phone.page.locator(".hier li").evaluate_all("all => all.map(one => one.className[0])") == ["C", "H", "S"]


@pytest.mark.parametrize("mode", ["result", "card"])
def test_a_second_phone_sees_each_entry(new_phone: Callable[..., Phone], site: str, mode: str) -> None:
    one, two = new_phone(), new_phone()
    table = start(one, site)
    two.page.goto(f"{table}?by={mode}")
    one.tap("button.win.b")
    expect(two.page.locator("[role=status]")).to_contain_text("Trick 1: B", timeout=3000)
