"""A second phone comes by the code, sits down, is seen, and is put out; and what a secure address adds."""

from collections.abc import Callable
from io import BytesIO

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import Phone
from tests.browser.test_targets import axe, table

pytestmark = pytest.mark.browser


def test_a_phone_joins_by_the_code_and_is_put_out(new_phone: Callable[..., Phone], site: str) -> None:
    one, two = new_phone(), new_phone()
    address = table(one, site)
    one.page.goto(f"{address}/join")
    code = one.page.locator(".doorcode").inner_text()
    two.page.goto(f"{site}/join")
    two.page.locator("input.doorcode").fill(code.lower())
    two.page.locator(".win").tap()
    expect(two.page.locator(".undo")).to_be_visible()
    assert two.page.url == address
    # Each says whose it is, with one tap and no button; the table shows both.
    for place, phone in enumerate((one, two)):
        phone.page.goto(f"{address}/join")
        with phone.page.expect_navigation():
            phone.page.locator("fieldset label").nth(place).tap()
        phone.page.goto(address)
    expect(one.page.locator(".side .here")).to_have_count(2)
    one.page.goto(f"{address}/join")
    expect(one.page.locator("li.item")).to_have_count(2)
    one.page.locator(".outs summary").tap()
    axe(one.page)
    one.page.locator(".outs .stop").tap()
    expect(two.page.locator("h1")).to_have_text("This address no longer holds")
    one.page.goto(address)
    assert one.page.url != address
    one.tap("button.win.a")
    expect(one.page.locator("h2").first).to_contain_text("trick 2?")
    two.said[:] = [line for line in two.said if "410" not in line]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_camera_reads_the_code_off_the_screen(new_phone: Callable[..., Phone], site: str, scheme: str) -> None:
    one, two = new_phone(), new_phone()
    address = table(one, site)
    one.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    one.page.goto(f"{address}/join")
    with Image.open(BytesIO(one.page.screenshot(full_page=True))) as seen:
        [code, *_more] = zxingcpp.read_barcodes(seen)
    two.page.goto(code.text)
    expect(two.page.locator(".undo")).to_be_visible()
    assert two.page.url == address


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_what_waits_on_a_phone_follows_the_table_to_its_new_address(
    new_phone: Callable[..., Phone], site: str, closed: bool
) -> None:
    one, two, lost = new_phone(), new_phone(), new_phone()
    address = table(one, site)
    for phone in (two, lost):
        phone.page.goto(address)
    lost.page.goto(f"{address}/join")
    with lost.page.expect_navigation():
        lost.page.locator("fieldset label").nth(1).tap()
    two.context.set_offline(True)
    two.tap("button.win.b")
    expect(two.page.locator("[role=status]")).to_contain_text("1 waiting")
    one.page.goto(f"{address}/join")
    ben = one.page.locator("li.item").filter(has_text="Ben")
    ben.locator("summary").tap()
    with one.page.expect_navigation():
        ben.locator(".stop").tap()
    if closed:
        two.page.close()
        two.context.set_offline(False)
        two.page = two.context.new_page()
        two.page.goto(site)
        two.tap("a.item")
    two.context.set_offline(False)
    expect(two.page.locator("[role=status]")).to_contain_text("Trick 1: Ben", timeout=10_000)
    two.said.clear()


def test_a_copy_is_made_without_a_secure_address(phone: Phone, site: str) -> None:
    address = table(phone, site)
    phone.page.goto(f"{address}/join")
    assert not phone.page.evaluate("isSecureContext")
    phone.page.locator("button[name=copy]").tap()
    expect(phone.page.locator("main > [role=status]")).to_have_text("Copied.")
    expect(phone.page.locator("button[name=share]")).to_be_hidden()


def test_a_page_stands_in_where_there_is_no_network(phone: Phone, site: str) -> None:
    """Only where browsers allow it: this computer's own address counts as secure."""
    secure = site.replace("lan.test", "127.0.0.1")
    phone.page.goto(f"{secure}/offline")
    phone.page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)")
    expect(phone.page.locator("h1")).to_have_text("No connection")
    phone.context.set_offline(True)
    phone.page.goto(f"{secure}/rules/leapfrog")
    expect(phone.page.locator("h1")).to_have_text("No connection")
    phone.context.set_offline(False)
    phone.page.get_by_text("Try again").tap()
    expect(phone.page.locator("h1")).not_to_have_text("No connection")
    phone.said.clear()
