"""The trick checker: a position in, a ruling out (RECORD.md, `check`). And a position as an address holds it.

An address names every turn (`plays=0:10S,1:9S,0:leap`), the game's own questions by their short names, and, where a
hand is asked about, the turn (`ask`) and the cards held (`hand`). What is wrong in it is told with its place; what
could be read is kept. The game's `rule_on` is the one judge of a position.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import quote

from companion.engine.cards import Card
from companion.engine.findings import RecordError
from companion.engine.game import Field, Game, Ruling, Turn
from companion.engine.reading import Read, card, clip, maybe, seat_of, several, suit, text, thing, whole
from companion.engine.record import NAME_LENGTH
from companion.engine.registry import find
from companion.i18n import Words
from companion.i18n.wording import Wording

NAMES = ("A", "B", "C")
ASKED = "hand-"
"""How the steps of a ruling begin that tell what a hand may play."""
_NONE = "-"
_SAFE = ":,-?"


def check(position: Any, words: Words, names: Sequence[str] = NAMES) -> dict[str, Any]:
    """Rules on a position, in JSON and in words. Raises RecordError where it cannot be read."""
    asked: Mapping[str, Any] = thing(position)
    game = find(asked.get("game"))
    ruling = game.rule_on(asked)
    # Who may lay what does not hang on what each card changed.
    said = ruling._replace(without=()) if "legal" in ruling.more else ruling
    return {**ruling.json(), "text": Wording(words, names).ruling(game.slug, said)}


@dataclass(frozen=True, slots=True)
class Question:
    """A position that is being put together: turns may still be open, `fields` are by their names in RECORD.md.

    `ask` is the turn whose player's `hand` is asked about; `errors` is what could not be read.
    """

    game: Game
    turns: tuple[Turn, ...]
    fields: Mapping[str, Any]
    names: tuple[str, ...]
    ask: int | None = None
    hand: tuple[Card, ...] = ()
    errors: tuple[RecordError, ...] = field(default=(), compare=False)

    @property
    def next(self) -> int | None:
        """The first turn that is open, or None."""
        return next((place for place, turn in enumerate(self.turns) if not turn.laid), None)

    @property
    def empty(self) -> bool:
        """Whether nothing lies."""
        return not any(turn.laid for turn in self.turns)

    @property
    def position(self) -> dict[str, Any]:
        """The position as `rule_on` reads it: the turns before the one asked about, or before the first open one."""
        end = self.next if self.ask is None else self.ask
        return self._position([turn for turn in self.turns[:end] if turn.laid])

    def rule(self) -> Ruling:
        """Rules on it. Raises RecordError."""
        ruling = self.game.rule_on(self.position)
        if self.ask is not None:
            return ruling
        return ruling._replace(because=tuple(one for one in ruling.because if not one.code.startswith(ASKED)))

    def wrong(self) -> tuple[RecordError, int | None] | None:
        """Returns why it cannot be, and in which turn the reason lies, or None."""
        try:
            self.game.rule_on(self._whole())
        except RecordError as error:
            for end in range(1, len(self.turns) + 1):
                if replace(self, turns=self.turns[:end], ask=None).wrong_at_all():
                    return error, end - 1
            return error, None
        return None

    def wrong_at_all(self) -> RecordError | None:
        """Returns why it cannot be, or None."""
        try:
            self.game.rule_on(self._whole())
        except RecordError as error:
            return error
        return None

    def lay(self, place: int, laid: Sequence[str]) -> "Question":
        """Returns the position with something laid in a turn: nothing opens it again."""
        turns = list(self.turns)
        turns[place] = Turn(turns[place].seat, tuple(laid))
        return replace(self, turns=tuple(turns), errors=())

    def set(self, name: str, value: Any) -> "Question":
        """Returns the position with one of its fields changed; None leaves it out."""
        fields = {key: old for key, old in self.fields.items() if key != name}
        return replace(self, fields=fields if value is None else {**fields, name: value}, errors=())

    def asking(self, ask: int | None, hand: Iterable[Card] = ()) -> "Question":
        """Returns the position with a hand asked about in place of another, or none."""
        return replace(self, ask=ask, hand=() if ask is None else tuple(hand), errors=())

    def led_by(self, seat: int) -> "Question":
        """Returns the position with this seat leading; who plays then goes round as it did."""
        seats = sorted({turn.seat for turn in self.turns})
        shift = seats.index(seat) - seats.index(self.turns[0].seat)
        return replace(
            self,
            turns=tuple(Turn(seats[(seats.index(one) + shift) % len(seats)], laid) for one, laid in self.turns),
            errors=(),
        )

    def played_by(self, players: int) -> "Question":
        """Returns the position of a trick between so many players, with nothing laid."""
        return replace(self, turns=_turns(self.game, players), ask=None, hand=(), errors=())

    def cleared(self) -> "Question":
        """Returns the position with nothing laid and no hand; order, Guards, tokens and names stay."""
        return replace(self, turns=tuple(Turn(turn.seat) for turn in self.turns), ask=None, hand=(), errors=())

    def address(self) -> str:
        """Returns the position as the query of an address."""
        parts = [f"{short}={_write(one, self.fields[one.name])}" for short, one in self._written()]
        players = len({turn.seat for turn in self.turns})
        if players != self.game.seats[-1]:
            parts.append(f"players={players}")
        shown = len(self.turns)
        usual = _turns(self.game, players, self.turns[0].seat)
        while shown and self.turns[shown - 1] == usual[shown - 1] and (shown > 1 or not usual[0].seat):
            shown -= 1
        if shown:
            parts.append("plays=" + ",".join(f"{turn.seat}:{'-'.join(turn.laid)}" for turn in self.turns[:shown]))
        if self.ask is not None:
            parts += [f"ask={self.ask}", f"hand={','.join(self.hand)}"]
        named = [place for place, name in enumerate(self.names, 1) if name != NAMES[place - 1]]
        parts += ["who=" + quote(name, safe="") for name in self.names[: max(named, default=0)]]
        return "&".join(parts)

    def _written(self) -> Iterator[tuple[str, Field]]:
        for short, one in self.game.positions.fields.items():
            if one.name in self.fields:
                yield short, one

    def _whole(self) -> dict[str, Any]:
        """Everything that lies, gaps closed: what cannot be with a gap cannot be without."""
        if self.ask is not None:
            return self.position
        seats = iter(self.turns)
        return self._position([Turn(next(seats).seat, turn.laid) for turn in self.turns if turn.laid])

    def _position(self, turns: Sequence[Turn]) -> dict[str, Any]:
        seat = None if self.ask is None else self.turns[self.ask].seat
        position = self.game.positions.write(turns, self.fields, seat)
        if self.ask is not None:
            position["hand"] = list(self.hand)
        elif not turns:
            # Where nothing lies there is something to say all the same: what is trump.
            position["hand"] = []
        return position


def fresh(game: Game) -> Question:
    """Returns a game's position in which nothing lies."""
    return Question(game, _turns(game, game.seats[-1]), _defaults(game), _names(game, ()))


