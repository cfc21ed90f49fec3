"""A bout on a phone, by its results and card by card."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Phone

pytestmark = pytest.mark.browser


def seat(phone: Phone, text: str) -> None:
    expect(phone.find(".ask h2")).to_contain_text(text)


def opened(phone: Phone, site: str) -> Phone:
    phone.page.goto(f"{site}/new/measure-and-tempo")
    phone.page.locator("label", has=phone.page.locator("svg.tok.a")).first.tap()
    phone.tap(".dock button")
    seat(phone, "A’s turn")
    return phone


def test_a_bout_by_its_results(phone: Phone, site: str) -> None:
    """The forced Strike, an even split, a Feint, a Disengage, and 11 points."""
    opened(phone, site)
    before = phone.taps
    for number in range(11):
        phone.tap(".keys3 button", "Cycle")
        seat(phone, "B" if number % 2 == 0 else "A")
    assert phone.taps - before == 11
    seat(phone, "B must Strike")
    expect(phone.page.locator(".keys3 [aria-disabled=true]")).to_have_count(3)
    phone.tap(".keys3 button", "Stall")
    expect(phone.page.get_by_role("status")).to_contain_text("the next one must be B’s Strike")
    phone.fits()
    phone.tap(".wins button", "Strike")
    for number, winner in enumerate("ABABAB", 1):
        seat(phone, f"tempo {number}")
        phone.tap(".wins button", winner)
    # Three each score nothing; who lost the last tempo begins.
    seat(phone, "A’s turn")
    expect(phone.page.locator(".hub")).to_contain_text("Play 2/30")
    phone.tap(".wins button", "Feint")
    for number in range(1, 6):
        seat(phone, f"tempo {number}")
        phone.tap(".wins button", "A")
    expect(phone.find("button", "Disengage")).to_contain_text("A scores 5")
    phone.fits()
    phone.tap("button", "Disengage")
    expect(phone.page.locator(".side.a .num")).to_contain_text("5")
    seat(phone, "B’s turn")
    phone.tap(".wins button", "Strike")
    for number in range(1, 7):
        seat(phone, f"tempo {number}")
        phone.tap(".wins button", "A")
    expect(phone.page.get_by_role("heading", name="A wins")).to_be_visible()
    expect(phone.page.locator(".crown")).to_contain_text("11")
    # Undo takes back even the last tempo of a finished bout.
    phone.tap(".undo")
    seat(phone, "tempo 6")


def key(phone: Phone, card: str) -> Phone:
    suits = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
    rank = {"A": "Ace", "K": "King", "Q": "Queen", "J": "Jack"}.get(card[:-1], card[:-1])
    names = (f"{card[:-1]} of {suits[card[-1]]}", f"{rank} of {suits[card[-1]]}")
    pad = phone.page.locator(".pad .ck")
    expect(pad.first).to_be_visible()
    found = next(one for one in (pad.and_(phone.page.get_by_label(name, exact=True)) for name in names) if one.count())
    return phone.press(found)


def test_a_play_card_by_card(phone: Phone, site: str) -> None:
    """Guards and the trump they make, a Strike, answers, a Feint turned up."""
    opened(phone, site)
    phone.tap(".keys3 a", "Guard")
    phone.fits()
    key(phone, "KS")
    expect(phone.page.locator(".mat .disc")).to_contain_text("S")
    seat(phone, "B’s turn")
    phone.tap(".keys3 a", "Guard")
    key(phone, "10H")
    expect(phone.page.locator(".mat")).to_contain_text("K beats 10")
    phone.tap("a", "Cards").tap("a.win", "Strike")
    key(phone, "9D")
    expect(phone.page.locator(".slot.next.b")).to_have_count(1)
    phone.fits()
    key(phone, "2S")
    expect(phone.page.get_by_role("status")).to_contain_text("Tempo 1: B")
    expect(phone.page.get_by_role("status")).to_contain_text("Trump beats")
    expect(phone.page.locator(".slot.next.b")).to_have_count(1)
    phone.tap("button", "Feint")
    key(phone, "KD")
    phone.tap('.aces .ck:not([aria-disabled])[value*="AC"]')
    expect(phone.page.get_by_role("status")).to_contain_text("Tempo 2: B")
    phone.fits()
    # A card is played once a play, and the key says so.
    expect(phone.page.locator(".pad .ck[aria-disabled=true]").first).to_be_visible()
