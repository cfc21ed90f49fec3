"""Brings the database to the schema of this program, one process at a time, all of it or nothing."""

from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from companion.store.database import Database
from companion.store.rows import StoreError
from companion.store.schema import APPLICATION_ID, HEAD, VERSION_TABLE

_LOCK = APPLICATION_ID
MIGRATIONS = Path(__file__).with_name("migrations")


def migrate(database: Database, to: str = HEAD) -> None:
    """Runs the missing revisions. Raises StoreError, with the database as it was."""
    try:
        with database.engine.connect() as connection:
            if _revision(connection) == to:
                return
            if database.path is None:
                connection.exec_driver_sql("BEGIN")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
                _upgrade(connection, to)
                return
            # A table is rebuilt by dropping it, which would take the rows that refer to it along. Inside a transaction
            # this setting has no effect.
            connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
                _upgrade(connection, to)
            finally:
                connection.rollback()
                connection.exec_driver_sql("PRAGMA foreign_keys=ON")
    except DBAPIError as error:
        code = "store.unavailable" if error.connection_invalidated else "store.migration-failed"
        raise StoreError(code, reason=str(error.orig)) from error


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, VERSION_TABLE):
        return None
    return connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar()


def _upgrade(connection: Connection, to: str) -> None:
    # Imported only now: a start with nothing to do must be quick.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    # Another process may have done it while this one waited for the lock.
    if _revision(connection) != to:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        try:
            command.upgrade(config, to)
        except CommandError as error:
            raise StoreError("store.newer-database") from error
    connection.exec_driver_sql("COMMIT")
