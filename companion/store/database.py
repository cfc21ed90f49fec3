"""One database behind one address: the pool, the write lock, the retry, and statements compiled once.

Statements are SQLAlchemy Core, written once for both databases. They run on the driver's own cursor: SQLAlchemy's work
on each run costs twice what the database itself does, and an entry or a poll is nothing but a few such runs.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import Engine, create_engine, event, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.expression import ClauseElement

from companion.store import postgresql, sqlite
from companion.store.rows import NoTable, StoreError

T = TypeVar("T")


class Clash(Exception):
    """A constraint refused the write, which is undone: somebody else was first."""


class _Compiled(NamedTuple):
    text: str
    order: tuple[str, ...] | None
    constants: Mapping[str, Any]

    def bind(self, values: Mapping[str, Any]) -> Any:
        every = {**self.constants, **values} if self.constants else values
        return every if self.order is None else [every[name] for name in self.order]


class Run:
    """Runs statements on one connection; inside a write all of them are one transaction."""

    __slots__ = ("_compile", "_cursor")

    def __init__(self, cursor: Any, compile_: Callable[[Executable], _Compiled]) -> None:
        self._cursor = cursor
        self._compile = compile_

    def do(self, statement: Executable, /, **values: Any) -> int:
        """Runs a statement that changes rows; returns how many."""
        compiled = self._compile(statement)
        self._cursor.execute(compiled.text, compiled.bind(values))
        return cast(int, self._cursor.rowcount)

    def many(self, statement: Executable, rows: Iterable[Mapping[str, Any]]) -> None:
        """Runs a statement once for each row of values."""
        compiled = self._compile(statement)
        self._cursor.executemany(compiled.text, [compiled.bind(values) for values in rows])

    def all(self, statement: Executable, /, **values: Any) -> list[tuple[Any, ...]]:
        """Returns every row of a query."""
        compiled = self._compile(statement)
        self._cursor.execute(compiled.text, compiled.bind(values))
        # To the end, since a half-read query would hold SQLite's read lock.
        return cast("list[tuple[Any, ...]]", self._cursor.fetchall())

    def one(self, statement: Executable, /, **values: Any) -> tuple[Any, ...] | None:
        """Returns the first row of a query, or None."""
        rows = self.all(statement, **values)
        return rows[0] if rows else None


class Database:
    """A pool of connections, each in autocommit: a read is single statements, a write says BEGIN and COMMIT itself."""

    def __init__(self, url: str) -> None:
        self.path: Path | None = None
        self.engine = self._engine(url)
        self._dialect = self.engine.dialect
        self._driver: Any = self._dialect.loaded_dbapi
        self._compiled: dict[Executable, _Compiled] = {}
        # SQLite has one writer at a time, and its own waiting is unfair: a thread may starve for seconds.
        self.turn: AbstractContextManager[Any] = Lock() if self.path else nullcontext()
        # Without IMMEDIATE a read that turns into a write fails instead of waiting.
        self._begin = "BEGIN IMMEDIATE" if self.path else "BEGIN ISOLATION LEVEL READ COMMITTED"

    def _engine(self, url: str) -> Engine:
        try:
            address = make_url(url)
        except ArgumentError as error:
            raise StoreError("store.address-unknown") from error
        kind = address.get_backend_name()
        if kind == "sqlite":
            if address.database in (None, "", ":memory:") or address.query or address.drivername != "sqlite":
                raise StoreError("store.address-unknown")
            self.path = Path(address.database).absolute()
            sqlite.prepare(self.path)
            engine = create_engine(
                address.set(database=str(self.path)), isolation_level="AUTOCOMMIT", pool_size=8, max_overflow=16
            )
            event.listen(engine, "connect", sqlite.set_up)
            return engine
        if kind not in ("postgresql", "postgres"):
            raise StoreError("store.address-unknown")
        try:
            engine = create_engine(
                address.set(drivername="postgresql+psycopg"),
                isolation_level="AUTOCOMMIT",
                pool_size=4,
                max_overflow=4,
                connect_args={"connect_timeout": 10, "application_name": "companion"},
            )
        except ModuleNotFoundError as error:
            raise StoreError("store.driver-missing") from error
        event.listen(engine, "connect", postgresql.check)
        return engine

    def write(self, work: Callable[[Run], T]) -> T:
        """Runs `work` in one transaction, synced before it returns. Raises Clash, StoreError.

        A dropped connection costs one more try, so `work` must come to the same end if it had already been committed.
        """
        return self._twice(self._begin, work)

    def read(self, work: Callable[[Run], T]) -> T:
        """Runs queries; each sees what was committed when it began. Raises StoreError."""
        return self._twice(None, work)

    def ready(self) -> None:
        """Asks the database for a sign of life. Raises StoreError."""
        self.read(lambda run: run.one(_ALIVE))

    def close(self) -> None:
        """Closes every connection."""
        self.engine.dispose()

    def _twice(self, begin: str | None, work: Callable[[Run], T]) -> T:
        with self.turn if begin else nullcontext():
            try:
                try:
                    return self._once(begin, work)
                except _Again:
                    return self._once(begin, work)
            except (self._driver.OperationalError, DBAPIError, PoolTimeout, _Again) as error:
                raise StoreError("store.unavailable") from error

    def _once(self, begin: str | None, work: Callable[[Run], T]) -> T:
        connection = self.engine.raw_connection()
        try:
            cursor = connection.cursor()
            try:
                if begin is None:
                    return work(Run(cursor, self._compile))
                cursor.execute(begin)
                result = work(Run(cursor, self._compile))
                cursor.execute("COMMIT")
                return result
            except self._driver.Error as error:
                if self._dialect.is_disconnect(error, cast(Any, connection.dbapi_connection), cursor):
                    connection.invalidate(error)
                    # The others were very likely lost with it; asking each before its use would double a poll's cost.
                    self.engine.dispose()
                    raise _Again from error
                if isinstance(error, self._driver.IntegrityError):
                    raise Clash(str(error)) from error
                state = getattr(error, "sqlstate", None)
                if state in _PASSING:
                    raise _Again from error
                if isinstance(error, self._driver.DataError) and state is None:
                    # The driver will not send a NUL; SQLite would look for it, and find nothing.
                    raise NoTable from error
                raise
            finally:
                with suppress(self._driver.Error):
                    cursor.close()
        finally:
            # The pool rolls back whatever was begun and not committed.
            connection.close()

    def _compile(self, statement: Executable) -> _Compiled:
        found = self._compiled.get(statement)
        if found is None:
            compiled: Any = cast(ClauseElement, statement).compile(dialect=self._dialect)
            constants = {name: value for name, value in compiled.params.items() if not compiled.binds[name].required}
            order = tuple(compiled.positiontup) if compiled.positiontup is not None else None
            found = self._compiled[statement] = _Compiled(str(compiled), order, constants)
        return found


class _Again(Exception):
    """The connection was lost, or the database asks for another try."""


# Serialization failure and deadlock.
_PASSING = frozenset(("40001", "40P01"))
_ALIVE = select(1)
