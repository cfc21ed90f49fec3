"""The table's own ruling: every part of every game, as plain forms; errors lose nothing; what it set is marked."""

import csv
import io
from typing import Any

import pytest
from flask import Flask

from companion.engine.registry import GAMES
from tests.web.conftest import Phone


def parts() -> list[Any]:
    return [pytest.param(slug, field, id=f"{slug}-{field.name}") for slug in GAMES for field in GAMES[slug].adjustable]


@pytest.mark.parametrize(("slug", "field"), parts())
def test_every_part_can_be_set(app: Flask, phone: Phone, slug: str, field: Any) -> None:
    hierarchy = ["S", "H", "C"]
    phone.start(slug, **({"hierarchy": hierarchy} if slug == "leapfrog" else {}))
    if field.name == "tempos":
        # Tempos are counted while a play goes on.
        for entry in ({"type": "strike", "seat": 0}, {"type": "won", "seat": 1}):
            phone.enter(entry)
    phone.get(f"{phone.table}/adjust")
    now = app.extensions["tables"].open(phone.table[3:])
    old = GAMES[slug].json(now.state)[field.name]
    value = {"number": 2, "pad": 2, "seat": 1, "suits": ["C", "S", "H"], "card": "KS"}[field.kind]
    name = f"{field.name}-0" if field.each else field.name
    assert f'name="{name}"' in phone.page
    fields = {**phone.form(), "expected": phone.hidden("expected"), name: value, "note": "agreed"}
    assert phone.post(f"{phone.table}/adjust", fields).status_code == 303
    entry = phone.record()["entries"][-1]
    new = [value, *old[1:]] if field.each else value
    assert entry["type"] == "adjust"
    assert entry["set"] == {field.name: new}
    assert entry["note"] == "agreed"
    after = app.extensions["tables"].open(phone.table[3:])
    assert GAMES[slug].json(after.state)[field.name] == new
    assert "Set by the table’s own ruling" in phone.get(phone.table).text
    assert "agreed" in phone.get(f"{phone.table}/all").text
    assert "agreed" in phone.get(f"{phone.table}/item/{len(after.items)}").text
    rows = list(csv.reader(io.StringIO(phone.get(f"{phone.table}/record.csv").text)))
    assert rows[-1][-1].endswith("agreed")
    phone.get(phone.table)
    phone.enter(undo="1")
    assert "Set by the table’s own ruling" not in phone.page


@pytest.mark.parametrize(
    ("slug", "wrong", "says"),
    [
        ("leapfrog", {"king": "0", "hierarchy": ["C", "H", "S"], "totals-0": "7"}, "pad"),
        ("leapfrog", {"hierarchy": ["C", "C", "S"], "totals-1": "7"}, "suit"),
        ("measure-and-tempo", {"guards-0": "KS", "scores-1": "-3"}, "-3"),
        ("chameleon-tricks", {"points-0": "soon", "leader": "1"}, "soon"),
    ],
)
def test_what_cannot_be_set_is_told_and_nothing_typed_is_lost(
    phone: Phone, slug: str, wrong: dict[str, Any], says: str
) -> None:
    phone.start(slug, **({"hierarchy": ["S", "H", "C"]} if slug == "leapfrog" else {}))
    phone.get(f"{phone.table}/adjust")
    fields = {**phone.form(), "expected": "0", "note": "the frog fell", **wrong}
    answer = phone.post(f"{phone.table}/adjust", fields)
    assert answer.status_code == 422
    assert says in answer.text
    assert phone.record()["entries"] == []
    assert 'value="the frog fell"' in answer.text
    for name, value in wrong.items():
        block = answer.text.partition(f'name="{name}"')[2]
        for one in value if isinstance(value, list) else [value]:
            chosen = block.partition("</select>")[0]
            assert f'value="{one}" selected' in chosen or f'value="{one}"' in block.partition(">")[0], name
            block = block.partition(f'name="{name}"')[2]


def test_an_unknown_guard_stays_unknown(phone: Phone) -> None:
    phone.start("measure-and-tempo")
    phone.enter({"type": "guard", "seat": 0})
    page = phone.get(f"{phone.table}/adjust").text
    assert '<option value="?" selected>' in page
    fields = {**phone.form(), "expected": "1", "guards-0": "?", "guards-1": "", "scores-0": "2"}
    assert phone.post(f"{phone.table}/adjust", fields).status_code == 303
    assert phone.record()["entries"][1]["set"] == {"scores": [2, 0]}


def test_nothing_to_set_is_told(phone: Phone) -> None:
    phone.start()
    phone.get(f"{phone.table}/adjust")
    assert phone.post(f"{phone.table}/adjust", {**phone.form(), "expected": "0", "note": "so"}).status_code == 422
