"""Bouts of Measure and Tempo played out with known hands, and a slow model that tries every world of a small deck."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

from companion.engine.cards import PACK, SUIT
from companion.engine.measure_and_tempo_tempos import answer_wins, trump_of

Entry = dict[str, Any]


@dataclass
class Style:
    """How the players play, and how carefully they record: chances from 0 to 1.

    `revoke`: an answer that could follow does not. `by_result`: a tempo is entered by its winner only. `blind`: a Guard
    or a lead is not recorded. `careful`: a Cycle keeps what the others have seen.
    """

    strike: float = 0.2
    cycle: float = 0.6
    guard: float = 0.5
    feint: float = 0.1
    on: float = 0.7
    revoke: float = 0.0
    by_result: float = 0.0
    blind: float = 0.0
    plays: int = 30
    cycles: int = 60


@dataclass
class Bout:
    """A bout dealt and played: its entries, and the places (1-based) of the plays that were revokes."""

    random: Random
    style: Style
    cards: Sequence[str] = PACK
    size: int = 7
    entries: list[Entry] = field(default_factory=list)
    revokes: set[int] = field(default_factory=set)
    offs: set[int] = field(default_factory=set)

    def play(self) -> "Bout":
        deck = list(self.cards)
        self.random.shuffle(deck)
        self.hands = [deck[: self.size], deck[self.size : 2 * self.size]]
        self.deck = deck[2 * self.size :]
        self.guards: list[str | None] = [None, None]
        self.recorded: list[str | None] = [None, None]
        self.cycles = 0
        seat = 0
        for _ in range(self.style.plays):
            if self.cycles >= self.style.cycles:
                break
            seat = self.out_of_measure(seat)
            seat = self.in_measure(seat)
        return self

    def put(self, **entry: Any) -> None:
        self.entries.append(entry)

    def chance(self, chance: float) -> bool:
        return self.random.random() < chance

    def out_of_measure(self, seat: int) -> int:
        """Plays until somebody strikes, and returns who."""
        for action in range(12):
            if not self.free(seat):
                self.guard(seat)
            elif action == 11 or self.chance(self.style.strike):
                return seat
            elif self.chance(self.style.cycle):
                self.cycle(seat)
            elif self.chance(self.style.guard):
                self.guard(seat)
            elif self.entries and self.entries[-1]["type"] == "stall":
                self.cycle(seat)
            else:
                self.put(type="stall", seat=seat)
            seat = 1 - seat
        return seat

    def free(self, seat: int) -> list[str]:
        return [card for card in self.hands[seat] if card != self.guards[seat]]

    def cycle(self, seat: int) -> None:
        self.hands[seat] += self.deck[:2]
        del self.deck[:2]
        for card in self.random.sample(self.free(seat), 2):
            self.hands[seat].remove(card)
            self.deck.append(card)
        self.cycles += 1
        self.put(type="cycle", seat=seat)

    def guard(self, seat: int) -> None:
        standing = self.guards[seat]
        card = None if standing and (self.chance(0.4) or not self.free(seat)) else self.random.choice(self.free(seat))
        self.guards[seat] = card
        if self.chance(self.style.blind):
            self.put(type="guard", seat=seat)
            self.recorded[seat] = "?"
        elif card is None and self.recorded[seat] is None:
            # Nobody saw that Guard stand, so nobody can record that it went.
            self.put(type="guard", seat=seat)
            self.recorded[seat] = "?"
        else:
            self.put(type="guard", seat=seat, card=card)
            self.recorded[seat] = card

    def in_measure(self, leader: int) -> int:
        """Plays tempos until somebody disengages, and returns who lost the last one."""
        hands = [self.free(0), self.free(1)]
        kind = "strike"
        hides = self.chance(self.style.by_result)
        for tempo in range(6):
            other = 1 - leader
            lead = self.random.choice(hands[leader])
            feint = lead[:-1] == "A" and self.chance(self.style.feint)
            follows = [card for card in hands[other] if SUIT[card] == SUIT[lead]]
            rest = [card for card in hands[other] if SUIT[card] != SUIT[lead]]
            revokes = bool(follows and rest and not feint and self.chance(self.style.revoke))
            answer = self.random.choice(hands[other] if feint else rest if revokes or not follows else follows)
            hands[leader].remove(lead)
            hands[other].remove(answer)
            wins = answer_wins(lead, answer, trump_of((self.guards[0], self.guards[1])))
            winner = other if wins else leader
            if tempo or not hides:
                self.record(kind, leader, lead, feint, answer, winner, revokes)
            else:
                self.put(type="strike", seat=leader)
                self.put(type="won", seat=winner)
            leader, kind = winner, "lead"
            if tempo == 5:
                break
            if not (hands[0] and hands[1]) or not self.chance(self.style.on):
                self.put(type="disengage", seat=winner)
                break
        return 1 - winner

    def record(
        self, kind: str, leader: int, lead: str, feint: bool, answer: str, winner: int, revokes: bool
    ) -> None:
        """Enters a tempo, card by card or not quite."""
        result: Entry = {"type": "won", "seat": winner}
        if self.chance(self.style.by_result):
            if kind == "strike" or self.chance(0.5):
                shown = {"feint": True} if feint else {} if self.chance(0.5) else {"card": lead}
                self.put(type=kind, seat=leader, **shown)
            self.entries.append(result)
            return
        if feint:
            self.put(type=kind, seat=leader, feint=True)
        elif self.chance(self.style.blind):
            self.put(type=kind, seat=leader)
            self.put(type="answer", seat=1 - leader, card=answer)
            self.entries.append(result)
            return
        else:
            self.put(type=kind, seat=leader, card=lead)
        self.put(type="answer", seat=1 - leader, card=answer)
        if feint:
            self.put(type="turned", seat=leader, card=lead)
        elif SUIT[lead] != SUIT[answer]:
            self.offs.add(len(self.entries))
            if revokes:
                self.revokes.add(len(self.entries))
        trump = trump_of((self.recorded[0], self.recorded[1]))
        if answer_wins(lead, answer, trump) is None:
            self.entries.append(result)


@dataclass(frozen=True)
class World:
    """A moment of one world: hands, deck in blocks of two, Guards, what lies on the table, which plays were revokes."""

    hands: tuple[frozenset[str], frozenset[str]]
    deck: tuple[frozenset[str], ...]
    guards: tuple[str | None, str | None] = (None, None)
    table: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    revokes: frozenset[int] = frozenset()

    def free(self, seat: int) -> frozenset[str]:
        return self.hands[seat] - {self.guards[seat]} - self.table[seat]

    def with_seat(self, seat: int, **new: Any) -> "World":
        def put(pair: tuple[Any, Any], value: Any) -> tuple[Any, Any]:
            return (value, pair[1]) if seat == 0 else (pair[0], value)

        changed = {key: put(getattr(self, key), value) for key, value in new.items()}
        return World(**{**self.__dict__, **changed})


def deals(cards: frozenset[str], sizes: Sequence[int]) -> Iterator[tuple[frozenset[str], ...]]:
    if not sizes:
        yield ()
        return
    for some in combinations(sorted(cards), sizes[0]):
        for rest in deals(cards - set(some), sizes[1:]):
            yield (frozenset(some), *rest)


def worlds(entries: Sequence[Entry], cards: Sequence[str], size: int) -> tuple[set[frozenset[int]], dict[int, int]]:
    """Tries every world of a small deck: which sets of plays can have been the revokes, and who made each play."""
    sizes = (size, size, *[2] * ((len(cards) - 2 * size) // 2))
    begun = [_before_cycling(entries, seat) for seat in (0, 1)]
    now = {
        World((deal[0], deal[1]), deal[2:])
        for deal in deals(frozenset(cards), sizes)
        if begun[0] <= deal[0] and begun[1] <= deal[1]
    }
    plays: dict[int, int] = {}
    lead: Mapping[str, Any] | None = None
    seen: list[str | None] = [None, None]
    answered = False
    for number, entry in enumerate(entries, 1):
        seat: int = entry["seat"]
        match entry["type"]:
            case "cycle":
                now = {after for world in now for after in _cycle(world, seat)}
            case "guard":
                card = entry.get("card", "?")
                now = {after for world in now for after in _guard(world, seat, card, seen[seat])}
                seen[seat] = card
            case "strike" | "lead":
                if entry["type"] == "strike":
                    now = {World(world.hands, world.deck, world.guards, revokes=world.revokes) for world in now}
                lead, answered = entry, False
                feint = entry.get("feint") and _turned(entries[number:])
                shown = {feint} if feint else {card for card in cards if card[:-1] == "A"} if "feint" in entry else None
                shown = {entry["card"]} if "card" in entry else shown
                now = {after for world in now for after in _lay(world, seat, shown)}
            case "answer":
                answered = True
                if lead and "card" in lead and SUIT[lead["card"]] != SUIT[entry["card"]]:
                    plays[number] = seat
                    suit = SUIT[lead["card"]]
                    now = {
                        World(**{**world.__dict__, "revokes": world.revokes | {number}})
                        if any(SUIT[card] == suit for card in world.free(seat))
                        else world
                        for world in now
                    }
                now = {after for world in now for after in _lay(world, seat, {entry["card"]})}
                if lead and "card" in lead:
                    trump = trump_of((seen[0], seen[1]))
                    if answer_wins(lead["card"], entry["card"], trump) is not None:
                        lead = None
            case "turned":
                if answer_wins(entry["card"], entries[number - 2]["card"], trump_of((seen[0], seen[1]))) is not None:
                    lead = None
            case "won":
                if lead is None:
                    now = {after for world in now for after in _lay(world, 0, None)}
                    now = {after for world in now for after in _lay(world, 1, None)}
                elif not answered:
                    now = {after for world in now for after in _lay(world, 1 - lead["seat"], None)}
                lead = None
    return {world.revokes for world in now}, plays


def _before_cycling(entries: Sequence[Entry], seat: int) -> set[str]:
    """Returns the cards a seat showed before its first Cycle: leaves out early the deals that cannot be."""
    shown = set()
    for entry in entries:
        if entry["seat"] == seat:
            if entry["type"] == "cycle":
                break
            shown.add(entry.get("card"))
    return shown - {None}


def _turned(later: Sequence[Entry]) -> str | None:
    """Returns the Feint's Ace if it was turned up."""
    kinds = [entry["type"] for entry in later[:2]]
    return str(later[1]["card"]) if kinds == ["answer", "turned"] else None


def _cycle(world: World, seat: int) -> Iterator[World]:
    held = world.hands[seat] | world.deck[0]
    for some in combinations(sorted(held - {world.guards[seat]}), 2):
        deck = (*world.deck[1:], frozenset(some))
        # Between plays nothing lies on the table.
        yield World(world.with_seat(seat, hands=held - set(some)).hands, deck, world.guards, revokes=world.revokes)


def _guard(world: World, seat: int, card: str | None, seen: str | None) -> Iterator[World]:
    world = World(world.hands, world.deck, world.guards, revokes=world.revokes)
    standing = world.guards[seat]
    if card == "?":
        for one in sorted(world.hands[seat] - {standing}):
            yield world.with_seat(seat, guards=one)
        if standing is not None:
            yield world.with_seat(seat, guards=None)
    elif card is None:
        if standing is not None:
            yield world.with_seat(seat, guards=None)
    elif card in world.hands[seat] and card != standing:
        yield world.with_seat(seat, guards=card)


def _lay(world: World, seat: int, shown: set[str] | None) -> Iterator[World]:
    for card in world.free(seat):
        if shown is None or card in shown:
            yield world.with_seat(seat, table=world.table[seat] | {card})
