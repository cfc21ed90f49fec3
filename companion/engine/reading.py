"""Readers: plain JSON in, typed values out. Nothing is skipped, nothing is guessed; an error names its place."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

from companion.engine.cards import SUITS, Card, Suit, read_card
from companion.engine.findings import RecordError

Read = Callable[[Any], Any]

# Not `upper`: it would make a spade of the long s.
_LETTERS: Mapping[str, Suit] = {letter: suit for suit in SUITS for letter in (suit, suit.lower())}


class Shape:
    """The keys of one JSON object; `make` turns their values, needed ones first, into what it stands for."""

    def __init__(
        self, make: Callable[..., Any], needed: Mapping[str, Read], optional: Sequence[tuple[str, Read, Any]] = ()
    ) -> None:
        self._make = make
        self._needed = tuple(needed.items())
        self._optional = tuple(optional)
        self._names = {*needed, *(name for name, _, _ in optional)}
        self._typed = False

    def entry(self) -> "Shape":
        """Returns the same shape for an entry: an object that also names its type."""
        typed = copy(self)
        typed._names = self._names | {"type"}
        typed._typed = True
        return typed

    def read(self, raw: Mapping[str, Any]) -> Any:
        """Reads one object. Raises RecordError naming the key."""
        values = []
        name = ""
        try:
            for name, read in self._needed:
                values.append(read(raw[name]))
            known = len(values) + self._typed
            for name, read, default in self._optional:
                if name in raw:
                    known += 1
                    values.append(read(raw[name]))
                else:
                    values.append(default)
        except KeyError:
            raise RecordError("key-missing", name, key=name) from None
        except RecordError as error:
            raise error.inside(name) from None
        if known != len(raw):
            unknown = next(key for key in raw if key not in self._names)
            raise RecordError("key-unknown", clip(unknown), key=clip(unknown))
        return self._make(*values)


def shape(make: Callable[..., Any], optional: Sequence[tuple[str, Read, Any]] = (), **needed: Read) -> Shape:
    """Describes an object by its needed keys; `optional` are key, reader, default."""
    return Shape(make, needed, optional)


def whole(low: int, high: int) -> Read:
    """Makes a reader of whole numbers from `low` to `high`."""

    def read(value: Any) -> int:
        if type(value) is int and low <= value <= high:
            return value
        raise RecordError("not-a-number", value=clip(value), low=low, high=high)

    return read


def seat_of(players: int) -> Read:
    """Makes a reader of seats."""

    def read(value: Any) -> int:
        if type(value) is int and 0 <= value < players:
            return value
        raise RecordError("not-a-seat", value=clip(value), high=players - 1)

    return read


def yes_no(value: Any) -> bool:
    """Reads true or false."""
    if value is True or value is False:
        return bool(value)
    raise RecordError("not-yes-no", value=clip(value))


def card(value: Any) -> Card:
    """Reads a card."""
    try:
        return read_card(value)
    except (KeyError, TypeError):
        raise RecordError("not-a-card", value=clip(value)) from None


def low_card(value: Any) -> Card:
    """Reads a card of a deck whose Ace may be written as 1."""
    try:
        return read_card(value, one=True)
    except (KeyError, TypeError):
        raise RecordError("not-a-card", value=clip(value)) from None


def suit(value: Any) -> Suit:
    """Reads a suit's letter, also in lower case."""
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    raise RecordError("not-a-suit", value=clip(value))


def one_of(*choices: str) -> Read:
    """Makes a reader of one word out of a few."""

    def read(value: Any) -> str:
        if isinstance(value, str) and value in choices:
            return value
        raise RecordError("not-one-of", value=clip(value), choices=list(choices))

    return read


def text(longest: int) -> Read:
    """Makes a reader of text without control characters."""

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise RecordError("not-text", value=clip(value))
        if len(value) > longest:
            raise RecordError("text-too-long", longest=longest)
        if any(
            character < " " or "\x7f" <= character <= "\x9f" or "\ud800" <= character <= "\udfff" for character in value
        ):
            raise RecordError("text-control")
        return value

    return read


def maybe(read: Read) -> Read:
    """Makes a reader that also takes null."""
    return lambda value: None if value is None else read(value)


def several(read: Read, low: int, high: int) -> Read:
    """Makes a reader of lists of `low` to `high` values, as tuples."""

    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise RecordError("not-a-list", value=clip(value))
        if not low <= len(value) <= high:
            raise RecordError("list-length", low=low, high=high, length=len(value))
        values = []
        for place, part in enumerate(value):
            try:
                values.append(read(part))
            except RecordError as error:
                raise error.inside(f"[{place}]") from None
        return tuple(values)

    return read_all


def thing(value: Any) -> Mapping[str, Any]:
    """Reads a JSON object."""
    if isinstance(value, dict):
        return value
    raise RecordError("not-an-object", value=clip(value))


def clip(value: Any) -> str:
    """Shortens a value for an error message; what cannot be printed is escaped."""
    # Lists and objects are not written out: one nested deeply enough has no `repr`.
    if isinstance(value, list | dict):
        return "[…]" if isinstance(value, list) else "{…}"
    shown = value if isinstance(value, str) else repr(value)
    shown = shown if len(shown) <= 40 else shown[:39] + "…"
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in shown)
