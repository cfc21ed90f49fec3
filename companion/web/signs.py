"""Signs as HTML, each drawn once a language: cards, suits, tokens, icons. The drawings are macros of `_signs.html`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from secrets import token_hex
from typing import Any

from flask import Flask, current_app, url_for
from markupsafe import Markup, escape

from companion.engine.game import Choice
from companion.i18n import Words
from companion.i18n.wording import Wording
from companion.web.look import words_of
from companion.web.offers import Offers, sending_card

SEATS = "abc"
_MOST = 8192
_MOST_SUITS = 1024


class Signs:
    """The signs of one language."""

    def __init__(self, words: Words, macros: Any) -> None:
        self._words = words
        self._macros = macros
        self._drawn: dict[Any, Markup] = {}
        self._names: dict[str, str] = {}
        # Of a pad's suits, one at most is another than before.
        self._suit = lru_cache(maxsize=_MOST_SUITS)(self._draw_suit)

    def keep(self, macro: Callable[..., str], *args: Any) -> Markup:
        """Returns what a macro draws from these arguments, drawn once."""
        key = (macro.name, args)  # type: ignore[attr-defined]
        drawn = self._drawn.get(key)
        if drawn is None:
            if len(self._drawn) >= _MOST:
                self._drawn.clear()
            drawn = self._drawn[key] = Markup(macro(self, self._words, *args).strip())
        return drawn

    def card(self, card: str) -> Markup:
        """Draws a card in running text."""
        return self.keep(self._macros.card, card)

    def suit(self, suit: str) -> Markup:
        """Draws a suit in running text."""
        return self.keep(self._macros.suit, suit)

    def su(self, suit: str) -> Markup:
        """Draws a suit's bare sign."""
        return self.keep(self._macros.su, suit)

    def tok(self, seat: int, letter: str, frog: str = "", size: str = "") -> Markup:
        """Draws a player's token; `frog` is `f` where the game has frogs."""
        return self.keep(self._macros.tok, SEATS[seat], letter, frog, size)

    def ic(self, name: str, size: str = "") -> Markup:
        """Draws an icon."""
        return self.keep(self._macros.ic, name, size)

    def keys(self, offers: Offers, kind: str, suit: str, high: bool = False) -> Markup:
        """Draws the keys of one suit on a card pad, for entries of this kind; `high`: from the Ace and King down.

        A key says only its card, so that a pad stays as it is from one player's turn to the next: see `turn`.
        """
        check, choices = offers.check, offers.cards(kind, suit)
        closed = [check(choice.entry) for choice in choices]
        return self._suit(choices, high, tuple([offers.shut(found) if found else "" for found in closed]))

    def _draw_suit(self, choices: Sequence[Choice], high: bool, shut: Sequence[str]) -> Markup:
        keys = [
            self.keep(self._macros.ck, choice.card, sending_card(choice) + why)
            for choice, why in zip(choices, shut, strict=True)
        ]
        # Decks are in order from the Ace up.
        return Markup("").join([*keys[:1], *keys[:0:-1]] if high else keys)

    def turn(self, offers: Offers, kind: str) -> Markup:
        """Draws what all keys of a card pad have in common, sent beside the key's own card."""
        return self.keep(self._macros.turn, offers.turn(kind))

    def head(self, suit: str) -> Markup:
        """Draws the head of a suit's keys."""
        return self.keep(self._macros.pad_head, suit)

    def tail(self, suit: str) -> Markup:
        """Draws what ends a suit's keys where they have no head."""
        return self.keep(self._macros.pad_tail, suit)

    def row(self, suits: Sequence[str], leapt: bool = False) -> Markup:
        """Draws suits in their order, as items of a list."""
        return self.keep(self._macros.row, tuple(suits), leapt)

    def chip(self, *args: Any) -> Markup:
        """Draws the chip of a finished trick."""
        return Markup(self._macros.chip(self, self._words, *args).strip())

    def chip_now(self, number: int, url: str, label: str) -> Markup:
        """Draws the chip of the open trick; it leads there once something lies."""
        return self.keep(self._macros.chip_now, number, url, label)

    def chip_place(self, place: int, hidden: bool, within: str) -> Markup:
        """Draws the place of a chip in the strip."""
        return self.keep(self._macros.chip_place, place, hidden, within)

    def chip_soon(self, number: int) -> Markup:
        """Draws the chip of a trick to come."""
        return self.keep(self._macros.chip_soon, number)

    def side(self, *args: Any) -> Markup:
        """Draws a player's place in the bar."""
        return self.keep(self._macros.side, *args)

    def player(self, *args: Any) -> Markup:
        """Draws what stands in that place."""
        return self.keep(self._macros.player, *args)

    def slot(
        self,
        seat: Any,
        kinds: str,
        card: str | None,
        hint: str = "",
        under: Sequence[str] = (),
        icon: str = "",
        more: str = "",
    ) -> Markup:
        """Draws a player's place on the table; `kinds` are `next`, `soon`, `best`, `run`; `more` is beside the name."""
        who = (seat.place, seat.css, seat.letter, seat.name)
        return self.keep(self._macros.slot, *who, kinds, card, tuple(under), hint, icon, more)

    def card_name(self, card: str) -> str:
        """Returns a card's name, as it is read aloud."""
        name = self._names.get(card)
        if name is None:
            name = self._names[card] = self._words(f"card.{card[-1]}", rank=card[:-1])
        return name

    def card_names(self, cards: Iterable[str]) -> str:
        """Returns the names of several cards, as they are read aloud."""
        return ", ".join(map(self.card_name, cards))


class HtmlWording(Wording):
    """Says things in HTML: cards and suits as signs, everything else escaped."""

    def __init__(self, words: Words, names: Sequence[str], signs: Signs) -> None:
        super().__init__(words, names)
        self.signs = signs

    def put(self, key: str, said: Mapping[str, Any]) -> str:
        return escape(self.words.template(key, said)).format_map(said)

    def card(self, card: Any) -> str:
        return self.signs.card(card)

    def suit(self, suit: Any) -> str:
        return self.signs.suit(suit)

    def player(self, seat: Any) -> str:
        return escape(self.names[seat])

    def text(self, text: str) -> str:
        return escape(text)


@cache
def signs_of(lang: str) -> Signs:
    """Returns the signs of a language, one object a process."""
    return Signs(words_of(lang), current_app.jinja_env.get_template("_signs.html").module)


def letters(names: Sequence[str]) -> tuple[str, ...]:
    """Returns the letter on each player's token: the first of the name, or A, B, C where two would share it."""
    firsts = tuple(name[:1].upper() for name in names)
    return firsts if len(set(firsts)) == len(firsts) and all(firsts) else tuple("ABC"[: len(names)])


def register(app: Flask) -> None:
    """Lets templates be compact."""
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.autoescape = True
    app.jinja_env.globals["fresh_key"] = lambda: token_hex(16)
    app.jinja_env.globals["page"] = page_of


def page_of(endpoint: str, **values: Any) -> str:
    """Returns the address of a page that this installation may not have; empty where it has not."""
    return url_for(endpoint, **values) if endpoint in current_app.view_functions else ""
