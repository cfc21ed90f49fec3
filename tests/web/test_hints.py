"""First-time hints: each said once a table, taken back with its trick, and silent where a phone wants none."""

import html
from typing import Any

import pytest

from tests.web.conftest import Phone

WON0, WON1 = {"type": "won", "seat": 0}, {"type": "won", "seat": 1}
RUN = [
    {"type": "card", "seat": 0, "card": "9S"},
    {"type": "card", "seat": 1, "card": "8S"},
    {"type": "card", "seat": 0, "card": "2C"},
    {"type": "card", "seat": 1, "card": "3C"},
]
AGAIN = [{**entry, "seat": 1 - entry["seat"], "card": card} for entry, card in zip(RUN, ("6S", "5S", "4C", "5C"))]  # type: ignore[operator, index]  # noqa: B905
LAP = [WON0] * 3
FEINT = [{"type": "strike", "seat": 0, "feint": True}]
HALF = [{"type": "won", "seat": 0, "card": f"{rank}C", "counts": [2, 2]} for rank in (2, 3, 4, 5, 6, 7)]


def said(phone: Phone) -> str:
    """Returns the voice line."""
    return html.unescape(phone.page.partition('data-part="says"')[2].partition("</div>")[0])


def enter(phone: Phone, entries: list[Any]) -> None:
    for entry in entries:
        assert phone.enter(entry).status_code == 303, entry


@pytest.mark.parametrize(
    ("slug", "entries", "says"),
    [
        ("leapfrog", RUN, "the lowest takes it, not the highest"),
        ("leapfrog", [*LAP, WON0], "leapfrogs every token on its way, King Frog too"),
        ("measure-and-tempo", [{"type": "cycle", "seat": place % 2} for place in range(11)], "now only a Strike"),
        ("measure-and-tempo", FEINT, "any card may answer it"),
        ("chameleon-tricks", HALF, "counts only half"),
    ],
)
def test_it_is_said_when_it_comes_up_for_the_first_time(
    phone: Phone, slug: str, entries: list[Any], says: str
) -> None:
    setup: dict[str, Any] = {"leapfrog": {"hierarchy": ["S", "H", "C"]}, "measure-and-tempo": {"circle_limit": "yes"}}
    phone.start(slug, **setup.get(slug, {}))
    enter(phone, entries[:-1])
    assert says not in said(phone)
    enter(phone, entries[-1:])
    assert says in said(phone)
    # Taken back and entered again it is the first time again.
    phone.enter(undo="1")
    assert says not in said(phone)
    enter(phone, entries[-1:])
    assert says in said(phone)
    phone.get(f"{phone.table}/menu")
    assert phone.post("/look", {**phone.form(), "hints": "off", "back": phone.table}).status_code == 303
    assert says not in said_anew(phone)


def said_anew(phone: Phone) -> str:
    phone.get(phone.table)
    return said(phone)


def test_the_second_time_it_is_not_said(phone: Phone) -> None:
    phone.start(hierarchy=["S", "H", "C"])
    enter(phone, RUN)
    assert "not the highest" in said(phone)
    enter(phone, AGAIN)
    assert "run" in said(phone)
    assert "not the highest" not in said(phone)


def test_a_dive_is_said_once(phone: Phone) -> None:
    track = ["3", "0", "1", "0", "2", "4", "6", "8"]
    phone.start(variant="freshwater", hierarchy=["S", "H", "C"], track=track)
    enter(phone, [WON0, WON1])
    enter(phone, [WON0])
    assert phone.enter({"type": "hop", "seat": 0, "dive": True}).status_code == 303
    assert "to the other water, then one pad on" in said(phone)
