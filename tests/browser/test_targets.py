"""What every page promises: sizes, targets, contrast, one live region, no word on the console."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Phone, hearing

pytestmark = pytest.mark.browser
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    # What passed need not be told in full.
    "resultTypes": ["violations"],
}
# All that is different in the dark.
CONTRAST = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
SIZES = [(360, 640), (390, 844), (844, 390), (820, 1180), (1180, 820)]
GAMES = ["leapfrog", "measure-and-tempo", "chameleon-tricks"]
LONG = ("Annabellina", "Bartholomew")


def table(phone: Phone, site: str, slug: str = "leapfrog", names: tuple[str, str] = ("Ann", "Ben")) -> str:
    phone.page.goto(f"{site}/new/{slug}")
    for place, name in enumerate(names):
        phone.page.locator("input[name=name]").nth(place).fill(name)
    phone.page.locator(".dock button").tap()
    phone.page.wait_for_url("**/t/*")
    return phone.page.url


def axe(page: Page) -> None:
    # A key just tapped is dimmed for a moment, and with it all that is deaf meanwhile.
    hearing(page)
    for scheme, options in (("light", RULES), ("dark", CONTRAST)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = Axe().run(page, options=options)
        assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"


def small(page: Page, css: str, least: float) -> list[str]:
    """Returns the targets that are smaller than they should be, and not only hidden inputs of larger labels."""
    return page.evaluate(
        """([css, least]) => [...document.querySelectorAll(css)].filter(one => {
            const box = one.getBoundingClientRect();
            return box.width > 2 && (box.width < least - .5 || box.height < least - .5);
        }).map(one => one.outerHTML.slice(0, 120))""",
        [css, least],
    )


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("slug", GAMES)
def test_play_screens_need_no_scrolling(new_phone: Callable[..., Phone], site: str, slug: str, lang: str) -> None:
    """Long names, both ways of entering, every size."""
    phone = new_phone(lang=lang)
    address = table(phone, site, slug, LONG)
    for by in ("result", "card"):
        phone.page.goto(f"{address}?by={by}")
        expect(phone.page.locator(".undo").last).to_be_visible()
        for width, height in SIZES:
            phone.page.set_viewport_size({"width": width, "height": height})
            phone.fits()
            assert small(phone.page, "main button, main a, .hub, .undo, .chip:is(a)", 48) == []
            assert small(phone.page, "button.win", 64) == []
    assert phone.page.locator("[role=status]").count() == 1


def test_flat_between_two_players(phone: Phone, site: str) -> None:
    address = table(phone, site, names=LONG)
    phone.page.goto(f"{address}?by=flat")
    phone.fits()
    turned = phone.page.locator(".half.far").evaluate("one => getComputedStyle(one).transform")
    assert turned.startswith("matrix(-1")
    phone.tap(".half.far button.win")
    expect(phone.page.locator("[role=status]")).to_contain_text("Trick 1: Bartholomew")
    phone.tap(".half.far .undo")
    expect(phone.page.locator(".mid")).to_contain_text("Trick 1")
    assert small(phone.page, "main button, main a", 48) == []
    axe(phone.page)


@pytest.mark.parametrize(
    ("slug", "ask", "card", "said"),
    [
        ("measure-and-tempo", ".keys3 a", "KS", "Bartholomew stood the"),
        ("chameleon-tricks", "a.win", "10H", "Trick 1: Bartholomew"),
    ],
)
def test_a_choice_of_many_cards_turns_to_the_hand_that_asked(
    phone: Phone, site: str, slug: str, ask: str, card: str, said: str
) -> None:
    address = table(phone, site, slug, LONG)
    if slug == "measure-and-tempo":
        phone.page.goto(f"{address}?by=result")
        if "Annabellina" in phone.find(".ask h2").inner_text():
            phone.tap(".keys3 button", "Cycle")
            expect(phone.find(".ask h2")).to_contain_text("Bartholomew")
    phone.page.goto(f"{address}?by=flat")
    phone.fits()
    assert small(phone.page, "main button, main a", 48) == []
    phone.tap(f".half.far {ask}")
    pad = phone.page.locator(".turned .half.b.far")
    expect(pad).to_be_visible()
    assert pad.evaluate("one => getComputedStyle(one).transform").startswith("matrix(-1")
    phone.fits()
    assert small(phone.page, "main button, main a", 48) == []
    axe(phone.page)
    phone.tap(f'.pad .ck[value*=\'"{card}"\']')
    expect(phone.page.locator("[role=status]")).to_contain_text(said)
    expect(phone.page.locator(".half.far")).to_be_visible()


@pytest.mark.parametrize("slug", GAMES)
def test_every_page_of_a_table_is_accessible(phone: Phone, site: str, slug: str) -> None:
    address = table(phone, site, slug)
    for path in ("?by=result", "?by=card", "/menu", "/join", "/adjust", "/end", "/all"):
        phone.page.goto(address + path)
        axe(phone.page)
    for path in (f"/new/{slug}", f"/rules/{slug}", *(("/", "/join", "/files") if slug == GAMES[0] else ())):
        phone.page.goto(site + path)
        axe(phone.page)


def test_the_past_and_the_end_are_accessible(phone: Phone, site: str) -> None:
    address = table(phone, site)
    for number in range(1, 8):
        phone.tap("button.win.a" if number % 2 else "button.win.b")
        expect(phone.page.locator(".hub")).to_contain_text(f"Trick {number % 7 + 1}/7")
    phone.page.goto(f"{address}/item/3")
    axe(phone.page)
    phone.page.locator("a.win").tap()
    expect(phone.page.locator("table")).to_be_visible()
    axe(phone.page)
    phone.page.goto(f"{address}/item/3/insert")
    axe(phone.page)
    phone.page.goto(f"{address}/end")
    phone.page.locator("button.win.b").tap()
    expect(phone.page.locator(".crown")).to_be_visible()
    axe(phone.page)


def test_before_the_first_trick_little_is_loaded(phone: Phone, site: str) -> None:
    sizes: dict[str, int] = {}

    phone.page.on("requestfinished", lambda request: sizes.update({request.url: request.sizes()["responseBodySize"]}))
    phone.page.goto(f"{site}/new/leapfrog")
    phone.page.locator(".dock button").tap()
    phone.page.wait_for_url("**/t/*")
    expect(phone.page.locator(".undo")).to_be_visible()
    first = {url: size for url, size in sizes.items() if "/live" not in url}
    page_only = [url for url in first if "/new/" not in url]
    assert len(page_only) <= 6, page_only
    assert sum(first.values()) <= 60_000, first
    assert not [url for url in first if url.endswith((".woff", ".woff2", ".ttf"))]


def test_suits_differ_without_colour(phone: Phone, site: str) -> None:
    table(phone, site)
    paths = phone.page.locator("symbol#S path, symbol#H path, symbol#C path, symbol#D path")
    assert len(set(paths.evaluate_all("all => all.map(one => one.getAttribute('d'))"))) == 4
    expect(phone.page.locator(".hier .sl").first).to_be_visible()


def test_look_is_kept_by_the_phone(phone: Phone, site: str) -> None:
    address = table(phone, site)
    phone.page.goto(f"{address}/menu")
    phone.page.get_by_text("Dark", exact=True).tap()
    expect(phone.page.locator("html")).to_have_attribute("data-theme", "dark")
    phone.page.get_by_text("4 colours").tap()
    expect(phone.page.locator("html")).to_have_attribute("data-suits", "4")
    phone.page.get_by_text("日本語").tap()
    expect(phone.page.locator("html")).to_have_attribute("lang", "ja")
    phone.page.goto(address)
    expect(phone.page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(phone.page.locator("h2").first).to_contain_text("トリック1")
