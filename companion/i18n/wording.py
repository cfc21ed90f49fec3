"""Says findings, reasons and rulings in words. A parameter is put into words by its name; a style says how they look.

`card`, `top`, `card_then` and `first` are cards, `cards` several; `suit` is a suit and `suits` several; `seat`,
`to_act` and `winner` are players; `token` is a frog (its seat) or `king`, `tokens` and `over` several. Others stay.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from companion.i18n import Words

SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
Say = Callable[[Any], str]


class Wording:
    """Plain text, for one language and one table's names."""

    def __init__(self, words: Words, names: Sequence[str]) -> None:
        self.words = words
        self.names = tuple(names)

    @property
    def gap(self) -> str:
        """What stands between two sentences: Japanese leaves no gap."""
        return "" if self.words.lang == "ja" else " "

    def fill(self, key: str, params: Mapping[str, Any]) -> str:
        """Returns a message with its parameters in words."""
        return self.put(key, self._said(params))

    def put(self, key: str, said: Mapping[str, Any]) -> str:
        """Returns a message with parameters that are in words already."""
        return self.words(key, **said)

    def card(self, card: Any) -> str:
        return f"{card[:-1]}{SIGNS[card[-1]]}"

    def suit(self, suit: Any) -> str:
        return self.words(f"suit.{suit}")

    def player(self, seat: Any) -> str:
        return str(self.names[seat])

    def token(self, token: Any) -> str:
        return self.words("token.king") if token == "king" else self.player(token)

    def tokens(self, tokens: Iterable[Any]) -> str:
        """Lists tokens."""
        return self.join(map(self.token, tokens))

    def join(self, parts: Iterable[str], last: str = "list.and") -> str:
        """Joins parts as a sentence lists them."""
        *first, end = parts
        comma = self.text(self.words("list.comma") + self.gap)
        return self.put(last, {"first": comma.join(first), "end": end}) if first else end

    def finding(self, code: str, params: Mapping[str, Any], slug: str = "") -> str:
        """Says a finding, in the game's own words where it has some."""
        return self.fill(self.of_game("finding", code, slug), params)

    def reason(self, slug: str, code: str, params: Mapping[str, Any]) -> str:
        """Says one step of a ruling."""
        return self.fill(f"reason.{slug}.{code}", params)

    def brief(self, slug: str, reasons: Iterable[Any]) -> str:
        """Says a ruling in a few words: its first reason that has a short form."""
        for reason in reasons:
            key = f"brief.{slug}.{reason.code}"
            if key in self.words:
                return self.fill(key, reason.params)
        return self.text("")

    def ruling(self, slug: str, ruling: Any) -> str:
        """Says a whole ruling: each step, then what would have changed it."""
        steps = [self.reason(slug, reason.code, reason.params) for reason in ruling.because]
        return self.text(self.gap).join([*steps, *self.without(slug, ruling)])

    def without(self, slug: str, ruling: Any) -> list[str]:
        """Says which card made the difference: only those without which the trick would have gone elsewhere."""
        said = []
        for part in ruling.without:
            if part.winner is None or ruling.winner is None or part.card_then == ruling.card:
                continue
            kind = "same" if part.winner == ruling.winner else "other"
            key = self.of_game("without", kind, slug)
            params = {"card": part.card, "winner": part.winner, "card_then": part.card_then}
            said.append(self.fill(key, params))
        return said

    def of_game(self, kind: str, code: str, slug: str) -> str:
        """Returns the key of the game's own message of this kind, else the common one."""
        own = f"{kind}.{slug}.{code}"
        return own if own in self.words else f"{kind}.{code}"

    def text(self, text: str) -> str:
        """Returns plain text as this style's text."""
        return text

    @cached_property
    def _ways(self) -> Mapping[str, Say]:
        def several(say: Say, last: str = "list.and") -> Say:
            return lambda values: self.join(map(say, values), last)

        cards = dict.fromkeys(("card", "top", "card_then", "first"), self.card)
        players = dict.fromkeys(("seat", "to_act", "winner"), self.player)
        lists = {
            "cards": several(self.card),
            "suits": several(self.suit, "list.or"),
            "tokens": self.tokens,
            "over": self.tokens,
        }
        return {**cards, **players, **lists, "suit": self.suit, "token": self.token}

    def _said(self, params: Mapping[str, Any]) -> dict[str, Any]:
        ways = self._ways
        said = {}
        for name, value in params.items():
            way = ways.get(name)
            if way is None:
                key = f"{name}.{value}" if name in ("power", "phase") else ""
                said[name] = self.text(self.words(key)) if key in self.words else value
            elif value is not None and value != []:
                said[name] = way(value)
            else:
                said[name] = self.text("")
        return said
