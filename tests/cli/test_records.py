"""Records and positions: files and standard input, one or many, good and bad, and the exit status of each."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from companion.engine.record import MOST_BYTES
from tests.cli.command import companion, program

GAME: dict[str, Any] = {
    "format": "companion-record",
    "version": 1,
    "game": "leapfrog",
    "players": ["Ann", "べん"],
    "setup": {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0},
    "entries": [{"type": "won", "seat": 0}, {"type": "won", "seat": 1}],
}
LINE = json.dumps(GAME)
SPREAD = json.dumps(GAME, indent=2)
REFUSED = json.dumps({**GAME, "entries": [{"type": "won", "seat": 0}, {"type": "card", "seat": 1, "card": "10S"}]})
POSITION = json.dumps(
    {
        "game": "leapfrog",
        "hierarchy": ["S", "H", "C"],
        "plays": [{"seat": n % 2, "card": card} for n, card in enumerate(["10S", "9S", "8S", "2H"])],
    }
)


def test_a_record_on_standard_input() -> None:
    ran = companion("replay", "-", given=LINE)
    assert (ran.status, ran.err) == (0, "")
    [answer] = ran.answers
    assert list(answer) == ["game", "steps", "state", "findings", "outcome"]
    assert [step["n"] for step in answer["steps"]] == [1, 2]
    assert [step["entry"] for step in answer["steps"]] == GAME["entries"]
    assert answer["steps"][-1]["state"] == answer["state"]


@pytest.mark.parametrize(
    ("written", "answers"),
    [
        pytest.param(LINE, 1, id="one line"),
        pytest.param(LINE + "\n", 1, id="one line, ended"),
        pytest.param(SPREAD, 1, id="spread over lines"),
        pytest.param("\n\n" + SPREAD + "\n\n", 1, id="spread, blank lines around"),
        pytest.param(SPREAD.replace("\n", "\r\n"), 1, id="spread, Windows lines"),
        pytest.param("\ufeff" + LINE, 1, id="byte order mark"),
        pytest.param("\ufeff" + SPREAD, 1, id="byte order mark, spread"),
        pytest.param(f"{LINE}\n{LINE}\n{LINE}", 3, id="a record a line"),
        pytest.param(f"\n{LINE}\r\n\n{LINE}\n", 2, id="a record a line, blank lines between"),
        pytest.param(LINE.replace('"entries": ', '"entries":\n'), 1, id="broken once"),
    ],
)
def test_one_record_or_many(written: str, answers: int, tmp_path: Path) -> None:
    path = tmp_path / "games.json"
    path.write_bytes(written.encode())
    ran = companion("replay", str(path))
    assert (ran.status, ran.err, len(ran.answers)) == (0, "", answers)


def test_several_files_and_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(SPREAD, encoding="utf-8")
    ran = companion("replay", str(path), "-", str(path), given=f"{LINE}\n{LINE}")
    assert (ran.status, len(ran.answers)) == (0, 4)


def test_a_refused_entry_ends_the_replay() -> None:
    ran = companion("replay", "-", given=f"{REFUSED}\n{LINE}")
    first, second = ran.answers
    assert ran.status == 1
    assert first["refused"]["n"] == 2
    assert first["refused"]["findings"][0]["severity"] == "refused"
    assert len(first["steps"]) == 1
    assert "refused" not in second


def changed(**parts: Any) -> str:
    return json.dumps({**GAME, **parts})


BROKEN = [
    pytest.param(b"", "<stdin>: not JSON (line 1, column 1)", id="empty"),
    pytest.param(b" \n\n", "not JSON", id="blank"),
    pytest.param(b"\xff\xfe{\x00", "not UTF-8", id="UTF-16"),
    pytest.param(LINE.encode()[:-9] + b'"\xc3"}', "not UTF-8 text (byte ", id="cut character"),
    pytest.param(b"\x00" * 100, "not JSON", id="zeros"),
    pytest.param(LINE.encode()[:-2], "not JSON (line 1, column ", id="cut off"),
    pytest.param(SPREAD.encode()[:-2], "not JSON (line ", id="spread and cut off"),
    pytest.param((LINE + "}").encode(), "not JSON", id="one brace too many"),
    pytest.param(b"[" * 100_000, "nested too deeply", id="deep"),
    pytest.param(b'{"a":' * 40_000, "nested too deeply", id="deep objects"),
    pytest.param(changed(version=1)[:-1].encode() + b',"version":1}', '"version" stands twice', id="key twice"),
    pytest.param(LINE.replace('"version": 1', '"version": NaN').encode(), "NaN is no JSON number", id="NaN"),
    pytest.param(LINE.replace('"version": 1', '"version": -Infinity').encode(), "-Infinity", id="infinity"),
    pytest.param(LINE.replace('"version": 1', '"version": 1e999').encode(), "version: ", id="overflow"),
    pytest.param(LINE.replace('"version": 1', '"version": 1.0').encode(), "version: ", id="no whole number"),
    pytest.param(LINE.replace('"version": 1', '"version": true').encode(), "version: ", id="true is not 1"),
    pytest.param(LINE.replace('"version": 1', '"version": ' + "9" * 5000).encode(), "digits", id="huge number"),
    pytest.param(changed(version=2).encode(), "version: version 2 is not known", id="later version"),
    pytest.param(changed(game="whist").encode(), "game: the game whist is not known", id="other game"),
    pytest.param(changed(players=["Ann"]).encode(), "players: ", id="one player"),
    pytest.param(changed(players=["Ann", "B" * 41]).encode(), "players[1]: ", id="long name"),
    pytest.param(changed(players=["Ann", "\ud800"]).encode(), "players[1]: ", id="half a character"),
    pytest.param(changed(comment="x").encode(), 'comment: the key "comment" is not known', id="unknown key"),
    pytest.param(changed(entries=[{"type": "won", "seat": 2}]).encode(), "entries[0].seat: ", id="no such seat"),
    pytest.param(changed(entries=[{"type": "fly"}]).encode(), "entries[0].type: ", id="no such entry"),
    pytest.param(changed(entries=[{"type": "won", "seat": 0}] * 2001).encode(), "entries: ", id="too many entries"),
    pytest.param(changed(players=["A" * MOST_BYTES, "B"]).encode(), "larger than", id="too large"),
    pytest.param(b'{"a":\n' + b" " * (3 * MOST_BYTES), "larger than", id="too large, spread"),
    pytest.param(b"[1]", "no object", id="list"),
    pytest.param(b"null", "no object", id="null"),
]


@pytest.mark.parametrize(("given", "named"), BROKEN)
@pytest.mark.parametrize("command", ["replay", "referee"])
def test_what_cannot_be_read_is_named(command: str, given: bytes, named: str) -> None:
    ran = companion(command, "-", given=given, LANG="C.UTF-8")
    assert ran.status == 2
    assert ran.err.startswith(f"companion {command}: <stdin>")
    assert named in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_a_bad_line_does_not_stop_the_others() -> None:
    ran = companion("replay", "-", given=f"{LINE}\n{LINE[:-5]}\n{'x' * (MOST_BYTES + 9)}\n{LINE}\n")
    assert ran.status == 2
    assert len(ran.answers) == 2
    assert [line.split(": ")[1] for line in ran.err.splitlines()] == ["<stdin>:2", "<stdin>:3"]


def test_a_bad_first_line_does_not_stop_the_others() -> None:
    for bad in (LINE[:-1] + ",}", LINE[:-9]):
        ran = companion("replay", "-", given=f"{bad}\n{LINE}\n")
        assert (ran.status, len(ran.answers)) == (2, 1)
        assert "<stdin>:1: " in ran.err


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    ran = companion("replay", "nowhere.json", str(tmp_path), "-", given=LINE)
    assert (ran.status, len(ran.answers)) == (2, 1)
    assert "nowhere.json" in ran.err
    assert str(tmp_path) in ran.err


def test_problems_in_japanese() -> None:
    ran = companion("replay", "--lang", "ja", "-", given=b"{")
    assert "JSONではありません" in ran.err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_is_utf_8_everywhere(encoding: str) -> None:
    """Only the bytes matter: what the terminal could show changes nothing."""
    named = changed(entries=[{"type": "adjust", "set": {"totals": [1, 2]}, "note": "蛙 – über"}])
    ran = companion("replay", "-", given=named, encoding=encoding)
    assert ran.status == 0
    assert "蛙 – über" in ran.out


def test_whoever_reads_may_stop_reading() -> None:
    """No traceback when the other end of a pipe closes early."""
    with program("replay", "-") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{LINE}\n".encode() * 3000)
            process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 141


def test_answers_come_as_the_lines_do() -> None:
    """A long input is never held: the first answer is there before the second position is written."""
    with program("check") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(f"{POSITION}\n".encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["card"] == "8S"
        process.stdin.close()
        assert process.wait(30) == 0


def test_check_answers_line_by_line() -> None:
    bad = ["", "{", '{"game":"leapfrog"}', "[]"]
    ran = companion("check", given="\n".join([POSITION, *bad, POSITION]) + "\n", LANG="C.UTF-8")
    assert ran.status == 1
    first, *errors, last = ran.answers
    assert first == last
    assert [list(answer) for answer in errors] == [["error"]] * len(bad)
    assert [line.split(": ")[1] for line in ran.err.splitlines()] == [f"<stdin>:{n}" for n in range(2, 6)]


def test_check_speaks_both_languages() -> None:
    [english], [japanese] = (companion("check", "--lang", lang, given=POSITION).answers for lang in ("en", "ja"))
    assert english.pop("text") != japanese.pop("text")
    assert english == japanese


def trick(*cards: str) -> list[dict[str, Any]]:
    return [{"type": "card", "seat": n % 2, "card": card} for n, card in enumerate(cards)]


@pytest.mark.parametrize(
    ("entries", "part", "said"),
    [
        pytest.param(
            trick("10S", "8H", "7S", "6S"),
            {"consistent": False, "guilty": [1], "conflict": [2], "verdicts": ["illegal"]},
            "べん did not follow spades, yet held the 6♠.",
            id="shown",
        ),
        pytest.param(
            trick("10S", "8H", "7S", "6H"),
            {"consistent": True, "guilty": [], "conflict": [], "verdicts": ["open", "open"]},
            "Nothing is proved",
            id="nothing proved",
        ),
        pytest.param(
            trick("10S", "8S", "7S", "6S"),
            {"consistent": True, "guilty": [], "conflict": [], "verdicts": []},
            "No play off the led suit",
            id="all followed",
        ),
    ],
)
def test_the_referee_tells_what_is_proved(entries: list[dict[str, Any]], part: dict[str, Any], said: str) -> None:
    ran = companion("referee", "-", given=changed(entries=entries))
    assert (ran.status, ran.err) == (0, "")
    [answer] = ran.answers
    [found] = answer["parts"]
    verdicts = [play["verdict"] for play in found["plays"]]
    assert {**{key: found[key] for key in ("consistent", "guilty", "conflict")}, "verdicts": verdicts} == part
    assert found["part"] == "round 1"
    assert said in found["text"]


def test_the_referee_labels_parts_alike_in_every_language() -> None:
    [english], [japanese] = (companion("referee", "--lang", lang, "-", given=LINE).answers for lang in ("en", "ja"))
    assert english["parts"][0].pop("text") != japanese["parts"][0].pop("text")
    assert english == japanese


def test_the_referee_judges_no_record_against_the_rules() -> None:
    ran = companion("referee", "-", given=f"{REFUSED}\n{LINE}\n{{")
    assert ran.status == 2
    first, second = ran.answers
    assert first["refused"]["n"] == 2
    assert "parts" in second
    assert [line.split(": ")[1] for line in ran.err.splitlines()] == ["<stdin>:1", "<stdin>:3"]


def test_a_player_without_a_name_gets_a_letter() -> None:
    ran = companion("referee", "-", given=changed(players=["", " "], entries=trick("10S", "8H", "7S", "6S")))
    assert ran.answers[0]["parts"][0]["text"].startswith("B did not follow")
