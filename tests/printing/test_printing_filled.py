"""Recorded games on paper: the same figures as on the screen, from the same code."""

import html as entities
import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from companion.engine.fold import fold
from companion.engine.record import Record, record_from
from companion.i18n import Words
from companion.printing import Context, Options, html, pdf, score_sheet
from companion.printing.document import LEDGERS
from companion.printing.filled import Score, scores
from tests.printing.conftest import POINT, VECTORS, poppler, reader, recorded, texts

FILES = [f"{game}.{grain}.jsonl" for game in LEDGERS for grain in ("by-card", "by-result")]


def score(record: Record) -> Score:
    return scores(record, Words("en"), LEDGERS)


def page(record: Record, lang: str = "en", **more: Any) -> str:
    sheet = score_sheet(record.game.slug, len(record.players))
    found = html(sheet, Options(lang=lang, kind="filled"), Context(record=record, **more), "/a/")
    return entities.unescape(found)


@pytest.mark.parametrize("file", FILES)
def test_every_recorded_game_of_the_vectors_prints_the_totals_of_the_game(file: str) -> None:
    for line in (VECTORS / file).read_text(encoding="utf-8").splitlines():
        record = record_from(json.loads(line)["record"])
        game = record.game
        told = score(record)
        end = fold(record).state
        assert told.totals == game.totals(end)
        assert told.outcome == game.outcome(end)
        assert bool(told.verdict) != bool(told.unfinished)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_prefix_of_a_game_prints(file: str, lang: str) -> None:
    whole = recorded(file)
    for length in range(0, len(whole.lines), 7):
        part = Record(whole.game, whole.players, whole.setup, whole.raw_setup, whole.lines[:length])
        try:
            expected = whole.game.totals(fold(part).state)
        except Exception as refused:  # pragma: no cover
            raise AssertionError(f"{file} {length}") from refused
        shown = page(part, lang)
        title = re.search(r"<title>(.*?)</title>", shown)
        assert title is not None
        assert [int(n) for n in re.findall(r" (\d+)(?:,|$)", title[1])] == list(expected)


def test_leapfrog_rounds_add_up_to_the_totals() -> None:
    for line in (VECTORS / "leapfrog.by-card.jsonl").read_text(encoding="utf-8").splitlines()[:60]:
        record = record_from(json.loads(line)["record"])
        told = score(record)
        running = [0, 0]
        for round_ in told.rows:
            if not round_.pads:
                continue
            running = [total + pad for total, pad in zip(running, round_.pads, strict=True)]
            assert list(round_.totals) == running
            for trick in range(7):
                assert sum(cells[trick].won for cells in round_.cells) == 1
        assert tuple(running) == told.totals


