"""Evidence: what the log proves about hidden hands. A wrong accusation is the worst fault this program can have.

A world is a full deal of the unseen cards that agrees with every card on record. A play off the led suit is honest in a
world where its seat held no card of that suit at the time. Where hands only shrink, a world is a way to give every
unseen card a slot: a card played unseen, a card still held, a card never dealt; an honest play closes its seat's later
slots to the suit. By Hall's theorem such a way exists if and only if no set of suits has more cards than open slots.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from companion.engine.cards import SUIT, SUITS, Card, Suit

if TYPE_CHECKING:
    from companion.engine.fold import Fold

Verdict = Literal["legal", "illegal", "open", "unknown"]
_NEVER = 1 << 30


class OffSuit(NamedTuple):
    """One play off the led suit: `entry` is its 1-based place in force, `suit` the led suit.

    `illegal` in every world, `legal` in every world, `open`: some worlds each way, `unknown`: not decided in the time.
    """

    entry: int
    seat: int
    suit: Suit
    verdict: Verdict


class Proof(NamedTuple):
    """One thing proved, as a finding's code, places and parameters."""

    code: str
    entries: tuple[int, ...]
    params: Mapping[str, Any] = {}


class Part(NamedTuple):
    """What one round or hand proves (Measure and Tempo: the bout); `chapter` is its number, 0 for the whole game.

    `consistent`: some world has every off-suit play honest (None: not decided). `guilty` seats revoked in every world;
    `conflict` is a smallest set of entries that cannot all have been legal. `proofs` say why.
    """

    chapter: int
    consistent: bool | None
    guilty: tuple[int, ...] = ()
    conflict: tuple[int, ...] = ()
    plays: tuple[OffSuit, ...] = ()
    proofs: tuple[Proof, ...] = ()

    def json(self) -> dict[str, Any]:
        """Returns the part as `companion referee` writes it, but for its `part` and `text`."""
        return {
            "consistent": self.consistent,
            "guilty": list(self.guilty),
            "conflict": list(self.conflict),
            "plays": [play._asdict() for play in self.plays],
        }


class Shown(NamedTuple):
    """Cards a seat laid in one entry (None: nobody saw which); `missed` is the led suit that they did not follow."""

    entry: int
    seat: int
    cards: tuple[Card | None, ...]
    missed: Suit | None = None


class Dealt(NamedTuple):
    """What is on record of one round or hand in which cards only leave the hands.

    `held` are the cards dealt to each seat (None: the table set a number by hand, so none is sure). `revealed` cards
    were never dealt, or were left in a hand at the end.
    """

    chapter: int
    deck: tuple[Card, ...]
    held: tuple[int, ...] | None
    shown: tuple[Shown, ...]
    revealed: tuple[Card, ...] = ()


class Hidden(NamedTuple):
    """Cards that could be turned over: the one that a seat's entry (1-based) laid face down, or those never laid."""

    entry: int | None
    seat: int | None
    number: int


class Claim(NamedTuple):
    """From this entry on the seat held no card of the suit, if the play was honest."""

    entry: int
    seat: int
    suit: Suit


def referee(so_far: "Fold") -> tuple[Part, ...]:
    """Returns what the log proves about off-suit plays, one part for each round or hand."""
    return so_far.game.evidence(so_far.lines, so_far.states)


def parts(dealt: Iterable[Dealt]) -> tuple[Part, ...]:
    """Returns what each round or hand proves."""
    return tuple(map(prove, dealt))


@lru_cache(maxsize=256)
def prove(dealt: Dealt) -> Part:
    """Returns what one round or hand proves. One that is over stays as it is, and is not looked at again."""
    worlds = _Worlds(dealt)
    claims = [Claim(shown.entry, shown.seat, shown.missed) for shown in dealt.shown if shown.missed]
    plays = tuple(OffSuit(*claim, worlds.verdict(claim)) for claim in claims)
    if worlds.possible(claims):
        return Part(dealt.chapter, True, plays=plays)
    own = {seat: [claim for claim in claims if claim.seat == seat] for seat in sorted({claim.seat for claim in claims})}
    guilty = tuple(seat for seat, mine in own.items() if not worlds.possible(mine))
    proofs = [worlds.proof(claim) for claim, play in zip(claims, plays, strict=True) if play.verdict == "illegal"]
    for seat in guilty:
        if not any(proof.params["seat"] == seat for proof in proofs):
            among = worlds.conflict(own[seat])
            suits = list(dict.fromkeys(claim.suit for claim in among))
            proofs.append(Proof("revoke-among", _places(among), {"seat": seat, "suits": suits}))
    others = [claim for claim in claims if claim.seat not in guilty]
    if not worlds.possible(others):
        proofs.append(Proof("revoke-by-someone", _places(worlds.conflict(others))))
    return Part(dealt.chapter, False, guilty, _places(worlds.conflict(claims)), plays, tuple(proofs))


