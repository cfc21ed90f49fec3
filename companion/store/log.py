"""The log of each table: appended to, never changed."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, bindparam, insert, select, update

from companion.store.database import Clash, Database, Run
from companion.store.rows import Appended, Binned, Entry, Head, Json, KeyReused, NewEntry, NoTable
from companion.store.schema import ENTRY, GAME_TABLE, KEY_LENGTH

# The largest number that both databases hold in an INTEGER; versions come from outside.
MOST = 2**31 - 1

_TABLE: BindParameter[str] = bindparam("table")
_IS_TABLE = GAME_TABLE.c.id == _TABLE
_HEAD = select(GAME_TABLE.c.version, GAME_TABLE.c.edition).where(_IS_TABLE)
_STATE = select(GAME_TABLE.c.version, GAME_TABLE.c.binned_at).where(_IS_TABLE)
_LOCK = _STATE.with_for_update(key_share=True)
_ADVANCE = (
    update(GAME_TABLE)
    .where(_IS_TABLE, GAME_TABLE.c.version == bindparam("expected"), GAME_TABLE.c.binned_at.is_(None))
    .values(version=GAME_TABLE.c.version + bindparam("more"), active_at=bindparam("now"))
)
_ADD = insert(ENTRY)
_LOG = (
    select(ENTRY.c.seq, ENTRY.c.key, ENTRY.c.body, ENTRY.c.at, ENTRY.c.by_seat)
    .where(ENTRY.c.table_id == _TABLE, ENTRY.c.seq > bindparam("after"))
    .order_by(ENTRY.c.seq)
)
_BY_KEY = select(ENTRY.c.seq, ENTRY.c.body).where(ENTRY.c.key == bindparam("key_"), ENTRY.c.table_id == _TABLE)


def dump(value: Json | Sequence[Any]) -> str:
    """Returns compact JSON, in ASCII: what a database may refuse in a text is escaped. Raises ValueError on NaN."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def checked(key: str) -> str:
    """Returns a key that both databases can hold. Raises ValueError."""
    if not 0 < len(key) <= KEY_LENGTH or "\0" in key:
        raise ValueError(f"a key has 1 to {KEY_LENGTH} characters, none of them NUL")
    return key


def same(body: Json, text: str) -> bool:
    """Tells whether an entry is the stored one; unlike Python's `==` it knows true from 1."""
    return json.dumps(body, sort_keys=True) == json.dumps(json.loads(text), sort_keys=True)


def lock(run: Run, table_id: str, *, binned: bool = False) -> int:
    """Locks a table until the end of the transaction and returns its version. Raises NoTable, Binned unless allowed."""
    state = run.one(_LOCK, table=table_id)
    if state is None:
        raise NoTable
    if state[1] is not None and not binned:
        raise Binned
    return int(state[0])


def read_log(run: Run, table_id: str, after: int = 0) -> tuple[Entry, ...]:
    """Returns the entries behind version `after`."""
    rows = run.all(_LOG, table=table_id, after=min(after, MOST))
    # One parse of all is twice as quick as one each.
    bodies = json.loads("[" + ",".join([row[2] for row in rows]) + "]")
    return tuple(Entry(seq, key, body, at, by) for (seq, key, _, at, by), body in zip(rows, bodies, strict=True))


def add(run: Run, table_id: str, version: int, entries: Sequence[tuple[str, NewEntry]]) -> None:
    """Adds rows behind `version`; the caller has the table locked and advances it."""
    run.many(
        _ADD,
        [
            {
                "table_id": table_id,
                "seq": n,
                "key": checked(key),
                "body": dump(new.body),
                "at": new.at,
                "by_seat": new.by,
            }
            for n, (key, new) in enumerate(entries, version + 1)
        ],
    )


def advance(run: Run, table_id: str, version: int, more: int, at: float) -> bool:
    """Moves the version on by `more`; False where it is another one, or the table is binned or gone."""
    return 0 <= version < MOST and run.do(_ADVANCE, table=table_id, expected=version, more=more, now=at) == 1


class Log:
    """What the store does with logs."""

    _database: Database

    def append(self, table_id: str, expected: int, key: str, body: Json, at: float, by: int | None = None) -> Appended:
        """Adds one entry behind version `expected`, on disk before it returns.

        The same key again is a `dup`, with the version it got the first time; another version is a `conflict`, with the
        current one. Raises KeyReused when the key belongs to another entry, NoTable, Binned, and ValueError on a key or
        body that cannot be stored.
        """
        text, key = dump(body), checked(key)

        def work(run: Run) -> Appended:
            if not advance(run, table_id, expected, 1, at):
                return _answer(run, table_id, key, body)
            run.do(_ADD, table_id=table_id, seq=expected + 1, key=key, body=text, at=at, by_seat=by)
            return Appended("ok", expected + 1)

        try:
            return self._database.write(work)
        except Clash as clash:
            answer = self._database.read(lambda run: _answer(run, table_id, key, body))
            if answer == ("conflict", expected):
                raise RuntimeError("the log and its version differ") from clash
            return answer

    def merge(self, table_id: str, expected: int, entries: Sequence[NewEntry], at: float) -> Appended:
        """Adds in order those entries whose keys the log does not hold yet, all or none; every entry needs a key.

        `dup` when it holds them all; otherwise as `append`. Raises KeyReused, NoTable, Binned.
        """

        def work(run: Run) -> Appended:
            version = lock(run, table_id)
            held = {key: (seq, body) for seq, key, body, _, _ in run.all(_LOG, table=table_id, after=0)}
            missing: dict[str, NewEntry] = {}
            for new in entries:
                if new.key is None:
                    raise ValueError("an entry without a key cannot be merged")
                seq, text = held.get(new.key) or (version + 1, dump(missing.setdefault(new.key, new).body))
                if not same(new.body, text):
                    raise KeyReused(seq)
            if not missing:
                return Appended("dup", version)
            if version != expected:
                return Appended("conflict", version)
            advance(run, table_id, version, len(missing), at)
            add(run, table_id, version, list(missing.items()))
            return Appended("ok", version + len(missing))

        return self._database.write(work)

    def head(self, table_id: str) -> Head:
        """Returns what a poll compares, from one indexed row. Raises NoTable."""
        row = self._database.read(lambda run: run.one(_HEAD, table=table_id))
        if row is None:
            raise NoTable
        return Head(*row)

    def version(self, table_id: str) -> int:
        """Returns how many entries the log has. Raises NoTable."""
        return self.head(table_id).version

    def entries(self, table_id: str, after: int = 0) -> tuple[Entry, ...]:
        """Returns the entries behind version `after`, oldest first; none for an unknown table."""
        return self._database.read(lambda run: read_log(run, table_id, after))


def _answer(run: Run, table_id: str, key: str, body: Json) -> Appended:
    # The version first, the key second. The other way round, an entry committed between the two queries would be
    # answered with "conflict" although it is this very one: each query has a snapshot of its own.
    state = run.one(_STATE, table=table_id)
    if state is None:
        raise NoTable
    held = run.one(_BY_KEY, table=table_id, key_=key)
    if held is not None:
        seq, text = held
        if not same(body, text):
            raise KeyReused(seq)
        return Appended("dup", seq)
    if state[1] is not None:
        raise Binned
    return Appended("conflict", state[0])
