"""Records: the public format, read and written. A record is the whole log of one game (RECORD.md)."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from companion.engine.findings import RecordError
from companion.engine.game import Game
from companion.engine.reading import Shape, clip, seat_of, several, shape, text, thing, whole
from companion.engine.registry import find

FORMAT = "companion-record"
VERSION = 1
MOST_ENTRIES = 2000
MOST_BYTES = 256 * 1024
NAME_LENGTH = 40
ID_LENGTH = 64
_RFC_3339 = re.compile(
    r"(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?"
    r"(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))",
    re.ASCII,
)


class Line(NamedTuple):
    """One entry in its envelope (a client-made key, a time, the seat whose phone entered it), no rule looks at it."""

    entry: Any
    id: str | None = None
    at: str | None = None
    by: int | None = None

    def json(self) -> dict[str, Any]:
        """Returns the entry with its envelope."""
        body: dict[str, Any] = self.entry.json()
        for name in ("id", "at", "by"):
            value = getattr(self, name)
            # A correction has an `at` of its own: the place it corrects.
            if value is not None and name not in body:
                body[name] = value
        return body


@dataclass(frozen=True, slots=True)
class Revised:
    """A correction: of the entries in force just before it, `drop` from index `at` on make way for these."""

    at: int
    drop: int
    entries: tuple[Line, ...]

    def json(self) -> dict[str, Any]:
        return {"type": "revise", "at": self.at, "drop": self.drop, "entries": [line.json() for line in self.entries]}


@dataclass(frozen=True, slots=True)
class Record:
    """One game: `setup` as the game read it, `raw_setup` as it was written."""

    game: Game
    players: tuple[str, ...]
    setup: Any
    raw_setup: Mapping[str, Any]
    lines: tuple[Line, ...]

    def json(self) -> dict[str, Any]:
        """Returns the record as RECORD.md writes it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game.slug,
            "players": list(self.players),
            "setup": dict(self.raw_setup),
            "entries": [line.json() for line in self.lines],
        }


def written(value: Mapping[str, Any]) -> str:
    """Returns a record, or an entry of one, as JSON text of as few bytes as can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_record(source: str | bytes) -> Record:
    """Reads a record from its JSON text. Raises RecordError naming what is wrong and where."""
    return record_from(parse(source))


def parse(source: str | bytes) -> Any:
    """Parses strict JSON: no key twice, no NaN, UTF-8, at most 256 KiB. Raises RecordError."""
    if len(source) > MOST_BYTES or (isinstance(source, str) and len(source.encode("utf-8", "replace")) > MOST_BYTES):
        raise RecordError("record-too-large", most=MOST_BYTES)
    try:
        decoded = source.decode("utf-8-sig") if isinstance(source, bytes) else source.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise RecordError("not-utf-8", byte=error.start) from None
    try:
        return json.loads(decoded, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise RecordError("not-json", line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise RecordError("json-too-deep") from None
    except ValueError as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError("number-too-long") from None


def record_from(raw: Any) -> Record:
    """Reads a record from parsed JSON. Raises RecordError."""
    if not isinstance(raw, dict):
        raise RecordError("not-an-object", value=clip(raw))
    for key in raw:
        if key not in ("format", "version", "game", "players", "setup", "entries"):
            raise RecordError("key-unknown", clip(key), key=clip(key))
    for key in ("format", "version", "game", "players", "setup", "entries"):
        if key not in raw:
            raise RecordError("key-missing", key, key=key)
    if raw["format"] != FORMAT:
        raise RecordError("not-one-of", "format", value=clip(raw["format"]), choices=[FORMAT])
    if type(raw["version"]) is not int or raw["version"] != VERSION:
        raise RecordError("version-unknown", "version", value=clip(raw["version"]), known=VERSION)
    game = find(raw["game"])
    names = read_names(raw["players"], game)
    setup = read_setup(raw["setup"], game, len(names))
    if not isinstance(raw["entries"], list):
        raise RecordError("not-a-list", "entries", value=clip(raw["entries"]))
    if len(raw["entries"]) > MOST_ENTRIES:
        raise RecordError("too-many-entries", "entries", most=MOST_ENTRIES)
    lines = read_lines(raw["entries"], game, len(names))
    twice = _twice(line.id or place for place, line in enumerate(lines))
    if twice is not None:
        raise RecordError("id-twice", f"entries[{twice}].id", value=str(lines[twice].id))
    return Record(game, names, setup, raw["setup"], lines)


def read_names(raw: Any, game: Game) -> tuple[str, ...]:
    """Reads the players' names. Raises RecordError."""
    try:
        names: tuple[str, ...] = several(text(NAME_LENGTH), game.seats.start, game.seats.stop - 1)(raw)
    except RecordError as error:
        raise error.inside("players") from None
    return names


