"""How often an address may try something: counted in the store, so that all processes count together."""

import ipaddress
from hashlib import blake2b

from flask import current_app, request

from companion.config import Config
from companion.table import Tables

SECONDS = 600.0
# For one address, and for all together: codes must not be guessed from many addresses either.
MOST: dict[str, tuple[int, int | None]] = {"join": (20, 200), "create": (100, None)}


def allowed(what: str) -> bool:
    """Counts one more try of this phone's address; False where it has had its share for now."""
    tables = _tables()
    one, all_ = MOST[what]
    now = tables.clock()
    if not tables.store.spend(f"{what}:{_whose()}", one, SECONDS, now):
        return False
    return all_ is None or tables.store.spend(what, all_, SECONDS, now)


def give_back(what: str) -> None:
    """Takes back the count of a try that was a good one."""
    tables = _tables()
    for name in (f"{what}:{_whose()}", what):
        tables.store.give_back(name, tables.clock())


def may_create() -> bool:
    """Tells whether this address may open one more table; on a laptop always."""
    config: Config = current_app.extensions["companion"]
    return not config.hosted or allowed("create")


def _whose() -> str:
    """Returns a mark of the phone's address that tells nobody the address; of IPv6 its network, which is one home's."""
    text = request.remote_addr or ""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        pass
    else:
        if address.version == 6:
            text = str(ipaddress.ip_network((address, 64), strict=False))
    config: Config = current_app.extensions["companion"]
    return blake2b(text.encode(), key=config.secret_key[:64], digest_size=16).hexdigest()


def _tables() -> Tables:
    service: Tables = current_app.extensions["tables"]
    return service
