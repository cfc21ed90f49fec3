"""Chameleon Tricks against its slow model: both grains mixed, stacks, running out, rulings, corrections."""

from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from companion.engine.game import Game
from companion.engine.registry import GAMES
from tests.engine import model_chameleon_tricks as model
from tests.engine.machines import Entries, GameMachine

pytestmark = pytest.mark.slow

CARDS = st.sampled_from([*model.PACK, "AC", "KD"])
SEATS = st.integers(0, 2)
RANKS = st.integers(2, 10)
STACKS = st.one_of(
    st.builds(
        lambda rank, suits: [f"{rank}{suit}" for suit in suits],
        RANKS,
        st.lists(st.sampled_from("CHSD"), min_size=1, max_size=4),
    ),
    st.lists(CARDS, min_size=1, max_size=3),
)
COUNTS = st.lists(st.integers(0, 4), min_size=3, max_size=3)


def stack(seat: int, cards: list[str]) -> dict[str, Any]:
    return {"type": "stack", "seat": seat, "cards": cards}


def won(seat: int, card: str, counts: list[int] | None) -> dict[str, Any]:
    return {"type": "won", "seat": seat, "card": card} | ({} if counts is None else {"counts": counts})


def adjust(new: dict[str, Any]) -> dict[str, Any]:
    return {"type": "adjust", "set": new}


ADJUSTS = st.builds(
    adjust,
    st.fixed_dictionaries(
        {},
        optional={
            "leader": SEATS,
            "cards_left": st.lists(st.integers(0, 3), min_size=3, max_size=3),
            "points": st.lists(st.integers(0, 40), min_size=3, max_size=3),
            "totals": st.lists(st.integers(0, 99), min_size=3, max_size=3),
        },
    ).filter(bool),
)
REVEALS = st.builds(lambda cards: {"type": "reveal", "cards": cards}, st.lists(CARDS, min_size=1, max_size=3))
PLAYS = st.one_of(st.builds(stack, SEATS, STACKS), st.builds(won, SEATS, CARDS, st.none() | COUNTS))


class ChameleonTricksMachine(GameMachine):
    game: ClassVar[Game] = GAMES["chameleon-tricks"]
    model = model

    @initialize(players=st.integers(2, 3), dealer=SEATS, points=st.sampled_from(["shown", "hidden"]))
    def begin(self, players: int, dealer: int, points: str) -> None:
        self.begin_with({"dealer": dealer % players, "points": points}, players)

    @rule(rank=RANKS, suits=st.permutations("CHSD"), most=st.integers(1, 4))
    def a_stack_that_fits(self, rank: int, suits: list[str], most: int) -> None:
        """Lays what nobody has seen of a rank, as many as are left."""
        seat = model.to_act(self.state)
        cards = [f"{rank}{suit}" for suit in suits if f"{rank}{suit}" not in self.state["seen"]]
        if seat is not None and cards:
            self.post(stack(seat, cards[: min(most, self.state["cards_left"][seat])]))

    @rule(cards=st.lists(st.sampled_from(model.PACK[:27]), min_size=1, max_size=6), counts=COUNTS)
    def tricks_by_result(self, cards: list[str], counts: list[int]) -> None:
        for card in cards:
            waiting = [] if model.over(self.state) else model.waiting(self.state)
            if waiting:
                self.post(won(waiting[-1], card, None))
        self.any_play(won(counts[0] % self.players, cards[0], counts))

    @rule(left=st.lists(st.integers(1, 3), min_size=3, max_size=3))
    def the_hand_gets_short(self, left: list[int]) -> None:
        self.any_play(adjust({"cards_left": left}))

    @rule(entry=PLAYS)
    def any_play(self, entry: dict[str, Any]) -> None:
        self.post(self.fitting(entry))

    @rule(entry=ADJUSTS)
    def the_table_rules(self, entry: dict[str, Any]) -> None:
        self.post(self.fitting(entry))

    @rule(entry=REVEALS)
    def cards_are_shown(self, entry: dict[str, Any]) -> None:
        self.post(entry)

    @precondition(lambda self: len(self.entries) > 5)
    @rule(seat=SEATS, leap=st.integers(0, 5))
    def somebody_concedes(self, seat: int, leap: int) -> None:
        # Seldom: hardly anything can follow.
        if leap == 0:
            self.post(self.fitting({"type": "concede", "seat": seat}))

    @rule(back=st.integers(0, 12), drop=st.integers(0, 4), put=st.lists(PLAYS | ADJUSTS | REVEALS, max_size=3))
    def anything_is_revised(self, back: int, drop: int, put: Entries) -> None:
        self.revise(max(len(self.entries) - back, 0), drop, [self.fitting(entry) for entry in put])

    @rule(place=st.integers(0, 2**16), seat=SEATS)
    def a_result_is_given_to_another(self, place: int, seat: int) -> None:
        results = [at for at, entry in enumerate(self.entries) if entry["type"] == "won"]
        if results:
            at = results[place % len(results)]
            self.revise(at, 1, [self.entries[at] | {"seat": seat % self.players}])

    def fitting(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Cuts an entry for three seats to the seats there are."""
        entry = dict(entry)
        if "seat" in entry:
            entry["seat"] %= self.players
        if "counts" in entry:
            entry["counts"] = entry["counts"][: self.players]
        if "set" in entry:
            entry["set"] = {
                key: value[: self.players] if isinstance(value, list) else value % self.players
                for key, value in entry["set"].items()
            }
        return entry


ChameleonTricksMachine.TestCase.settings = settings(
    max_examples=settings().max_examples // 5, stateful_step_count=40
)
TestChameleonTricksMachine = ChameleonTricksMachine.TestCase
