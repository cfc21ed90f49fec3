"""What the table page is drawn from: one typed context, the same for every game."""

from collections.abc import Callable, Sequence
from functools import cached_property
from math import ceil
from secrets import token_hex
from typing import Any, NamedTuple

from flask import current_app, g, session
from markupsafe import Markup

from companion.engine.disputes import Fault
from companion.engine.game import Outcome, Ruling, Taken
from companion.i18n.wording import Wording
from companion.table import Table, Tables
from companion.web import ending
from companion.web.faults import Case, Weighed, cases, known_by_now, weighed
from companion.web.hints import hint
from companion.web.offers import Offers
from companion.web.rendering import can_lie_flat
from companion.web.signs import SEATS, HtmlWording, letters, signs_of
from companion.web.telling import tell_entry

SLOTS = 6
LONG, LONGER = 4, 8
DAY = 24 * 3600.0
WARN_DAYS = 14
_CHIPS: dict[Any, tuple[Taken, Markup]] = {}
_MOST_CHIPS = 8192


class Seat(NamedTuple):
    """One player, for drawing: `css` is the class that brings colour and shape."""

    place: int
    css: str
    name: str
    letter: str
    total: int

    @property
    def long(self) -> Markup:
        """What sets a long name smaller; Japanese ones are twice as wide."""
        wide = sum(2 if character > "\u2e7f" else 1 for character in self.name)
        if wide <= LONG:
            return Markup()
        return Markup(' class="long"') if wide <= LONGER else Markup(' class="long longer"')


class Says(NamedTuple):
    """The voice line: who it is about, a head, and why; `place` is the item it opens."""

    head: str
    text: str = ""
    seat: int | None = None
    place: int = 0


class Sheet(NamedTuple):
    """A message that takes the place of the question: `kind` is `stop` or `hold`; rows are label, text, rule.

    `again` is the name and value of the button that enters it all the same; `cases` are faults that the table has not
    answered yet.
    """

    kind: str
    icon: str
    title: str
    rows: Sequence[tuple[str, str, str | None]]
    place: int = 0
    cases: Sequence[Case] = ()
    again: tuple[str, str] | None = None


