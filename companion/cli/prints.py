"""`companion print`: sheets as a PDF file, blank, to be typed into, or filled from a recorded game."""

import argparse
import os
import sys
from datetime import date
from pathlib import Path

from companion.cli import FINE, REFUSED, UNREADABLE
from companion.cli.records import pieces, told, unreadable
from companion.cli.streams import answer, problem, records, say
from companion.engine.findings import RecordError, Refused
from companion.engine.fold import fold
from companion.engine.record import Record, read_record
from companion.i18n import Words
from companion.printing import (
    SHEETS,
    Context,
    Options,
    PrintFailed,
    PrintRefused,
    Sheet,
    bundle,
    filename,
    missing_glyphs,
    pdf,
    score_sheet,
    usual_paper,
)

TEXTS = ("paper", "kind", "layout", "flip", "side", "card", "dx", "dy")


def run(arguments: argparse.Namespace, words: Words) -> int:
    """Prints sheets into one file, or lists them all."""
    record = None
    if arguments.list:
        return _list(words)
    if arguments.record is not None:
        record = _record(arguments.record, words)
        if record is None:
            return UNREADABLE
        try:
            fold(record)
        except Refused as refused:
            problem(*told(refused, record, words))
            return REFUSED
    elif not arguments.sheets:
        return _list(words)
    try:
        sheet = _sheet(arguments.sheets, record)
        options = _options(arguments, record, words.lang)
        context = Context(_address(arguments.url, sheet), record=record, day=_day(record))
        made = pdf(sheet, options, context)
        lost = missing_glyphs(sheet, options, context)
    except PrintRefused as error:
        problem(f"companion print: {words(error.key, **error.params)}")
        return REFUSED
    except PrintFailed as error:
        problem(f"companion print: {words(error.key)}")
        return REFUSED
    if lost:
        problem(words("print.missing", n=len(lost), characters=" ".join(lost)))
    return _write(made.body, arguments.output or filename(sheet, options), words)


def _list(words: Words) -> int:
    width = max(map(len, SHEETS))
    say(*(f"{name:{width}}  {words(sheet.title)}" for name, sheet in SHEETS.items()))
    return FINE


def _write(body: bytes, name: str, words: Words) -> int:
    if name == "-":
        sys.stdout.buffer.write(body)
        return FINE
    try:
        Path(name).write_bytes(body)
    except OSError as error:
        problem(words("cli.print.not-written", file=name, reason=error.strerror or str(error)))
        return REFUSED
    answer({"file": name, "bytes": len(body)})
    return FINE


def _record(name: str, words: Words) -> Record | None:
    """Reads the one record of a file; None, after a word, where there is not just one."""
    found = list(pieces([name], records, words))
    if None in found:
        return None
    if len(found) > 1:
        problem(words("cli.print.one-record", file=name, n=len(found)))
        return None
    [piece] = found
    assert piece is not None, "looked for above"
    try:
        return read_record(piece.source)
    except RecordError as error:
        problem(f"companion print: {piece.place}: {unreadable(error, words)}")
        return None


def _sheet(names: list[str], record: Record | None) -> Sheet:
    if not names:
        assert record is not None, "without either the sheets are listed"
        return score_sheet(record.game.slug, len(record.players))
    for name in names:
        if name not in SHEETS:
            raise PrintRefused("print.refused.choice", option="SHEET", value=name, choices=", ".join(SHEETS))
    return bundle(names)


def _options(arguments: argparse.Namespace, record: Record | None, lang: str) -> Options:
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_PAPER") or os.environ.get("LANG") or ""
    raw = {"lang": lang, "paper": usual_paper(locale)}
    raw |= {name: value for name in TEXTS if (value := getattr(arguments, name)) is not None}
    if arguments.no_marks:
        raw["marks"] = "0"
    if arguments.colour:
        raw["colour"] = "1"
    if record is not None:
        raw.setdefault("kind", "filled")
    return Options.read(raw)


def _address(typed: str | None, sheet: Sheet) -> str | None:
    """Returns what the printed code opens: the game's first page, where an address that lasts is known."""
    base = typed or os.environ.get("COMPANION_PUBLIC_URL")
    if not base:
        return None
    return base.rstrip("/") + (f"/new/{sheet.game}" if sheet.game else "")


def _day(record: Record | None) -> date | None:
    """Returns the day on which the last entry was made, where one tells its time."""
    times = [line.at for line in record.lines if line.at is not None] if record else []
    try:
        return date.fromisoformat(times[-1][:10]) if times else None
    except ValueError:
        # Of the right form, but a 30th of February: the sheet leaves the day to a pen.
        return None
