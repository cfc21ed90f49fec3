"""Every code that the engine can answer with has words, in every language, that take its parameters."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import companion.engine
from companion.engine.fold import Fold
from companion.engine.game import Game
from companion.engine.registry import GAMES
from companion.i18n import LANGUAGES, Words
from companion.i18n.wording import Wording
from tests.conformance.games import SEATINGS, every_game, every_seating, played, whole_game

ENGINE = Path(companion.engine.__path__[0])
NAMES = ("Ann", "Ben", "Cay")
OUTCOMES = ("total", "pad", "draw", "eleven", "score", "tempos", "shared", "conceded")

every_language = pytest.mark.parametrize("language", LANGUAGES)


class Code(NamedTuple):
    """A code in the source; `slug` is empty in a module that all games share."""

    kind: str
    code: str
    slug: str
    place: str


def codes() -> Iterator[Code]:
    """Yields the code of every `refused(…)`, `Finding(…)` and `Reason(…)`, and every phase that is named."""
    for path in sorted(ENGINE.glob("*.py")):
        slug = next((slug for slug in GAMES if path.stem.startswith(slug.replace("-", "_"))), "")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            place = f"{path.name}:{node.lineno}"
            known = {"refused": ("finding", 0), "Finding": ("finding", 1), "Reason": ("reason", 0)}
            if node.func.id in known:
                kind, argument = known[node.func.id]
                yield from (Code(kind, text, slug, place) for text in texts(node.args[argument]))
                phases = [keyword.value for keyword in node.keywords if keyword.arg == "phase"]
                yield from (Code("phase", text, slug, place) for phase in phases for text in texts(phase))


def texts(node: ast.expr) -> Iterator[str]:
    """Yields the texts that an expression can be."""
    if isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def test_the_scan_sees_them() -> None:
    found = {(code.kind, code.code, code.slug) for code in codes()}
    assert ("finding", "revise-out-of-range", "") in found
    assert ("finding", "second-power", "leapfrog") in found
    assert {("reason", "dived", "leapfrog"), ("reason", "dived-over", "leapfrog")} <= found
    assert ("phase", "result", "leapfrog") in found
    assert {code.slug for code in codes()} == {"", *GAMES}


@every_language
def test_every_code_in_the_source_has_words(language: str) -> None:
    words = Words(language)
    silent = []
    for code in codes():
        keys = {
            "finding": [f"finding.{code.slug}.{code.code}", f"finding.{code.code}"],
            "reason": [f"reason.{code.slug}.{code.code}"],
            "phase": [f"phase.{code.code}"],
        }[code.kind]
        if not any(key in words for key in keys):
            silent.append(f"{code.place}: {keys[-1]}")
    assert silent == []


@every_language
@every_game
def test_every_rule_has_a_title_and_a_text(game: Game, language: str) -> None:
    words = Words(language)
    keys = [f"{kind}.{rule}" for rule in game.rules for kind in ("rule", "rule-text")]
    assert [key for key in keys if key not in words] == []


@every_language
def test_every_way_a_game_ends_has_words(language: str) -> None:
    words = Words(language)
    for reason in OUTCOMES:
        assert any(f"outcome.{part}{reason}" in words for part in ("", *(f"{slug}." for slug in GAMES))), reason
    for game, players in SEATINGS:
        outcome = game.outcome(whole_game(game, players, 1).state)
        assert outcome is not None
        assert f"outcome.{game.slug}.{outcome.reason}" in words or f"outcome.{outcome.reason}" in words


@every_language
@every_seating
def test_what_is_said_takes_the_parameters(game: Game, players: int, language: str) -> None:
    """Findings that close a choice, rulings of what lies and of what was taken: no parameter is missing."""
    wording = Wording(Words(language), NAMES[:players])
    for fold in played(game, players, 1, longest=80):
        for said in sentences(wording, game, fold):
            assert said.strip()
            assert "{" not in said
            assert "None" not in said


def sentences(wording: Wording, game: Game, fold: Fold) -> Iterator[str]:
    for option in game.expects(fold.state).options:
        for finding in option.closed:
            yield wording.finding(finding.code, finding.params, game.slug)
    rulings = [game.so_far(fold.state), game.explain(fold.state.last) if fold.state.last else None]
    for ruling in filter(None, rulings):
        yield wording.ruling(game.slug, ruling)
        for reason in ruling.because:
            yield wording.reason(game.slug, reason.code, reason.params)
        for finding in ruling.findings:
            yield wording.finding(finding.code, finding.params, game.slug)
