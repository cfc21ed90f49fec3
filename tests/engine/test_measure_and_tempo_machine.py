"""Measure and Tempo against its slow model: both grains mixed, Guards, Feints, long circling, rulings, corrections."""

from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from companion.engine.game import Game
from companion.engine.registry import GAMES
from tests.engine import model_measure_and_tempo as model
from tests.engine.machines import Entries, GameMachine
from tests.strategies import SEAT

pytestmark = pytest.mark.slow

# Mostly few cards, so that they meet each other.
CARDS = st.sampled_from(["AS", "AH", "2S", "5H", "9H", "10S", "QH", "KS", "KD"]) | st.sampled_from(model.PACK)
GUARDS = st.none() | st.just("?") | CARDS


def entry(kind: str, **needed: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind), **needed})


LEADS = st.one_of(
    *(
        entry(kind, seat=SEAT, **more)
        for kind in ("strike", "lead")
        for more in ({}, {"card": CARDS}, {"feint": st.just(True)})
    )
)
PLAYS = st.one_of(
    entry("cycle", seat=SEAT),
    entry("stall", seat=SEAT),
    entry("guard", seat=SEAT),
    entry("guard", seat=SEAT, card=st.none() | CARDS),
    LEADS,
    entry("answer", seat=SEAT, card=CARDS),
    entry("turned", seat=SEAT, card=CARDS),
    entry("won", seat=SEAT),
    entry("disengage", seat=SEAT),
)


def pair(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, min_size=2, max_size=2)


ADJUSTS = entry(
    "adjust",
    set=st.fixed_dictionaries(
        {},
        optional={
            "guards": pair(GUARDS),
            "tempos": pair(st.integers(0, 4)),
            "bout_tempos": pair(st.integers(0, 9)),
            "scores": pair(st.integers(0, 12)),
        },
    ).filter(bool),
)
REVEALS = entry("reveal", cards=st.lists(CARDS, min_size=1, max_size=3))


class MeasureAndTempoMachine(GameMachine):
    game: ClassVar[Game] = GAMES["measure-and-tempo"]
    model = model

    @initialize(first=SEAT, circle=st.booleans(), play=st.booleans())
    def begin(self, first: int, circle: bool, play: bool) -> None:
        self.begin_with({"first": first, "circle_limit": circle, "play_limit": play}, 2)

    @rule(times=st.integers(1, 21))
    def both_circle(self, times: int) -> None:
        for _ in range(times):
            if self.state["phase"] == "out":
                self.post({"type": "cycle", "seat": self.state["to_act"]})

    @rule(cards=st.lists(CARDS, min_size=2, max_size=8), ends=st.booleans())
    def a_play_card_by_card(self, cards: list[str], ends: bool) -> None:
        for card in cards:
            kind = {"out": "strike", "winner": "lead", "answer": "answer", "turn-up": "turned"}.get(self.state["phase"])
            if kind and self.state["to_act"] is not None:
                self.post({"type": kind, "seat": self.state["to_act"], "card": card})
        if ends and self.state["phase"] == "winner":
            self.post({"type": "disengage", "seat": self.state["to_act"]})

    @rule(suits=st.permutations("SHDC"), rank=st.sampled_from(model.PACK[:13]))
    def a_feint(self, suits: list[str], rank: str) -> None:
        if self.state["phase"] in ("out", "winner"):
            kind = "strike" if self.state["phase"] == "out" else "lead"
            self.post({"type": kind, "seat": self.state["to_act"], "feint": True})
            self.post({"type": "answer", "seat": self.state["to_act"], "card": rank[:-1] + suits[0]})
            self.post({"type": "turned", "seat": self.state["leader"], "card": "A" + suits[1]})

    @rule(lead=st.none() | CARDS, answer=CARDS)
    def a_tempo_that_only_the_table_can_decide(self, lead: str | None, answer: str) -> None:
        if self.state["phase"] == "out":
            self.post({"type": "guard", "seat": self.state["to_act"]})
            self.post({"type": "strike", "seat": self.state["to_act"], **({"card": lead} if lead else {})})
            self.post({"type": "answer", "seat": 1 - self.state["leader"], "card": answer})

    @rule(cards=st.permutations(range(9)), whose=SEAT)
    def a_hand_is_shown(self, cards: list[int], whose: int) -> None:
        """Of nine cards a seat can hold no more than seven at a time."""
        for number in cards[:6]:
            if self.state["phase"] == "out" and self.state["to_act"] == whose:
                self.post({"type": "guard", "seat": whose, "card": f"{number + 2}{'SH'[whose]}"})
                self.post({"type": "guard", "seat": 1 - whose})

    @rule(winners=st.lists(SEAT, min_size=1, max_size=7))
    def by_results(self, winners: list[int]) -> None:
        if self.state["phase"] == "out":
            self.post({"type": "strike", "seat": self.state["to_act"]})
        for seat in winners:
            self.post({"type": "won", "seat": seat})

    @rule(plays=st.integers(1, 12))
    def even_plays(self, plays: int) -> None:
        for _ in range(plays):
            if self.state["phase"] == "out":
                self.by_results([0, 1, 1, 0, 0, 1])

    @rule(cards=st.lists(CARDS, min_size=1, max_size=3, unique=True))
    def guards_change(self, cards: list[str]) -> None:
        for card in cards:
            self.post({"type": "guard", "seat": self.state["to_act"] or 0, "card": card})

    @rule(entry=PLAYS)
    def any_play(self, entry: dict[str, Any]) -> None:
        self.post(entry)

    @rule(entry=ADJUSTS)
    def the_table_rules(self, entry: dict[str, Any]) -> None:
        self.post(entry)

    @rule(entry=REVEALS)
    def cards_are_shown(self, entry: dict[str, Any]) -> None:
        self.post(entry)

    @precondition(lambda self: len(self.entries) > 5)
    @rule(seat=SEAT, leap=st.integers(0, 5))
    def somebody_concedes(self, seat: int, leap: int) -> None:
        # Seldom: hardly anything can follow.
        if leap == 0:
            self.post({"type": "concede", "seat": seat})

    @rule(back=st.integers(0, 12), drop=st.integers(0, 4), put=st.lists(PLAYS | ADJUSTS | REVEALS, max_size=3))
    def anything_is_revised(self, back: int, drop: int, put: Entries) -> None:
        self.revise(max(len(self.entries) - back, 0), drop, put)

    @rule(place=st.integers(0, 2**16))
    def a_result_is_turned_round(self, place: int) -> None:
        won = [at for at, one in enumerate(self.entries) if one["type"] == "won"]
        if won:
            at = won[place % len(won)]
            self.revise(at, 1, [{"type": "won", "seat": 1 - self.entries[at]["seat"]}])


MeasureAndTempoMachine.TestCase.settings = settings(
    max_examples=settings().max_examples * 2 // 5, stateful_step_count=40
)
TestMeasureAndTempoMachine = MeasureAndTempoMachine.TestCase
