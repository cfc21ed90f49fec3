"""The rules: every citation lands, what is drawn is so, the search finds words of both languages, Back leads back."""

import ast
import html
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

import companion.engine
from companion.checker import read
from companion.engine.fold import Fold, fold
from companion.engine.game import Game
from companion.engine.record import record_from
from companion.engine.registry import GAMES
from companion.i18n import LANGUAGES
from tests.conformance.games import every_game
from tests.web.conftest import HOST, Phone
from tests.web.test_checking import words

RULE = re.compile(r'<section class="rule st" id="([^"]+)">(.*?)</section>', re.DOTALL)
FIGURE = re.compile(r'<figure class="drawn[^"]*"([^>]*)>(.*?)</figure>', re.DOTALL)
# Where the pads are drawn, clockwise from the top left.
LEFT, TOP = (45, 117, 189, 261, 261, 189, 117, 45), (82, 82, 82, 82, 212, 212, 212, 212)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


def sections(page: str) -> dict[str, str]:
    return dict(RULE.findall(page))


@every_language
@every_game
def test_every_rule_stands_once_under_its_name(app: Flask, game: Game, lang: str) -> None:
    page = Phone(app, lang).get(f"/rules/{game.slug}").text
    found = RULE.findall(page)
    assert sorted(name for name, _ in found) == sorted(rule.partition("/")[2] for rule in game.rules)
    anchors = re.findall(r'href="#([^"]+)"', re.sub(r"<use [^>]*>", "", page))
    assert anchors
    assert all(f'id="{anchor}"' in page for anchor in anchors)


