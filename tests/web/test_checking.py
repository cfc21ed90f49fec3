"""The trick checker's pages, without scripts: every key is a link, and the address holds the whole position."""

import html
import re
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from flask import Flask

from companion.checker import Question, read
from companion.engine.cards import RANK, RANKS, SUITS, deck
from companion.engine.chameleon_tricks_stacks import DECK
from companion.engine.registry import GAMES
from tests.web.conftest import HOST, Phone

LINK = re.compile(r'<a [^>]*?href="([^"]*)"[^>]*?data-key="([^"]*)"[^>]*>')
STYLED = re.compile(r"<(?:script(?![^>]*src=)|style)|\sstyle=|\son[a-z]+=")


class Checker:
    """A phone on the checker's page: it taps keys and counts its taps."""

    def __init__(self, phone: Phone, slug: str, query: str = "") -> None:
        self.phone = phone
        self.slug = slug
        self.taps = 0
        self.at = f"/check/{slug}?{query}"
        self.show()

    def show(self, **headers: str) -> None:
        assert self.phone.get(self.at, **headers).status_code == 200

    @property
    def page(self) -> str:
        return self.phone.page

    @property
    def keys(self) -> dict[str, str]:
        return {key: html.unescape(href) for href, key in LINK.findall(self.page)}

    def tap(self, *keys: str) -> "Checker":
        for key in keys:
            assert key in self.keys, (key, self.at, sorted(self.keys))
            came = f"http://{HOST}{self.at}"
            self.at = f"/check/{self.slug}{self.keys[key]}"
            self.show(Referer=came)
            self.taps += 1
        return self

    @property
    def question(self) -> Question:
        own = ("at", "why")
        pairs = parse_qsl(urlsplit(self.at).query, keep_blank_values=True)
        return read(GAMES[self.slug], [(key, value) for key, value in pairs if key not in own])

    @property
    def says(self) -> str:
        """What the status line says, as text."""
        found = re.search(r'data-part="says">(.*?)</div>\s*<div class="st" data-part="keys">', self.page, re.DOTALL)
        assert found
        return words(found[1])


def words(markup: str) -> str:
    """Returns what a browser would show of a piece of HTML, hidden text aside."""
    shown = re.sub(r'<span class="vh">.*?</span>', "", markup)
    shown = re.sub(r'<svg class="su"[^>]*><use href="#(.)"/></svg>', r"\1", shown)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", shown)).split())


# --- in at most six taps


def leapfrog(chance: Random) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Yields keys to tap and the position they make: any order of any three suits, any cards, at most one power."""
    while True:
        order = chance.sample(SUITS, 3)
        cards: list[str] = chance.sample(deck(RANKS[:10], order), 4)
        if chance.random() < 0.5:
            cards[chance.randrange(4)] = chance.choice(("leap", "king"))
        plays = [
            {"seat": place % 2, **({"card": word} if word in RANK else {"power": word})}
            for place, word in enumerate(cards)
        ]
        yield ["orders", "order" + "".join(order), *cards], {"hierarchy": order, "plays": plays}


def measure(chance: Random) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Yields keys and positions: any Guards, unknown ones too, any two cards, a Feint or not."""
    while True:
        cards = chance.sample(deck(RANKS), 4)
        guards = [chance.choice((None, "?", card)) for card in cards[:2]]
        feint = chance.random() < 0.3
        lead = "A" + chance.choice(SUITS) if feint else cards[2]
        if lead in (*cards[:2], cards[3]):
            continue
        names = {None: "check.no-guard", "?": "check.guard-unknown"}
        keys = [] if guards == [None, None] else ["guards1"] if guards[0] is None else ["guards0"]
        keys += [names.get(guard) or str(guard) for guard in guards[0 if keys != ["guards1"] else 1 :] if keys]
        raw = {"seat": 0, "card": lead, **({"feint": True} if feint else {})}
        yield (
            [*keys, f"feint-{lead}" if feint else lead, cards[3]],
            {"guards": guards, "lead": raw, "answer": {"seat": 1, "card": cards[3]}},
        )


