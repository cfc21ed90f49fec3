"""The trick checker on a phone: from a dispute to the answer in taps; targets, sizes, one live region."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Phone
from tests.browser.test_targets import axe

pytestmark = pytest.mark.browser
WHO = "who=Ann&who=Ben"
LONG = "who=Annabellina&who=Bartholomew&who=Cassiopeia1"
PICK = {
    "leapfrog": ["", "order=SHC&plays=0:10S,1:9S", "order=SHC&plays=0:10S,1:9S,0:4S,1:2H&at=1", "order=SHC&at=order"],
    "measure-and-tempo": ["", "guards=KS,-&plays=0:9H", "guards=-,-&at=guards0", "guards=KS,-&plays=0:9H,1:2S&at=0"],
    "chameleon-tricks": ["", "players=2", "plays=0:7C-7D", "plays=0:7C-7D,1:2C,2:3H&at=1"],
}
RULED = {
    "leapfrog": ["order=SHC&plays=1:10S,0:9S,1:2S,0:5S", "order=SHC&frogs=61&king=0&plays=1:10S,0:9S,1:leap,0:5C"],
    "measure-and-tempo": ["guards=KS,3C&plays=0:9H,1:2S", "guards=KS,?&plays=0:9H,1:2S"],
    "chameleon-tricks": ["plays=0:7C-7D,1:2C,2:3H", "plays=0:7D-7H,1:7S,2:3D-3H"],
}
MORE = {
    "leapfrog": ["order=SHC&frogs=00&king=4&at=frogs0", "order=SHC&plays=0:7H&ask=1&hand=2H,9S,10C&used=01"],
    "measure-and-tempo": ["guards=KS,-&plays=0:9H&ask=1&hand=2H,9S,10C"],
    "chameleon-tricks": ["plays=0:7C&ask=1&hand=7D,2C,9C,9H,2S"],
}
every_game = pytest.mark.parametrize("slug", list(PICK))


def opened(phone: Phone, site: str, slug: str, query: str = "") -> Page:
    phone.page.goto(f"{site}/check/{slug}?{query}")
    return phone.page


def small(page: Page) -> list[str]:
    """Returns the keys that are smaller than a thumb needs."""
    return page.evaluate(
        """() => [...document.querySelectorAll('main a, .top a')].filter(one => {
            const box = one.getBoundingClientRect();
            return box.width > 2 && (box.width < 47.5 || box.height < 47.5);
        }).map(one => one.outerHTML.slice(0, 160))"""
    )


@every_game
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_position_is_entered_without_scrolling(
    new_phone: Callable[..., Phone], site: str, slug: str, lang: str
) -> None:
    phone = new_phone(lang=lang)
    for query in PICK[slug]:
        page = opened(phone, site, slug, query + ("&" + LONG if query else ""))
        assert page.locator("[role=status]").count() == 1
        for width, height in ((360, 640), (390, 844), (844, 390), (820, 1180)):
            page.set_viewport_size({"width": width, "height": height})
            phone.fits()
            assert small(page) == []


@every_game
def test_every_state_is_accessible(phone: Phone, site: str, slug: str) -> None:
    for query in [*PICK[slug], *RULED[slug], *MORE[slug], RULED[slug][0] + "&at=send"]:
        page = opened(phone, site, slug, query)
        axe(page)
        assert small(page) == []
        assert page.locator("[role=status]").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@every_game
def test_the_verdict_is_seen_without_scrolling(phone: Phone, site: str, slug: str) -> None:
    for query in RULED[slug]:
        page = opened(phone, site, slug, f"{query}&{WHO}")
        assert bottom(page, ".ruling") < 560
        # What may come next is in sight as well.
        assert bottom(page, "[data-key=may]") <= 640
        assert bottom(page, "[data-key=send]") <= 640
        text = page.locator(".ruling p").first
        assert text.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") >= 16

    for query in MORE[slug]:
        page = opened(phone, site, slug, query)
        assert page.locator(".ruling").count() == 0 or bottom(page, ".ruling") <= 640
    page = opened(phone, site, slug, f"{RULED[slug][0]}&at=send")
    assert bottom(page, "input") <= 640
    phone.tap("[data-key=done]")
    expect(page.locator("[data-key=may]")).to_be_visible()


def bottom(page: Page, css: str) -> float:
    """Returns where something ends, from the top of the screen."""
    found: float = page.locator(css).first.evaluate("one => one.getBoundingClientRect().bottom")
    return found


def card(phone: Phone, key: str) -> Phone:
    """Taps a key and waits until its answer is shown: under a finger, keys of the page before would be replaced."""
    before = phone.page.url
    phone.tap(f"[data-key='{key}']")
    expect(phone.page).not_to_have_url(before)
    return phone


def test_who_took_this_trick_from_the_live_table(phone: Phone, site: str) -> None:
    """A dispute in the middle of a game: the voice line, Check it. A card that was entered wrong: two taps more."""
    phone.page.goto(f"{site}/new/leapfrog")
    for place, name in enumerate(("Ann", "Ben")):
        phone.page.locator("input[name=name]").nth(place).fill(name)
    phone.page.locator(".dock button").tap()
    phone.page.wait_for_url("**/t/*")
    phone.page.goto(f"{phone.page.url}?by=card")
    for laid in ("10 of spades", "9 of spades", "2 of spades", "5 of spades"):
        phone.tap(f".ck[aria-label='{laid}']")
    expect(phone.page.locator("[role=status]")).to_contain_text("Trick 1")
    phone.taps = 0
    phone.tap("a.says").tap("a.key", "Check it")
    expect(phone.page.locator(".ruling h2")).to_contain_text("9")
    assert phone.taps == 2
    expect(phone.page.locator(".top")).to_contain_text("Trick 1 as it is on record")
    expect(phone.page.locator(".ruling")).to_contain_text("frog hops to the")
    phone.taps = 0
    card(phone, "turn1")
    expect(phone.page.locator(".pad")).to_be_visible()
    # Another spade: the table drew its suit order, and a heart might be stronger.
    card(phone, "7S")
    expect(phone.page.locator(".ruling h2")).to_contain_text("10")
    assert phone.taps == 2
    expect(phone.page.locator(".top")).to_contain_text("Trick 1, changed here")
    # Back is one tap, also with the phone's own key: the changes left no trail behind them.
    phone.page.go_back()
    expect(phone.page.locator("h1")).to_have_text("Trick 1")


ENTRIES = {
    "leapfrog": ("orders", "orderHSD", "10H", "9H", "leap", "2D"),
    "measure-and-tempo": ("guards0", "KS", "3C", "feint-AH", "10D"),
    "chameleon-tricks": ("7C", "top7C-7D-7H", "2C", "top2C-2S", "3H", "top3H-3C-3S-3D"),
}
ANSWERS = {"leapfrog": "Player B, 2", "measure-and-tempo": "Player A, A", "chameleon-tricks": "Player A, 7"}


@every_game
@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_position_in_six_taps(new_phone: Callable[..., Phone], site: str, slug: str, script: bool) -> None:
    """From nothing to the answer, with scripts and without. How long it takes: tests/bench/bench_checker.py."""
    phone = new_phone(script=script)
    opened(phone, site, slug)
    for key in ENTRIES[slug]:
        expect(phone.page.locator(f"[data-key='{key}']")).to_be_visible()
        card(phone, key)
    expect(phone.page.locator(".ruling h2")).to_contain_text(ANSWERS[slug])
    assert phone.taps <= 6
    assert "plays=" in phone.page.url
    assert phone.page.locator("input:focus").count() == 0


def test_with_scripts_the_page_stays(phone: Phone, site: str) -> None:
    page = opened(phone, site, "leapfrog")
    page.evaluate("window.mark = 1")
    before = page.evaluate("history.length")
    for key in ("10S", "9S", "2S", "5S"):
        card(phone, key)
        expect(page.locator(f".slot [aria-hidden]:text-is('{key[:-1]}')").first).to_be_visible()
    expect(page.locator(".ruling h2")).to_contain_text("9")
    assert page.evaluate("window.mark") == 1
    assert page.evaluate("history.length") == before
    expect(page).to_have_title("Player B, 9♠ · Check a trick")
    page.reload()
    expect(page.locator(".ruling h2")).to_contain_text("9")


def test_cards_tapped_faster_than_answers_come(phone: Phone, site: str) -> None:
    """Each tap counts once, in its order; a finger that shakes lays nothing twice."""
    page = opened(phone, site, "leapfrog")
    page.evaluate(
        """() => { for (const key of ['10S', '10S', '9S', '2S', '5S'])
            document.querySelector(`[data-key="${key}"]`).click(); }"""
    )
    expect(page.locator(".ruling h2")).to_contain_text("9")
    assert page.url.endswith("plays=0:10S,1:9S,0:2S,1:5S")


@pytest.mark.parametrize(
    ("slug", "keys"),
    [("leapfrog", ("10S", "9S", "2S")), ("measure-and-tempo", ("9H",)), ("chameleon-tricks", ("7C", "2C"))],
)
def test_keys_stay_where_they_are(phone: Phone, site: str, slug: str, keys: tuple[str, ...]) -> None:
    """From the first card to the last a key is under the same thumb."""
    page = opened(phone, site, slug)
    there = page.locator("[data-key='5H']").first
    places = {there.evaluate("one => Math.round(one.getBoundingClientRect().y)")}
    for key in keys:
        card(phone, key)
        expect(page.locator(f".pad [data-key='{key}'][aria-disabled=true]")).to_have_count(1)
        places.add(there.evaluate("one => Math.round(one.getBoundingClientRect().y)"))
    assert len(places) == 1, places


def test_a_closed_key_speaks(phone: Phone, site: str) -> None:
    page = opened(phone, site, "leapfrog", "order=SHC&plays=0:10S,1:9S")
    card(phone, "9S")
    expect(page.locator("[role=status]")).to_contain_text("lies here already")
    card(phone, "2S")
    expect(page.locator("[role=status]")).to_contain_text("So far")


def test_no_answer_no_loss(phone: Phone, site: str) -> None:
    """Where no answer comes the browser itself goes there, and the position is in its address."""
    page = opened(phone, site, "leapfrog")

    def cut(route: Route) -> None:
        if "json" in route.request.headers.get("accept", ""):
            route.abort()
        else:
            route.continue_()

    page.route("**/check/leapfrog?*plays=*", cut)
    card(phone, "10S")
    page.wait_for_url("**plays=0:10S*")
    expect(page.locator(".slot").first).to_contain_text("10")
    assert [line for line in phone.said if "ERR_FAILED" not in line] == []
    phone.said.clear()


def test_rules_are_found_as_one_types(phone: Phone, site: str) -> None:
    """From the menu of a table to a rule by one of its words, and back to the menu; the page stays."""
    page = phone.page
    page.goto(f"{site}/new/leapfrog")
    page.locator(".dock button").tap()
    page.wait_for_url("**/t/*")
    page.goto(f"{page.url}/menu")
    menu = page.url
    phone.tap("main a[href='/rules/leapfrog']")
    page.wait_for_url("**/rules/leapfrog")
    page.evaluate("window.mark = 1")
    page.locator("[type=search]").type("water dive")
    # The first search of a server reads every text.
    expect(page.locator(".rule")).to_have_count(1, timeout=15_000)
    expect(page.locator(".rule h3")).to_have_text("The dive")
    expect(page.locator("[role=status]")).to_contain_text("1 rule")
    assert page.evaluate("window.mark") == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    phone.tap(".top a")
    page.wait_for_url(menu)