def standing(game: Game, before: Any, trick: Any, names: Sequence[str]) -> Question:
    """Returns a trick of a table as a position.

    `trick` is the finished one, or the state in which it lies open; `before` is the state in which it began.
    """
    turns, fields = game.positions.standing(before, trick)
    empty = fresh(game)
    return replace(empty, turns=turns or empty.turns, fields=fields, names=_names(game, names))


def read(game: Game, pairs: Iterable[tuple[str, str]]) -> Question:
    """Reads an address: what cannot be read is told by the question's `errors`, the rest is kept."""
    reader = _Reader(game, list(pairs))
    return reader.question()


class _Reader:
    """Reads one address, part by part."""

    def __init__(self, game: Game, pairs: Sequence[tuple[str, str]]) -> None:
        self.game = game
        self.errors: list[RecordError] = []
        self.parts: dict[str, str] = {}
        self.names: list[str] = []
        known = {*game.positions.fields, "players", "plays", "ask", "hand"}
        for key, value in pairs:
            if key == "who":
                self.names.append(value)
            elif key not in known:
                self.errors.append(RecordError("key-unknown", clip(key), key=clip(key)))
            elif key in self.parts:
                self.errors.append(RecordError("key-twice", key, key=key))
            else:
                self.parts[key] = value

    def question(self) -> Question:
        game = self.game
        question = replace(fresh(game), fields=self._fields(), names=self._who())
        players = self._part("players", lambda value: whole(game.seats[0], game.seats[-1])(_number(value)))
        turns = self._turns(players or game.seats[-1])
        ask = self._part("ask", lambda value: whole(0, len(turns) - 1)(_number(value)))
        hand: list[Card] = []
        for place, word in enumerate(_split(self.parts.get("hand", ""))):
            self._try(f"hand[{place}]", lambda word=word: hand.append(card(word)))
        if len(hand) > game.positions.hand:
            most = game.positions.hand
            self.errors.append(RecordError("list-length", "hand", low=0, high=most, length=len(hand)))
        if "hand" in self.parts and ask is None:
            ask = next((place for place, turn in enumerate(turns) if not turn.laid), None)
        return replace(
            question,
            turns=turns,
            ask=ask,
            hand=() if ask is None else tuple(hand[: game.positions.hand]),
            errors=tuple(self.errors),
        )

    def _try(self, place: str, read: Any) -> Any:
        try:
            return read()
        except RecordError as error:
            self.errors.append(error if error.place.startswith(place) else error.inside(place))
            return None

    def _part(self, key: str, read: Read) -> Any:
        return self._try(key, lambda: read(self.parts[key])) if key in self.parts else None

    def _fields(self) -> dict[str, Any]:
        """Reads the game's own questions; one that the game refuses is left out."""
        fields = _defaults(self.game)
        for short, one in self.game.positions.fields.items():
            value = self._part(short, partial(_read, one))
            if value is not None:
                fields[one.name] = value
        told = False
        while True:
            try:
                self.game.rule_on(self.game.positions.write((), fields, None) | {"hand": []})
            except RecordError as error:
                # What is missing once a bad part is left out is no mistake of its own.
                if not told:
                    self.errors.append(error)
                told = True
                name = error.place.partition("[")[0]
                usual = _defaults(self.game)
                if name in usual or name not in fields:
                    return usual
                del fields[name]
            else:
                return fields

    def _turns(self, players: int) -> tuple[Turn, ...]:
        most = self.game.seats[-1]
        laid: list[Turn] = []
        for place, part in enumerate(_split(self.parts.get("plays", ""))):
            where = f"plays[{place}]"
            seat, _, words = part.partition(":")
            usual = (laid[-1].seat + 1) % players if laid else 0
            owner = self._try(where, lambda seat=seat: seat_of(most)(_number(seat)))
            known = self._try(where, lambda words=words: self._laid(words))
            laid.append(Turn(usual if owner is None else owner, known or ()))
        turns = _turns(self.game, players, laid[0].seat if laid else 0)
        if len(laid) > len(turns):
            error = RecordError("list-length", "plays", low=0, high=len(turns), length=len(laid))
            self.errors.append(error)
        return (*laid[: len(turns)], *turns[len(laid) :])

    def _laid(self, words: str) -> tuple[str, ...]:
        return tuple(word if word in self.game.positions.words else card(word) for word in words.split("-") if words)

    def _who(self) -> tuple[str, ...]:
        return _names(self.game, self._try("who", lambda: several(text(NAME_LENGTH), 0, len(NAMES))(self.names)) or ())


