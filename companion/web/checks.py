"""What the trick checker's page is drawn from: a position, and every key as a link to another one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import permutations
from typing import Any, NamedTuple

from flask import g
from markupsafe import Markup

from companion.checker import ASKED, NAMES, Question
from companion.engine.cards import SUITS
from companion.engine.findings import RecordError
from companion.engine.game import Game, Ruling, Turn
from companion.engine.registry import GAMES
from companion.i18n.wording import Wording
from companion.web.join import Way, ways
from companion.web.signs import HtmlWording, signs_of
from companion.web.views import Seat, seats

SEND = "send"
_SET = re.compile(r"([a-z_]{1,20})(\d?):(-|[0-9A-Z]{1,3})")


class Key(NamedTuple):
    """One key: what it lays or sets, the address it leads to, whether it is closed, whether it holds already."""

    value: Any
    url: str
    closed: bool
    pressed: bool


class Origin(NamedTuple):
    """The table a check was opened from: where Back leads, what was checked, and its position."""

    back: str
    slug: str
    number: int
    address: str


class Check:
    """One position, for drawing. `at` is what is being changed: a turn, a field, or `send`."""

    def __init__(self, question: Question, at: str, why: str, origin: Origin | None) -> None:
        words = g.words
        self.q = question
        self.game = question.game
        self.slug = question.game.slug
        self.at = at
        self.origin = origin
        self.signs = signs_of(words.lang)
        self.named = question.names != NAMES[: len(question.names)]
        letters = question.names
        self.names = letters if self.named else tuple(words("check.player", letter=letter) for letter in letters)
        self.seats: list[Seat] = seats(self.names, (0,) * len(self.names))
        self.w = HtmlWording(words, self.names, self.signs)
        self.plain = Wording(words, self.names)
        self.fields = question.fields
        self.turns: tuple[Turn, ...] = question.turns
        self.ask = question.ask
        self.wrong = question.wrong()
        self.ruling: Ruling | None = None if self.wrong else question.rule()
        self.why = self._why(why)

    @property
    def games(self) -> Sequence[Game]:
        return tuple(GAMES.values())

    @property
    def editing(self) -> int | None:
        """The turn that is being changed: the one asked for, or one that cannot be as it is."""
        if not self.at and self.wrong and self.ask is None:
            return self.wrong[1]
        return int(self.at) if self.at.isdecimal() and int(self.at) < len(self.turns) else None

    @property
    def place(self) -> int | None:
        """The turn that the pad is for: the one being changed, or the first open one."""
        return self.q.next if self.editing is None else self.editing

    @property
    def last(self) -> int | None:
        """The turn that was laid last."""
        laid = [place for place, turn in enumerate(self.turns[: self.q.next]) if turn.laid]
        return laid[-1] if laid else None

    @property
    def best(self) -> int | None:
        """The turn whose card takes the trick."""
        if self.ruling is None or self.ruling.card is None:
            return None
        return next((place for place, turn in enumerate(self.turns) if turn.laid[-1:] == (self.ruling.card,)), None)

    @property
    def state(self) -> str:
        """What the page shows: `hand`, `set` (a field is being changed), `pick`, `ruling`, or the code to `send`."""
        if self.ask is not None:
            return "hand"
        if self.at and self.editing is None and self.at != SEND:
            return "set"
        return "pick" if self.place is not None else SEND if self.at == SEND else "ruling"

    @cached_property
    def deck(self) -> list[str]:
        """The cards, in the order of the pad."""
        found = self.game.positions.choices(self.turns, 0, self.fields)
        return [laid[0] for laid in found if len(laid) == 1 and laid[0] not in self.game.positions.words]

    def pad(self, high: bool = False) -> list[tuple[str, list[str]]]:
        """Returns each suit of the deck with its cards, from the lowest up; `high`: from the Ace and King down."""
        suits = {suit: [card for card in self.deck if card[-1] == suit] for suit in (card[-1] for card in self.deck)}
        return [(suit, [*cards[:1], *cards[:0:-1]] if high else cards) for suit, cards in suits.items()]

    def url(self, at: str = "") -> str:
        """Returns the address of this position, with something to be changed."""
        return link(self.q, at)

    @property
    def cleared(self) -> str:
        """The address with nothing laid."""
        return link(self.q.cleared())

    @property
    def back(self) -> str:
        """The address without what was laid last."""
        return self.url() if self.last is None else link(self.q.lay(self.last, ()))

    @cached_property
    def keys(self) -> dict[tuple[str, ...], Key]:
        """Everything that the turn the pad is for could hold, additions aside."""
        return {} if self.place is None else {key.value: key for key in self._laying(self.place, False)}

    def tops(self, place: int) -> list[Key]:
        """Returns every way of adding to the card that lies in a turn."""
        return list(self._laying(place, True))

    def _laying(self, place: int, added: bool) -> Iterator[Key]:
        first = self.turns[place].laid[:1]
        for laid in self.game.positions.choices(self.turns, place, self.fields):
            if added == (len(laid) > 1 and laid[:1] == first and first[0] not in self.game.positions.words):
                yield self._key(laid, self.q.lay(place, laid), laid == self.turns[place].laid, "-".join(laid))

    def bare(self, place: int) -> str:
        """Returns the address with only a turn's first card left."""
        return link(self.q.lay(place, self.turns[place].laid[:1]))

    def setting(self, name: str, value: Any, at: str = "", seat: int | None = None) -> Key:
        """Returns the key that sets a field, or one player's part of it."""
        then = self._with(name, value, seat)
        what = f"{name}{'' if seat is None else seat}:{'-' if value is None else value}"
        return self._key(value, then, then.fields[name] == self.fields.get(name), what, at)

    def _with(self, name: str, value: Any, seat: int | None) -> Question:
        if seat is not None:
            value = [value if place == seat else part for place, part in enumerate(self.fields.get(name) or (0, 0))]
        return self.q.set(name, value)

    def swapping(self, name: str, one: int, other: int, at: str) -> Key:
        """Returns the key that changes two pads of a track; what stands on them goes with them."""
        there = {one: other, other: one}
        order = list(self.fields[name])
        order[one], order[other] = order[other], order[one]
        then = self.q.set(name, order)
        for field in self.game.positions.fields.values():
            if field.kind == "pad" and field.name in self.fields:
                pads = self.fields[field.name]
                moved = [there.get(pad, pad) for pad in pads] if field.each else there.get(pads, pads)
                then = then.set(field.name, moved)
        return self._key(order, then, False, "", at)

    def started(self, at: str = "", **setup: Any) -> str:
        """Returns the address with all fields as a game of this setup begins."""
        players = self.game.seats[0]
        state = self.game.start(self.game.read_setup(setup, players), players)
        return link(replace(self.q, fields=self.game.positions.standing(state, state)[1]), at)

    def leaving_out(self, *names: str) -> str:
        """Returns the address without these fields."""
        return link(replace(self.q, fields={name: part for name, part in self.fields.items() if name not in names}))

    def orders(self, name: str) -> list[Key]:
        """Returns every order of suits, those of this deck first."""
        here = sorted(self.fields[name], key=SUITS.index)
        one = next(one for one in self.game.positions.fields.values() if one.name == name)
        found = [list(order) for order in permutations(one.choices, one.size)]
        found.sort(key=lambda order: sorted(order, key=SUITS.index) != here)
        return [self.setting(name, order) for order in found]

    def holding(self, card: str) -> Key:
        """Returns the key that puts a card into the hand asked about, or takes it out."""
        hand = [held for held in self.q.hand if held != card]
        held = len(hand) < len(self.q.hand)
        then = self.q.asking(self.ask, hand if held else [*hand, card])  # type: ignore[list-item]
        return self._key((card,), then, held, card)

    def asking(self, place: int) -> str:
        """Returns the address that asks what a turn's player may lay there; what they laid later was in their hand."""
        seat = self.turns[place].seat
        later = [word for turn in self.turns[place:] if turn.seat == seat for word in turn.laid]
        return link(self.q.asking(place, [card for card in self.deck if card in later]))  # type: ignore[misc]

    @property
    def asked(self) -> str:
        """The address without the hand."""
        return link(self.q.asking(None))

    def led_by(self, seat: int) -> str:
        """Returns the address with another leader."""
        return link(self.q.led_by(seat))

    def played_by(self, players: int) -> str:
        """Returns the address with so many players."""
        return link(self.q.played_by(players))

    @property
    def others(self) -> list[int]:
        """The seats that could lead in place of the one that does, the next one first."""
        seats = sorted({turn.seat for turn in self.turns})
        at = seats.index(self.turns[0].seat)
        return seats[at + 1 :] + seats[:at]

    @property
    def steps(self) -> list[str]:
        """The ruling's steps in words; where a hand is asked about, what it may play."""
        return [
            self.w.reason(self.slug, reason.code, reason.params)
            for reason in (self.ruling.because if self.ruling else ())
            if self.ask is None or reason.code.startswith(ASKED)
        ]

    @property
    def rules(self) -> list[str]:
        """The rules that decide, each once."""
        found = [
            reason.rule
            for reason in (self.ruling.because if self.ruling else ())
            if reason.rule and (self.ask is None or reason.code.startswith(ASKED))
        ]
        found += [finding.rule for finding in (self.ruling.findings if self.ruling else ()) if finding.rule]
        return list(dict.fromkeys(found))

    @property
    def without(self) -> list[str]:
        """What each card changed that did change something."""
        return self.w.without(self.slug, self.ruling) if self.ruling else []

    @property
    def faults(self) -> list[str]:
        """The faults that the cards prove by themselves."""
        findings = self.ruling.findings if self.ruling else ()
        return [self.w.finding(finding.code, finding.params, self.slug) for finding in findings]

    @property
    def errors(self) -> list[tuple[str, str]]:
        """What is wrong with the address or the position: where, and why."""
        found: list[tuple[str, str]] = [
            (Markup("<code>{}</code>").format(error.place), self._said(error)) for error in self.q.errors
        ]
        if self.wrong:
            error, place = self.wrong
            where = Markup("<code>{}</code>").format(error.place) if place is None else self.turn_name(place)
            found.append((where, self._said(error)))
        return found

    def turn_name(self, place: int) -> str:
        """Names a turn."""
        key = f"check.turn.{self.slug}"
        own = f"{key}-{place + 1}"
        return self.w.fill(own if own in g.words else key, {"seat": self.turns[place].seat})

    @property
    def title(self) -> str:
        """The page's title: the verdict, once there is one."""
        name = g.words("home.check")
        ruling = self.ruling
        if self.state != "ruling" or ruling is None or ruling.winner is None:
            return str(g.words("check.title", name=name, game=g.words(f"game.{self.slug}")))
        return str(self.plain.fill("check.verdict", {"seat": ruling.winner, "card": ruling.card, "name": name}))

    @property
    def where(self) -> str:
        """Where the position comes from."""
        origin = self.origin
        if origin is None or origin.slug != self.slug:
            return str(g.words(f"game.{self.slug}"))
        same = origin.address == self.q.address()
        if not origin.number:
            return str(g.words("check.on-table" if same else "check.changed-table"))
        item = g.words(f"item.{self.slug}", number=origin.number)
        return str(g.words("check.on-record" if same else "check.changed", item=item))

    @property
    def ways(self) -> list[Way]:
        """The addresses at which others find this position."""
        return ways(f"/check/{self.slug}{link(self.q)}")

    def _key(self, value: Any, then: Question, pressed: bool, what: str, at: str = "") -> Key:
        closed = not pressed and then.wrong_at_all() is not None
        return Key(value, link(self.q, self.at, what) if closed else link(then, at), closed, pressed)

    def _why(self, what: str) -> str:
        """Says why a key is closed that was pressed all the same."""
        if not what:
            return ""
        laid = tuple(what.split("-"))
        named = _SET.fullmatch(what)
        if named and named[1] in self.fields:
            value = None if named[3] == "-" else int(named[3]) if named[3].isdecimal() else named[3]
            then = self._with(named[1], value, int(named[2]) if named[2] else None)
        elif self.ask is not None:
            then = self.q.asking(self.ask, (*self.q.hand, *laid))  # type: ignore[arg-type]
        elif self.place is not None and laid in self.game.positions.choices(self.turns, self.place, self.fields):
            then = self.q.lay(self.place, laid)
        else:
            return ""
        error = then.wrong_at_all()
        return "" if error is None else self._said(error)

    def _said(self, error: RecordError) -> str:
        params = {
            name: value if isinstance(value, str | int) else ", ".join(map(str, value))
            for name, value in error.params.items()
        }
        key = f"check.no.{error.code}"
        return self.w.fill(key if key in g.words else f"unreadable.{error.code}", params)


def link(question: Question, at: str = "", why: str = "") -> str:
    """Returns a position's address, relative to the game's page; `at` is what is to be changed."""
    parts = [question.address(), f"at={at}" if at else "", f"why={why}" if why else ""]
    return "?" + "&".join(part for part in parts if part)