@lru_cache(maxsize=64)
def telling(dealt: Dealt, face_down: tuple[int, ...] = ()) -> tuple[Hidden, ...]:
    """Returns what stayed hidden, if turning it over could prove a revoke that is not proved yet; else nothing.

    `face_down` are the entries that laid a card face down.
    """
    claims = [Claim(shown.entry, shown.seat, shown.missed) for shown in dealt.shown if shown.missed]
    part = prove(dealt)
    doubtful = [claim for claim, play in zip(claims, part.plays, strict=True) if play.verdict == "open"]
    if not doubtful or dealt.held is None:
        return ()
    laid = [shown for shown in dealt.shown if shown.entry in face_down and shown.cards == (None,)]
    left = len(dealt.deck) - len(dealt.revealed) - sum(len(shown.cards) for shown in dealt.shown)
    hidden = [Hidden(shown.entry, shown.seat, 1) for shown in laid] + ([Hidden(None, None, left)] if left > 0 else [])
    for trial in _turned_over(dealt, [shown.entry for shown in laid], max(left, 0)):
        worlds = _Worlds(trial)
        alone = any(not worlds.possible([claim]) for claim in doubtful)
        if worlds.agrees and (alone or (part.consistent and not worlds.possible(claims))):
            return tuple(hidden)
    return ()


def _turned_over(dealt: Dealt, entries: Sequence[int], left: int) -> Iterator[Dealt]:
    """Yields what could come to light, by suits: which card of a suit it is makes no difference."""
    known = {*dealt.revealed, *(card for shown in dealt.shown for card in shown.cards)}
    pool = {suit: [card for card in dealt.deck if SUIT[card] == suit and card not in known] for suit in SUITS}
    for faced in product(SUITS, repeat=len(entries)):
        for rest in combinations_with_replacement(SUITS, left):
            need = Counter((*faced, *rest))
            if all(len(pool[suit]) >= number for suit, number in need.items()):
                cards = {suit: iter(pool[suit]) for suit in SUITS}
                up = {entry: (next(cards[suit]),) for entry, suit in zip(entries, faced, strict=True)}
                shown = tuple(one._replace(cards=up.get(one.entry, one.cards)) for one in dealt.shown)
                yield dealt._replace(shown=shown, revealed=(*dealt.revealed, *(next(cards[suit]) for suit in rest)))


def _places(claims: Iterable[Claim]) -> tuple[int, ...]:
    return tuple(claim.entry for claim in claims)


def _strongest(claims: Iterable[Claim]) -> list[Claim]:
    """Of the plays of one seat off one suit keeps the first: it says most, and the others nothing more."""
    first: dict[tuple[int, str], Claim] = {}
    for claim in claims:
        first.setdefault((claim.seat, claim.suit), claim)
    return list(first.values())


