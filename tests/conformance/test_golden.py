"""Golden playthroughs: a game each file, short enough to read, told entry by entry.

A file of tests/golden/<game>/ begins with remarks (`#`) and the record's head; each entry (`>`) is followed by what it
changed in the public state and how the trick it ended is ruled. `pytest tests/conformance --update-golden` writes
anew what follows the head and the entries: for a new file, write those and let it do the rest, then read it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from companion.engine.fold import Fold, start
from companion.engine.game import Game
from companion.engine.record import Record, record_from
from companion.engine.registry import GAMES
from tests.conformance.games import every_game

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = sorted(GOLDEN.glob("*/*.txt"))


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parts(text: str) -> tuple[list[str], Record]:
    """Returns a file's remarks and its record."""
    lines = text.splitlines()
    remarks = [line for line in lines if line.startswith("#")]
    head = next(line for line in lines if line.startswith("{"))
    entries = [json.loads(line[1:]) for line in lines if line.startswith(">")]
    return remarks, record_from({**json.loads(head), "entries": entries})


def told(remarks: list[str], record: Record) -> str:
    """Tells the whole file."""
    raw = record.json()
    del raw["entries"]
    lines = [*remarks, compact(raw)]
    fold = start(record.game, record.setup, len(record.players))
    shown: dict[str, Any] = {}
    lines += changes(shown, record.game.json(fold.state))
    for line in record.lines:
        before, shown = fold, record.game.json(fold.state)
        fold = fold.add(line)
        lines.append(f"> {compact(line.json())}")
        lines += changes(shown, record.game.json(fold.state))
        lines += rulings(before, fold)
    outcome = record.game.outcome(fold.state)
    lines.append(f"= {compact(outcome.json() if outcome else None)}")
    return "\n".join(lines) + "\n"


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Tells what is new; of a list that has grown, what was added."""
    new = []
    for key, value in after.items():
        old = before.get(key)
        if isinstance(old, list) and isinstance(value, list) and 0 < len(old) < len(value) and value[: len(old)] == old:
            new.append(f"{key} + {compact(value[len(old) :])[1:-1]}")
        elif key not in before or old != value:
            new.append(f"{key} {compact(value)}")
    return [f"    {'; '.join(new)}"] if new else []


def rulings(before: Fold, after: Fold) -> list[str]:
    """Tells the trick that an entry ended."""
    taken = after.state.last
    if after.state.done != before.state.done + 1:
        return []
    ruling = after.game.explain(taken)
    why = " ".join(reason.code for reason in ruling.because)
    return [f"    {taken.chapter}.{taken.number} to {taken.winner}{f' with {taken.card}' if taken.card else ''}: {why}"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_is_told_as_it_was(path: Path, request: pytest.FixtureRequest) -> None:
    text = path.read_text(encoding="utf-8")
    remarks, record = parts(text)
    assert record.game.slug == path.parent.name
    assert remarks, "a remark says what the playthrough is there for"
    now = told(remarks, record)
    if request.config.getoption("--update-golden"):
        path.write_text(now, encoding="utf-8")
    else:
        assert now == text


@every_game
def test_every_game_has_one_to_its_end(game: Game) -> None:
    """A game without a golden playthrough is not done; one of them at least is played to its end."""
    records = [parts(path.read_text(encoding="utf-8"))[1] for path in FILES if path.parent.name == game.slug]
    assert records, f"tests/golden/{game.slug}/ holds none"
    assert any(record.game.outcome(fold_of(record).state) for record in records)


def fold_of(record: Record) -> Fold:
    fold = start(record.game, record.setup, len(record.players))
    for line in record.lines:
        fold = fold.add(line)
    return fold


def test_no_file_is_of_an_unknown_game() -> None:
    assert {path.parent.name for path in FILES} <= GAMES.keys()
    assert {path.suffix for path in GOLDEN.glob("*/*")} <= {".txt"}
