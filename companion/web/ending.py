"""What the end of a game shows: the course of the totals, and tricks worth looking at again."""

from typing import TYPE_CHECKING, NamedTuple

from flask import g

from companion.engine.game import Taken

if TYPE_CHECKING:
    from companion.web.views import Seat, View


class Stage(NamedTuple):
    """The end of one chapter: everybody's totals, and what the chapter brought."""

    chapter: int
    totals: tuple[int, ...]
    gained: tuple[int, ...]


class Moment(NamedTuple):
    """One trick worth looking at again."""

    place: int
    seat: int
    head: str
    text: str


def course(view: "View") -> list[Stage]:
    """Returns the totals at the end of each chapter, the open one included."""
    stages: list[Stage] = []
    before = (0,) * len(view.names)
    taken = [(item.first, item.taken.chapter) for item in view.table.items if item.taken is not None]
    for (_, chapter), (first, next_chapter) in zip(taken, [*taken, (0, 0)][1:], strict=True):
        if next_chapter != chapter:
            # What ends a chapter may come after its last trick, but not after the next chapter's first.
            totals = tuple(view.game.totals(view.table.fold.states[first] if next_chapter else view.state))
            gained = tuple(now - then for now, then in zip(totals, before, strict=True))
            stages.append(Stage(chapter, totals, gained))
            before = totals
    return stages


def chart_ends(view: "View") -> list[tuple[float, "Seat"]]:
    """Returns where the final totals stand beside the chart: far enough apart to be read."""
    most = max(1, *(total for stage in view.course for total in stage.totals))
    ends = sorted((126 - 108 * seat.total / most + 7, seat) for seat in view.seats)
    placed: list[tuple[float, Seat]] = []
    for y, seat in ends:
        placed.append((max(y, placed[-1][0] + 20) if placed else max(y, 20), seat))
    low = placed[-1][0] - 146
    return [(y - max(0, low), seat) for y, seat in placed]


def moments(view: "View") -> list[Moment]:
    """Returns up to three tricks worth looking at again: those the game has a word for, and the last one."""
    found = []
    for place, item in enumerate(view.table.items, 1):
        if item.taken is None:
            continue
        for reason in view.game.explain(item.taken).because:
            key = f"moment.{view.slug}.{reason.code}"
            if key in g.words:
                found.append(_moment(view, place, item.taken, view.w.fill(key, reason.params)))
                break
    last = len(view.table.items)
    if last and (ended := view.table.items[-1].taken):
        text = view.w.brief(view.slug, view.game.explain(ended).because)
        found = [one for one in found if one.place != last][-2:]
        found.append(_moment(view, last, ended, text))
    return found[-3:]


def _moment(view: "View", place: int, taken: Taken, text: str) -> Moment:
    chapter = g.words(f"chapter.{view.slug}", chapter=taken.chapter)
    head = g.words("over.moment", chapter=chapter, item=view.item_name(taken.number))
    return Moment(place, taken.winner, head, text)