def _turns(game: Game, players: int, first: int = 0) -> tuple[Turn, ...]:
    """Returns the turns of a trick, all open, the players in their order from `first` on."""
    turns = game.positions.turns * players // game.seats[-1]
    return tuple(Turn((first + place) % players) for place in range(turns))


def _defaults(game: Game) -> dict[str, Any]:
    known = game.positions.fields.values()
    return {one.name: list(one.default) for one in known if one.default is not None}


def _names(game: Game, names: Sequence[str]) -> tuple[str, ...]:
    """Returns a name for every seat: where none was given, its letter."""
    return tuple(
        names[seat].strip() if seat < len(names) and names[seat].strip() else NAMES[seat]
        for seat in range(game.seats[-1])
    )


def _split(text: str) -> list[str]:
    return text.split(",") if text else []


def _number(written: str) -> Any:
    return int(written) if len(written) == 1 and "0" <= written <= "9" else written


def _read(one: Field, written: str) -> Any:
    """Reads the value of a field. Raises RecordError."""
    match one.kind:
        case "suits":
            return list(several(suit, one.size, one.size)(list(written)))
        case "card":
            marks = [mark for mark in one.choices if len(mark) == 1]
            read = maybe(lambda value: value if value in marks else card(value))
            return list(several(read, 2, 2)([None if part == _NONE else part for part in written.split(",")]))
        case _:
            digits = [whole(0, 9)(_number(digit)) for digit in written]
            if one.each or one.size:
                return digits
            if len(digits) != 1:
                raise RecordError("not-a-number", value=clip(written), low=0, high=9)
            return digits[0]


def _write(one: Field, value: Any) -> str:
    if one.kind == "card":
        return ",".join(_NONE if part is None else part for part in value)
    return "".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
