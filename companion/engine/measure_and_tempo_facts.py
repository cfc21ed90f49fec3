"""What a Measure and Tempo log says of the cards: who held which when, and which plays claim to hold none of a suit."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.engine.cards import BIT, PACK, SUIT, SUIT_BITS, Card, Suit
from companion.engine.game import Adjusted, Revealed
from companion.engine.measure_and_tempo_bout import Cycled, GuardChanged, TempoWon
from companion.engine.measure_and_tempo_tempos import (
    ACE,
    GROUP,
    UNKNOWN,
    Answered,
    Led,
    Turned,
    answer_wins,
    trump_of,
)
from companion.engine.measure_and_tempo_worlds import bits

ACE_BITS = sum(BIT[card] for card in PACK if GROUP[card] == ACE)


@dataclass(slots=True)
class Guard:
    """What stands before a seat from holding `since` to holding `until`: a card (bits), none (0), or unknown.

    An unknown one is none of the cards `shown` meanwhile, nor `never`, and may be no card at all if `absent`.
    """

    seat: int
    since: int
    card: int | None
    never: int = 0
    absent: bool = False
    until: int = 0


@dataclass(slots=True)
class Hidden:
    """A card laid and never recorded: after which entry, an Ace or any card. `sure` if it was laid at all."""

    entry: int
    ace: bool = False
    sure: bool = True


@dataclass(slots=True)
class Laying:
    """What one seat has laid in one play, while one Guard stood: cards return to their hand only as the play ends."""

    seat: int
    turn: int
    guard: Guard
    shown: int = 0
    hidden: list[Hidden] = field(default_factory=list)


@dataclass(slots=True)
class Void:
    """An answer off the led suit. `cards` of it should not have been in the hand, but for `slack` that lay hidden.

    `murky`: the table changed an unknown Guard in the middle of the play, so that nothing can be said.
    """

    entry: int
    suit: Suit
    cards: int
    laying: Laying
    murky: bool

    @property
    def seat(self) -> int:
        return self.laying.seat

    @property
    def turn(self) -> int:
        return self.laying.turn

    @property
    def slack(self) -> int:
        """How many cards of the suit may have been in the hand and not playable."""
        return sum(hidden.entry < self.entry for hidden in self.laying.hidden) + (self.laying.guard.card is None)


Hand = Callable[[Laying], int]
"""A world, as the cards a seat held while it laid these."""


class Facts:
    """Everything a log says of the cards, read entry by entry.

    `shown[seat][turn]` are the cards a seat is known to have had between two of its own Cycles, its Guard included.
    """

    def __init__(self, lines: Sequence[Any]) -> None:
        self.cyclers: list[int] = []
        self.shown: tuple[list[int], list[int]] = ([0], [0])
        self.voids: list[Void] = []
        self.revealed = 0
        self.guards = [Guard(0, 0, 0), Guard(1, 0, 0)]
        self.known: list[Guard] = []
        self.unknown: list[Guard] = []
        self.layings: list[Laying] = []
        self._open: list[Laying] = []
        self._lead: Led | None = None
        self._feint: Hidden | None = None
        self._answered: Card | None = None
        self._finished = 0
        for number, line in enumerate(lines, 1):
            self._read(number, line.entry)
        for guard in self.guards:
            guard.until = self._turn(guard.seat)

    def _turn(self, seat: int) -> int:
        return len(self.shown[seat]) - 1

    def _read(self, number: int, entry: Any) -> None:
        match entry:
            case Cycled(seat):
                self.cyclers.append(seat)
                self.shown[seat].append(self.guards[seat].card or 0)
            case GuardChanged(seat, card):
                self._stand(seat, card)
            case Led(seat, card, feint, strike):
                if strike:
                    self._open = [Laying(who, self._turn(who), self.guards[who]) for who in (0, 1)]
                    self.layings += self._open
                    self._finished = 0
                self._lead, self._answered = entry, None
                if card is None:
                    self._feint = Hidden(number, feint)
                    self._open[seat].hidden.append(self._feint)
                else:
                    self._show(seat, card)
            case Answered(seat, card):
                self._answer(number, entry)
            case Turned(seat, card):
                self._open[seat].hidden = [hidden for hidden in self._open[seat].hidden if hidden is not self._feint]
                self._show(seat, card)
                self._resolve(card)
            case TempoWon(seat):
                self._won(number, seat)
            case Revealed(cards):
                self.revealed |= sum(BIT[card] for card in cards)
            case Adjusted(new):
                self._adjust(number, dict(new))

    def _stand(self, seat: int, card: Card | str | None) -> None:
        old = self.guards[seat]
        old.until = turn = self._turn(seat)
        if card is None:
            # What is taken back was there.
            old.absent = False
            new = Guard(seat, turn, 0)
        elif card == UNKNOWN:
            new = Guard(seat, turn, None, old.card or 0, absent=old.card != 0)
            self.unknown.append(new)
        else:
            new = Guard(seat, turn, BIT[card])
            self.known.append(new)
            self.shown[seat][turn] |= BIT[card]
        self.guards[seat] = new

    def _show(self, seat: int, card: Card) -> None:
        self._open[seat].shown |= BIT[card]
        self.shown[seat][-1] |= BIT[card]

    def _answer(self, number: int, entry: Answered) -> None:
        lead, laying = self._lead, self._open[entry.seat]
        self._answered = entry.card
        if lead is not None and lead.card is not None:
            suit = SUIT[lead.card]
            if SUIT[entry.card] != suit:
                known = laying.shown | (self.guards[entry.seat].card or 0)
                murky = laying.guard is not self.guards[entry.seat] and None in (
                    laying.guard.card,
                    self.guards[entry.seat].card,
                )
                self.voids.append(Void(number, suit, SUIT_BITS[suit] & ~known, laying, murky))
            self._resolve(lead.card)
        self._show(entry.seat, entry.card)

    def _resolve(self, lead: Card) -> None:
        """Ends the tempo, unless it hangs on an unknown trump: then its result follows."""
        one, other = (
            UNKNOWN if guard.card is None else PACK[guard.card.bit_length() - 1] if guard.card else None
            for guard in self.guards
        )
        assert self._answered is not None, "a tempo is resolved once it is answered"
        if answer_wins(lead, self._answered, trump_of((one, other))) is not None:
            self._end()

    def _won(self, number: int, seat: int) -> None:
        if self._lead is None:
            # The winner of the last tempo led again.
            for laying in self._open:
                laying.hidden.append(Hidden(number))
        elif self._answered is None:
            self._open[1 - self._lead.seat].hidden.append(Hidden(number))
        self._end()

    def _end(self) -> None:
        self._lead = None
        self._finished += 1

    def _adjust(self, number: int, new: dict[str, Any]) -> None:
        for seat, card in enumerate(new.get("guards", ())):
            old = self.guards[seat].card
            if (BIT[card] if card in BIT else None if card == UNKNOWN else 0) != old:
                self._stand(seat, card)
                self.guards[seat].never = 0
                self.guards[seat].absent = True
        # More tempos than were entered may be cards on the table that nobody recorded.
        more = sum(new.get("tempos", ())) - self._finished
        for laying in self._open:
            laying.hidden += [Hidden(number, sure=False)] * more
        self._finished += max(more, 0)

    @property
    def plain(self) -> bool:
        """Whether every card laid and every Guard is on record."""
        return not self.unknown and not any(laying.hidden for laying in self.layings)

    def aces(self) -> Iterator[tuple[Laying, int, int]]:
        """Yields where a Feint was never turned up: which Aces it can be (bits), and how many of them there are."""
        for laying in self.layings:
            count = sum(hidden.ace for hidden in laying.hidden)
            if count:
                yield laying, ACE_BITS & ~laying.shown & ~(laying.guard.card or 0), count

    def kinds(self, deck: int) -> list[int]:
        """Returns, for each card, those (bits) that are the same in every rule: all of them where all is plain."""
        if self.plain:
            return [deck] * len(PACK)
        seen = 0
        for row in self.shown:
            for shown in row:
                seen |= shown
        kinds = [1 << card for card in range(len(PACK))]
        for suit in SUIT_BITS.values():
            for group in (suit & ACE_BITS, suit & ~ACE_BITS):
                for card in bits(group & deck & ~seen):
                    kinds[card] = group & deck & ~seen
        return kinds

    def fits(self, hand: Hand, quiet: Iterable[Void], loud: Void | None = None) -> bool:
        """Returns whether, with these hands, all the `quiet` plays can have been honest and the `loud` one a revoke.

        Cards that were laid and not recorded, and Guards that nobody named, are chosen to suit.
        """
        if self.plain:
            honest = not any(hand(void.laying) & void.cards for void in quiet)
            return honest and (loud is None or hand(loud.laying) & loud.cards != 0)
        quiet = list(quiet)
        guards = {id(laying.guard): laying.guard for laying in self.layings} | {id(g): g for g in self.unknown}
        return all(
            any(
                all(
                    _lies(hand(laying), laying, card, [void for void in quiet if void.laying is laying], loud)
                    for laying in self.layings
                    if laying.guard is guard
                )
                for card in self._standing(guard, hand)
            )
            for guard in guards.values()
        )

    def _standing(self, guard: Guard, hand: Hand) -> list[int]:
        """Returns what this Guard can have been, as bits."""
        if guard.card is not None:
            return [guard.card]
        cards = ~guard.never
        for turn in range(guard.since, guard.until + 1):
            cards &= hand(Laying(guard.seat, turn, guard))
        for laying in self.layings:
            if laying.guard is guard:
                cards &= ~laying.shown
        return [1 << card for card in bits(cards)] + [0] * guard.absent


def _lies(hand: int, laying: Laying, guard: int, quiet: Sequence[Void], loud: Void | None) -> bool:
    """Returns whether one play can have gone so, with this hand and Guard."""
    free = hand & ~guard & ~laying.shown
    due: dict[int, int] = {}
    for void in quiet:
        if hand & void.cards & ~guard & laying.shown:
            return False
        for card in bits(hand & void.cards & ~guard):
            due[card] = min(due.get(card, void.entry), void.entry)
    if loud is None or loud.laying is not laying:
        return _laid(laying.hidden, free, due, {})
    if hand & loud.cards & ~guard & laying.shown:
        return _laid(laying.hidden, free, due, {})
    return any(_laid(laying.hidden, free, due, {card: loud.entry}) for card in bits(free & loud.cards))


def _laid(hidden: Sequence[Hidden], free: int, due: Mapping[int, int], kept: Mapping[int, int]) -> bool:
    """Returns whether cards can be chosen for what lay hidden: each before it was `due`, none that was `kept` so long.

    Where some choice covers every card due, and some choice every hidden place, one choice does both.
    """
    rows = [
        sum(
            1 << card
            for card in bits(free & ACE_BITS if one.ace else free)
            if one.entry < due.get(card, one.entry + 1) and one.entry > kept.get(card, -1)
        )
        for one in hidden
    ]
    columns = [sum((row >> card & 1) << place for place, row in enumerate(rows)) for card in due]
    return covers(columns) and covers([row for row, one in zip(rows, hidden, strict=True) if one.sure])


def covers(rows: Sequence[int]) -> bool:
    """Returns whether each row can have a bit of its own."""
    owner: dict[int, int] = {}

    def place(row: int, barred: set[int]) -> bool:
        for bit in bits(rows[row]):
            if bit not in barred:
                barred.add(bit)
                if bit not in owner or place(owner[bit], barred):
                    owner[bit] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(rows)))
