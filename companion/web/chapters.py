"""The strip of a game whose chips are its chapters: each finished play with the item that ended it."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from companion.table import Table


class Chapter(NamedTuple):
    """One chapter with finished tricks: `place` is the item of its last one, 1-based."""

    number: int
    place: int


def last_chapters(table: "Table", most: int) -> list[Chapter]:
    """Returns up to `most` chapters, newest last, the open one included once a trick of it is finished."""
    found: list[Chapter] = []
    for place in range(len(table.items), 0, -1):
        taken = table.items[place - 1].taken
        if taken is not None and (not found or taken.chapter != found[-1].number):
            if len(found) == most:
                break
            found.append(Chapter(taken.chapter, place))
    return found[::-1]
