"""Reading records: nothing is skipped, nothing is guessed, and every error names its place."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from companion.engine.findings import RecordError
from companion.engine.record import MOST_BYTES, MOST_ENTRIES, parse, read_line, read_record, record_from
from companion.engine.registry import GAMES

LEAPFROG = GAMES["leapfrog"]
CARD = {"type": "card", "seat": 0, "card": "10S"}
POWER = {"type": "power", "seat": 1, "power": "king"}


def record(**changes: Any) -> dict[str, Any]:
    whole = {
        "format": "companion-record",
        "version": 1,
        "game": "leapfrog",
        "players": ["Ann", "Ben"],
        "setup": {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0},
        "entries": [],
    }
    return {key: value for key, value in {**whole, **changes}.items() if value is not ...}


def setup(**changes: Any) -> dict[str, Any]:
    whole = record()["setup"]
    return record(setup={key: value for key, value in {**whole, **changes}.items() if value is not ...})


def fresh(*pads: Any) -> dict[str, Any]:
    return setup(variant="freshwater", track=list(pads))


def entry(body: Any, **changes: Any) -> dict[str, Any]:
    return record(entries=[CARD, {**body, **changes} if isinstance(body, dict) else body])


def error(read: Callable[[Any], Any], source: Any) -> tuple[str, str]:
    with pytest.raises(RecordError) as caught:
        read(source)
    said = caught.value
    # What it says can be written to any terminal and any page.
    json.dumps([said.code, said.place, said.params], ensure_ascii=False).encode("utf-8")
    assert all(sign.isprintable() for sign in f"{said.place}{said.params}")
    return said.code, said.place


ADJUST = {"type": "adjust", "set": {"king": 1}}
REVISE = {"type": "revise", "at": 0, "drop": 1, "entries": []}
DEEP = json.loads("[" * 900 + "]" * 900)


@pytest.mark.parametrize(
    ("raw", "code", "place"),
    [
        ([], "not-an-object", ""),
        (None, "not-an-object", ""),
        ("{}", "not-an-object", ""),
        (record(extra=1), "key-unknown", "extra"),
        (record(**{"\ud800\x07": 1}), "key-unknown", "\\ud800\\x07"),
        (record(**{"k" * 100: 1}), "key-unknown", "k" * 39 + "…"),
        (record(format=...), "key-missing", "format"),
        (record(entries=...), "key-missing", "entries"),
        (record(format="other"), "not-one-of", "format"),
        (record(format=None), "not-one-of", "format"),
        (record(format=DEEP), "not-one-of", "format"),
        (record(version=2), "version-unknown", "version"),
        (record(version=1.0), "version-unknown", "version"),
        (record(version=True), "version-unknown", "version"),
        (record(version="1"), "version-unknown", "version"),
        (record(game="chess"), "game-unknown", "game"),
        (record(game=None), "game-unknown", "game"),
        (record(game=["leapfrog"]), "game-unknown", "game"),
        (record(game=DEEP), "game-unknown", "game"),
        (record(game="\ud800"), "game-unknown", "game"),
        (record(players="Ann"), "not-a-list", "players"),
        (record(players={}), "not-a-list", "players"),
        (record(players=["Ann"]), "list-length", "players"),
        (record(players=["Ann", "Ben", "Cay"]), "list-length", "players"),
        (record(players=["Ann", 2]), "not-text", "players[1]"),
        (record(players=["Ann", None]), "not-text", "players[1]"),
        (record(players=["Ann", "B" * 41]), "text-too-long", "players[1]"),
        (record(players=["\ud83d", "Ben"]), "text-control", "players[0]"),
        (record(players=["Ann\n", "Ben"]), "text-control", "players[0]"),
        (record(players=["Ann\x85", "Ben"]), "text-control", "players[0]"),
        (record(players=["Ann\x00", "Ben"]), "text-control", "players[0]"),
        (record(players=["Ann\x1b[2J", "Ben"]), "text-control", "players[0]"),
        (record(players=["Ann\x7f", "Ben"]), "text-control", "players[0]"),
        (record(setup=None), "not-an-object", "setup"),
        (setup(variant="salt"), "not-one-of", "setup.variant"),
        (setup(variant=...), "key-missing", "setup.variant"),
        (setup(hierarchy=["S", "H"]), "list-length", "setup.hierarchy"),
        (setup(hierarchy=["S", "H", "S"]), "suits-not-different", "setup.hierarchy"),
        (setup(hierarchy=["S", "H", "X"]), "not-a-suit", "setup.hierarchy[2]"),
        (setup(hierarchy=["ſ", "H", "C"]), "not-a-suit", "setup.hierarchy[0]"),
        (setup(hierarchy="SHC"), "not-a-list", "setup.hierarchy"),
        (setup(hierarchy=[["S"], "H", "C"]), "not-a-suit", "setup.hierarchy[0]"),
        (setup(dealer=2), "not-a-seat", "setup.dealer"),
        (setup(dealer=-1), "not-a-seat", "setup.dealer"),
        (setup(dealer=False), "not-a-seat", "setup.dealer"),
        (setup(dealer=0.0), "not-a-seat", "setup.dealer"),
        (setup(dealer="0"), "not-a-seat", "setup.dealer"),
        (setup(pads=8), "key-unknown", "setup.pads"),
        (setup(type="setup"), "key-unknown", "setup.type"),
        (setup(track=[6, 1, 3, 5, 0, 9, 2, 4]), "track-standard", "setup.track"),
        (setup(track=[6, 1, 3, 5, 0, 9, 4]), "list-length", "setup.track"),
        (setup(variant="freshwater"), "key-missing", "setup.track"),
        (fresh(6, 1, 3, 5, 0, 9, 4, 2), "track-fresh", "setup.track"),
        (fresh(0, 0, 1, 2, 3, 4, 6, 6), "track-fresh", "setup.track"),
        (fresh(0, 0, 1, 2, 3, 4, 6), "list-length", "setup.track"),
        (fresh(0, 0, 1, 2, 3, 4, 6, "8"), "not-a-number", "setup.track[7]"),
        (fresh(0, 0, 1, 2, 3, 4, 6, 8.0), "not-a-number", "setup.track[7]"),
        (fresh(0, 0, 1, 2, 3, 4, 6, True), "not-a-number", "setup.track[7]"),
        (record(entries={}), "not-a-list", "entries"),
        (record(entries=[CARD] * (MOST_ENTRIES + 1)), "too-many-entries", "entries"),
        (entry("card"), "not-an-object", "entries[1]"),
        (entry({"seat": 0}), "key-missing", "entries[1].type"),
        (entry({"type": None}), "key-missing", "entries[1].type"),
        (entry({"type": "fly"}), "type-unknown", "entries[1].type"),
        (entry({"type": ["card"]}), "type-unknown", "entries[1].type"),
        (entry({"type": DEEP}), "type-unknown", "entries[1].type"),
        (entry({"type": "card", "seat": 0}), "key-missing", "entries[1].card"),
        (entry({"type": "card", "card": "4S"}), "key-missing", "entries[1].seat"),
        (entry(CARD, seat=2), "not-a-seat", "entries[1].seat"),
        (entry(CARD, seat=True), "not-a-seat", "entries[1].seat"),
        (entry(CARD, seat=DEEP), "not-a-seat", "entries[1].seat"),
        (entry(CARD, seat=10**4000), "not-a-seat", "entries[1].seat"),
        (entry(CARD, card="11S"), "not-a-card", "entries[1].card"),
        (entry(CARD, card="\ud800"), "not-a-card", "entries[1].card"),
        (entry(CARD, card=None), "not-a-card", "entries[1].card"),
        (entry(CARD, card=["10S"]), "not-a-card", "entries[1].card"),
        (entry(CARD, card=10), "not-a-card", "entries[1].card"),
        (entry(CARD, power="leap"), "key-unknown", "entries[1].power"),
        (entry(POWER, power="fly"), "not-one-of", "entries[1].power"),
        (entry(POWER, dive=1), "not-yes-no", "entries[1].dive"),
        (entry(POWER, dive=None), "not-yes-no", "entries[1].dive"),
        (entry(POWER, card=None), "not-a-card", "entries[1].card"),
        (entry({"type": "hop", "seat": 0}), "key-missing", "entries[1].dive"),
        (entry({"type": "won", "seat": 0}, card="4S"), "key-unknown", "entries[1].card"),
        (entry(ADJUST, set={}), "nothing-set", "entries[1].set"),
        (entry(ADJUST, set=[]), "not-an-object", "entries[1].set"),
        (entry(ADJUST, set={"round": 2}), "key-unknown", "entries[1].set.round"),
        (entry(ADJUST, set={"king": 1, "type": 1}), "key-unknown", "entries[1].set.type"),
        (entry(ADJUST, set={"king": 8}), "not-a-number", "entries[1].set.king"),
        (entry(ADJUST, set={"king": None}), "not-a-number", "entries[1].set.king"),
        (entry(ADJUST, set={"frogs": [1, -1]}), "not-a-number", "entries[1].set.frogs[1]"),
        (entry(ADJUST, set={"powers_used": [0, 3]}), "not-a-number", "entries[1].set.powers_used[1]"),
        (entry(ADJUST, set={"totals": [0, 100]}), "not-a-number", "entries[1].set.totals[1]"),
        (entry(ADJUST, set={"totals": [0, 1, 2]}), "list-length", "entries[1].set.totals"),
        (entry(ADJUST, note="n" * 281), "text-too-long", "entries[1].note"),
        (entry(ADJUST, note=1), "not-text", "entries[1].note"),
        (entry({"type": "reveal", "cards": []}), "list-length", "entries[1].cards"),
        (entry({"type": "reveal", "cards": ["4S", "XS"]}), "not-a-card", "entries[1].cards[1]"),
        (entry({"type": "concede"}), "key-missing", "entries[1].seat"),
        (entry(CARD, id=""), "text-empty", "entries[1].id"),
        (entry(CARD, id="i" * 65), "text-too-long", "entries[1].id"),
        (entry(CARD, id=5), "not-text", "entries[1].id"),
        (entry(CARD, id=None), "not-text", "entries[1].id"),
        (entry(CARD, by=2), "not-a-seat", "entries[1].by"),
        (entry(CARD, at="yesterday"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-01-31 20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-01-31T20:00:00"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-13-31T20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-01-32T20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-01-31T24:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="２０26-01-31T20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-02-30T20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-02-29T20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2100-02-29T20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-04-31T20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-11-31T20:00:00Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2026-01-31T20:00:60Z"), "not-a-time", "entries[1].at"),
        (entry(CARD, at="2016-12-31T23:59:60+01:00"), "not-a-time", "entries[1].at"),
        (entry(REVISE, entries=[CARD, {**CARD, "at": "2026-02-30T20:00:00Z"}]), "not-a-time",
         "entries[1].entries[1].at"),
        (entry(CARD, at=1700000000), "not-text", "entries[1].at"),
        (entry(REVISE, at=-1), "not-a-number", "entries[1].at"),
        (entry(REVISE, at="2026-01-31T20:00:00Z"), "not-a-number", "entries[1].at"),
        (entry(REVISE, at=True), "not-a-number", "entries[1].at"),
        (entry(REVISE, at=MOST_ENTRIES + 1), "not-a-number", "entries[1].at"),
        (entry(REVISE, drop=0.5), "not-a-number", "entries[1].drop"),
        (entry(REVISE, entries=[CARD] * (MOST_ENTRIES + 1)), "list-length", "entries[1].entries"),
        (entry(REVISE, entries=[CARD, {"type": "fly"}]), "type-unknown", "entries[1].entries[1].type"),
        (entry(REVISE, entries=[{**CARD, "seat": 3}]), "not-a-seat", "entries[1].entries[0].seat"),
        (entry(REVISE, entries=[{**CARD, "by": 3}]), "not-a-seat", "entries[1].entries[0].by"),
        (entry(REVISE, entries=[REVISE]), "revise-nested", "entries[1].entries[0].type"),
        (entry(REVISE, entries=[[]]), "not-an-object", "entries[1].entries[0]"),
        (record(entries=[{**CARD, "id": "k"}, POWER, {**POWER, "id": "k"}]), "id-twice", "entries[2].id"),
        (record(entries=[{**REVISE, "id": "k"}, {**CARD, "id": "k"}]), "id-twice", "entries[1].id"),
    ],
)
def test_what_is_no_record(raw: Any, code: str, place: str) -> None:
    assert error(record_from, raw) == (code, place)


@pytest.mark.parametrize(
    "at",
    [
        "2024-02-29T20:00:00Z",
        "2000-02-29t20:00:00z",
        "2026-08-31T20:00:00.123+05:45",
        "2026-12-31T20:00:59-12:00",
        # A leap second, here and where the day has begun already.
        "2016-12-31T23:59:60Z",
        "2017-01-01T08:59:60+09:00",
        "2016-12-31T18:29:60.5-05:30",
    ],
)
def test_times(at: str) -> None:
    assert record_from(entry(CARD, at=at)).lines[1].at == at


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("", "not-json"),
        (b"", "not-json"),
        ("{", "not-json"),
        ("{} {}", "not-json"),
        ("{'a': 1}", "not-json"),
        ('{"a": 1,}', "not-json"),
        ('"\x01"', "not-json"),
        (b"\xff{}", "not-utf-8"),
        ("{}".encode("utf-16"), "not-utf-8"),
        (b'"\xed\xa0\x80"', "not-utf-8"),
        ('{"a": NaN}', "not-a-json-number"),
        ("[Infinity]", "not-a-json-number"),
        ("[-Infinity]", "not-a-json-number"),
        ("1" * 5000, "number-too-long"),
        ("[" * 100_000, "json-too-deep"),
        ('{"a":' * 40_000, "json-too-deep"),
        ('{"a": 1, "b": 2, "a": 1}', "key-twice"),
        ('[{"b": {"c": 1, "c": 1}}]', "key-twice"),
        (" " * (MOST_BYTES + 1), "record-too-large"),
        (b" " * (MOST_BYTES + 1), "record-too-large"),
        # 256 KiB are bytes, not characters.
        ('"' + "あ" * (MOST_BYTES // 3) + '"', "record-too-large"),
    ],
)
def test_what_is_no_json(source: str | bytes, code: str) -> None:
    assert error(parse, source)[0] == code


def test_the_place_of_what_is_no_json() -> None:
    with pytest.raises(RecordError) as caught:
        parse('{\n  "a": tru')
    assert caught.value.params == {"line": 2, "column": 8}
    with pytest.raises(RecordError) as caught:
        parse(b"{}\xff")
    assert caught.value.params == {"byte": 2}


def test_a_key_given_twice_at_the_end_of_a_long_object() -> None:
    keys = "".join(f'"{number}":0,' for number in range(25_000))
    with pytest.raises(RecordError) as caught:
        parse("{" + keys + '"24999":0}')
    assert (caught.value.code, caught.value.place) == ("key-twice", "24999")


def test_a_record_at_its_limits() -> None:
    full = record(entries=[{"type": "adjust", "set": {"king": 1}}] * MOST_ENTRIES)
    text = json.dumps(full)
    padded = text + " " * (MOST_BYTES - len(text))
    assert len(read_record(padded).lines) == MOST_ENTRIES
    assert read_record(padded.encode()).json() == full
    assert error(read_record, padded + " ") == ("record-too-large", "")


@pytest.mark.parametrize("written", ["10S", "10s", "10♠", "10♠️"])
def test_cards_as_people_write_them(written: str) -> None:
    assert read_line({**CARD, "card": written}, LEAPFROG, 2).json() == CARD


@pytest.mark.parametrize("written", ["AH", "ah", "1H", "1h", "1♥", "a♥"])
def test_the_one_is_the_ace_wherever_a_card_is(written: str) -> None:
    """RECORD.md: Leapfrog!'s 1 is `A`; reading accepts `1`."""
    for body in (CARD, POWER):
        assert read_line({**body, "card": written}, LEAPFROG, 2).json()["card"] == "AH"
    shown = read_line({"type": "reveal", "cards": [written, "10H"]}, LEAPFROG, 2)
    assert shown.json() == {"type": "reveal", "cards": ["AH", "10H"]}