def chameleon(chance: Random) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Yields keys and positions: two or three stacks of one to four cards each."""
    while True:
        players = chance.choice((2, 3))
        left = set(DECK)
        keys = ["players2"] if players == 2 else []
        stacks = []
        for seat in range(players):
            first = chance.choice(sorted(left))
            same = [card for card in sorted(left) if RANK[card] == RANK[first] and card != first]
            stack = [first, *chance.sample(same, chance.randrange(len(same) + 1))]
            left -= set(stack)
            keys += [first, *(["top" + "-".join(stack)] if len(stack) > 1 else [])]
            stacks.append({"seat": seat, "cards": stack})
        yield keys, {"stacks": stacks}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "made"), [("leapfrog", leapfrog), ("measure-and-tempo", measure), ("chameleon-tricks", chameleon)]
)
def test_any_position_is_entered_in_six_taps(phone: Phone, slug: str, made: Any) -> None:
    chance = Random(slug)
    most = 0
    for _, (keys, position) in zip(range(15), made(chance), strict=False):
        checker = Checker(phone, slug).tap(*keys)
        expected = GAMES[slug].rule_on({"game": slug, **position})
        found = checker.question.rule()
        assert (found.winner, found.card, found.because) == (expected.winner, expected.card, expected.because), keys
        assert checker.question.position == {"game": slug, **position}
        most = max(most, checker.taps)
        if found.card:
            assert f"Player {'ABC'[found.winner]}, {found.card}" in checker.says
    assert most <= 6


def test_a_changed_card_is_two_taps_more(phone: Phone) -> None:
    checker = Checker(phone, "leapfrog", "order=SHC&plays=0:10S,1:9S,0:4S,1:2H")
    assert "Player B, 9S" in checker.says
    checker.tap("turn1", "9H")
    assert checker.taps == 2
    assert "Player A, 10S" in checker.says


# --- what is answered


def test_the_ruling_has_reason_rule_and_what_would_have_changed_it(phone: Phone) -> None:
    checker = Checker(phone, "leapfrog", "order=SHC&plays=1:10S,0:9S,1:2S,0:5S&who=Ann&who=Ben")
    assert checker.says.startswith("AAnn, 9S The strongest suit is S.")
    assert "Without the 9S, Ben would have taken it with the 10S. No other card made a difference." in checker.says
    for rule in ("strongest", "run"):
        assert f'href="/rules/leapfrog#{rule}"' in checker.page
    assert "<title>Ann, 9♠ · Check a trick</title>" in checker.page
    rules = phone.get("/rules/leapfrog").text
    assert all(f'id="{rule}"' in rules for rule in ("strongest", "run"))


def test_where_the_frog_lands(phone: Phone) -> None:
    checker = Checker(phone, "leapfrog", "order=SHC&plays=0:10S,1:9S,0:4S,1:2H")
    checker.tap("tokens", "frogs1", "pad7", "king", "pad1", "done")
    assert "Player B’s frog hops to the 6." not in checker.says
    assert checker.question.fields["frogs"] == [0, 7]
    assert checker.question.fields["king"] == 1
    assert "Player B’s frog leaps over Player A and King Frog to the 3." in checker.says
    # Two tokens on one pad: the key is closed and says so.
    checker.tap("tokens", "frogs0", "pad1")
    assert "Two tokens cannot share a pad" in checker.says
    assert checker.question.fields["frogs"] == [0, 7]


def test_freshwater(phone: Phone) -> None:
    checker = Checker(phone, "leapfrog", "order=SHC&plays=0:10S,1:3H,0:4S,1:2H")
    checker.tap("tokens", "variant", "pad1", "pad4", "frogs0", "pad0", "done")
    assert checker.question.fields["track"] == [0, 3, 1, 2, 0, 4, 6, 8]
    # Both frogs went with the 3 they stood on; then A's was moved to the water.
    assert checker.question.fields["frogs"] == [0, 1]
    assert "Player A’s frog leaps over Player B to the 1." in checker.says
    assert "It may dive instead, and leap over King Frog to the 6." in checker.says
    checker.tap("turn3", "king")
    assert "King Frog hops to the 6." in checker.says


@pytest.mark.parametrize(
    ("slug", "query", "keys", "said"),
    [
        (
            "leapfrog",
            "order=SHC&plays=0:7H",
            ["may", "2H", "9S", "10C"],
            "Lead suit H: face up, only 2H. Not 9S and 10C: H can be followed. Face down for a power: any card",
        ),
        ("leapfrog", "order=SHC&plays=0:7H", ["may", "9S", "used2"], "No card may lie face down: 2 powers were used"),
        ("leapfrog", "order=SHC&plays=0:leap", ["may", "9S"], "No card may lie face down: this trick has its power."),
        ("measure-and-tempo", "guards=KS,-&plays=0:9H", ["may", "2H", "3C"], "Led suit H: only 2H may answer. Not 3C"),
        ("measure-and-tempo", "plays=0:feint", ["may", "2H"], "The led Ace lies face down, so any card may answer."),
        ("chameleon-tricks", "plays=0:7C-7D", ["may", "2C", "2H"], "Lead suit C: first comes 2C. Not first: 2H"),
    ],
)
def test_what_a_hand_may_play(phone: Phone, slug: str, query: str, keys: list[str], said: str) -> None:
    checker = Checker(phone, slug, query).tap(*keys)
    assert said in checker.says
    assert "/rules/" in checker.page
    # A second tap takes a card out of the hand.
    checker.tap(keys[1])
    assert keys[1] not in checker.question.hand


def test_was_it_allowed(phone: Phone) -> None:
    """In a finished trick: what the player laid then and later was in the hand; the trick is not lost."""
    checker = Checker(phone, "leapfrog", "order=SHC&plays=0:7H,1:9C,0:2H,1:4H")
    assert "B did not follow H, yet held the 4H." in checker.says
    checker.tap("turn1", "may")
    assert set(checker.question.hand) == {"9C", "4H"}
    assert "Lead suit H: face up, only 4H. Not 9C" in checker.says
    assert checker.tap("done").question.turns[3].laid == ("4H",)


def test_a_closed_key_says_why(phone: Phone) -> None:
    for slug, query, key, why in (
        ("leapfrog", "order=SHC&plays=0:10S,1:9S", "9S", "The 9S lies here already."),
        ("leapfrog", "order=SHC&plays=0:leap,1:9S", "king", "One power a trick, and one has been used."),
        ("measure-and-tempo", "guards=KS,-&plays=0:9H", "KS", "The KS lies here already."),
        ("measure-and-tempo", "guards=-,-&plays=0:9H&at=guards0", "9H", "The 9H lies here already."),
        ("chameleon-tricks", "plays=0:7C-7D", "7D", "The 7D lies here already."),
        ("leapfrog", "order=SHC&plays=0:7H&ask=1&hand=2H", "7H", "The 7H lies here already."),
    ):
        checker = Checker(phone, slug, query)
        before = checker.question
        assert re.search(rf'data-key="{key}"[^>]* aria-disabled="true"', checker.page)
        checker.tap(key)
        assert why in checker.says
        assert checker.question == before


def test_a_trick_that_hangs_on_what_nobody_knows(phone: Phone) -> None:
    checker = Checker(phone, "measure-and-tempo", "guards=KS,?&plays=0:9H,1:2S")
    assert "Not decided A Guard was not recorded, so trump is unknown." in checker.says


# --- the address


@pytest.mark.parametrize(
    ("query", "said", "kept"),
    [
        ("order=SHC&plays=0:10S,1:9X,0:2H", "plays[1]: 9X is no card", ["10S", "2H"]),
        ("order=SHC&plays=0:10S&what=1", 'what: the key "what" is not known here', ["10S"]),
        ("order=SHC&plays=0:10S,1:9S,0:10S,1:2H", "Player A’s second card: The 10S lies here already.", ["9S", "2H"]),
    ],
)
def test_a_bad_address_is_told_with_its_place(phone: Phone, query: str, said: str, kept: list[str]) -> None:
    answer = phone.get(f"/check/leapfrog?{query}")
    assert answer.status_code == (200 if "second card" in said else 400)
    checker = Checker.__new__(Checker)
    checker.phone = phone
    assert said in checker.says
    slots = words(re.search(r'<ol class="cols".*?</ol>', phone.page, re.DOTALL)[0])  # type: ignore[index]
    assert all(card in slots for card in kept)


def test_nothing_in_an_address_gets_out_as_it_is(phone: Phone) -> None:
    bad = "%3Cscript%3Ealert(1)%3C/script%3E"
    for slug in GAMES:
        for query in (f"plays=0:{bad}", f"{bad}=1", f"who={bad}", f"at={bad}", f"why={bad}", f"hand={bad}&ask=0"):
            phone.get(f"/check/{slug}?{query}")
            assert "<script>alert" not in phone.page
            assert not STYLED.search(phone.page)


def test_the_address_is_shown_and_drawn(phone: Phone) -> None:
    checker = Checker(phone, "leapfrog", "order=SHC&plays=0:10S,1:9S,0:4S,1:2H&who=Ann&who=%E3%83%99%E3%83%B3")
    checker.tap("send")
    address = html.unescape(re.search(r'readonly value="([^"]*)"', checker.page)[1])  # type: ignore[index]
    assert '<svg class="qr"' in checker.page
    assert len(address) < 200
    other = Checker(phone, "leapfrog", urlsplit(address).query)
    assert other.question == checker.question
    assert "ベン, 9S" in other.says


def test_look_and_language_may_stand_in_the_address(phone: Phone) -> None:
    assert "トリック判定" in phone.get("/check/leapfrog?order=SHC&plays=0:10S&lang=ja&theme=dark").text


def test_unknown_games_and_tables_are_not_found(phone: Phone) -> None:
    for path in ("/check/chess", "/t/nothing/check", "/w/nothing/check", "/t/nothing/item/1/check"):
        assert phone.get(path).status_code == 404


def test_the_parts_are_what_the_page_shows(phone: Phone) -> None:
    path = "/check/leapfrog?order=SHC&plays=0:10S,1:9S"
    told = phone.get(path, Accept="application/json").get_json()
    page = phone.get(path).text
    assert set(told) == {"title", "kind", "top", "board", "says", "keys"}
    for name in ("top", "board", "says", "keys"):
        assert told[name] in page
    assert f"<title>{html.escape(told['title'])}</title>" in page
    assert f'<body class="{told["kind"]}">' in page


# --- from a table


def open_item(phone: Phone, place: int, table: str = "") -> Checker:
    answer = phone.get(f"{table or phone.table}/item/{place}/check")
    assert answer.status_code == 302
    where = urlsplit(answer.headers["Location"])
    return Checker(phone, where.path.rpartition("/")[2], where.query)


CARDS = [(0, "10S"), (1, "9S"), (0, "4S"), (1, "2H")]


def test_a_past_trick_opens_with_everything_filled_in(phone: Phone) -> None:
    phone.start(hierarchy=["S", "H", "C"])
    for seat, card in CARDS:
        phone.enter({"type": "card", "seat": seat, "card": card})
    phone.won(0)
    checker = open_item(phone, 1)
    assert "Ben, 9S" in checker.says
    assert "Ben’s frog hops to the 1." in checker.says
    assert "Trick 1 as it is on record" in words(checker.page)
    assert f'href="{phone.table}/item/1" aria-label="To the table"' in checker.page
    assert "Trick 1, changed here" in words(checker.tap("turn1", "9H").page)
    # What somebody sent is no trick of this table.
    sent = Checker(phone, "leapfrog", "order=SHC&plays=0:10S,1:9H")
    assert "Trick 1" not in words(sent.page)
    assert 'href="/" aria-label="Home"' in sent.page
    # By result: the suit order, who led and the tokens are known, the cards are to be tapped.
    checker = open_item(phone, 2)
    assert checker.question.next == 0
    assert checker.question.turns[0].seat == 1
    assert checker.question.fields["frogs"] == [0, 1]


def test_the_open_trick_opens_too(phone: Phone) -> None:
    phone.start("chameleon-tricks")
    phone.enter({"type": "stack", "seat": 0, "cards": ["7C", "7D"]})
    answer = phone.get(f"{phone.table}/check")
    where = urlsplit(answer.headers["Location"])
    checker = Checker(phone, "chameleon-tricks", where.query)
    assert checker.question.turns[0].laid == ("7C", "7D")
    assert "As it lies on the table" in words(checker.page)
    assert checker.question.names[:2] == ("Ann", "Ben")


def test_a_tempo_opens_with_its_guards(phone: Phone) -> None:
    phone.start("measure-and-tempo")
    phone.enter({"type": "guard", "seat": 0, "card": "KS"})
    phone.enter({"type": "strike", "seat": 1, "feint": True})
    phone.enter({"type": "answer", "seat": 0, "card": "10H"})
    phone.enter({"type": "turned", "seat": 1, "card": "AH"})
    checker = open_item(phone, 2)
    assert parse_qs(urlsplit(checker.at).query)["plays"] == ["1:feint-AH,0:10H"]
    assert checker.question.fields["guards"] == ["KS", None]
    assert "Ann, 10H" in checker.says
    assert open_item(phone, 1).question.fields["guards"] == ["KS", None]


def test_what_is_sent_never_holds_the_address_that_may_write(phone: Phone, app: Flask) -> None:
    phone.start()
    for seat, card in CARDS:
        phone.enter({"type": "card", "seat": seat, "card": card})
    secret = phone.table.rpartition("/")[2]
    checker = open_item(phone, 1)
    assert secret not in checker.at
    shared = checker.tap("send").page
    assert secret not in shared.replace(f'href="{phone.table}/item/1"', "")
    stranger = Phone(app)
    assert secret not in stranger.get(checker.at).text
    # Somebody who looks on is led back to where they may look.
    watch = phone.get(f"{phone.table}/join?as=watch").text
    code = re.search(r"/w/([\w-]+)", watch)[1]  # type: ignore[index]
    looking = open_item(stranger, 1, f"/w/{code}")
    assert f'href="/w/{code}/item/1"' in looking.page
    assert secret not in looking.page


def test_from_home_the_game_played_last_comes_first(phone: Phone) -> None:
    assert phone.get("/check").headers["Location"] == "/check/leapfrog"
    phone.start("measure-and-tempo")
    assert phone.get("/check").headers["Location"] == "/check/measure-and-tempo"
