"""Chameleon Tricks on a phone: three players by their results, two card by card."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Phone

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


def opened(phone: Phone, site: str, players: int) -> Phone:
    phone.page.goto(f"{site}/new/chameleon-tricks")
    if players == 3:
        phone.tap("label, a", "3 players")
    phone.page.locator("label", has=phone.page.locator("svg.tok.a")).first.tap()
    phone.tap(".dock button")
    expect(phone.find(".ask h2")).to_contain_text("trick 1")
    return phone


def open_keys(phone: Phone) -> list[str]:
    keys = phone.page.locator(".pad .ck:not([aria-disabled])")
    return [str(keys.nth(place).get_attribute("aria-label")) for place in range(keys.count())]


def test_three_players_by_their_results(phone: Phone, site: str) -> None:
    """A whole game, two taps a trick; the highest is halved, and those level share the win."""
    opened(phone, site, 3)
    for hand in range(1, 4):
        for trick in range(1, 13):
            expect(phone.page.locator(".hub")).to_contain_text(f"Hand {hand}/3")
            expect(phone.page.locator(".hub")).to_contain_text(f"Trick {trick}")
            before = phone.taps
            phone.tap(".wins a", "ABC"[trick % 3])
            expect(phone.find(".ask h2")).to_contain_text("which card")
            rank = 10 - (trick - 1) // 3 if trick % 3 != 2 else 9 - (trick - 1) // 3
            suit = ("clubs", "hearts", "spades")[trick % 3]
            phone.press(phone.page.locator(".pad .ck").and_(phone.page.get_by_label(f"{rank} of {suit}", exact=True)))
            assert phone.taps - before == 2
            if (hand, trick) == (1, 3):
                phone.fits()
                expect(phone.page.locator(".lanes")).to_contain_text("highest: halved")
                expect(phone.page.locator(".lanes")).to_contain_text("9")
    expect(phone.page.locator(".crown h1")).to_be_visible()
    expect(phone.page.locator(".pts")).to_be_visible()
    # A third hand put right brings the game back.
    phone.tap(".undo")
    expect(phone.page.locator(".hub")).to_contain_text("Trick 12")


def test_an_extra_card_is_one_more_tap(phone: Phone, site: str) -> None:
    opened(phone, site, 3)
    before = phone.taps
    phone.tap(".ask a.key", "1 card")
    expect(phone.page.locator(".ask a.key", has_text="2 cards")).to_have_count(1)
    phone.tap(".wins a", "A")
    expect(phone.find(".ask h2")).to_contain_text("which card")
    phone.press(phone.page.locator(".pad .ck").first)
    assert phone.taps - before == 3
    expect(phone.page.locator(".lane.a")).to_contain_text("10")
    expect(phone.page.locator(".lane.b")).to_contain_text("11")


def test_two_players_card_by_card_with_a_stack(phone: Phone, site: str) -> None:
    """Cards go on top one tap each; a hand is played until somebody runs out, and the trick is finished."""
    opened(phone, site, 2)
    phone.tap(".q a", "Cards")
    keys = phone.page.locator(".pad .ck")
    phone.press(keys.and_(phone.page.get_by_label("7 of diamonds", exact=True)))
    expect(phone.page.get_by_role("status")).to_contain_text("So far A")
    phone.press(phone.page.locator(".adds button").and_(phone.page.get_by_label("A adds the 7 of clubs")))
    expect(phone.page.locator(".slot.a")).to_contain_text("7 of clubs")
    phone.fits()
    phone.press(keys.and_(phone.page.get_by_label("10 of hearts", exact=True)))
    expect(phone.page.get_by_role("status")).to_contain_text("Trick 1: A")
    for trick in range(2, 12):
        for laid in (1, 2):
            name = open_keys(phone)[0]
            phone.press(keys.and_(phone.page.get_by_label(name, exact=True)))
            if laid == 1:
                expect(phone.page.locator(".slot .fc .vh").first).to_have_text(name)
        expect(phone.page.locator(".hub")).to_contain_text(f"Trick {trick + 1}" if trick < 11 else "Hand 2/3")
    # Twelve cards, two of them in the first trick: A runs out in the eleventh, and the hand is over.
    expect(phone.page.locator(".hub")).to_contain_text("Hand 2/3")
    phone.tap(".undo")
    expect(phone.page.locator(".hub")).to_contain_text("Trick 11")
