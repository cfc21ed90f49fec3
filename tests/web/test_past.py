"""Putting the past right: opened, corrected, removed, put in, in every game, also after its end; undone and redone."""

import html
import re
from typing import Any

import pytest

from tests.web.conftest import Phone

WON: dict[str, list[dict[str, Any]]] = {
    "leapfrog": [{"type": "won", "seat": seat} for seat in (0, 1) * 14],
    "measure-and-tempo": [
        {"type": "cycle", "seat": 0},
        {"type": "stall", "seat": 1},
        {"type": "strike", "seat": 0},
        *[{"type": "won", "seat": 0}] * 6,
        {"type": "strike", "seat": 1},
        *[{"type": "won", "seat": 0}] * 6,
    ],
    "chameleon-tricks": [{"type": "won", "seat": 0, "card": f"{rank}C"} for rank in range(2, 10)],
}


def link(phone: Phone, pattern: str) -> str:
    """Returns where a link of the page shown last leads."""
    found = re.search(rf'href="([^"]*{pattern}[^"]*)"', phone.page)
    assert found, f"no link {pattern}"
    return html.unescape(found[1])


def save(phone: Phone, follow: str) -> None:
    """Accepts the correction that is shown."""
    entry = re.search(r'name="entry" value="([^"]+)"', phone.page)
    assert entry, phone.page[-1500:]
    fields = {**phone.form(), "expected": phone.hidden("expected"), "entry": html.unescape(entry[1])}
    assert phone.post(follow.partition("?")[0], fields).status_code == 303
    phone.get(phone.table)


def play(phone: Phone, slug: str) -> None:
    phone.start(slug)
    for entry in WON[slug]:
        assert phone.enter(entry).status_code == 303, entry


def winners(phone: Phone) -> list[int]:
    return [entry["seat"] for entry in in_force(phone) if entry["type"] == "won"]


def in_force(phone: Phone) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for entry in phone.record()["entries"]:
        if entry["type"] == "revise":
            lines[entry["at"] : entry["at"] + entry["drop"]] = entry["entries"]
        else:
            lines.append(entry)
    return lines


def bare(entry: dict[str, Any]) -> dict[str, Any]:
    """Returns an entry without its envelope: what is put back is a new line."""
    return {name: value for name, value in entry.items() if name not in ("id", "at")}


@pytest.mark.parametrize("slug", WON)
def test_another_winner_undone_and_redone(phone: Phone, slug: str) -> None:
    play(phone, slug)
    before = winners(phone)
    ended = "wins" in phone.get(phone.table).text
    # Every past trick: the list, the right player beside it, the consequences accepted.
    phone.get(f"{phone.table}/all")
    page = link(phone, "/item/[0-9]+/fix[?]winner=1")
    if phone.get(page).status_code == 303:
        page = phone.get(page).headers["Location"]
        phone.get(page)
        page = link(phone, "10C")
        phone.get(page)
    assert "What would change" in phone.page
    save(phone, page)
    after = winners(phone)
    changed = [place for place, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert len(changed) == 1
    assert after[changed[0]] == 1
    phone.get(phone.table)
    phone.enter(undo="1")
    assert winners(phone) == before
    assert ("wins" in phone.get(phone.table).text) == ended
    phone.enter(redo="1")
    assert winners(phone) == after


def test_the_winning_card_is_asked_for_where_nobody_saw_it(phone: Phone) -> None:
    play(phone, "chameleon-tricks")
    answer = phone.get(f"{phone.table}/item/3/fix?winner=1")
    assert answer.status_code == 303
    page = phone.get(answer.headers["Location"]).text
    assert "Ben took the trick with" in page
    assert "9 of clubs" in page


def test_the_card_a_player_was_seen_to_lay_is_taken(phone: Phone) -> None:
    phone.start("chameleon-tricks")
    for seat, card in ((0, "5C"), (1, "10D"), (0, "9H"), (1, "3H")):
        phone.enter({"type": "stack", "seat": seat, "cards": [card]})
    phone.get(f"{phone.table}/item/2/fix?winner=1")
    assert "What would change" in phone.page
    assert "3 of hearts" in phone.page


@pytest.mark.parametrize("slug", WON)
def test_one_is_removed_and_one_put_in(phone: Phone, slug: str) -> None:
    play(phone, slug)
    before = in_force(phone)
    # The last but one: to remove the last is what Undo does.
    place = len(re.findall(r'class="item box soft fx grow"', phone.get(f"{phone.table}/all").text)) - 1
    phone.get(f"{phone.table}/item/{place}")
    page = link(phone, f"/item/{place}/fix")
    phone.get(f"{phone.table}/item/{place}/fix")
    save(phone, page)
    assert len(in_force(phone)) < len(before)
    phone.enter(undo="1")
    assert list(map(bare, in_force(phone))) == list(map(bare, before))
    phone.get(f"{phone.table}/item/{place}/insert?where=before")
    page = link(phone, "/fix[?]at=[0-9]+&amp;drop=0[^\"]*won")
    if "That would break" in phone.get(page).text:
        page = link(phone, "mend=1")
        phone.get(page)
    save(phone, page)
    assert in_force(phone) != before
    phone.enter(undo="1")
    assert list(map(bare, in_force(phone))) == list(map(bare, before))


def test_an_action_is_replaced(phone: Phone) -> None:
    play(phone, "measure-and-tempo")
    phone.get(f"{phone.table}/item/2/insert?where=instead")
    page = link(phone, "drop=1&amp;entries=[^\"]*cycle")
    phone.get(page)
    save(phone, page)
    assert [entry["type"] for entry in in_force(phone)[:3]] == ["cycle", "cycle", "strike"]


def test_what_would_break_is_listed_with_its_place_and_mended_at_once(phone: Phone) -> None:
    phone.start(hierarchy=["S", "H", "C"])
    cards = ((0, "10S"), (1, "8H"), (0, "7S"), (1, "4H"), (0, "6H"), (1, "3H"), (0, "2C"), (1, "5C"))
    for seat, card in cards:
        assert phone.enter({"type": "card", "seat": seat, "card": card}).status_code == 303
    page = phone.get(f"{phone.table}/item/1/card?at=1").text
    assert "2 of clubs" in page
    phone.get(link(phone, "2C"))
    assert "That would break what came later" in phone.page
    assert "Trick 2" in phone.page
    assert "2 of clubs" in phone.page
    mend = link(phone, "mend=1")
    phone.get(mend)
    assert "What would change" in phone.page
    save(phone, mend)
    assert [entry["card"] for entry in in_force(phone)] == ["10S", "2C", "7S", "4H", "6H", "3H"]


def test_a_stack_keeps_what_was_added_to_it(phone: Phone) -> None:
    phone.start("chameleon-tricks")
    phone.enter({"type": "stack", "seat": 0, "cards": ["7C", "7D"]})
    phone.get(f"{phone.table}/item/1")
    phone.get(link(phone, "/item/1/card[?]at=0"))
    page = link(phone, "7H")
    phone.get(page)
    save(phone, page)
    assert in_force(phone)[0]["cards"] == ["7H", "7D"]
