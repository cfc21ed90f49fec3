"""Leapfrog! against its slow model: both grains mixed, powers, dives, rulings, concessions, corrections."""

from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from companion.engine.game import Game
from companion.engine.registry import GAMES
from tests.engine import model_leapfrog as model
from tests.engine.machines import Entries, GameMachine
from tests.strategies import LEAPFROG_ADJUSTS, LEAPFROG_ENTRIES, LEAPFROG_PLAYS, LEAPFROG_SETUPS, SEAT


class LeapfrogMachine(GameMachine):
    game: ClassVar[Game] = GAMES["leapfrog"]
    model = model

    @initialize(setup=LEAPFROG_SETUPS)
    def begin(self, setup: dict[str, Any]) -> None:
        self.begin_with(setup, 2)

    @rule(winners=st.lists(SEAT, min_size=1, max_size=7), dives=st.booleans())
    def by_results(self, winners: list[int], dives: bool) -> None:
        for seat in winners:
            self.post({"type": "won", "seat": seat})
            if self.state["winner"] is not None:
                self.post({"type": "hop", "seat": seat, "dive": dives})

    @rule(cards=st.permutations(range(30)))
    def a_trick_card_by_card(self, cards: list[int]) -> None:
        for number in cards[:4]:
            if model.to_act(self.state) is not None:
                card = self.state["deck"][number]
                self.post({"type": "card", "seat": model.to_act(self.state), "card": card})

    @rule(entry=LEAPFROG_PLAYS)
    def any_play(self, entry: dict[str, Any]) -> None:
        self.post(entry)

    @rule(entry=LEAPFROG_ADJUSTS)
    def the_table_rules(self, entry: dict[str, Any]) -> None:
        self.post(entry)

    @rule(cards=st.lists(st.integers(0, 29), min_size=1, max_size=3))
    def cards_are_shown(self, cards: list[int]) -> None:
        self.post({"type": "reveal", "cards": [self.state["deck"][number] for number in cards]})

    @precondition(lambda self: len(self.entries) > 5)
    @rule(seat=SEAT, leap=st.integers(0, 5))
    def somebody_concedes(self, seat: int, leap: int) -> None:
        # Seldom: hardly anything can follow.
        if leap == 0:
            self.post({"type": "concede", "seat": seat})

    @rule(back=st.integers(0, 12), drop=st.integers(0, 4), put=st.lists(LEAPFROG_ENTRIES, max_size=3))
    def anything_is_revised(self, back: int, drop: int, put: Entries) -> None:
        self.revise(max(len(self.entries) - back, 0), drop, put)

    @rule(place=st.integers(0, 2**16))
    def a_result_is_turned_round(self, place: int) -> None:
        won = [at for at, entry in enumerate(self.entries) if entry["type"] == "won"]
        if won:
            at = won[place % len(won)]
            self.revise(at, 1, [{"type": "won", "seat": 1 - self.entries[at]["seat"]}])


LeapfrogMachine.TestCase.settings = settings(max_examples=settings().max_examples * 3 // 5, stateful_step_count=40)
TestLeapfrogMachine = LeapfrogMachine.TestCase
