"""Games played out with known hands, and revokes on purpose: what the referee says of their logs can be checked.

A `Log` holds what was entered and, for each play off the led suit among it, whether it was honest.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.engine.evidence import Part, referee
from companion.engine.fold import Fold, start
from companion.engine.record import read_line
from companion.engine.registry import GAMES


@dataclass
class Log:
    """`honest` by 1-based entry; `openings` are the entries in force as each round or hand began."""

    fold: Fold
    honest: dict[int, bool] = field(default_factory=dict)
    openings: list[int] = field(default_factory=list)

    def add(self, **entry: Any) -> int:
        """Enters a fact of the table; returns its place."""
        self.fold = self.fold.add(read_line(entry, self.fold.game, self.fold.players))
        return len(self.fold.lines)

    def claim(self, place: int, led: str | None, first: str, hand: list[str]) -> None:
        """Notes a play off the led suit; `hand` is what its player held, the card itself included."""
        if led is not None and first[-1] != led:
            self.honest[place] = all(card[-1] != led for card in hand)


def judged(log: Log) -> Iterator[tuple[Part, dict[int, bool]]]:
    """Yields what is proved of each round or hand, and the truth about its plays off the led suit."""
    bounds = [*log.openings, len(log.fold.lines)]
    for part in referee(log.fold):
        low, high = bounds[part.chapter - 1], bounds[part.chapter]
        yield part, {entry: was for entry, was in log.honest.items() if low < entry <= high}


def false_words(part: Part, truth: dict[int, bool]) -> list[str]:
    """Returns what is said that is not true: nothing may ever be."""
    liars = {play.seat for play in part.plays if not truth[play.entry]}
    said = [
        f"entry {play.entry} is {play.verdict}"
        for play in part.plays
        if play.verdict in ("legal", "illegal") and truth[play.entry] != (play.verdict == "legal")
    ]
    said += [f"seat {seat} is guilty" for seat in part.guilty if seat not in liars]
    if part.conflict and all(truth[entry] for entry in part.conflict):
        said.append(f"not all of {part.conflict} were honest")
    for proof in part.proofs:
        if all(truth.get(entry, True) for entry in proof.entries):
            said.append(f"{proof.code} in {proof.entries}")
    return said if liars or part.consistent is not False else [*said, "somebody revoked"]


def choose(rng: Random, hand: list[str], led: str | None, revoke: float) -> str:
    """Picks a card that follows, or sometimes does not."""
    follows = [card for card in hand if card[-1] == led]
    return rng.choice(follows if follows and rng.random() >= revoke else hand)


def deal(rng: Random, deck: list[str], held: list[int]) -> tuple[list[list[str]], list[str]]:
    rng.shuffle(deck)
    hands = []
    for number in held:
        hands.append(deck[:number])
        deck = deck[number:]
    return hands, deck


def leapfrog(rng: Random, revoke: float, by_result: float = 0.2, told: float = 0.3) -> Log:
    """Plays Leapfrog!; some tricks are entered by their result, some hidden cards are told of."""
    game = GAMES["leapfrog"]
    track = rng.sample([0, 0, 1, 2, 3, 4, 6, 8], 8)
    fresh = {"variant": "freshwater", "track": track} if rng.random() < 0.5 else {"variant": "standard"}
    setup = {**fresh, "hierarchy": rng.sample("SHDC", 3), "dealer": rng.randrange(2)}
    log = Log(start(game, game.read_setup(setup, 2), 2))
    deck = list(game.deck(log.fold.setup))
    while game.outcome(log.fold.state) is None:
        log.openings.append(len(log.fold.lines))
        hands, undealt = deal(rng, list(deck), [14, 14])
        for _ in range(7):
            _leapfrog_trick(rng, log, hands, revoke, rng.random() < by_result, told)
        if rng.random() < told:
            log.add(type="reveal", cards=rng.sample(undealt, rng.randrange(1, 3)))
    return log


def _leapfrog_trick(rng: Random, log: Log, hands: list[list[str]], revoke: float, by_result: bool, told: float) -> None:
    shown = Log(log.fold)
    leader = log.fold.state.leader
    led = power = None
    for seat in (leader, 1 - leader, leader, 1 - leader):
        hand = hands[seat]
        if power is None and log.fold.state.powers_used[seat] < 2 and rng.random() < 0.1:
            card = rng.choice(hand)
            power = {"type": "power", "seat": seat, "power": rng.choice(["leap", "king"])}
            if rng.random() < told:
                power["card"] = card
            shown.add(**power)
        else:
            card = choose(rng, hand, led, revoke)
            shown.claim(shown.add(type="card", seat=seat, card=card), led, card, hand)
            led = led or card[-1]
        hand.remove(card)
    after = shown.fold.state
    # The trick's hop, if it is asked for, is entered after it.
    winner = after.choice if after.choice is not None else after.last.winner
    if by_result:
        if power:
            log.add(**power)
        log.add(type="won", seat=winner)
    else:
        log.fold = shown.fold
        log.honest.update(shown.honest)
    if log.fold.state.choice is not None:
        log.add(type="hop", seat=winner, dive=rng.random() < 0.5)


def chameleon_tricks(rng: Random, revoke: float, by_result: float = 0.2, told: float = 0.3) -> Log:
    """Plays Chameleon Tricks with two or three; some tricks are entered or closed early by their result."""
    game = GAMES["chameleon-tricks"]
    players = rng.randrange(2, 4)
    log = Log(start(game, game.read_setup({"dealer": rng.randrange(players)}, players), players))
    deck = list(game.deck(log.fold.setup))
    while game.outcome(log.fold.state) is None:
        log.openings.append(len(log.fold.lines))
        hands, undealt = deal(rng, list(deck), [12] * players)
        hand = log.fold.state.hand
        while game.outcome(log.fold.state) is None and log.fold.state.hand == hand:
            _chameleon_trick(rng, log, hands, revoke, rng.randrange(players) if rng.random() < by_result else 9)
        hidden = [*undealt, *(card for held in hands for card in held)]
        if hidden and rng.random() < told:
            log.add(type="reveal", cards=rng.sample(hidden, rng.randrange(1, len(hidden) + 1)))
    return log


def _chameleon_trick(rng: Random, log: Log, hands: list[list[str]], revoke: float, entered: int) -> None:
    """Plays a trick; after `entered` stacks the table names the winner."""
    shown = Log(log.fold)
    turns = list(log.fold.state.turns)
    led = None
    counts = [0] * len(hands)
    for place, seat in enumerate(turns):
        hand = hands[seat]
        first = choose(rng, hand, led, revoke)
        same = [card for card in hand if card[:-1] == first[:-1] and card != first]
        cards = [first, *rng.sample(same, rng.randrange(len(same) + 1))]
        at = shown.add(type="stack", seat=seat, cards=cards)
        shown.claim(at, led, first, hand)
        if place < entered:
            log.fold, log.honest = shown.fold, log.honest | shown.honest
        led = led or first[-1]
        counts[seat] = len(cards)
        for card in cards:
            hand.remove(card)
    if entered < len(turns):
        taken = shown.fold.state.last
        log.add(type="won", seat=taken.winner, card=taken.card, counts=counts)


PLAYED: dict[str, Callable[..., Log]] = {"leapfrog": leapfrog, "chameleon-tricks": chameleon_tricks}
