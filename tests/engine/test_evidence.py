"""The referee: the shared vectors exactly, every world of small deals counted, and no false accusation."""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.engine.cards import SUIT, Card, Suit
from companion.engine.disputes import disputes
from companion.engine.evidence import Dealt, Shown, prove, referee
from companion.engine.findings import Finding
from companion.engine.fold import Fold, fold
from companion.engine.record import record_from
from tests.engine.dealt_games import PLAYED, false_words, judged

VECTORS = Path(__file__).parents[1] / "vectors"
NEVER = 10**6
World = list[tuple[int, int | None, str]]


def faults(so_far: Fold) -> tuple[Finding, ...]:
    return tuple(fault.finding for fault in disputes(so_far))


def vectors() -> Iterator[Any]:
    for slug in PLAYED:
        for place, line in enumerate((VECTORS / f"{slug}.referee.jsonl").read_text().splitlines()):
            yield pytest.param(json.loads(line), id=f"{slug}-{place}")


@pytest.mark.parametrize("vector", list(vectors()))
def test_vectors(vector: dict[str, Any]) -> None:
    part = referee(fold(record_from(vector["record"])))[-1]
    assert part.json() == vector["expect"]


SUITS = [Suit("S"), Suit("H"), Suit("C")]
DECK = [Card(rank + suit) for suit in SUITS for rank in "23456"]


def small_deal(rng: Random) -> Dealt:
    """Makes what was seen of a small deal: any claims, cards nobody saw, cards revealed at the end."""
    players = rng.randrange(2, 4)
    held = [rng.randrange(1, 4) for _ in range(players)]
    rest = rng.sample(DECK, sum(held) + rng.randrange(3))
    deck = tuple(rest)
    hands = [[rest.pop() for _ in range(number)] for number in held]
    turns = rng.sample([seat for seat in range(players) for _ in hands[seat]], rng.randrange(sum(held) + 1))
    shown: list[Shown] = []
    laid_unseen: list[Card] = []
    for entry, seat in enumerate(turns, 1):
        cards = [hands[seat].pop() for _ in range(rng.choice([1, 1, 1, 2])) if hands[seat]]
        if cards and len(laid_unseen) < 3 and rng.random() < 0.3:
            shown.append(Shown(entry, seat, (None,) * len(cards)))
            laid_unseen += cards
        elif cards:
            missed = rng.choice([suit for suit in SUITS if suit != SUIT[cards[0]]])
            shown.append(Shown(entry, seat, tuple(cards), missed if rng.random() < 0.7 else None))
    left = [*rest, *(card for hand in hands for card in hand)]
    # Sometimes a card that was laid unseen is revealed too, against the rules of the record.
    told = left if rng.random() < 0.5 else [*left, *laid_unseen]
    revealed = rng.sample(told, rng.choice([0, len(told), rng.randrange(len(told) + 1)]))
    known = rng.random() < 0.8 or len(left) + len(laid_unseen) > 3
    return Dealt(1, deck, tuple(held) if known else None, tuple(shown), tuple(revealed))


SMALL_DEALS = (
    st.integers(0, 2**32).map(lambda seed: small_deal(Random(seed))).filter(lambda dealt: len(hidden(dealt)) < 7)
)


def hidden(dealt: Dealt) -> list[Card]:
    return [card for card in dealt.deck if not any(card in part.cards for part in dealt.shown)]


def worlds(dealt: Dealt, revealed: Sequence[Card]) -> Iterator[World]:
    """Yields every way the unseen cards can lie: when they were laid (or never), and whose they were."""
    seen = [(part.entry, part.seat, card) for part in dealt.shown for card in part.cards if card]
    unseen = hidden(dealt)
    places: list[tuple[int, int | None]] = [
        (part.entry, part.seat) for part in dealt.shown for card in part.cards if card is None
    ]
    for seat in sorted({part.seat for part in dealt.shown} | set(range(len(dealt.held or ())))):
        played = sum(len(part.cards) for part in dealt.shown if part.seat == seat)
        places += [(NEVER, seat)] * (dealt.held[seat] - played if dealt.held else len(unseen))
    places += [(NEVER, None)] * (len(dealt.deck) - sum(dealt.held) if dealt.held else len(unseen))
    for lie in set(permutations(places, len(unseen))):
        if all(at == NEVER for (at, _), card in zip(lie, unseen, strict=True) if card in revealed):
            yield [*seen, *((at, seat, card) for (at, seat), card in zip(lie, unseen, strict=True))]


def honest(world: World, claim: Shown) -> bool:
    return not any(seat == claim.seat and at >= claim.entry and card[-1] == claim.missed for at, seat, card in world)