@pytest.mark.parametrize("suits", [["S", "H", "C"], ["c", "h", "d"], ["D", "c", "S"]])
def test_any_three_suits_serve(suits: list[str]) -> None:
    assert list(record_from(setup(hierarchy=suits)).setup.hierarchy) == [suit.upper() for suit in suits]


def test_the_standard_track_may_be_given() -> None:
    given = record_from(setup(track=[6, 1, 3, 5, 0, 9, 4, 2]))
    assert given.setup == record_from(record()).setup
    assert given.json()["setup"]["track"] == [6, 1, 3, 5, 0, 9, 4, 2]


@pytest.mark.parametrize("names", [["", ""], ["Ann", "Ann"], ["B" * 40, "日本語の名前"], ["👩‍👩‍👧", "O'Neil <b>"]])
def test_names(names: list[str]) -> None:
    assert record_from(record(players=names)).players == tuple(names)


@pytest.mark.parametrize(
    "at",
    [
        "2026-01-31T20:00:00Z",
        "2026-01-31t20:00:00.123456789z",
        "2024-03-01T08:59:60+09:00",
        "2026-12-01T00:00:00-03:30",
    ],
)
def test_envelopes(at: str) -> None:
    body = {**CARD, "id": "k" * 64, "at": at, "by": 1}
    line = read_line(body, LEAPFROG, 2)
    assert (line.id, line.at, line.by) == ("k" * 64, at, 1)
    assert line.json() == body


