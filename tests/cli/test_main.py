"""What is typed: subcommands, help that teaches, mistakes, and the language of it all."""

import re
import tomllib

import pytest

from companion import __version__
from companion.cli import _language, parser
from companion.i18n import LANGUAGES, Words
from tests.cli.command import ROOT, companion, program

COMMANDS = ["serve", "replay", "check", "referee", "print", "export", "import", "backup"]


def test_help_names_every_command() -> None:
    ran = companion("--help")
    assert ran.status == 0
    assert re.findall(r"^    ([a-z]+) ", ran.out, re.MULTILINE) == COMMANDS
    assert ran.err == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(command: str, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command explains itself in both languages, with an example that is a real command line."""
    top = parser(Words(language))
    with pytest.raises(SystemExit) as stopped:
        top.parse_args([command, "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert f"companion {command}" in shown
    examples = re.findall(r"^  (?:.*\| |cat .* )?companion (.*?)(?:  .*| [<>] \S+)?$", shown, re.MULTILINE)
    assert examples
    for example in examples:
        top.parse_args(example.split())


def test_the_version() -> None:
    assert companion("--version").out == f"{__version__}\n"


def test_python_m() -> None:
    with program("--version") as process:
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out.decode().strip(), err) == (0, __version__, b"")


def test_the_installed_script_is_the_same_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"companion": "companion.cli:main"}


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ([], "COMMAND"),
        (["dance"], "dance"),
        (["replay"], "RECORD"),
        (["check", "--langs", "en"], "--langs"),
        (["check", "--lang", "de"], "de"),
        (["serve", "--port", "65536"], "65536"),
        (["serve", "--port", "-1"], "--port"),
        (["serve", "--port", "٣"], "٣"),
    ],
)
def test_mistakes_are_named(typed: list[str], word: str) -> None:
    ran = companion(*typed, LANG="en_GB.UTF-8")
    assert ran.status == 2
    assert word in ran.err
    assert "--help" in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("typed", "environ", "language"),
    [
        ([], {}, "en"),
        ([], {"LANG": "ja_JP.UTF-8"}, "ja"),
        ([], {"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ([], {"LANG": "de_DE.UTF-8"}, "en"),
        (["check", "--lang", "ja"], {}, "ja"),
        (["check", "--lang=ja"], {}, "ja"),
        (["check", "--lang", "en"], {"LANG": "ja_JP.UTF-8"}, "en"),
        (["check", "--lang"], {}, "en"),
        (["check", "--lang", "xx"], {"LANG": "ja_JP.UTF-8"}, "ja"),
    ],
)
def test_language(typed: list[str], environ: dict[str, str], language: str) -> None:
    assert _language(typed, environ) == language


def test_japanese_on_a_terminal_without_japanese() -> None:
    """The words may come out escaped; the program does not end over them."""
    ran = companion("--help", LANG="ja_JP.UTF-8", encoding="ascii")
    assert ran.status == 0
    assert "\\u" in ran.out