def cited() -> set[str]:
    """Returns every rule that the engine's source names; every game has the one that a revoke breaks."""
    found = {f"{slug}/follow" for slug in GAMES}
    for path in Path(companion.engine.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                slug, slash, name = node.value.partition("/")
                if slash and slug in GAMES and name and " " not in name:
                    found.add(node.value)
    return found


def test_every_citation_lands_on_its_rule(phone: Phone) -> None:
    """In the source a rule's name is written out, but for `{slug}/follow`, and where a game lists its rules."""
    known = {slug: sections(phone.get(f"/rules/{slug}").text) for slug in GAMES}
    assert {"leapfrog/run", "measure-and-tempo/trump", "chameleon-tricks/halve"} <= cited()
    assert [one for one in sorted(cited()) if one.partition("/")[2] not in known[one.partition("/")[0]]] == []
    source = "".join(path.read_text(encoding="utf-8") for path in Path(companion.engine.__path__[0]).glob("*.py"))
    made = re.findall(r'f"([\w{}.-]+)/([\w{}.-]+)"', source)
    assert sorted(made) == sorted([*((slug, "{name}") for slug in GAMES), ("{so_far.game.slug}", "follow")])


# --- what is drawn


CASES: dict[str, list[tuple[str, str, str, str]]] = {
    "leapfrog": [
        ("start", "order=SHC&frogs=00&king=4", "", ""),
        ("strongest", "order=SHC&plays=0:9C,1:4H,0:10C,1:2H", "4H", "H"),
        ("run", "order=SHC&plays=0:10S,1:AS,0:2S,1:9S", "9S", "its lowest card, the 9S"),
        ("run", "order=HSC&plays=0:9S,1:7H,0:10S,1:8H", "7H", "its lowest card, the 7H"),
        (
            "hop",
            "order=SHC&frogs=01&king=2&plays=0:10S,1:2H,0:4S,1:3H",
            "10S",
            "leaps over Player B and King Frog to the 5",
        ),
        ("leap", "order=SHC&plays=0:10S,1:2C,0:8S,1:leap", "2C", "put C on top"),
        (
            "king",
            "order=SHC&frogs=05&king=4&plays=0:10S,1:king,0:4S,1:3H",
            "10S",
            "King Frog leaps over Player B to the 4",
        ),
        (
            "dive",
            "order=SHC&frogs=06&king=4&track=01203468&plays=0:10S,1:2H,0:4S,1:3H",
            "10S",
            "hops to the 1. It may dive instead, and leap over King Frog to the 4",
        ),
    ],
    "measure-and-tempo": [
        ("win", "guards=-,-&plays=0:KH,1:AH", "AH", "beats"),
        ("trump", "guards=KS,3C&plays=0:9H,1:2S", "2S", "Of the two Guards the KS beats the 3C, so trump is S"),
        ("feint", "guards=-,-&plays=0:feint-AS,1:KD", "AS", "Player B’s KD is neither S nor trump, so it loses"),
    ],
    "chameleon-tricks": [
        ("chameleon", "players=2&plays=0:7H-7C,1:10H", "7C", "covered it with the 7C"),
        ("last-card", "plays=0:3H,1:10H-10C,2:9S-9D", "10C", "10C"),
    ],
}


@every_game
def test_what_is_drawn_is_what_the_engine_rules(phone: Phone, game: Game) -> None:
    """Each example: the right card has the frame, the words say so, and nothing else is drawn."""
    told = sections(phone.get(f"/rules/{game.slug}").text)
    drawn = {(name, case): body for name, part in told.items() for case, body in cases(part)}
    assert drawn.keys() == {(name, case) for name, case, _, _ in CASES[game.slug]}
    for name, case, card, said in CASES[game.slug]:
        body = drawn[name, case]
        ruling = game.rule_on(read(game, [part.split("=") for part in case.split("&")]).position)  # type: ignore[misc]
        assert ruling.card == (card or None)
        assert said in words(body[body.find("<figcaption>") :]) if said else "<figcaption>" not in body
        if '<ol class="laid"' in body:
            took = re.findall(r'<li class="\w took[^"]*">(.*?)</li>', body, re.DOTALL)
            assert [top(one) for one in took] == [card]
        else:
            moves = {way["to"] for way in ruling.more["moves"] if way["seat"] == ruling.winner}
            assert pads(body) == (moves if name != "king" else set())
            assert f'<use href="#king" x="{LEFT[ruling.more["king"]] - 18}" y="{TOP[ruling.more["king"]] - 49}"' in body


def cases(part: str) -> list[tuple[str, str]]:
    found = [(re.search(r'data-case="([^"]*)"', head), body) for head, body in FIGURE.findall(part)]
    return [(html.unescape(case[1]), body) for case, body in found if case]


def top(stack: str) -> str:
    """Returns the card that lies on top."""
    suit, rank = re.findall(r'class="pc box (\w)"><b[^>]*>(\w+)</b>', stack)[-1]
    return f"{rank}{suit}"


def pads(body: str) -> set[int]:
    """Returns the pads on which a ghost stands."""
    places = [(int(x) + 13, int(y) + 42) for x, y in re.findall(r'class="gh \w"><use [^>]*x="(\d+)" y="(\d+)"', body)]
    return {list(zip(LEFT, TOP, strict=True)).index(place) for place in places}


def test_the_arrows_of_the_loop_point_at_what_is_beaten(phone: Phone) -> None:
    part = sections(phone.get("/rules/measure-and-tempo").text)["ranking"]
    arrows = [html.unescape(pair).split(">") for pair in re.findall(r'data-beats="([^"]*)"', part)]
    assert len(arrows) == 3
    for best, least in arrows:
        for lead, answer in ((best, least), (least, best)):
            position = {
                "guards": [None, None],
                "lead": {"seat": 0, "card": f"{lead}S"},
                "answer": {"seat": 1, "card": f"{answer}S"},
            }
            assert GAMES["measure-and-tempo"].rule_on({"game": "measure-and-tempo", **position}).card == f"{best}S"


def played(slug: str, setup: dict[str, Any], players: int, *entries: dict[str, Any]) -> Fold:
    names = ["Ann", "Ben", "Cay"][:players]
    record = {"format": "companion-record", "version": 1, "game": slug, "players": names, "setup": setup}
    return fold(record_from({**record, "entries": list(entries)}))


def test_a_bout_goes_the_way_that_is_drawn(phone: Phone) -> None:
    """Out, struck, answered, led again or out; the 12th action is a Strike; the sixth tempo is the last."""
    part = sections(phone.get("/rules/measure-and-tempo").text)["turns"]
    assert "11 actions at most" in part
    assert "after 6 tempos" in part
    cycles = [{"type": "cycle", "seat": number % 2} for number in range(11)]
    strike = {"type": "strike", "seat": 1}
    won = {"type": "won", "seat": 0}

    def phase(*entries: dict[str, Any]) -> str:
        bout = played("measure-and-tempo", {"first": 0}, 2, *entries)
        return str(bout.game.json(bout.state)["phase"])

    assert phase(*cycles) == "out"
    bout = played("measure-and-tempo", {"first": 0}, 2, *cycles)
    open_now = {option.entry["type"] for option in bout.game.expects(bout.state).options if not option.closed}
    assert open_now == {"strike"}
    assert phase(*cycles, strike) == "answer"
    assert phase(*cycles, strike, won) == "winner"
    assert phase(*cycles, strike, won, {"type": "disengage", "seat": 0}) == "out"
    assert [phase(*cycles, strike, *tempos * [won]) for tempos in range(2, 7)] == 4 * ["winner"] + ["out"]


def test_the_highest_is_halved_as_drawn(phone: Phone) -> None:
    part = sections(phone.get("/rules/chameleon-tricks").text)["halve"]
    (head, body), *_ = FIGURE.findall(part)
    points, scored = (
        list(map(int, re.search(rf'data-{name}="([^"]*)"', head)[1].split())) for name in ("points", "scored")
    )  # type: ignore[index]
    # The last trick of a hand: one card each, and the lowest score takes it with a 2.
    before = [points[0], points[1] - 2, points[2]]
    last = {"type": "adjust", "set": {"points": before, "cards_left": [1, 1, 1]}}
    stacks = [{"type": "stack", "seat": seat, "cards": [card]} for seat, card in enumerate(("4D", "2C", "3D"))]
    hand = played("chameleon-tricks", {"dealer": 0}, 3, last, *stacks)
    assert hand.game.json(hand.state)["hands"] == [scored]
    assert re.findall(r">(\d+)</text>", body) == [str(one) for pair in zip(points, scored, strict=True) for one in pair]


# --- the search


@pytest.mark.parametrize(
    ("lang", "q", "some", "others"),
    [
        ("en", "queen", [], set()),
        ("en", "Face-Down", ["face-down-lead"], set()),
        ("en", "water  DIVE", ["dive"], set()),
        ("en", "伏せて", ["power", "own-deck"], {"measure-and-tempo"}),
        ("ja", "ふせて", [], set()),
        ("ja", "りーど", ["lead", "follow"], {"measure-and-tempo", "chameleon-tricks"}),
        ("ja", "ＫＩＮＧ", ["king", "dive"], {"measure-and-tempo", "chameleon-tricks"}),
        ("ja", "revoke", ["follow"], {"measure-and-tempo", "chameleon-tricks"}),
    ],
)
def test_the_search(app: Flask, lang: str, q: str, some: list[str], others: set[str]) -> None:
    phone = Phone(app, lang)
    page = phone.get("/rules/leapfrog?q=" + q).text
    found = sections(page)
    assert set(some) <= found.keys()
    assert len(found) < len(GAMES["leapfrog"].rules)
    assert others <= set(re.findall(r'href="/rules/([^?"]*)\?q=', page.partition("data-found")[2]))
    assert bool(found) == (("No rule here has" if lang == "en" else "ここにはありません") not in words(page))
    assert f'value="{html.escape(" ".join(q.split()))}"' in page


def test_a_search_is_only_text(phone: Phone) -> None:
    page = phone.get("/rules/leapfrog?q=%3Cscript%3Ealert(1)%3C/script%3E" + 500 * "x").text
    assert "<script>alert" not in page
    assert len(page) < 12_000
    assert (
        sections(phone.get("/rules/leapfrog?q=%20%E3%80%80").text).keys()
        == sections(phone.get("/rules/leapfrog").text).keys()
    )


# --- the way back


def back(phone: Phone, path: str, came: str | None) -> str:
    headers = {} if came is None else {"Referer": f"http://{HOST}{came}"}
    phone.get(path, **headers)
    return html.unescape(re.search(r'<a class="key" href="([^"]*)"', phone.page)[1])  # type: ignore[index]


def test_back_leads_to_where_the_rules_were_opened(phone: Phone) -> None:
    check = "/check/leapfrog?order=SHC&plays=0:10S"
    assert back(phone, "/rules/leapfrog", "/") == "/"
    assert back(phone, "/rules/leapfrog", check) == check
    # Looking through the rules keeps it.
    assert back(phone, "/rules/leapfrog?q=run", "/rules/leapfrog") == check
    assert back(phone, "/rules/chameleon-tricks", "/rules/leapfrog?q=run") == check
    table = phone.start()
    assert back(phone, "/rules/leapfrog", f"{table}/menu") == f"{table}/menu"
    # A form's address is no page to go back to; nor is another site, nor is anything known where it was typed.
    assert back(phone, "/rules/leapfrog", "/look") == "/"
    assert back(phone, "/rules/leapfrog", f"{table}/menu") == f"{table}/menu"
    assert back(phone, "/rules/leapfrog", None) == "/"
    phone.get("/rules/leapfrog", Referer="http://elsewhere.example/t/x")
    assert 'href="http://elsewhere' not in phone.page


def test_the_rules_open_at_the_game_played_last(phone: Phone) -> None:
    assert phone.get("/rules").headers["Location"] == "/rules/leapfrog"
    phone.start("chameleon-tricks")
    assert phone.get("/rules").headers["Location"] == "/rules/chameleon-tricks"
    assert phone.get("/rules/chess").status_code == 404
    assert 'href="/rules/chameleon-tricks"' in phone.get(f"{phone.table}/menu").text
