"""The worlds a bout of Measure and Tempo can have been, by where each card can lie at each time.

The deck is a row of lanes of two cards: a Cycle takes a lane's two cards into the hand and lays any two of the hand
there, and that lane comes up again once the whole deck has gone by (the 19th Cycle after). So each card takes a way
through places (a hand between two Cycles of its owner, a lane between two Cycles that touch it), and a world is a way
for every card that leaves no place over- or underfull. `Worlds` keeps, for each card, the places it can still pass:
it strikes out only what no world has, so that nothing left is a proof. `search` looks for one world.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from companion.engine.cards import PACK

LANE = 2
WINDOW = 5


class Spent(Exception):
    """The steps allowed are used up."""


class Steps:
    """A budget, counted in strikings-out: an engine reads no clock."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class Limit(NamedTuple):
    """Of these cards (bits), at least and at most so many lie at a place."""

    place: int
    cards: int
    least: int
    most: int


class Places:
    """Where cards can be in a bout with these Cycles, as bits in order of time.

    `hands[seat]` are a seat's holdings, one after another; `near[place]` are the places a card comes from or goes to,
    each with its bit, what leads there and what follows it (-1: nothing need). `moments` are the places there are at
    each time, `others[place]` those that a card there is not in.
    """

    __slots__ = ("begins", "count", "ends", "final", "from_on", "hands", "moments", "near", "others", "sizes", "turns")

    def __init__(self, cyclers: Sequence[int], cards: int = 52, hand: int = 7) -> None:
        lanes, cycles = (cards - 2 * hand) // LANE, len(cyclers)
        own = [[0, *(number for number, seat in enumerate(cyclers, 1) if seat == who)] for who in (0, 1)]
        spans: list[tuple[int, int, int, tuple[int, ...]]] = []
        for who in (0, 1):
            ends = [begin - 1 for begin in own[who][1:]] + [cycles]
            stretches = enumerate(zip(own[who], ends, strict=True))
            spans += [(begin, end, hand, (who, turn)) for turn, (begin, end) in stretches]
        drawn = [*range(1, min(cycles, lanes) + 1), *range(lanes + 1, cycles + lanes + 1)]
        spans += [(max(0, lane - lanes), min(lane - 1, cycles), LANE, (2, lane)) for lane in drawn]
        if cycles < lanes:
            spans.append((0, cycles, LANE * (lanes - cycles), (3,)))
        spans.sort()
        at = {key: place for place, (_, _, _, key) in enumerate(spans)}
        self.count = len(spans)
        self.begins = [begin for begin, _, _, _ in spans]
        # The last time of any place so far.
        self.ends = list(accumulate((end for _, end, _, _ in spans), max))
        self.sizes = [size for _, _, size, _ in spans]
        self.hands = tuple(tuple(at[who, turn] for turn in range(len(own[who]))) for who in (0, 1))
        self.moments = [
            sum(1 << place for place, (begin, end, _, _) in enumerate(spans) if begin <= time <= end)
            for time in range(cycles + 1)
        ]
        # The deck as it lies at the end, but for what was never drawn.
        self.final = sum(1 << at[2, lane] for lane in range(max(cycles, lanes) + 1, cycles + lanes + 1))
        self.others = [0] * self.count
        for moment in self.moments:
            for place in bits(moment):
                self.others[place] |= moment & ~(1 << place)
        turns = ((who, turn) for who in (0, 1) for turn in range(len(own[who])))
        self.turns = sorted((at[key], key) for key in turns)
        self.from_on = [0] * self.count
        for row in self.hands:
            for turn, place in enumerate(row):
                self.from_on[place] = sum(1 << later for later in row[turn:])
        before, after = [0] * self.count, [0] * self.count
        for number, who in enumerate(cyclers, 1):
            turn = own[who].index(number)
            for source in (at[who, turn - 1], at[2, number]):
                for target in (at[who, turn], at[2, number + lanes]):
                    before[target] |= 1 << source
                    after[source] |= 1 << target
        self.near = [
            tuple((1 << other, before[other] or -1, after[other] or -1) for other in bits(before[place] | after[place]))
            for place in range(self.count)
        ]