class View:
    """One table for one phone."""

    def __init__(
        self,
        table: Table,
        *,
        watch: bool = False,
        pick: str = "",
        sheet: Sheet | None = None,
        quick: bool = False,
    ) -> None:
        words = g.words
        self.table = table
        self.game = table.game
        self.slug = table.game.slug
        self.state = table.state
        self.setup = table.fold.setup
        self.names = table.row.players
        self.apart: dict[str, str] | None = None
        self.watch = watch
        self.pick = pick
        self.by = g.look.by
        self.url = f"/w/{table.row.watch}" if watch else f"/t/{table.row.id}"
        # What a phone keeps about a table must not give away the address that may write.
        self.row_id = table.row.watch
        self.version = table.version
        self.here = here(table.row.id, table.row.edition)
        self.tag = tag_of(table.version, table.row.edition, self.here, open_=quick and known_by_now(table) is None)
        self.signs = signs_of(words.lang)
        self.w = HtmlWording(words, self.names, self.signs)
        self.plain = Wording(words, self.names)
        self.outcome: Outcome | None = self.game.outcome(self.state)
        self.seats = seats(self.names, self.game.totals(self.state))
        self.offers = Offers(self.game.expects(self.state), self.slug, self.plain)
        self.so_far = None if self.outcome else self.game.so_far(self.state)
        self.quick = quick
        self.told = sheet
        self.marked = () if self.outcome else marked(self.state)

    @cached_property
    def agrees(self) -> bool:
        """Whether two phones must say the same; one that lies flat between both is looked at by both."""
        return bool(self.table.row.settings.get("agree")) and not self.watch and not self.flat

    @cached_property
    def claims(self) -> tuple[Any, Sequence[Any]]:
        """What this phone said comes next, and what others said."""
        kept = self.table.row.settings.get("claims")
        if not kept or kept["version"] != self.version or not self.agrees:
            return None, ()
        said = {phone: claim["body"] for phone, claim in kept["said"].items()}
        mine = said.pop(session.get("device"), None)
        return mine, tuple(said.values())

    def tell(self, raw: Any) -> str:
        """Says an entry."""
        return tell_entry(self.w, self.slug, raw)

    @cached_property
    def weighed(self) -> Weighed | None:
        """What the log proves; for an entry's answer only if it is known already."""
        return known_by_now(self.table) if self.quick else weighed(self.table)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The proved faults."""
        return self.weighed.faults if self.weighed else ()

    @cached_property
    def sheet(self) -> Sheet | None:
        """The message that takes the place of the question."""
        asked = () if self.told else cases(self, (fault for fault in self.faults if not fault.answer))
        return Sheet("hold", "stop", g.words("fault.proved"), (), cases=asked) if asked else self.told

    @cached_property
    def flat(self) -> bool:
        """Whether the page is drawn for a phone that lies between two players."""
        lies = self.by == "flat" and not self.watch and not self.sheet and not self.outcome
        return lies and can_lie_flat(self.slug, self.names)

    def piece(self, name: str, drawn: str) -> str:
        """Returns what is drawn within the element that has `name` as its `data-part`, `svg-…` within a drawing.

        It is for what seldom changes: among the parts it comes by itself, and where it is the same no phone reads it.
        """
        if self.apart is None:
            return drawn
        self.apart[name] = str.strip(drawn)
        return ""

    @cached_property
    def was(self) -> str:
        """The names under which a phone may still keep what waits for this table: it has had other addresses."""
        service: Tables = current_app.extensions["tables"]
        return " ".join(service.store.former(self.table.row.id)) if self.table.row.edition else ""

    @property
    def key(self) -> str:
        """A fresh key for the form of a phone without scripts."""
        return token_hex(16)

    @property
    def fading(self) -> int:
        """In how many days this table expires, where that is soon; else 0."""
        service: Tables = current_app.extensions["tables"]
        if not service.keep:
            return 0
        days = ceil(service.left(self.table) / DAY)
        return days if days <= min(WARN_DAYS, max(1, service.keep / DAY / 4)) else 0

    @property
    def suits(self) -> list[str]:
        """The suits of the deck, in the order they are shown."""
        return list(dict.fromkeys(card[-1] for card in self.game.deck(self.setup)))

    @cached_property
    def where(self) -> str:
        """Where in the game we are, in words."""
        return str(g.words(f"where.{self.slug}", **self.game.json(self.state)))

    @property
    def result(self) -> str:
        """How the game ended, as a title."""
        assert self.outcome is not None
        return outcome_title(self.plain, self.outcome)

    def strip(self, number: int, frog: str = "", mark: Callable[[Taken], str] | None = None) -> Markup:
        """Draws the strip: up to five finished tricks, the open one (its `number`), those to come.

        `mark` adds the game's own sign.
        """
        items = self.table.items
        done = [place for place in range(max(0, len(items) - 12), len(items)) if items[place].taken is not None]
        shown = done[-(SLOTS if self.outcome else min(max(number - 1, 3), SLOTS - 1)) :]
        drawn = [self._placed(place, self._chip(place, frog, mark)) for place in shown]
        if not self.outcome:
            lies = bool(items) and items[-1].taken is None
            url = f"{self.url}/item/{len(items)}" if lies else ""
            now = self.signs.chip_now(number, url, self.item_name(number))
            drawn.append(self._placed(len(items) - lies, now, hidden=not lies))
            drawn += [self.signs.chip_soon(number + more) for more in range(1, SLOTS + 1 - len(drawn))]
        return Markup("").join(drawn)

    def _placed(self, place: int, chip: Markup, *, hidden: bool = False) -> Markup:
        # By the trick and not by the place in the strip: chips move up there, and are not read again.
        return self.signs.chip_place(place, hidden, self.piece(f"t{place}", chip))

    def _chip(self, place: int, frog: str, mark: Callable[[Taken], str] | None) -> Markup:
        taken = self.table.items[place].taken
        assert taken is not None
        # By identity: the same finished trick is the same object until the past is put right.
        key = (self.url, place, self.signs, self.names)
        known = _CHIPS.get(key)
        if known is None or known[0] is not taken:
            if len(_CHIPS) >= _MOST_CHIPS:
                _CHIPS.clear()
            seat = self.seats[taken.winner]
            more = mark(taken) if mark else ""
            known = _CHIPS[key] = (
                taken,
                self.signs.chip(
                    self.url,
                    place + 1,
                    taken.number,
                    seat.css,
                    seat.place,
                    seat.letter,
                    frog,
                    taken.card,
                    self.label(taken),
                    more,
                ),
            )
        return known[1]

    @property
    def how_won(self) -> str:
        """How the game was decided, in words."""
        assert self.outcome is not None
        return outcome_text(self.w, self.slug, self.outcome)

    @property
    def rematch_text(self) -> str:
        """What is different in a rematch: who begins."""
        setup = self.game.rematch(self.setup, len(self.names))
        return self.w.fill(f"over.begins-{self.slug}", {"seat": setup.get("dealer", setup.get("first", 0))})

    @cached_property
    def course(self) -> list[ending.Stage]:
        """The totals at the end of each chapter, the open one included."""
        return ending.course(self)

    @property
    def chart_ends(self) -> list[tuple[float, Seat]]:
        """Where the final totals stand beside the chart."""
        return ending.chart_ends(self)

    @property
    def moments(self) -> list[ending.Moment]:
        """Up to three tricks worth looking at again."""
        return ending.moments(self)

    def item_name(self, number: int) -> str:
        """Names a trick by its number."""
        return str(g.words(f"item.{self.slug}", number=number))

    def label(self, taken: Taken) -> str:
        """Says a finished trick, as its chip is read aloud."""
        name = self.names[taken.winner]
        item = self.item_name(taken.number)
        if taken.card:
            return str(g.words("play.chip-with", item=item, seat=name, card=self.signs.card_name(taken.card)))
        return str(g.words("play.chip", item=item, seat=name))

    @property
    def says(self) -> Says:
        """What the voice line says now."""
        words, state, place = g.words, self.state, len(self.table.items)
        if self.outcome:
            return Says(
                self.result, outcome_text(self.w, self.slug, self.outcome), next(iter(self.outcome.winners), None)
            )
        if self.claims[1] and self.claims[0] is None:
            # Not what they said: each says it unasked.
            return Says(words("agree.other-head"), words("agree.other-text"))
        ruling = self.so_far
        if ruling is not None and ruling.winner is not None:
            head = self.w.fill("voice.so-far", {"seat": ruling.winner, "card": ruling.card})
            return Says(head, self.w.brief(self.slug, ruling.because), ruling.winner, place)
        if not self.table.items:
            start = self.w.fill(f"voice.{self.slug}.start", {"seat": state.leader})
            return Says(words(f"voice.{self.slug}.start-head"), start)
        item = self.table.items[-1]
        gained = self.gained(self.table.fold.states[item.first], state)
        if item.taken is None:
            raw = self.table.fold.lines[item.last].entry.json()
            return Says(tell_entry(self.w, self.slug, raw), hint(self, None) or gained, raw.get("seat"), place)
        ruling = self.game.explain(item.taken)
        said = self.say_taken(item.taken, place, ruling)
        if told := hint(self, ruling):
            said = said._replace(text=told)
        return said._replace(text=self.w.text(self.w.gap).join([said.text, gained])) if gained else said

    def gained(self, before: Any, after: Any) -> str:
        """Says what each player scored between two states; empty where nobody did."""
        scores = zip(self.names, self.game.totals(before), self.game.totals(after), strict=True)
        parts = [
            self.w.put("voice.gained", {"seat": self.w.text(name), "points": new - old})
            for name, old, new in scores
            if new > old
        ]
        return self.w.join(parts) if parts else ""

    def say_taken(self, taken: Taken, place: int, ruling: Ruling | None = None) -> Says:
        """Says a finished trick with its reason, and what the game has to say beside it."""
        params = {"item": self.item_name(taken.number), "seat": taken.winner, "card": taken.card}
        head = self.w.fill("voice.taken-with" if taken.card else "voice.taken", params)
        because = (ruling or self.game.explain(taken)).because
        more = [(f"voice.{self.slug}.{reason.code}", reason.params) for reason in because]
        said = [self.w.brief(self.slug, because), *(self.w.fill(key, params) for key, params in more if key in g.words)]
        return Says(head, self.w.text(self.w.gap).join(said), taken.winner, place)


def marked(state: Any) -> tuple[int, ...]:
    """Returns the seats whose turn it is, or who leads where anybody may answer."""
    seat = state.to_act if state.to_act is not None else getattr(state, "leader", None)
    return () if seat is None else (seat,)


def seats(names: Sequence[str], totals: Sequence[int]) -> list[Seat]:
    """Returns the players for drawing."""
    marks = letters(names)
    return [Seat(place, SEATS[place], name, marks[place], totals[place]) for place, name in enumerate(names)]


def here(table_id: str, edition: int) -> tuple[int, ...]:
    """Returns the seats at which a phone is awake."""
    service: Tables = current_app.extensions["tables"]
    return service.store.present(table_id, edition, service.clock())


def tag_of(version: int, edition: int, here: Sequence[int], *, open_: bool = False) -> str:
    """Returns the mark of what a phone would see now; `open_`: once all is weighed, which its next poll does."""
    tag = f'{tag_head(version, edition, here)}{g.look.by}.{g.words.lang}"'
    return f'"?{tag[1:]}' if open_ else tag


def tag_head(version: int, edition: int, here: Sequence[int]) -> str:
    """Returns how the marks begin that all phones at a table have now, however they want things."""
    return f'"{version}.{edition}.{"".join(map(str, here))}.'


def outcome_title(wording: Wording, outcome: Outcome) -> str:
    """Says who won."""
    if not outcome.winners:
        return wording.fill("outcome.nobody", {})
    return wording.put(
        "outcome.wins",
        {"seat": wording.join([wording.player(seat) for seat in outcome.winners]), "n": len(outcome.winners)},
    )


def outcome_text(wording: Wording, slug: str, outcome: Outcome) -> str:
    """Says how the game was decided."""
    totals = sorted(outcome.totals, reverse=True)
    score = wording.text("–").join(str(total) for total in totals)
    return wording.put(wording.of_game("outcome", outcome.reason, slug), {"score": score})
