"""Records, written and read again: what can be read is written as it was, and anything else is an error."""

import json
import re
from collections.abc import Callable
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from companion.engine.findings import RecordError
from companion.engine.record import parse, read_record, record_from
from tests.strategies import leapfrog_records

SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(leapfrog_records(), st.booleans(), st.sampled_from([None, 1]))
def test_round_trip(raw: dict[str, Any], ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(raw, ensure_ascii=ascii_only, indent=indent)
    record = read_record(text)
    assert record.json() == raw
    again = read_record(json.dumps(record.json()).encode())
    assert again == record


@given(leapfrog_records())
def test_other_spellings_are_written_in_one(raw: dict[str, Any]) -> None:
    written = json.loads(json.dumps(raw))
    for entry in written["entries"]:
        for body in (entry, *entry.get("entries", ())):
            if "card" in body:
                body["card"] = body["card"].lower().replace("a", "1")
            if "cards" in body:
                body["cards"] = [card[:-1] + SIGNS[card[-1]] for card in body["cards"]]
            if "hierarchy" in body.get("set", {}):
                body["set"]["hierarchy"] = [suit.lower() for suit in body["set"]["hierarchy"]]
    assert record_from(written).json() == raw


def spots(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the way to every value inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(spot for key, part in inner for spot in spots(part, (*way, key)))]


def error_of(read: Callable[[Any], Any], source: Any) -> RecordError | None:
    try:
        read(source)
    except RecordError as error:
        return error
    return None


@given(leapfrog_records(), JSON, st.data())
def test_a_value_exchanged_is_read_or_named(raw: dict[str, Any], value: Any, data: st.DataObject) -> None:
    """Never any other exception; the place named begins where the value stands, or where it matters."""
    way = data.draw(st.sampled_from(spots(raw)[1:]))
    at(raw, way[:-1])[way[-1]] = value
    error = error_of(record_from, raw)
    if error is None:
        assert record_from(record_from(raw).json()) == record_from(raw)
    else:
        assert re.match(r"\w+", error.place)[0] in (way[0], "setup", "entries")


@given(leapfrog_records(), st.text(max_size=5), JSON, st.data())
def test_a_key_added_is_never_skipped(raw: dict[str, Any], key: str, value: Any, data: st.DataObject) -> None:
    target = at(raw, data.draw(st.sampled_from([way for way in spots(raw) if isinstance(at(raw, way), dict)])))
    assume(key not in ("note", "dive", "card", "id", "at", "by", "track", *target))
    target[key] = value
    error = error_of(record_from, raw)
    assert error is not None
    assert error.code == "key-unknown"


def at(value: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        value = value[key]
    return value


@given(st.binary(max_size=60) | st.text(max_size=60) | JSON.map(json.dumps))
def test_anything_is_json_or_an_error(source: str | bytes) -> None:
    error = error_of(parse, source)
    assert error is None or error.code in {"not-json", "not-utf-8", "not-a-json-number", "key-twice"}
