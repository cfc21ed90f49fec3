"""What a bout proves: the shared vectors exactly, every world of small decks counted, and no false accusation."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.engine.cards import BIT
from companion.engine.evidence import Part, referee
from companion.engine.fold import fold
from companion.engine.measure_and_tempo_evidence import STEPS, Referee
from companion.engine.measure_and_tempo_facts import Facts
from companion.engine.record import read_line, record_from
from companion.engine.registry import GAMES
from tests.engine.bouts import Bout, Style, worlds
from tests.engine.dealt_games import false_words

VECTORS = Path(__file__).parents[1] / "vectors" / "measure-and-tempo.referee.jsonl"
GAME = GAMES["measure-and-tempo"]

# Suits and groups of the loop in small, some with more cards to cycle than to hold.
DECKS = [
    ("AS KS 2S 3S AH QH 2H 5H".split(), 2),
    ("2S 3S 4S 2H 3H 4H 2D 3D".split(), 3),
    ("AS 2S 3S KH AH 4H".split(), 2),
]
STYLES = [
    Style(revoke=0.5, plays=4, cycles=3),
    Style(revoke=0.3, plays=5, cycles=4, strike=0.1, cycle=0.9),
    Style(revoke=0.4, plays=3, cycles=2, feint=0.5, blind=0.3, by_result=0.3),
    Style(revoke=0.4, plays=4, cycles=3, guard=0.9, cycle=0.3, blind=0.5),
]


@pytest.mark.parametrize("line", VECTORS.read_text(encoding="utf-8").splitlines())
def test_vectors(line: str) -> None:
    vector = json.loads(line)
    assert referee(fold(record_from(vector["record"])))[-1].json() == vector["expect"]


def part_of(bout: Bout, steps: int = STEPS) -> Part:
    """Returns what a bout proves, played with these cards alone."""
    lines = [read_line(entry, GAME, 2) for entry in bout.entries]
    return Referee(Facts(lines), sum(BIT[card] for card in bout.cards), bout.size, steps).part()


def against_every_world(seed: int) -> dict[str, int]:
    """Compares a small bout's evidence with all its worlds; returns how often each verdict was given."""
    random = Random(seed)
    cards, size = DECKS[seed % len(DECKS)]
    bout = Bout(random, STYLES[random.randrange(len(STYLES))], cards, size).play()
    found, plays = worlds(bout.entries, cards, size)
    assert frozenset(bout.revokes) in found
    part = part_of(bout)
    said: dict[str, int] = {}
    for play in part.plays:
        revoked = {play.entry in world for world in found}
        truth = {frozenset((True,)): "illegal", frozenset((False,)): "legal"}.get(frozenset(revoked), "open")
        assert play.verdict in (truth, "unknown"), (seed, play)
        said[play.verdict] = said.get(play.verdict, 0) + 1
    assert [play.entry for play in part.plays] == sorted(plays), seed
    assert part.consistent in (frozenset() in found, None), seed
    for seat in part.guilty:
        assert all(any(plays[entry] == seat for entry in world) for world in found), (seed, seat)
    assert not part.conflict or all(world & set(part.conflict) for world in found), seed
    return said


@pytest.mark.slow
def test_every_world_of_small_decks() -> None:
    said: dict[str, int] = {}
    for seed in range(12):
        for verdict, count in against_every_world(seed).items():
            said[verdict] = said.get(verdict, 0) + count
    assert said.keys() >= {"legal", "illegal", "open"}
    # Where every world can be tried, next to nothing is left undecided.
    assert said.get("unknown", 0) * 20 < sum(said.values()), said


def wronged(bout: Bout, part: Part) -> list[str]:
    """Returns what is said of a bout that is not true."""
    return false_words(part, {play.entry: play.entry not in bout.revokes for play in part.plays})


@pytest.mark.slow
@pytest.mark.parametrize(
    "style",
    [
        Style(cycles=60),
        Style(revoke=0.05, cycles=60),
        Style(revoke=0.2, strike=0.1, cycle=0.9, cycles=60),
        Style(revoke=0.1, cycles=30, by_result=0.15, blind=0.1),
    ],
)
def test_no_false_accusation(style: Style) -> None:
    # The fewer steps, the more is left undecided; nothing false may be said with any number.
    for seed, steps in enumerate((2_000, 10_000, 20_000, 40_000)):
        bout = Bout(Random(seed), style).play()
        assert wronged(bout, part_of(bout, steps)) == [], (seed, steps)


def test_a_revoke_is_proved_by_what_the_hand_showed_meanwhile() -> None:
    def bout(*entries: dict[str, Any]) -> Part:
        record = {"format": "companion-record", "version": 1, "game": GAME.slug, "players": ["A", "B"]}
        return referee(fold(record_from({**record, "setup": {"first": 0}, "entries": list(entries)})))[0]

    opening = [
        {"type": "strike", "seat": 0, "card": "9H"},
        {"type": "answer", "seat": 1, "card": "2C"},
        {"type": "disengage", "seat": 0},
    ]
    assert bout(*opening, {"type": "strike", "seat": 1, "card": "3H"}).plays[0].verdict == "illegal"
    # A Cycle of one's own may have brought the heart; the opponent's cannot.
    cycled = [{"type": "cycle", "seat": 1}, {"type": "stall", "seat": 0}]
    assert bout(*opening, *cycled, {"type": "strike", "seat": 1, "card": "3H"}).plays[0].verdict == "open"
    others = [{"type": "stall", "seat": 1}, {"type": "cycle", "seat": 0}]
    assert bout(*opening, *others, {"type": "strike", "seat": 1, "card": "3H"}).plays[0].verdict == "illegal"


def test_a_tempo_that_hangs_on_an_unknown_trump_ends_by_its_result() -> None:
    """The `won` that settles an answer is that tempo's own; nobody laid another card unseen."""
    entries = [
        {"type": "guard", "seat": 0},
        {"type": "strike", "seat": 1, "card": "9H"},
        {"type": "answer", "seat": 0, "card": "2C"},
        {"type": "won", "seat": 1},
        {"type": "strike", "seat": 0, "feint": True},
        {"type": "answer", "seat": 1, "card": "3S"},
        {"type": "turned", "seat": 0, "card": "AS"},
    ]
    for settled in (4, 7):
        facts = Facts([read_line(entry, GAME, 2) for entry in entries[:settled]])
        assert not any(laying.hidden for laying in facts.layings)
    hanging = [*entries[4:6], {"type": "turned", "seat": 0, "card": "AD"}, {"type": "won", "seat": 1}]
    facts = Facts([read_line(entry, GAME, 2) for entry in [entries[0], *hanging]])
    assert not any(laying.hidden for laying in facts.layings)