class Worlds:
    """The worlds not yet ruled out: `may` and `must` are a card's places, `open` and `held` a place's cards (bits)."""

    __slots__ = ("changed", "held", "limits", "may", "must", "open", "pending", "places", "possible", "steps")

    def __init__(self, places: Places, deck: int, steps: Steps) -> None:
        self.places, self.steps = places, steps
        self.may = [(deck >> card & 1) * ((1 << places.count) - 1) for card in range(len(PACK))]
        self.must = [0] * len(PACK)
        self.open = [deck] * places.count
        self.held = [0] * places.count
        self.pending: dict[int, int] = {}
        self.limits: dict[int, tuple[Limit, ...]] = {}
        self.possible = True
        self.changed = -1

    def copy(self) -> "Worlds":
        other = object.__new__(Worlds)
        other.places, other.steps, other.limits, other.possible = self.places, self.steps, self.limits, self.possible
        other.may, other.must = self.may[:], self.must[:]
        other.open, other.held = self.open[:], self.held[:]
        other.pending = self.pending.copy()
        other.changed = self.changed
        return other

    def keep(self, cards: int, place: int) -> None:
        """Rules out the worlds where one of these cards is not there."""
        gone = self.places.others[place]
        for card in bits(cards):
            self.pending[card] = self.pending.get(card, 0) | gone

    def bar(self, cards: int, place: int) -> None:
        """Rules out the worlds where one of these cards is there."""
        gone = 1 << place
        for card in bits(cards):
            self.pending[card] = self.pending.get(card, 0) | gone

    def limit(self, limit: Limit) -> None:
        """Rules out the worlds that break a limit."""
        self.limits = {**self.limits, limit.place: (*self.limits.get(limit.place, ()), limit)}
        self.possible = self._fits(*limit) and self.possible

    def settle(self) -> bool:
        """Draws every plain conclusion; False: no world is left. Raises Spent."""
        if not self.possible:
            return False
        places, may, opened = self.places, self.may, self.open
        near = places.near
        while self.pending:
            card, gone = self.pending.popitem()
            gone &= may[card]
            if not gone:
                continue
            left, one, touched = may[card] & ~gone, 1 << card, 0
            while gone:
                low = gone & -gone
                gone ^= low
                touched |= low
                place = low.bit_length() - 1
                opened[place] ^= one
                for bit, before, after in near[place]:
                    if left & bit and not (left & before and left & after):
                        left ^= bit
                        gone |= bit
            self.steps.left -= touched.bit_count()
            if not left:
                return False
            may[card] = left
            sure = 0
            first, last = (touched & -touched).bit_length() - 1, touched.bit_length() - 1
            for moment in places.moments[places.begins[first] : places.ends[last] + 1]:
                here = left & moment
                if not here & (here - 1):
                    sure |= here
            fresh = sure & ~self.must[card]
            self.must[card] |= fresh
            for place in bits(fresh):
                self.held[place] |= one
            touched |= fresh
            self.changed |= touched
            for place in bits(touched):
                size = places.sizes[place]
                if not self._fits(place, -1, size, size):
                    return False
                if place in self.limits and not all(self._fits(*limit) for limit in self.limits[place]):
                    return False
        if self.steps.left < 0:
            raise Spent
        return True

    def _fits(self, place: int, cards: int, least: int, most: int) -> bool:
        held, opened = self.held[place] & cards, self.open[place] & cards
        if held != opened:
            if opened.bit_count() <= least:
                self.keep(opened & ~held, place)
            if held.bit_count() >= most:
                self.bar(opened & ~held, place)
        return held.bit_count() <= most and opened.bit_count() >= least

    def crowd(self) -> bool:
        """Counts who must have come into a hand, or left it, in so many Cycles: at most two each. False: too many."""
        changed, self.changed = self.changed, 0
        for turns in self.places.hands:
            near = [turn for turn, place in enumerate(turns) if changed >> place & 1]
            if not near:
                continue
            some = turns[max(0, near[0] - WINDOW) : near[-1] + WINDOW + 1]
            if not (self._flows(some) and self._flows(some[::-1])):
                return False
        return True

    def _flows(self, row: Sequence[int]) -> bool:
        held, opened = self.held, self.open
        came = [0] * len(row)
        for span in range(1, min(len(row), WINDOW + 1)):
            for at in range(len(row) - span):
                # Came between `at` and `at + span`: there as a whole, or in a shorter stretch within.
                new = held[row[at + span]] & ~opened[row[at]] | came[at] | came[at + 1]
                came[at] = new
                if new and (count := new.bit_count()) >= LANE * span:
                    if count > LANE * span:
                        return False
                    for one, two in pairwise(row[at : at + span + 1]):
                        if more := opened[two] & ~opened[one] & ~new:
                            self.bar(more, two)
                        if more := held[two] & ~held[one] & ~new:
                            self.keep(more, one)
        return True

    def conclude(self) -> bool:
        """Draws every conclusion, those by counting too; False: no world is left. Raises Spent."""
        while self.settle():
            if not self.crowd():
                return False
            if not self.pending:
                return True
        return False