@pytest.mark.slow
@settings(max_examples=settings().max_examples * 4)
@given(dealt=SMALL_DEALS)
def test_every_world_of_small_deals(dealt: Dealt) -> None:
    part = prove(dealt)
    claims = [shown for shown in dealt.shown if shown.missed]
    # What no world allows, because a card was revealed that lay in a trick, is left out of account.
    all_worlds = list(worlds(dealt, dealt.revealed)) or list(worlds(dealt, ()))
    truths = [{claim.entry: honest(world, claim) for claim in claims} for world in all_worlds]

    def possible(entries: Sequence[int]) -> bool:
        return any(all(truth[entry] for entry in entries) for truth in truths)

    def verdict(entry: int) -> str:
        found = {truth[entry] for truth in truths}
        return "open" if len(found) == 2 else "legal" if found == {True} else "illegal"

    entries = [claim.entry for claim in claims]
    by_seat = {claim.seat: [other.entry for other in claims if other.seat == claim.seat] for claim in claims}
    conflicts = [some for size in range(len(entries) + 1) for some in combinations(entries, size) if not possible(some)]
    smallest = [some for some in conflicts if len(some) == len(conflicts[0])]
    assert [(play.entry, play.seat, play.suit, play.verdict) for play in part.plays] == [
        (claim.entry, claim.seat, claim.missed, verdict(claim.entry)) for claim in claims
    ]
    assert part.consistent == possible(entries)
    assert list(part.guilty) == sorted(seat for seat, own in by_seat.items() if not possible(own))
    assert part.conflict == max(smallest, default=())
    for proof in part.proofs:
        # What a proof names is enough by itself: no world has all of it honest.
        assert not possible([entry for entry in proof.entries if entry in entries])
        if "seat" in proof.params:
            assert proof.params["seat"] in part.guilty
    assert bool(part.proofs) == (not part.consistent)
    others = [claim.entry for claim in claims if claim.seat not in part.guilty]
    assert any("seat" not in proof.params for proof in part.proofs) == (not possible(others))
    caught = {proof.params["seat"] for proof in part.proofs if "seat" in proof.params}
    assert caught == set(part.guilty)


@pytest.mark.slow
@pytest.mark.parametrize("slug", PLAYED)
@pytest.mark.parametrize("revoke", [0.0, 0.02, 0.3])
def test_no_false_accusation(slug: str, revoke: float) -> None:
    for seed in range(70):
        log = PLAYED[slug](Random(seed), revoke)
        consistent = True
        for part, truth in judged(log):
            assert {play.entry for play in part.plays} == truth.keys(), seed
            assert false_words(part, truth) == [], seed
            consistent &= part.consistent is True
        assert bool(faults(log.fold)) == (not consistent), seed


def table(slug: str, players: int, *entries: dict[str, Any]) -> Any:
    setup = {
        "leapfrog": {"variant": "standard", "hierarchy": ["S", "H", "C"], "dealer": 0},
        "measure-and-tempo": {"first": 0},
        "chameleon-tricks": {"dealer": 0},
    }[slug]
    record = {"format": "companion-record", "version": 1, "game": slug, "players": ["A", "B", "C"][:players]}
    return fold(record_from({**record, "setup": setup, "entries": list(entries)}))


def stack(seat: int, *cards: str) -> dict[str, Any]:
    return {"type": "stack", "seat": seat, "cards": list(cards)}


def card(seat: int, what: str) -> dict[str, Any]:
    return {"type": "card", "seat": seat, "card": what}


def test_a_revoke_names_both_plays() -> None:
    lines = [card(0, "10S"), card(1, "8H"), card(0, "7S"), card(1, "4H"), card(0, "6H"), card(1, "3S")]
    found = faults(table("leapfrog", 2, *lines))
    assert [(fault.code, fault.rule, fault.entries, dict(fault.params)) for fault in found] == [
        ("revoke", "leapfrog/follow", (2, 6), {"seat": 1, "suit": "S", "card": "3S"}),
        ("revoke", "leapfrog/follow", (4, 6), {"seat": 1, "suit": "S", "card": "3S"}),
    ]


def test_one_of_these_plays_was_illegal() -> None:
    lines = [stack(0, "5C"), stack(1, "10D"), stack(2, "10S"), stack(0, "9H"), stack(1, "9D"), stack(2, "9S")]
    found = faults(table("chameleon-tricks", 3, *lines))
    assert [(fault.severity, fault.code, fault.entries) for fault in found] == [
        ("fault", "revoke-by-someone", (2, 3, 5, 6))
    ]
    assert faults(table("chameleon-tricks", 3, *lines[:5])) == ()


def test_a_bout_names_both_plays_too() -> None:
    lines = [
        {"type": "strike", "seat": 0, "card": "9H"},
        {"type": "answer", "seat": 1, "card": "2C"},
        {"type": "lead", "seat": 0, "card": "10D"},
        {"type": "answer", "seat": 1, "card": "3H"},
    ]
    found = faults(table("measure-and-tempo", 2, *lines))
    assert [(fault.code, fault.rule, fault.entries, dict(fault.params)) for fault in found] == [
        ("revoke", "measure-and-tempo/follow", (2, 4), {"seat": 1, "suit": "H", "card": "3H"})
    ]
    assert faults(table("measure-and-tempo", 2, *lines[:3])) == ()
