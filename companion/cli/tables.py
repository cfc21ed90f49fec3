"""`companion export`, `import` and `backup`: tables out of the database, into it, and copied whole."""

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from companion import config
from companion.cli import FINE, REFUSED, UNREADABLE
from companion.cli.records import pieces, told, unreadable
from companion.cli.streams import answer, problem, records
from companion.engine.findings import RecordError, Refused
from companion.engine.record import read_record
from companion.i18n import Words
from companion.store import NoTable, open_store
from companion.table import Tables


def export(arguments: argparse.Namespace, words: Words) -> int:
    """Writes the records of the tables asked for, or of all, one a line."""
    status = FINE
    with opened(arguments.data) as tables:
        for name in arguments.tables or _all(tables):
            try:
                answer(tables.record_of(tables.open(address(name))))
            except NoTable as error:
                problem(f"companion export: {name}: {words(error.code)}")
                status = REFUSED
    return status


def import_(arguments: argparse.Namespace, words: Words) -> int:
    """Stores each record as a table; one that is there already stays one."""
    status = FINE
    with opened(arguments.data, new=True) as tables:
        for piece in pieces(arguments.files, records, words):
            if piece is None:
                status = UNREADABLE
                continue
            try:
                record = read_record(piece.source)
                found = tables.bring_in(record)
            except RecordError as error:
                problem(f"companion import: {piece.place}: {unreadable(error, words)}")
                status = UNREADABLE
            except Refused as refused:
                problem(*(f"companion import: {piece.place}: {line}" for line in told(refused, record, words)))
                status = max(status, REFUSED)
            else:
                answer({"table": found.table.id, "game": found.table.game, "new": found.new, "added": found.added})
    return status


def backup(arguments: argparse.Namespace, words: Words) -> int:
    """Copies the database whole, also while it is being served."""
    with opened(arguments.data) as tables:
        if arguments.file is None:
            folder, _ = config.place(arguments.data, os.environ)
            target = folder / "backups" / time.strftime("tables-%Y%m%d-%H%M%S.sqlite3")
            config.make_folder(target.parent)
        else:
            target = Path(arguments.file)
        tables.store.backup(target)
    answer({"backup": str(target), "bytes": target.stat().st_size})
    return FINE


@contextmanager
def opened(data: str | None, *, new: bool = False) -> Iterator[Tables]:
    """Opens the tables of this computer; without `new` they must be there. Raises ConfigError, StoreError."""
    folder, url = config.place(data, os.environ)
    if url == config.sqlite_url(folder):
        if new:
            config.make_folder(folder)
        elif not (folder / config.DATABASE).is_file():
            raise config.ConfigError("config.no-tables", folder=str(folder))
    store = open_store(url)
    try:
        yield Tables(store)
    finally:
        store.close()


def address(typed: str) -> str:
    """Returns a table's address, also from the whole address that a browser shows."""
    parts = [part for part in urlsplit(typed).path.split("/") if part]
    return parts[1] if len(parts) > 1 else "".join(parts)


def _all(tables: Tables) -> Iterator[str]:
    after = ""
    while rows := tables.store.tables(after):
        yield from (row.id for row in rows)
        after = rows[-1].id
