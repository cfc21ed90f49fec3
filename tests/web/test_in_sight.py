"""What a table page keeps in sight, in each grain and lying flat."""

import re

import pytest
from flask import Flask

from companion.engine.registry import GAMES
from tests.web.conftest import Phone

TWO = [slug for slug, game in GAMES.items() if 2 in game.seats]


def halves(page: str) -> list[str]:
    """Returns the far half and the near one."""
    return re.findall(r'<section class="half.*?</section>\n(?=<div class="fx mid|</div>)', page, re.DOTALL)


def text(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2].partition("</main>")[0]).split())


def lay(phone: Phone, seat: int, *cards: str) -> None:
    assert phone.enter({"type": "stack", "seat": seat, "cards": list(cards)}).status_code == 303


@pytest.mark.parametrize("slug", TWO)
def test_every_game_of_two_lies_flat(phone: Phone, slug: str) -> None:
    address = phone.start(slug)
    assert "?by=flat" in phone.get(f"{address}/menu").text
    far, near = halves(phone.get(f"{address}?by=flat").text)
    assert (far.startswith('<section class="half b far"'), near.startswith('<section class="half a"')) == (True, True)
    for half in (far, near):
        assert 'name="undo"' in half


def test_three_players_do_not_lie_flat(app: Flask) -> None:
    table = app.extensions["tables"].start("chameleon-tricks", ["Ann", "Ben", "Cleo"], {"dealer": 0})
    phone = Phone(app)
    assert "?by=flat" not in phone.get(f"/t/{table.row.id}/menu").text
    assert halves(phone.get(f"/t/{table.row.id}?by=flat").text) == []
    assert "Who won trick 1?" in phone.page


def test_a_bout_lying_flat(phone: Phone) -> None:
    """Each half has what its owner may do; a choice of many cards turns to the hand that asked for it."""
    address = phone.start("measure-and-tempo")
    far, near = halves(phone.get(f"{address}?by=flat").text)
    assert (far.count('"type":"cycle"'), near.count('"type":"cycle"')) == (0, 1)
    assert "Ann’s turn" in far
    phone.get(f"{address}?pick=guard")
    assert '<div class="half a">' in phone.page
    phone.enter({"type": "guard", "seat": 0, "card": "KS"})
    phone.get(f"{address}?pick=guard")
    assert '<div class="half b far">' in phone.page
    assert "Ben’s new Guard?" in phone.page
    phone.enter({"type": "strike", "seat": 1})
    phone.won(1)
    far, near = halves(phone.page)
    assert ("Disengage" in far, "Disengage" in near) == (True, False)
    assert ("1 – 0" in text("<main" + far), "0 – 1" in text("<main" + near)) == (True, True)
    for half, seat in ((far, 1), (near, 0)):
        assert re.findall(r'"type":"won","seat":(\d)', half) == [str(seat)]


def test_a_trick_of_three_suits_lying_flat(phone: Phone) -> None:
    """Who took it says so on the own half, with the own extra cards; then the card is asked of that hand."""
    address = phone.start("chameleon-tricks", points="shown")
    far, near = halves(phone.get(f"{address}?by=flat&pick=n1-2").text)
    assert ("2 cards" in far, "2 cards" in near) == (True, False)
    assert [re.findall(r"pick=(won[^\"]*)", half) for half in (far, near)] == [["won1.n1-2"], ["won0.n1-2"]]
    phone.get(f"{address}?pick=won1.n1-2")
    assert '<div class="half b far">' in phone.page
    assert '"seat":1,"card":"10C","counts":[1,2]' in phone.page


@pytest.mark.parametrize(("points", "piles"), [("shown", ["10 → 5", "9"]), ("hidden", ["?", "?"])])
def test_card_by_card_the_hand_stays_in_sight(phone: Phone, points: str, piles: list[str]) -> None:
    """Cards left, points with the one to be halved, who runs out first, suit order, lead suit, cards still out."""
    address = phone.start("chameleon-tricks", points=points)
    phone.get(f"{address}?by=card")
    lay(phone, 0, "10D", "10S", "10C")
    lay(phone, 1, "2D")
    lay(phone, 0, "3D")
    lay(phone, 1, "9D")
    lay(phone, 1, "8S")
    shown = text(phone.page)
    assert re.findall(r"(\d+) cards", shown) == ["9", "8"]
    listed = re.findall(r'<span class="(tag)?" aria-hidden="true">([^<]+)</span>', phone.page)
    assert [pile for _, pile in listed] == piles
    assert [bool(tag) for tag, _ in listed] == [pile != "9" and pile != "?" for pile in piles]
    assert "out first" in shown
    assert re.search(r"Lead suit spades .* ?Still out: 29", shown)


def test_card_by_card_the_guards_stay_in_sight(phone: Phone) -> None:
    address = phone.start("measure-and-tempo")
    phone.get(f"{address}?by=card")
    phone.enter({"type": "guard", "seat": 0, "card": "5H"})
    phone.enter({"type": "guard", "seat": 1, "card": "10H"})
    assert "10 beats 5" in text(phone.page)
    phone.get(f"{address}?pick=strike")
    assert re.search(r"5 of hearts .*10 of hearts Trump hearts", text(phone.page))
    phone.enter({"type": "strike", "seat": 0, "card": "2S"})
    assert re.search(r"Trump hearts 5 5 of hearts 10 10 of hearts", text(phone.page))


def test_an_even_split_is_said(phone: Phone) -> None:
    phone.start("measure-and-tempo")
    phone.enter({"type": "strike", "seat": 0})
    phone.won(0, 1, 0, 1, 0, 1)
    assert "Even: nobody scores." in phone.page
