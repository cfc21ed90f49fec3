"""The rule vectors: records with the state after each entry, and positions with their rulings.

They were made by another implementation of the rules. Where one is wrong the rules decide: WRONG names each such
promise, and test_what_is_wrong_with_them proves of each that it is of the kind described.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from companion.engine.fold import steps
from companion.engine.record import Record, record_from
from companion.engine.registry import GAMES

HERE = Path(__file__).parent / "vectors"
# The same vectors, or later ones, where they lie beside the checkout.
FOLDERS = [HERE, *(folder for folder in (Path(__file__).parents[2] / "shared" / "vectors",) if folder.is_dir())]

# Promises that the rules do not hold, by line and entry. In each a card laid face down was the trick's fourth card, so
# that in the twin vector, card by card, it ended the trick; here it is a `power` entry before the `won` that ends it,
# and the state promised after it is already the one after that `won`: the frog has hopped, the round's powers are back.
WRONG = {
    (2, 26), (3, 25), (3, 45), (4, 2), (4, 10), (4, 20), (4, 22), (4, 24), (6, 6), (6, 10), (7, 1), (7, 8), (7, 24),
    (8, 7), (8, 14), (8, 35),
}  # fmt: skip
WRONG_IN = "leapfrog.by-result"


def lines(kind: str) -> list[Any]:
    """Returns every line of a kind of file: the file, the line's number and what it holds."""
    return [
        pytest.param(path, number, json.loads(line), id=f"{path.parents[1].name}-{slug}-{number}")
        for folder in FOLDERS
        for slug in GAMES
        for path in (folder / f"{slug}.{kind}.jsonl",)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


def test_every_file_is_there() -> None:
    files = {f"{slug}.{kind}.jsonl" for slug in GAMES for kind in ("by-card", "by-result", "positions", "referee")}
    for folder in FOLDERS:
        assert files <= {path.name for path in folder.glob("*.jsonl")}


def states(record: Record) -> list[dict[str, Any]]:
    return [record.game.json(fold.state) for _, fold in steps(record)]


def differing(expected: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """Returns what was promised and is otherwise."""
    return {key: (value, state[key]) for key, value in expected.items() if state[key] != value}


@pytest.mark.parametrize(("path", "number", "vector"), [*lines("by-card"), *lines("by-result")])
def test_records(path: Path, number: int, vector: dict[str, Any]) -> None:
    record = record_from(vector["record"])
    assert record.json() == vector["record"]
    found = states(record)
    assert len(found) == len(vector["expect"])
    outcome = record.game.outcome(list(steps(record))[-1][1].state)
    assert (outcome.json() if outcome else None) == vector["outcome"]
    known = {place for line, place in WRONG if line == number and path == HERE / f"{WRONG_IN}.jsonl"}
    for place, expected in enumerate(vector["expect"], 1):
        wrong = differing(expected, found[place - 1])
        if place in known or (wrong and path.parent != HERE and path.stem == WRONG_IN):
            assert is_ahead(vector, found, place), (place, wrong)
        else:
            assert wrong == {}, place


def is_ahead(vector: dict[str, Any], found: list[dict[str, Any]], place: int) -> bool:
    """Returns whether a power right before its `won` is promised what holds after the `won`, and not before."""
    kinds = [entry["type"] for entry in vector["record"]["entries"][place - 1 : place + 1]]
    expected = vector["expect"][place - 1]
    wrong = differing(expected, found[place - 1])
    return kinds == ["power", "won"] and differing(expected, found[place]) == {} and "frogs" in wrong


def test_what_is_wrong_with_them() -> None:
    by_result = (HERE / f"{WRONG_IN}.jsonl").read_text(encoding="utf-8").splitlines()
    by_card = (HERE / "leapfrog.by-card.jsonl").read_text(encoding="utf-8").splitlines()
    promises = 0
    for number, place in sorted(WRONG):
        vector, twin = json.loads(by_result[number - 1]), json.loads(by_card[number - 1])
        assert {**vector["record"], "entries": []} == {**twin["record"], "entries": []}
        power = vector["record"]["entries"][place - 1]
        # The trick's number in the whole game, and in the twin the entry that is its fourth card: this power.
        trick = sum(entry["type"] == "won" for entry in vector["record"]["entries"][:place]) + 1
        fourth = [entry for entry in twin["record"]["entries"] if entry["type"] in ("card", "power")][4 * trick - 1]
        assert fourth == power
        found = states(record_from(vector["record"]))
        assert is_ahead(vector, found, place)
        wrong = differing(vector["expect"][place - 1], found[place - 1])
        assert wrong.keys() <= {"frogs", "powers_used"}
        promises += len(wrong)
    assert (len(WRONG), promises) == (16, 18)


@pytest.mark.parametrize(("path", "number", "vector"), lines("positions"))
def test_positions(path: Path, number: int, vector: dict[str, Any]) -> None:
    ruling = json.loads(json.dumps(GAMES[vector["in"]["game"]].rule_on(vector["in"]).json()))
    for key, value in vector["out"].items():
        assert ruling[key] == value, (key, vector["tags"])