def read_setup(raw: Any, game: Game, players: int) -> Any:
    """Reads a setup. Raises RecordError."""
    try:
        return game.read_setup(thing(raw), players)
    except RecordError as error:
        raise error.inside("setup") from None


def read_lines(raw: Iterable[Any], game: Game, players: int) -> tuple[Line, ...]:
    """Reads entries in their envelopes. Raises RecordError with the place among them."""
    shapes = _shapes(game.slug, players)
    lines: list[Line] = []
    try:
        for body in raw:
            lines.append(_line(body, shapes, players))
    except RecordError as error:
        raise error.inside(f"entries[{len(lines)}]") from None
    return tuple(lines)


def read_line(body: Any, game: Game, players: int) -> Line:
    """Reads one entry in its envelope. Raises RecordError."""
    return _line(body, _shapes(game.slug, players), players)


def _line(body: Any, shapes: Mapping[str, Shape], players: int) -> Line:
    if type(body) is not dict:
        raise RecordError("not-an-object", value=clip(body))
    kind = body.get("type")
    try:
        found = shapes[kind]  # type: ignore[index]
    except (KeyError, TypeError):
        if kind is None:
            raise RecordError("key-missing", "type", key="type") from None
        raise RecordError("type-unknown", "type", value=clip(kind), choices=sorted(shapes)) from None
    if "id" not in body and "at" not in body and "by" not in body:
        return Line(found.read(body))
    rest = dict(body)
    # A correction's `at` is the place it corrects, so it has no time of its own.
    outer = {key: rest.pop(key) for key in ("id", "at", "by") if key in rest and (key != "at" or kind != "revise")}
    return Line(found.read(rest), *_envelope(players).read(outer))


@cache
def _envelope(players: int) -> Shape:
    return Shape(lambda *values: values, {}, (("id", _key, None), ("at", _time, None), ("by", seat_of(players), None)))


def _key(value: Any) -> str:
    if value == "":
        raise RecordError("text-empty")
    return str(text(ID_LENGTH)(value))


def _time(value: Any) -> str:
    found = _RFC_3339.fullmatch(text(40)(value))
    if not found or not _on_the_clock(*found.groups(default="0")):
        raise RecordError("not-a-time", value=clip(value))
    return str(value)


def _on_the_clock(*parts: str) -> bool:
    """Returns whether the month has that day, and whether a second 60 is the last of a day in UTC: a leap second."""
    year, month, day, hour, minute, second, off_hour, off_minute = map(int, (*parts[:6], *parts[7:]))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = 28 + leap if month == 2 else 30 + (month + month // 8) % 2
    offset = (off_hour * 60 + off_minute) * (-1 if parts[6] == "-" else 1)
    return day <= days and (second < 60 or (hour * 60 + minute - offset) % 1440 == 1439)


@cache
def _shapes(slug: str, players: int) -> Mapping[str, Shape]:
    game = find(slug)
    shapes = {kind: found.entry() for kind, found in game.readers(players).items()}
    inner = dict(shapes)

    def read_inner(body: Any) -> Line:
        if isinstance(body, dict) and body.get("type") == "revise":
            raise RecordError("revise-nested", "type")
        return _line(body, inner, players)

    most = whole(0, MOST_ENTRIES)
    shapes["revise"] = shape(Revised, at=most, drop=most, entries=several(read_inner, 0, MOST_ENTRIES)).entry()
    return shapes


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key = clip(pairs[_twice(name for name, _ in pairs) or 0][0])
        raise RecordError("key-twice", key, key=key)
    return found


def _twice(values: Iterable[object]) -> int | None:
    """Returns the place of the first value that stands further ahead too."""
    before: set[object] = set()
    for place, value in enumerate(values):
        if value in before:
            return place
        before.add(value)
    return None


def _no_constant(name: str) -> Any:
    raise RecordError("not-a-json-number", value=name)
