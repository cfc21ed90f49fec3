"""A proved revoke on a small phone: it comes by itself, fits, and one tap plays on."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Phone

pytestmark = pytest.mark.browser


def test_a_revoke_comes_up_by_itself_and_one_tap_plays_on(phone: Phone, site: str) -> None:
    page = phone.page
    page.goto(f"{site}/new/leapfrog?by=card")
    phone.tap(".dock button")
    page.wait_for_url("**/t/*")
    # The same player lays the 8 of hearts and, later in the trick, a spade.
    for laid, card in enumerate(("10 of spades", "8 of hearts", "7 of spades", "3 of spades"), 1):
        phone.tap(f".ck[aria-label='{card}']")
        expect(page.locator(f"[name=expected][value='{laid}']")).to_have_count(1)
    expect(page.locator(".faults")).to_be_visible()
    expect(page.locator(".faults li")).to_have_count(2)
    for width, height in ((844, 390), (360, 640)):
        page.set_viewport_size({"width": width, "height": height})
        phone.fits()
    phone.tap(".faults button.go")
    expect(page.locator(".faults")).to_have_count(0)
    phone.tap(".undo")
    expect(page.locator(".faults")).to_be_visible()
