"""What the log of a Measure and Tempo bout proves about its off-suit plays.

Sound both ways: `illegal` and `legal` are refutations over every world, `open` shows a world each way. What the steps
allowed do not decide is `unknown`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from companion.engine.cards import BIT, PACK
from companion.engine.evidence import OffSuit, Part, Proof, Verdict
from companion.engine.measure_and_tempo_bout import Cycled
from companion.engine.measure_and_tempo_facts import Facts, Hand, Laying, Void
from companion.engine.measure_and_tempo_tempos import HAND
from companion.engine.measure_and_tempo_worlds import Limit, Places, Spent, Steps, Worlds, bits, search

STEPS = 150_000
TRIAL = 100
"""How many steps it takes to try a world in which cards lie hidden or Guards are not known."""
FAILS = (20, 60, 200, 1000, 1 << 40)


def referee(lines: "Sequence[Any]", steps: int = STEPS) -> Part:
    """Returns what the entries in force prove, as one part for the bout; `steps` bounds the work."""
    facts = Facts(lines)
    part = Referee(facts, (1 << len(PACK)) - 1, HAND, steps).part()
    return part if part.consistent is not False else part._replace(proofs=tuple(_proofs(part, facts.voids, lines)))


def _proofs(part: Part, voids: Sequence[Void], lines: Sequence[Any]) -> Iterator[Proof]:
    """Yields why somebody revoked: by the card that the seat showed while it held the same hand, if there is one."""
    sightings = list(_sightings(lines))
    caught = set()
    for void, play in zip(voids, part.plays, strict=True):
        if play.verdict == "illegal":
            caught.add(play.seat)
            # What may have lain hidden then, this does not prove; all the cards together do.
            seen = [] if void.slack else [one for one in sightings if one.cards & void.cards and one.seat == void.seat]
            held = [one for one in seen if one.turn == void.turn]
            shown = next((one for one in held if one.entry > void.entry), held[0] if held else None)
            params = {"seat": play.seat, "suit": play.suit}
            if shown is None:
                yield Proof("revoke-counted", (play.entry,), params)
            else:
                card = PACK[(shown.cards & void.cards).bit_length() - 1]
                yield Proof("revoke", (play.entry, shown.entry), params | {"card": card})
    for seat in set(part.guilty) - caught:
        own = [play for play in part.plays if play.seat == seat]
        fewer = [play for play in own if play.entry in part.conflict]
        among = fewer if len(fewer) == len(part.conflict) else own
        suits = list(dict.fromkeys(play.suit for play in among))
        yield Proof("revoke-among", tuple(play.entry for play in among), {"seat": seat, "suits": suits})
    if not part.guilty:
        yield Proof("revoke-by-someone", part.conflict)


class _Sighting(NamedTuple):
    entry: int
    seat: int
    turn: int
    cards: int


def _sightings(lines: Sequence[Any]) -> Iterator[_Sighting]:
    """Yields each card shown, with how often its seat had cycled."""
    turns = [0, 0]
    for number, line in enumerate(lines, 1):
        if isinstance(line.entry, Cycled):
            turns[line.entry.seat] += 1
        elif (card := getattr(line.entry, "card", None)) in BIT:
            yield _Sighting(number, line.entry.seat, turns[line.entry.seat], BIT[card])


class Referee:
    """One bout's evidence: the worlds, and what has been found of each off-suit play."""

    def __init__(self, facts: Facts, deck: int, hand: int, steps: int) -> None:
        self.facts, self.voids = facts, facts.voids
        self.steps, self.trial = Steps(steps), 0 if facts.plain else TRIAL
        self.places = Places(facts.cyclers, deck.bit_count(), hand)
        self.base = base = Worlds(self.places, deck, self.steps)
        for seat, row in enumerate(facts.shown):
            for turn, shown in enumerate(row):
                base.keep(shown, self.places.hands[seat][turn])
        for guard in facts.known:
            for turn in range(guard.since, guard.until + 1):
                base.keep(guard.card or 0, self.places.hands[guard.seat][turn])
        for laying, aces, count in facts.aces():
            base.limit(Limit(self._place(laying), aces, count, hand))
        for place in bits(self.places.final):
            base.bar(facts.revealed, place)
        self.kinds = facts.kinds(deck)
        self.plays = frozenset(number for number, void in enumerate(self.voids) if not void.murky)
        # Whether each play has been seen honest, and a revoke, in some world: False is in none, None not yet.
        self.honest: dict[int, bool | None] = dict.fromkeys(self.plays)
        self.revoke: dict[int, bool | None] = dict.fromkeys(self.plays)
        # Plays that were all honest in one world.
        self.joint: list[frozenset[int]] = []

    def part(self) -> Part:
        """Returns all that could be found out."""
        if not self.voids:
            return Part(0, True)
        consistent = None
        if self._possible():
            consistent = self._search()
        guilty: tuple[int, ...] = ()
        conflict: tuple[int, ...] = ()
        if consistent is False:
            guilty = tuple(seat for seat in (0, 1) if self._together(self._of(seat), FAILS[-2]) is False)
            conflict = tuple(sorted(self.voids[number].entry for number in self._conflict()))
        return Part(0, consistent, guilty, conflict, tuple(map(self._play, range(len(self.voids)))))

    def _place(self, laying: Laying) -> int:
        return self.places.hands[laying.seat][laying.turn]

    def _of(self, seat: int) -> frozenset[int]:
        return frozenset(number for number in self.plays if self.voids[number].seat == seat)

    def _possible(self) -> bool:
        """Returns whether the cards on record can be at all: nobody revoked in a record with a card entered wrongly."""
        try:
            return self.base.conclude()
        except Spent:
            return False

    def _search(self) -> bool | None:
        consistent: bool | None = None
        for fails in FAILS:
            if consistent is None:
                consistent = self._together(self.plays, fails)
            for number in self.plays:
                if self.honest[number] is None:
                    self._together(frozenset((number,)), fails)
                if self.revoke[number] is None:
                    self._revoke(number, fails)
            if False in self.honest.values():
                consistent = False
            if consistent is not None and None not in (*self.honest.values(), *self.revoke.values()):
                break
        return None if consistent and len(self.plays) < len(self.voids) else consistent

    def _play(self, number: int) -> OffSuit:
        void = self.voids[number]
        honest, revoke = self.honest.get(number), self.revoke.get(number)
        verdict: Verdict = "unknown"
        if honest is False:
            verdict = "illegal"
        elif revoke is False:
            verdict = "legal"
        elif honest and revoke:
            verdict = "open"
        return OffSuit(void.entry, void.seat, void.suit, verdict)

    def _together(self, plays: frozenset[int], fails: int) -> bool | None:
        """Returns whether some world has all these plays honest, None where that stays open."""
        if any(self.honest[number] is False for number in plays):
            return False
        if any(plays <= known for known in self.joint):
            return True
        worlds = self.base.copy()
        for number in sorted(plays):
            void = self.voids[number]
            place = self._place(void.laying)
            if not void.slack:
                worlds.bar(void.cards, place)
                continue
            # What was played later in the same play did not lie hidden.
            worlds.bar(void.cards & void.laying.shown, place)
            known = map(self.voids.__getitem__, plays)
            earlier = (v for v in known if v.laying is void.laying and v.entry <= void.entry)
            cards = 0
            for one in earlier:
                cards |= one.cards
            worlds.limit(Limit(place, cards, 0, void.slack))
        found = self._find(worlds, fails, [self.voids[number] for number in plays])
        if found is False and len(plays) == 1:
            self.honest[min(plays)] = False
        return found

    def _revoke(self, number: int, fails: int) -> None:
        """Looks for a world where this play was a revoke."""
        void = self.voids[number]
        place = self._place(void.laying)
        left = self.base.open[place] & void.cards
        answer: bool | None = False
        while left:
            card = (left & -left).bit_length() - 1
            may, must = self.base.may[card], self.base.must[card]
            for other in bits(left & self.kinds[card]):
                if self.base.may[other] == may and self.base.must[other] == must:
                    left &= ~(1 << other)
            worlds = self.base.copy()
            worlds.keep(1 << card, place)
            found = self._find(worlds, fails, [], void)
            if found:
                return
            if found is None:
                answer = None
        self.revoke[number] = answer

    def _find(self, worlds: Worlds, fails: int, quiet: Sequence[Void], loud: Void | None = None) -> bool | None:
        try:
            if not worlds.conclude():
                return False
            found = search(worlds, lambda held: self._fits(self._hand(held), quiet, loud), self.kinds, fails)
        except Spent:
            return None
        if not isinstance(found, list):
            return found
        self._learn(self._hand(found))
        return True

    def _hand(self, held: Sequence[int]) -> Hand:
        return lambda laying: held[self._place(laying)]

    def _fits(self, hand: Hand, quiet: Sequence[Void], loud: Void | None = None) -> bool:
        self.steps.left -= self.trial
        return self.facts.fits(hand, quiet, loud)

    def _learn(self, hand: Hand) -> None:
        """Takes from one world all that it shows."""
        good = [number for number in self.plays if self._fits(hand, (self.voids[number],))]
        self.honest |= dict.fromkeys(good, True)
        self.revoke |= {number: True for number in self.plays if self._fits(hand, (), self.voids[number])}
        if self._fits(hand, [self.voids[number] for number in good]):
            self.joint.append(frozenset(good))

    def _conflict(self) -> Iterable[int]:
        """Returns a smallest set of plays that cannot all have been honest: of several, the last."""
        illegal = [number for number in self.plays if self.honest[number] is False]
        if illegal:
            return (max(illegal),)
        core = self.plays
        for number in sorted(core):
            if self._together(core - {number}, FAILS[1]) is False:
                core -= {number}
        for size in range(2, len(core)):
            for some in sorted(combinations(sorted(self.plays), size), reverse=True):
                if self._together(frozenset(some), FAILS[0]) is False:
                    return some
        return core