class _Worlds:
    """All deals of the unseen cards, counted by suit; cards revealed at the end are suits of their own."""

    def __init__(self, dealt: Dealt) -> None:
        self.shown = [(shown.entry, shown.seat, card) for shown in dealt.shown for card in shown.cards if card]
        known = {card for _, _, card in self.shown}
        unseen = [card for card in dealt.deck if card not in known]
        self.slots = self._slots(dealt, len(unseen))
        self.kinds = sorted({(SUIT[card], card in dealt.revealed) for card in unseen})
        self._count(unseen, dealt.revealed)
        self.agrees = self.possible([])
        if dealt.revealed and not self.agrees:
            # A card that was laid face down has been shown as if it had been left: it says nothing then.
            self.kinds = sorted({(SUIT[card], False) for card in unseen})
            self._count(unseen, ())

    def _slots(self, dealt: Dealt, unseen: int) -> list[tuple[int, int | None]]:
        """Returns the slots of the unseen cards: since which entry they count as held (the last: at the end), whose."""
        slots: list[tuple[int, int | None]] = []
        seats = range(len(dealt.held)) if dealt.held else sorted({shown.seat for shown in dealt.shown})
        for seat in seats:
            laid = [(shown.entry, card) for shown in dealt.shown if shown.seat == seat for card in shown.cards]
            slots += [(entry, seat) for entry, card in laid if card is None]
            slots += [(_NEVER, seat)] * (dealt.held[seat] - len(laid) if dealt.held else unseen)
        slots += [(_NEVER, None)] * (len(dealt.deck) - sum(dealt.held) if dealt.held else unseen)
        return slots

    def _count(self, unseen: Sequence[Card], revealed: Sequence[Card]) -> None:
        bits = {kind: 1 << place for place, kind in enumerate(self.kinds)}
        self.sets = range(1, 1 << len(self.kinds))
        cards = [bits[SUIT[card], card in revealed] for card in unseen]
        self.cards = [sum(bool(bit & kinds) for bit in cards) for kinds in self.sets]
        self.all = sum(bits.values())
        self.laid = sum(bit for (_, late), bit in bits.items() if not late)
        self.of_suit = {suit: sum(bit for (own, _), bit in bits.items() if own == suit) for suit, _ in self.kinds}
        self.memo: dict[tuple[int | None, frozenset[Claim]], list[int]] = {}

    def possible(self, claims: Sequence[Claim]) -> bool:
        """Returns whether some world has all these plays honest."""
        if any(self.shown_later(claim) for claim in claims):
            return False
        seats = {seat for _, seat in self.slots}
        rooms = [self._room(seat, frozenset(claim for claim in claims if claim.seat == seat)) for seat in seats]
        return all(cards <= sum(room) for cards, *room in zip(self.cards, *rooms, strict=True))

    def shown_later(self, claim: Claim) -> tuple[int, Card] | None:
        """Returns the entry and the card by which the seat itself showed that it held the suit."""
        for entry, seat, card in self.shown:
            if seat == claim.seat and entry >= claim.entry and SUIT[card] == claim.suit:
                return entry, card
        return None

    def verdict(self, claim: Claim) -> Verdict:
        """Returns what every world says of one play, whatever the others were."""
        if not self.possible([claim]):
            return "illegal"
        return "open" if self._dishonest(claim) else "legal"

    def conflict(self, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """Returns a smallest set of plays that cannot all have been honest: of several the one that begins latest."""
        size = next(size for size in range(1, len(claims) + 1) if self._conflict(claims, size))
        rest = list(claims)
        for claim in claims:
            less = [other for other in rest if other != claim]
            if self._conflict(less, size):
                rest = less
        return tuple(rest)

    def _conflict(self, claims: Sequence[Claim], size: int) -> bool:
        return not all(map(self.possible, combinations(_strongest(claims), size)))

    def proof(self, claim: Claim) -> Proof:
        """Returns why a play is illegal in every world."""
        later = self.shown_later(claim)
        params = {"seat": claim.seat, "suit": claim.suit}
        if later is None:
            return Proof("revoke-counted", (claim.entry,), params)
        return Proof("revoke", tuple(dict.fromkeys((claim.entry, later[0]))), params | {"card": later[1]})

    def _takes(self, slot: tuple[int, int | None]) -> int:
        return self.all if slot[0] == _NEVER else self.laid

    def _room(self, seat: int | None, claims: frozenset[Claim]) -> list[int]:
        """Returns for each set of suits how many of the seat's slots could take a card of it."""
        if (seat, claims) not in self.memo:
            masks = []
            for slot in self.slots:
                if slot[1] == seat:
                    mask = self._takes(slot)
                    for claim in claims:
                        if slot[0] >= claim.entry:
                            mask &= ~self.of_suit.get(claim.suit, 0)
                    masks.append(mask)
            self.memo[seat, claims] = [sum(bool(mask & kinds) for mask in masks) for kinds in self.sets]
        return self.memo[seat, claims]

    def _dishonest(self, claim: Claim) -> bool:
        """Returns whether some world gives the seat a card of the suit at the time of the play."""
        rooms = [self._room(seat, frozenset()) for seat in {seat for _, seat in self.slots}]
        room = [sum(parts) for parts in zip(*rooms, strict=True)]
        masks = {self._takes(slot) for slot in self.slots if slot[1] == claim.seat and slot[0] >= claim.entry}
        for place in range(len(self.kinds)):
            bit = 1 << place
            for mask in masks if self.kinds[place][0] == claim.suit else ():
                # One card of the suit is put into one such slot: the others must still find theirs.
                if bit & mask and all(
                    cards - bool(bit & kinds) <= here - bool(mask & kinds)
                    for kinds, cards, here in zip(self.sets, self.cards, room, strict=True)
                ):
                    return True
        return False