Accept = Callable[[list[int]], bool]
"""Whether a world, given as the cards at each place, will do."""


def search(start: Worlds, accept: Accept, kinds: Sequence[int], fails: int) -> list[int] | bool | None:
    """Looks for one world: False where there is none at all, None after so many dead ends. Raises Spent.

    `kinds[card]` are the cards that nothing but the places they may be in tells apart from it.
    """
    path: list[tuple[Worlds, int, int]] = []
    worlds = start.copy()
    while True:
        if worlds.steps.left < 0:
            raise Spent
        choice = _choose(worlds)
        if choice is None:
            if accept(worlds.held):
                return worlds.held
            dead = True
        else:
            path.append((worlds, *choice))
            worlds = worlds.copy()
            worlds.keep(1 << choice[0], choice[1])
            dead = not worlds.conclude()
        while dead:
            if not path:
                return False
            fails -= 1
            if fails < 0:
                return None
            worlds, card, place = path.pop()
            # Cards that nothing tells apart share each other's fate.
            may, must = worlds.may[card], worlds.must[card]
            same = (other for other in bits(kinds[card]) if worlds.may[other] == may and worlds.must[other] == must)
            worlds.bar(sum(1 << other for other in same), place)
            dead = not worlds.conclude()


def _choose(worlds: Worlds) -> tuple[int, int] | None:
    """Picks the first hand in time that is not full, and a card for it; None: every hand is full."""
    places = worlds.places
    for place, (seat, turn) in places.turns:
        missing = worlds.open[place] & ~worlds.held[place]
        if missing:
            kept = worlds.held[places.hands[seat][turn - 1]] if turn else 0
            return min(bits(missing), key=lambda card: _rank(worlds, card, place, kept)), place
    return None


def _rank(worlds: Worlds, card: int, place: int, kept: int) -> tuple[int, int]:
    """Orders cards for a hand: first what is needed there again soonest, last what can leave it latest."""
    may, must, later = worlds.may[card], worlds.must[card], worlds.places.from_on[place]
    gap = later & ~may
    leaves = gap & -gap if gap else 1 << worlds.places.count
    need = later & must
    needed = need & -need if need else 0
    if needed and needed < leaves:
        return 0, needed.bit_length()
    return 3 if must >> place else 1 if kept >> card & 1 else 2, -leaves.bit_length()


def bits(mask: int) -> Iterator[int]:
    """Yields the places of the ones."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
