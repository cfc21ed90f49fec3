"""Back at the tables when the computer has another address: phones then know nothing, and only its screen can tell.

The code on its screen opens the first page with the tables that were played lately, for whoever scans it.
"""

import hmac

SECONDS = 12 * 3600.0
_SHORT = 22


def path(key: bytes, now: float) -> str:
    """Returns the first page's address with the tables of the last twelve hours; it works as long as those."""
    until = f"{int(now + SECONDS):x}"
    return f"/?again={until}.{_sign(key, until)}"


def holds(key: bytes, token: str, now: float) -> bool:
    """Tells whether this computer made this token, and not too long ago."""
    until, _, sign = token.partition(".")
    try:
        late = int(until, 16) < now
    except ValueError:
        return False
    return hmac.compare_digest(sign.encode(), _sign(key, until).encode()) and not late


def _sign(key: bytes, until: str) -> str:
    return hmac.new(key, b"again " + until.encode(), "sha256").hexdigest()[:_SHORT]