def test_chameleon_hands_show_the_halving() -> None:
    for line in (VECTORS / "chameleon-tricks.by-card.jsonl").read_text(encoding="utf-8").splitlines()[:60]:
        told = score(record_from(json.loads(line)["record"]))
        for hand in told.rows:
            if hand.points:
                most = max(hand.sums)
                assert hand.points == tuple(own // 2 if own == most else own for own in hand.sums)
                assert [sum(int(card[:-1]) for _n, card in kept) for kept in hand.kept] == list(hand.sums)


@pytest.mark.parametrize("grain", ["by-card", "by-result"])
def test_measure_and_tempo_plays_add_up_to_the_score(grain: str) -> None:
    for line in (VECTORS / f"measure-and-tempo.{grain}.jsonl").read_text(encoding="utf-8").splitlines()[:60]:
        told = score(record_from(json.loads(line)["record"]))
        points = [0, 0]
        for play in told.rows:
            assert [sum(tempo.winner == seat for tempo in play.tempos) for seat in (0, 1)] == list(play.won)
            if play.scores:
                gain = play.won[0] - play.won[1]
                points = [points[0] + max(gain, 0), points[1] + max(-gain, 0)]
                assert list(play.scores) == points
        assert sum(sum(play.won) for play in told.rows) == sum(told.end["bout_tempos"])


BASE: dict[str, Any] = {
    "format": "companion-record", "version": 1, "game": "leapfrog", "players": ["Ann", "Ben"],
    "setup": {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0},
}  # fmt: skip


def told(*entries: dict[str, Any]) -> Score:
    return score(record_from(BASE | {"entries": list(entries)}))


def lines(shown: Score) -> list[tuple[str, str]]:
    return [(line.event.where, line.event.what) for line in shown.lines]


def test_corrections_rulings_and_what_was_looked_at_are_named() -> None:
    shown = told(
        {"type": "won", "seat": 0},
        {"type": "won", "seat": 1},
        {"type": "revise", "at": 1, "drop": 1, "entries": [{"type": "won", "seat": 0}]},
        {"type": "adjust", "set": {"king": 3, "hierarchy": ["C", "S", "H"]}, "note": "bumped <the> table"},
        {"type": "revise", "at": 2, "drop": 1, "entries": []},
        {"type": "adjust", "set": {"totals": [3, 4]}},
    )
    assert lines(shown) == [
        ("", "Corrections: 2"),
        ("Round 1, trick 2", "won by Ben became won by Ann"),
        ("Round 1, trick 3", "taken back: table's ruling"),
        ("", "Rulings by the table: 1"),
        ("Round 1, trick 3", "totals: 3, 4"),
    ]
    assert shown.nothing == "Faults proved: none."
    assert told().nothing == "Corrections: none. Rulings by the table: none. Faults proved: none."


def test_a_proved_revoke_is_named() -> None:
    cards = [(0, "10H"), (1, "9S"), (0, "AH"), (1, "2C"), (1, "4H")]
    shown = told(*({"type": "card", "seat": seat, "card": card} for seat, card in cards))
    assert ("", "Faults proved: 1") in lines(shown) or ("", "Faults proved: 2") in lines(shown)
    assert any("Ben did not follow hearts" in what and "4 of hearts" in what for _where, what in lines(shown))


def test_a_run_names_the_card_it_beat() -> None:
    cards = [(0, "10S"), (1, "9S"), (0, "AS"), (1, "2S")]
    shown = told(*({"type": "card", "seat": seat, "card": card} for seat, card in cards))
    assert lines(shown) == [
        ("", "Tricks turned by a run: 1"),
        ("Round 1, trick 1", "Ben's 9 of spades, under the 10 of spades"),
    ]
    [cell] = [cell for cell in shown.rows[0].cells[1] if cell.won]
    assert (cell.card, cell.run, cell.pad) == ("9S", True, 1)
    assert shown.unfinished == "Not finished: Round 1, trick 2"


def test_powers_stand_with_whoever_used_them_and_a_leap_shows_the_new_order() -> None:
    shown = told(
        {"type": "card", "seat": 0, "card": "10S"},
        {"type": "power", "seat": 1, "power": "leap"},
        {"type": "card", "seat": 0, "card": "3H"},
        {"type": "card", "seat": 1, "card": "AC"},
    )
    assert shown.rows[0].cells[1][0].powers == ("leap",)
    assert shown.rows[0].orders[0] == ("S", "H", "C")
    assert shown.rows[0].orders[1] == ("C", "S", "H")


def test_a_proved_revoke_stands_with_what_the_table_made_of_it() -> None:
    laid = [(0, "10S"), (1, "8H"), (0, "7S"), (1, "4H"), (0, "6H"), (1, "3S")]
    cards: list[dict[str, Any]] = [{"type": "card", "seat": seat, "card": card} for seat, card in laid]
    let_stand = {"type": "revise", "at": 6, "drop": 0, "entries": []}
    ruling = {"type": "adjust", "set": {"totals": [3, 0]}, "note": "for the revoke"}
    for more, says in (((), "has not answered"), ((let_stand,), "let it stand"), ((ruling,), "made its own ruling")):
        faults = [line.event for line in told(*cards, *more).lines if "did not follow" in line.event.what]
        assert len(faults) == 2
        assert all(says in fault.what and fault.rule == "leapfrog/follow" for fault in faults)
    assert not any("correction" in line.event.what for line in told(*cards, let_stand).lines)


def test_many_lines_run_on_to_more_pages() -> None:
    entries: list[dict[str, Any]] = [{"type": "won", "seat": 0}]
    for n in range(200):
        entries.append({"type": "revise", "at": 0, "drop": 1, "entries": [{"type": "won", "seat": (n + 1) % 2}]})
    shown = told(*entries)
    pages = shown.pages(15, 46)
    assert sum(map(len, pages)) == len(shown.lines) == 1 + 120 + 1
    assert shown.lines[-1].event.what == "and 80 more, in the record"
    assert len(pages) == 4


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("slug", LEDGERS)
def test_long_lists_end_above_the_foot_of_each_page(slug: str, paper: str) -> None:
    record = recorded(f"{slug}.by-card.jsonl")
    first = record.lines[0].entry.json()
    again = {"type": "revise", "at": 0, "drop": 1, "entries": [first]}
    raw = BASE | {"game": slug, "players": list(record.players), "setup": record.raw_setup}
    long = record_from(raw | {"entries": [first, *[again] * 90]})
    made = pdf(score_sheet(slug, len(record.players)), Options(paper=paper, kind="filled"), Context(record=long))
    assert made.pages >= 2
    assert_the_foot_is_free(made.body)


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_thirty_plays_fill_one_page_and_no_more(paper: str) -> None:
    play = [{"type": kind, "seat": seat} for kind, seat in (("strike", 0), ("won", 0), ("won", 1), ("disengage", 1))]
    record = record_from(BASE | {"game": "measure-and-tempo", "setup": {"first": 0}, "entries": play * 30})
    made = pdf(score_sheet("measure-and-tempo", 2), Options(paper=paper, kind="filled"), Context(record=record))
    assert made.pages == 1
    assert "Corrections: none" in texts(made.body)[0]
    assert_the_foot_is_free(made.body)


def assert_the_foot_is_free(body: bytes) -> None:
    for page in pypdfium2.PdfDocument(body):
        said = page.get_textpage()
        bottoms = [said.get_rect(n)[1] / POINT for n in range(said.count_rects())]
        foot = min(bottoms)
        assert min(bottom for bottom in bottoms if bottom > foot + 1) > foot + 4, "mm between the list and the foot"


FILLED = [(file, paper, lang) for file in FILES[::2] for paper in ("a4", "letter") for lang in ("en", "ja")]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "paper", "lang"), [*FILLED, *((file, "a4", "en") for file in FILES[1::2])])
def test_a_filled_sheet_as_a_pdf(
    file: str, paper: str, lang: str, said: Callable[[], list[str]], tmp_path: Path
) -> None:
    record = recorded(file)
    sheet = score_sheet(record.game.slug, len(record.players))
    context = Context(table="https://companion.example/w/LF4K7Q", record=record, day=date(2025, 11, 30))
    made = pdf(sheet, Options(paper=paper, lang=lang, kind="filled"), context)
    assert len(made.body) <= 150 * 1024
    assert said() == [], "the renderer had something to say"
    document, text = reader(made.body), "".join(texts(made.body))
    assert len(document.pages) == made.pages
    assert [page.height > 0 for page in poppler(made.body, 40, tmp_path)] == [True] * made.pages
    assert all(name in text for name in record.players)
    assert "LF4K7Q" in text
    assert ("November 30, 2025" if lang == "en" else "2025年11月30日") in text
    assert all(str(total) in document.metadata.title for total in record.game.totals(fold(record).state))
