"""What fingers do to keys: press, slide, rest, and what then stands on the page."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Phone, hearing
from tests.browser.test_targets import GAMES, table

pytestmark = pytest.mark.browser


class Finger:
    """One finger on the glass."""

    def __init__(self, phone: Phone) -> None:
        self._protocol = phone.context.new_cdp_session(phone.page)

    def _touch(self, kind: str, *points: dict[str, float]) -> None:
        self._protocol.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def lies(self, what: Locator, aside: float = 0) -> "Finger":
        box: Any = what.bounding_box()
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2 - aside}
        self._touch("touchMove" if aside else "touchStart", at)
        return self

    def leaves(self) -> None:
        self._touch("touchEnd")


@pytest.fixture
def finger(phone: Phone) -> Finger:
    return Finger(phone)


def entered(phone: Phone, tricks: int) -> None:
    """Asserts that so many tricks are entered, also once everything under way has come."""
    expect(phone.find("h2")).to_contain_text(f"trick {tricks + 1}?")
    phone.page.wait_for_timeout(600)
    expect(phone.find("h2")).to_contain_text(f"trick {tricks + 1}?")


def test_a_key_is_seen_pressed_under_the_finger_and_enters_once_as_it_leaves(
    phone: Phone, site: str, finger: Finger
) -> None:
    table(phone, site)
    phone.page.evaluate("() => { window.clicks = 0; addEventListener('click', () => { window.clicks += 1; }); }")
    key = phone.page.locator("button.win.a")
    finger.lies(key)
    expect(phone.page.locator(".held")).to_have_attribute("value", '{"type":"won","seat":0}')
    entered(phone, 0)
    # What rests so long is left to the browser to call a tap.
    finger.leaves()
    entered(phone, 1)
    assert phone.page.evaluate("window.clicks") == 1
    expect(phone.page.locator(".held")).to_have_count(0)
    finger.lies(key).leaves()
    entered(phone, 2)
    assert phone.page.evaluate("window.clicks") == 1


def test_a_finger_that_slides_away_enters_nothing(phone: Phone, site: str, finger: Finger) -> None:
    table(phone, site)
    key = phone.page.locator("button.win.a")
    finger.lies(key).lies(key, aside=20).leaves()
    entered(phone, 0)
    finger.lies(key).lies(key, aside=200).leaves()
    entered(phone, 0)


def test_a_mouse_and_a_keyboard_enter_once(phone: Phone, site: str) -> None:
    table(phone, site)
    key = phone.page.locator("button.win.a")
    key.click()
    entered(phone, 1)
    key.focus()
    phone.page.keyboard.press("Enter")
    entered(phone, 2)
    # A mouse that lets go elsewhere, and one that drags within the key: a click as well.
    box: Any = key.bounding_box()
    phone.page.mouse.move(box["x"] + 20, box["y"] + 20)
    phone.page.mouse.down()
    phone.page.mouse.move(box["x"] + 20, box["y"] - 100)
    phone.page.mouse.up()
    entered(phone, 2)
    phone.page.mouse.move(box["x"] + 20, box["y"] + 20)
    phone.page.mouse.down()
    phone.page.mouse.move(box["x"] + 70, box["y"] + 20)
    phone.page.mouse.up()
    entered(phone, 3)


def test_a_closed_key_says_why_under_a_finger(phone: Phone, site: str, finger: Finger) -> None:
    phone.page.goto(f"{table(phone, site)}?by=card")
    phone.tap(".ck[aria-label='A of spades']")
    closed = phone.page.locator(".ck[aria-label='A of spades'][aria-disabled]")
    expect(closed).to_have_count(1)
    phone.page.wait_for_timeout(500)
    finger.lies(closed).leaves()
    expect(phone.page.locator("[role=status]")).to_contain_text("laid the A")


# What a moment leaves on the page, and no fresh page has.
APART = """async () => {
    const html = await (await fetch(location.href)).text();
    const fresh = new DOMParser().parseFromString(html, 'text/html');
    const plain = (root) => {
        const copy = root.cloneNode(true);
        for (const one of [copy, ...copy.querySelectorAll('*')]) {
            one.classList.remove('new', 'held');
            if (!one.classList.length) one.removeAttribute('class');
            for (const { name, value } of [...one.attributes]) one.setAttribute(name, value.trim());
            for (const text of [...one.childNodes].filter((node) => node.nodeType === 3)) {
                text.data = text.data.trim();
                if (!text.data) text.remove();
            }
        }
        return copy;
    };
    return [...document.querySelectorAll('[data-part]')].filter((part) => {
        const other = fresh.querySelector(`[data-part=${part.dataset.part}]`);
        return !other || !plain(part).isEqualNode(plain(other));
    }).map((part) => part.dataset.part);
}"""


# Presses the key that a number picks, and comes back once no answer is under way.
PRESS = """async ([css, number]) => {
    const keys = [...document.querySelectorAll(css)];
    keys[number % keys.length].click();
    do await new Promise((done) => setTimeout(done, 50)); while (window.under);
}"""
COUNT = """() => {
    const real = window.fetch;
    const send = XMLHttpRequest.prototype.send;
    const over = () => setTimeout(() => { window.under -= 1; }, 20);
    window.under = 0;
    window.fetch = async (...given) => {
        window.under += 1;
        try { return await real(...given); } finally { over(); }
    };
    XMLHttpRequest.prototype.send = function (...given) {
        window.under += 1;
        this.addEventListener('loadend', over);
        return send.apply(this, given);
    };
}"""
KEYS = "main button:not([aria-disabled]), main .ask a[data-swap]"


@pytest.mark.parametrize("by", ["result", "card"])
@pytest.mark.parametrize("slug", GAMES)
def test_what_came_in_pieces_is_what_a_fresh_page_shows(phone: Phone, site: str, slug: str, by: str) -> None:
    phone.page.goto(f"{table(phone, site, slug)}?by={by}")
    phone.page.evaluate(COUNT)
    for number in range(1, 9):
        for css in (KEYS, ".undo") if number % 4 == 0 else (KEYS,):
            hearing(phone.page)
            phone.page.evaluate(PRESS, [css, number * 5])
            # The late answer to a poll may be one behind.
            apart = phone.page.evaluate(APART) and (phone.page.wait_for_timeout(1500) or phone.page.evaluate(APART))
            assert not apart, f"after key {number} of {css}"


LIKENED = """([before, after]) => {
    const [old, fresh] = [before, after].map((html) => {
        const row = document.createElement('ul');
        row.innerHTML = html;
        return row;
    });
    const kept = [...old.children];
    liken(old, fresh);
    return [old.innerHTML, [...old.children].map((one) => kept.indexOf(one))];
}"""


@pytest.mark.parametrize(
    ("before", "after", "made", "kept"),
    [
        # The first goes, the others move up and stay; what is in a part comes by itself.
        (
            '<li data-part="t1">1</li><li data-part="t2">2</li>',
            '<li data-part="t2"></li><li data-part="t3"></li>',
            '<li data-part="t2">2</li><li data-part="t3"></li>',
            [1, -1],
        ),
        # An undo: the last place is no trick's any more.
        (
            '<li data-part="t1">1</li><li data-part="t2">2</li>',
            '<li data-part="t1"></li><li>3</li>',
            '<li data-part="t1">1</li><li>3</li>',
            [0, -1],
        ),
        ("<li>1</li><li>2</li>", '<li data-part="t1"></li><li>2</li>', '<li data-part="t1"></li><li>2</li>', [-1, 1]),
        ('<li class="a b">1</li>', '<li class="a" id="x">2</li>', '<li class="a" id="x">2</li>', [0]),
    ],
)
def test_a_row_keeps_what_stays(phone: Phone, site: str, before: str, after: str, made: str, kept: list[int]) -> None:
    table(phone, site)
    assert phone.page.evaluate(LIKENED, [before, after]) == [made, kept]