def test_a_corrections_at_is_a_place() -> None:
    body = {**REVISE, "at": 3, "id": "k", "by": 0, "entries": [{**CARD, "id": "l", "at": "2026-01-31T20:00:00Z"}]}
    line = read_line(body, LEAPFROG, 2)
    assert (line.id, line.at, line.by) == ("k", None, 0)
    assert line.entry.at == 3
    assert line.json() == body


def test_a_byte_order_mark_is_no_matter() -> None:
    text = json.dumps(record())
    assert read_record("\ufeff" + text) == read_record(text.encode("utf-8-sig")) == read_record(text)


def test_d25_a_record_holds_letters_never_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another order of the suits in the source changes nothing in a stored game."""
    import companion.engine.leapfrog as leapfrog
    import companion.engine.leapfrog_moves as moves
    from companion.engine.fold import fold

    entries = [{"type": "card", "seat": 0, "card": "9H"}, {"type": "card", "seat": 1, "card": "4S"}]
    entries += [{"type": "card", "seat": 0, "card": "10H"}, {"type": "card", "seat": 1, "card": "AC"}]
    played = record_from(record(entries=entries))
    before = LEAPFROG.json(fold(played).state)
    for module in (leapfrog, moves):
        monkeypatch.setattr(module, "SUITS", ("D", "C", "H", "S"))
    assert LEAPFROG.json(fold(played).state) == before
    assert json.dumps(played.json()["entries"]) == json.dumps(entries)


def test_an_error_reads_as_place_code_and_facts() -> None:
    with pytest.raises(RecordError, match=r"^entries\[1\]\.seat: not-a-seat \(value='2', high=1\)$"):
        record_from(entry(CARD, seat=2))
    with pytest.raises(RecordError, match=r"^record: not-an-object"):
        record_from([])
