"""The README tells the truth: its commands can be typed, its files are there, and nothing is left out."""

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from companion import net
from companion.cli import parser
from companion.engine.registry import GAMES
from companion.i18n import Words
from companion.printing import SHEETS
from tests.cli.command import environment
from tests.cli.serving import wait_for

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line.partition("#")[0].strip()
    for language, block in BLOCKS
    if language in ("sh", "powershell")
    for line in re.sub(r"\\\n\s*", "", block).splitlines()
] + re.findall(r"`((?:companion|make) [^`]+)`", README)


def subcommands() -> dict[str, argparse.ArgumentParser]:
    [found] = [action for action in parser(Words("en"))._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found.choices)


def companion_lines() -> list[str]:
    """Returns what follows the program's name, without what only the shell sees."""
    lines = [re.split(r"\bcompanion ", command, maxsplit=1)[1] for command in COMMANDS if "companion " in command]
    return [re.sub(r" [<>|].*", "", line) for line in lines]


@pytest.mark.parametrize("line", companion_lines())
def test_commands_can_be_typed(line: str) -> None:
    # A command's bare name may stand in a sentence.
    if line not in subcommands():
        parser(Words("en")).parse_args(shlex.split(line))


def test_every_subcommand_is_shown() -> None:
    shown = {line.split()[0] for line in companion_lines()}
    assert shown >= subcommands().keys()


def test_options_exist() -> None:
    known = {option for command in subcommands().values() for option in command._option_string_actions}
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) - {"--require-hashes", "--install"}
    for line in COMMANDS:
        if line.startswith("gunicorn"):
            mentioned -= set(re.findall(r"--[a-z-]+", line))
    assert mentioned <= known


def test_make_targets_exist_and_are_told() -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    told = {command.split()[1] for command in COMMANDS if command.startswith("make ")}
    assert told <= targets
    assert targets - {"help", "setup"} <= told


def test_environment_variables_are_told() -> None:
    source = (ROOT / "companion" / "config.py").read_text(encoding="utf-8")
    assert set(re.findall(r"COMPANION_[A-Z_]+", README)) == set(re.findall(r"COMPANION_[A-Z_]+", source))


def test_every_game_is_named() -> None:
    words = Words("en")
    for slug in GAMES:
        assert words(f"game.{slug}") in README


def test_every_sheet_is_named() -> None:
    [table] = re.findall(r"^\| sheet \| what \|\n(.*?)\n\n", README, re.MULTILINE | re.DOTALL)
    first = "".join(line.split("|")[1] for line in table.splitlines())
    assert set(re.findall(r"`([a-z0-9-]+)`", first)) == SHEETS.keys()


def test_files_are_there() -> None:
    linked = re.findall(r"\]\((?!https?:|#)([^)]+)\)", README)
    named = re.findall(r"`((?:companion|templates|static|printables|tests|\.\w+)/[^` ]*)`", README)
    for name in (*linked, *named):
        assert (ROOT / name.replace("GAME", next(iter(GAMES)))).exists(), name


@pytest.mark.slow
def test_the_hosted_command_serves(tmp_path: Path) -> None:
    """The README's own gunicorn line, with a port of ours, and a request as the proxy hands it on."""
    [line] = [line for line in COMMANDS if line.startswith("gunicorn ")]
    with net.listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    typed = shlex.split(line.replace("127.0.0.1:8000", f"127.0.0.1:{port}"))
    settings = {
        "COMPANION_HOSTED": "1",
        "COMPANION_SECRET_KEY": "k" * 40,
        "COMPANION_PUBLIC_URL": "https://table.test",
        "COMPANION_DATA": str(tmp_path),
        "HOME": str(tmp_path),
    }
    headers = {"Host": "table.test", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
    with subprocess.Popen(
        [sys.executable, "-m", *typed],
        env=environment(PYTHONWARNINGS="default", **settings),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_for(port)
            with urlopen(Request(f"http://127.0.0.1:{port}/", headers=headers), timeout=60) as answer:
                assert answer.status == 200
            with pytest.raises(HTTPError, match="400"):
                urlopen(f"http://127.0.0.1:{port}/", timeout=60)
            process.terminate()
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_pictures_say_what_they_show() -> None:
    for text, name in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", README):
        assert len(text) > 10, name
