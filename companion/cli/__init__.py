"""The command line: `companion` and `python -m companion`.

This module only reads what was typed; each subcommand's work is a module of its own, imported when it is asked for.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, NoReturn

from companion import __version__
from companion.cli.streams import prepare, problem, silence
from companion.config import ConfigError
from companion.i18n import DEFAULT, LANGUAGES, Words
from companion.store import StoreError

FINE, REFUSED, UNREADABLE = 0, 1, 2
INTERRUPTED, PIPE_CLOSED = 130, 141


class Parser(argparse.ArgumentParser):
    """An argument parser that speaks the language asked for."""

    words: Words

    def __init__(self, prog: str, words: Words, description: str, epilog: str) -> None:
        def form(prog: str) -> _Help:
            return _Help(prog, words("cli.help.usage"))

        super().__init__(
            prog, description=description, epilog=epilog, formatter_class=form, add_help=False, allow_abbrev=False
        )
        self.words = words
        self._positionals.title = words("cli.help.arguments")
        self._optionals.title = words("cli.help.options")
        self.add_argument("-h", "--help", action="help", help=words("cli.help.help"))

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        problem(f"{self.prog}: {message}", self.words("cli.help.hint", command=self.prog))
        raise SystemExit(UNREADABLE)


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, usage: str) -> None:
        super().__init__(prog, max_help_position=28, width=100)
        self._prefix = f"{usage} "

    def add_usage(
        self, usage: str | None, actions: Iterable[Any], groups: Iterable[Any], prefix: str | None = None
    ) -> None:
        super().add_usage(usage, actions, groups, self._prefix if prefix is None else prefix)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status: 0 fine, 1 refused, 2 not to be read or not to be used so."""
    prepare()
    typed = list(sys.argv[1:] if argv is None else argv)
    if typed[:1] == ["print"] and len(typed) > 1 and not {"--list", "-h", "--help"} & set(typed):
        # The PDF engine takes longest to load: it does so while all else is read and put together.
        from companion.press.renderer import RENDERER

        RENDERER.warm()
    words = Words(_language(typed, os.environ))
    try:
        arguments = parser(words).parse_args(typed)
        module, _, name = arguments.run.partition(":")
        run: Callable[[argparse.Namespace, Words], int] = getattr(import_module(module), name)
        status = run(arguments, words)
        sys.stdout.flush()
        return status
    except (ConfigError, StoreError) as error:
        problem(words(error.code, **error.params))
        return REFUSED
    except BrokenPipeError:
        # Whoever read our output has had enough.
        silence(sys.stdout)
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED


def parser(words: Words) -> Parser:
    """Builds the parser of all subcommands."""
    top = Parser("companion", words, words("cli.about"), words("cli.about-examples"))
    top.add_argument("--version", action="version", version=__version__, help=words("cli.help.version"))
    commands = top.add_subparsers(title=words("cli.help.commands"), metavar=words("cli.help.command"), required=True)

    def add(name: str, run: str, text: str, about: str) -> Parser:
        command: Parser = commands.add_parser(name, words=words, help=text, description=text, epilog=about)
        command.set_defaults(run=run)
        command.add_argument("--lang", choices=LANGUAGES, help=words("cli.help.lang"))
        return command

    serve = add("serve", "companion.cli.serve:run", words("cli.serve"), words("cli.serve-examples"))
    serve.add_argument("--host", default="0.0.0.0", help=words("cli.serve.host"))
    serve.add_argument("--port", type=_port(words), help=words("cli.serve.port"))
    serve.add_argument("--public-url", metavar="URL", help=words("cli.serve.public-url"))
    _data(serve, words)

    replay = add("replay", "companion.cli.records:replay", words("cli.replay"), words("cli.replay-examples"))
    replay.add_argument("files", nargs="+", metavar="RECORD", help=words("cli.help.records"))

    check = add("check", "companion.cli.records:check", words("cli.check"), words("cli.check-examples"))
    check.add_argument("files", nargs="*", default=["-"], metavar="FILE", help=words("cli.help.positions"))

    referee = add("referee", "companion.cli.records:referee", words("cli.referee"), words("cli.referee-examples"))
    referee.add_argument("files", nargs="+", metavar="RECORD", help=words("cli.help.records"))

    print_ = add("print", "companion.cli.prints:run", words("cli.print"), words("cli.print-examples"))
    print_.add_argument("sheets", nargs="*", metavar="SHEET", help=words("cli.print.sheets"))
    print_.add_argument("--list", action="store_true", help=words("cli.print.list"))
    print_.add_argument("-o", "--output", metavar="FILE", help=words("cli.print.output"))
    print_.add_argument("--record", metavar="RECORD", help=words("cli.print.record"))
    print_.add_argument("--url", metavar="URL", help=words("cli.print.url"))
    print_.add_argument("--paper", metavar="PAPER", help=words("cli.print.paper"))
    print_.add_argument("--kind", metavar="KIND", help=words("cli.print.kind"))
    print_.add_argument("--layout", metavar="LAYOUT", help=words("cli.print.layout"))
    print_.add_argument("--flip", metavar="EDGE", help=words("cli.print.flip"))
    print_.add_argument("--side", metavar="SIDE", help=words("cli.print.side"))
    print_.add_argument("--card", metavar="SIZE", help=words("cli.print.card"))
    print_.add_argument("--dx", metavar="MM", help=words("cli.print.dx"))
    print_.add_argument("--dy", metavar="MM", help=words("cli.print.dy"))
    print_.add_argument("--no-marks", action="store_true", help=words("cli.print.no-marks"))
    print_.add_argument("--colour", action="store_true", help=words("cli.print.colour"))

    export = add("export", "companion.cli.tables:export", words("cli.export"), words("cli.export-examples"))
    export.add_argument("tables", nargs="*", metavar="TABLE", help=words("cli.export.tables"))
    _data(export, words)

    import_ = add("import", "companion.cli.tables:import_", words("cli.import"), words("cli.import-examples"))
    import_.add_argument("files", nargs="+", metavar="RECORD", help=words("cli.help.records"))
    _data(import_, words)

    backup = add("backup", "companion.cli.tables:backup", words("cli.backup"), words("cli.backup-examples"))
    backup.add_argument("file", nargs="?", metavar="FILE", help=words("cli.backup.file"))
    _data(backup, words)
    return top


def _data(command: argparse.ArgumentParser, words: Words) -> None:
    command.add_argument("--data", metavar="FOLDER", help=words("cli.help.data"))


def _port(words: Words) -> Callable[[str], int]:
    def read(text: str) -> int:
        if text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= 65535:
            return int(text)
        raise argparse.ArgumentTypeError(words("cli.help.not-a-port", value=text[:40]))

    return read


def _language(typed: Sequence[str], environ: Mapping[str, str]) -> str:
    """Finds the language before anything can be said: `--lang`, else the locale."""
    for here, after in pairwise([*typed, ""]):
        value = after if here == "--lang" else here.removeprefix("--lang=") if here.startswith("--lang=") else ""
        if value in LANGUAGES:
            return value
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return locale[:2] if locale[:2] in LANGUAGES else DEFAULT
