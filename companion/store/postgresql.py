"""PostgreSQL: the settings without which an acknowledged entry could be lost."""

from typing import Any

from companion.store.rows import StoreError

_WANTED = {"fsync": "on", "full_page_writes": "on", "server_encoding": "UTF8"}
_SETTINGS = (
    "SELECT name, setting FROM pg_settings "
    "WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'server_encoding')"
)


def check(connection: Any, _record: object = None) -> None:
    """Refuses a server that acknowledges what it has not kept. Raises StoreError."""
    for name, setting in connection.execute(_SETTINGS).fetchall():
        if (name == "synchronous_commit" and setting == "off") or setting != _WANTED.get(name, setting):
            connection.close()
            raise StoreError("store.unsafe-setting", setting=name, value=setting)
