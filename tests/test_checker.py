"""The trick checker: positions in, rulings out; and positions as addresses hold them."""

import json
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import pytest

from companion.checker import Question, check, fresh, read, standing
from companion.engine.fold import Fold
from companion.engine.game import Game
from companion.engine.registry import GAMES
from companion.i18n import LANGUAGES, Words
from tests.cli.command import companion
from tests.conformance.games import SEATINGS, every_game, every_seating, played

VECTORS = Path(__file__).parent / "vectors"
NAMES = ("Ann", "Ben", "Cleo")


def asked(slug: str, address: str) -> Question:
    return read(GAMES[slug], parse_qsl(address, keep_blank_values=True))


def again(question: Question) -> Question:
    return asked(question.game.slug, question.address())


def told(question: Question) -> list[tuple[str, str]]:
    return [(error.code, error.place) for error in question.errors]


def positions(slug: str) -> list[dict[str, Any]]:
    lines = (VECTORS / f"{slug}.positions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


# --- positions in, rulings out


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_position_is_ruled_on_in_words(game: Game, language: str) -> None:
    vectors = positions(game.slug)
    given = "\n".join(json.dumps(vector["in"]) for vector in vectors)
    ran = companion("check", "-", "--lang", language, given=given)
    assert (ran.status, ran.err) == (0, "")
    assert len(ran.answers) == len(vectors)
    for vector, answer in zip(vectors, ran.answers, strict=True):
        assert {key: answer[key] for key in vector["out"]} == vector["out"]
        assert answer["text"].endswith("." if language == "en" else "。")
        assert not [part for part in ("{", "None", "  ") if part in answer["text"]]
        assert all(reason["rule"] is None or reason["rule"] in game.rules for reason in answer["because"])


LEAPFROG = {"game": "leapfrog", "hierarchy": ["S", "H", "C"]}
RULED = [
    (
        {**LEAPFROG, "plays": [{"seat": 1, "card": "10S"}, {"seat": 0, "card": "9S"}], "hand": ["4S", "AH"]},
        "Lead suit spades: face up, only 4♠. Not A♥: spades can be followed. "
        "Face down for a power: any card, whatever was led.",
    ),
    (
        {**LEAPFROG, "plays": [{"seat": 0, "power": "king"}], "hand": ["4S", "AH"]},
        "Ann used King Frog. No suit has been led, so any card may lie face up. "
        "No card may lie face down: this trick has its power.",
    ),
    ({**LEAPFROG, "plays": []}, "Nothing has been laid yet."),
    (
        {"game": "measure-and-tempo", "guards": ["KS", None], "hand": ["AH", "3C"]},
        "Ann’s K♠ is the only Guard, so trump is spades. Whoever leads may play any card. "
        "A♥ may also be led face down, as a Feint.",
    ),
    (
        {"game": "chameleon-tricks", "stacks": [{"seat": 0, "cards": ["7C", "7D"]}], "hand": ["2C", "2H", "9S"]},
        "Lead suit clubs: first comes 2♣. Not first: 2♥ and 9♠, as clubs can be followed. "
        "More of the same rank may then go on top of 2♣.",
    ),
]


@pytest.mark.parametrize(("position", "end"), RULED, ids=[str(place) for place in range(len(RULED))])
def test_what_a_hand_may_play_is_said(position: dict[str, Any], end: str) -> None:
    assert check(position, Words("en"), NAMES)["text"].endswith(end)


def tokens(frogs: list[int], king: int, *plays: Any, **more: Any) -> dict[str, Any]:
    return {**LEAPFROG, "frogs": frogs, "king": king, "plays": list(plays), **more}


UP = [{"seat": 0, "card": "10S"}, {"seat": 1, "card": "8H"}, {"seat": 0, "card": "4S"}]
FRESH = [0, 1, 2, 0, 3, 4, 6, 8]


@pytest.mark.parametrize(
    ("position", "king", "moves", "end"),
    [
        # Ann hops from the 6 to the 1; Ben from the 4 over nobody to the 2.
        (tokens([0, 6], 4, *UP, {"seat": 1, "card": "2C"}), 4, [(0, 1), (1, 7)], "Ann’s frog hops to the 1."),
        # King Frog leaps over Ann's frog first, so that she does not meet him.
        (
            tokens([1, 6], 0, *UP, {"seat": 1, "power": "king"}),
            2,
            [(0, 3), (1, 7)],
            "King Frog leaps over Ann to the 3. The strongest suit is spades. The 10♠ is its highest card. "
            "No card lies just below it, so it takes the trick. Ann’s frog leaps over King Frog to the 5.",
        ),
        # Freshwater: from one water pad Ann may dive to the other, and surfaces behind it.
        (
            tokens([0, 6], 4, *UP, {"seat": 1, "card": "2C"}, track=FRESH),
            4,
            [(0, 1), (0, 5), (1, 7)],
            "Ann’s frog hops to the 1. It may dive instead, and leap over King Frog to the 4.",
        ),
        # King Frog dives: from the first water to the other, then one on.
        (
            tokens([1, 6], 0, *UP, {"seat": 1, "power": "king", "dive": True}, track=FRESH),
            4,
            [(0, 2), (1, 7)],
            "King Frog dives and comes up at the 3.",
        ),
    ],
)
def test_where_the_tokens_land(position: dict[str, Any], king: int, moves: list[tuple[int, int]], end: str) -> None:
    answer = check(position, Words("en"), NAMES)
    assert (answer["king"], [(move["seat"], move["to"]) for move in answer["moves"]]) == (king, moves)
    assert end in answer["text"]


def test_a_trick_can_prove_a_revoke_by_itself() -> None:
    plays = [{"seat": 0, "card": "7H"}, {"seat": 1, "card": "9C"}, {"seat": 0, "card": "2H"}, {"seat": 1, "card": "4H"}]
    answer = check({**LEAPFROG, "plays": plays}, Words("en"))
    assert [(one["code"], one["rule"]) for one in answer["findings"]] == [("revoke", "leapfrog/follow")]
    assert answer["findings"][0]["params"] == {"seat": 1, "suit": "H", "card": "4H"}
    plays[1], plays[3] = plays[3], plays[1]
    assert check({**LEAPFROG, "plays": plays}, Words("en"))["findings"] == []


# --- positions as addresses


@every_game
def test_an_address_holds_the_whole_position(game: Game) -> None:
    """Each shared position comes back from its address as it was."""
    for vector in positions(game.slug):
        raw = vector["in"]
        question = put_together(game, raw)
        assert again(question) == question
        assert again(question).errors == ()
        assert len(question.address()) < 150
        ruling = again(question).rule()
        expected = game.rule_on(raw)
        assert (ruling.winner, ruling.card, ruling.more.get("legal")) == (
            expected.winner,
            expected.card,
            expected.more.get("legal"),
        )


def put_together(game: Game, raw: dict[str, Any]) -> Question:
    """Puts a position together as the page does: fields, then turn by turn, then the hand."""
    question = fresh(game)
    for one in game.positions.fields.values():
        value = raw.get(one.name)
        if value is not None:
            question = question.set(one.name, [value, value] if one.each and not isinstance(value, list) else value)
    turns = [(part["seat"], laid(part)) for part in parts(raw)]
    if turns and turns[0][0]:
        question = question.led_by(turns[0][0])
    if len(turns) == 2 and len(question.turns) == 3 and (turns[0][0] + 1) % 3 != turns[1][0]:
        seats = [seat for seat, _ in turns]
        question = asked(game.slug, f"players=2&plays={seats[0]}:,{seats[1]}:")
    for place, (_, words) in enumerate(turns):
        question = question.lay(place, words)
    return question.asking(question.next, raw["hand"]) if "hand" in raw else question


def parts(raw: dict[str, Any]) -> list[dict[str, Any]]:
    return raw.get("plays") or raw.get("stacks") or [raw[key] for key in ("lead", "answer") if raw.get(key)]


def laid(part: dict[str, Any]) -> tuple[str, ...]:
    if "cards" in part:
        return tuple(part["cards"])
    special = part.get("power") or ("feint" if part.get("feint") else "")
    return tuple(word for word in (special, part.get("card")) if word)


RUN = "plays=0:AS,1:2S,0:3S,1:4S"
HAND = "ask=0&hand=2H"


@pytest.mark.parametrize(
    ("slug", "address", "errors", "kept"),
    [
        ("leapfrog", "order=SHZ", [("not-a-suit", "order[2]")], "order=SHC"),
        ("leapfrog", "order=SHS", [("suits-not-different", "hierarchy")], "order=SHC"),
        ("leapfrog", "plays=0:10S,1:9X,0:2H", [("not-a-card", "plays[1]")], "order=SHC&plays=0:10S,1:,0:2H"),
        ("leapfrog", "plays=0:10S,7:9S", [("not-a-seat", "plays[1]")], "order=SHC&plays=0:10S,1:9S"),
        ("leapfrog", "plays=0:10S&plays=1:9S", [("key-twice", "plays")], "order=SHC&plays=0:10S"),
        ("leapfrog", "plays=0:AS,1:2S,0:3S,1:4S,0:5S", [("list-length", "plays")], f"order=SHC&{RUN}"),
        ("leapfrog", "frogs=09&king=4", [("not-a-number", "frogs[1]")], "order=SHC"),
        ("leapfrog", "frogs=11&king=4", [("position-pad-taken", "frogs[1]")], "order=SHC"),
        ("leapfrog", "frogs=00", [("key-missing", "king")], "order=SHC"),
        ("leapfrog", "track=12345678&frogs=00&king=4", [("track-fresh", "track")], "order=SHC&frogs=00&king=4"),
        ("leapfrog", "king=12", [("not-a-number", "king")], "order=SHC"),
        ("leapfrog", "hand=2H,ZZ&ask=9", [("not-a-number", "ask"), ("not-a-card", "hand[1]")], f"order=SHC&{HAND}"),
        ("leapfrog", "colour=red", [("key-unknown", "colour")], "order=SHC"),
        ("leapfrog", "who=Ann%00", [("text-control", "who[0]")], "order=SHC"),
        ("leapfrog", "who=" + 41 * "n", [("text-too-long", "who[0]")], "order=SHC"),
        ("measure-and-tempo", "guards=KS", [("list-length", "guards")], "guards=-,-"),
        ("measure-and-tempo", "guards=KS,!", [("not-a-card", "guards[1]")], "guards=-,-"),
        ("measure-and-tempo", "guards=KS,KS", [("position-card-twice", "guards[1]")], "guards=-,-"),
        ("measure-and-tempo", "plays=0:leap", [("not-a-card", "plays[0]")], "guards=-,-"),
        ("chameleon-tricks", "players=4", [("not-a-number", "players")], ""),
        ("chameleon-tricks", "players=1&order=SHC", [("key-unknown", "order"), ("not-a-number", "players")], ""),
    ],
)
def test_a_bad_address_is_told_and_the_rest_is_kept(
    slug: str, address: str, errors: list[tuple[str, str]], kept: str
) -> None:
    question = asked(slug, address)
    assert told(question) == errors
    assert question.address() == kept
    assert again(question) == question


@pytest.mark.parametrize(
    ("slug", "address", "code", "turn"),
    [
        ("leapfrog", "plays=0:10S,1:9S,0:10S,1:2H", "position-card-twice", 2),
        ("leapfrog", "plays=0:10S,0:9S", "position-turn", 1),
        ("leapfrog", "plays=0:leap,1:king", "position-second-power", 1),
        ("leapfrog", "plays=0:10D", "position-not-in-deck", 0),
        ("leapfrog", "plays=0:dive", "position-dive", 0),
        ("measure-and-tempo", "plays=0:feint-KS", "position-feint", 0),
        ("measure-and-tempo", "guards=-,9H&plays=0:9S,1:9H", "position-card-twice", 1),
        ("chameleon-tricks", "plays=0:7C-8C", "position-other-rank", 0),
        ("chameleon-tricks", "plays=0:7C,1:7C", "position-card-twice", 1),
        ("leapfrog", "plays=0:10S&ask=1&hand=10S", "position-card-twice", None),
    ],
)
def test_a_position_that_cannot_be_names_its_turn(slug: str, address: str, code: str, turn: int | None) -> None:
    wrong = asked(slug, address).wrong()
    assert wrong is not None
    assert (wrong[0].code, wrong[1]) == (code, turn)


def test_any_text_can_be_an_address() -> None:
    """Whatever comes, something is kept that can be written and read again."""
    chance = Random(1)
    pieces = ["plays", "order", "hand", "ask", "guards", "frogs", "king", "track", "used", "players", "who", "x"]
    signs = "0123456789,:-?ASHDCKQJleapfeint=é♠ \u0000"
    for _ in range(1500):
        game = chance.choice(list(GAMES.values()))
        pairs = [
            (chance.choice(pieces), "".join(chance.choices(signs, k=chance.randrange(12))))
            for _ in range(chance.randrange(5))
        ]
        question = read(game, pairs)
        assert again(question) == question
        if not question.wrong():
            question.rule()


# --- tricks of a table


@every_seating
def test_a_trick_of_a_table_is_ruled_as_the_table_ruled(game: Game, players: int) -> None:
    """Every finished trick of whole games, card by card or by result, opens with what was laid filled in."""
    seen = 0
    for seed in range(6):
        for fold in played(game, players, seed, longest=250):
            last: Fold = fold
        for item in last.history():
            if item.taken is None:
                continue
            question = standing(game, last.states[item.first], item.taken, NAMES[:players])
            assert question.errors == ()
            assert question.wrong() is None
            assert again(question) == question
            if question.next is None and item.taken.card is not None:
                ruling = question.rule()
                assert (ruling.winner, ruling.card) == (item.taken.winner, item.taken.card)
                seen += 1
    assert seen > 5


def test_the_open_trick_too() -> None:
    for game, players in SEATINGS:
        for fold in played(game, players, 3, longest=40):
            question = standing(game, fold.state, fold.state, NAMES[:players])
            assert question.wrong() is None
            assert again(question) == question
            assert len(question.turns) > 1
