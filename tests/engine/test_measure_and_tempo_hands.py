"""What the record proves about hidden hands, and what it does not: a wrong refusal would be the worst fault."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.fold import Fold, start
from companion.engine.record import Line, read_line
from companion.engine.registry import GAMES
from tests.engine.model_measure_and_tempo import PACK, taker, trump
from tests.engine.test_measure_and_tempo import WHO, refuses, when
from tests.engine.test_measure_and_tempo import given as bout

GAME = GAMES["measure-and-tempo"]


def circled(fold: Fold, times: int) -> Fold:
    """Both cycle, in turn."""
    for _ in range(times):
        fold = when(fold, f"{WHO[fold.state.to_act]} cycle")
    return fold


def free() -> Fold:
    """A bout without the limit on actions, so that cards can travel in one phase."""
    return bout(circle_limit=False)


def shows(fold: Fold, seat: str, card: str) -> Fold:
    """The seat stands the card as its Guard and takes it back, the other stalls."""
    if WHO[fold.state.to_act] != seat:
        fold = when(fold, f"{WHO[fold.state.to_act]} cycle")
    other = WHO[1 - fold.state.to_act]
    return when(fold, f"{seat} guard {card}, {other} stall, {seat} guard back")


def test_a_card_travels_through_the_deck() -> None:
    """What A puts back at its first Cycle, the 19th after it draws: B, at its tenth."""
    fold = when(shows(free(), "A", "9H"), "B stall")
    fold = when(circled(fold, 18), "A cycle")
    refuses(fold, "B guard 9H", "card-elsewhere")
    fold = when(fold, "B cycle")
    assert when(fold, "A stall, B guard 9H").state.guards == (None, "9H")
    # Nor is it proved that A ever put it back.
    assert when(fold, "A guard 9H").state.guards == ("9H", None)


def test_who_put_it_back_may_draw_it_again() -> None:
    """A cycles once, B 18 times, and the 19th is A's: only the 19th after that may bring the card to B."""
    fold = when(shows(free(), "A", "9H"), "B stall, A cycle")
    for _ in range(18):
        fold = when(fold, "B cycle, A stall")
    fold = when(fold.add(Line(fold.undo())), "A cycle")
    refuses(fold, "B guard 9H", "card-elsewhere")
    for _ in range(18):
        fold = when(fold, "B cycle, A stall")
    refuses(fold, "B guard 9H", "card-elsewhere")
    assert when(fold, "B cycle, A stall, B guard 9H").state.guards == (None, "9H")


def test_a_guard_does_not_travel() -> None:
    """While it stands it cannot be put back, whoever cycles how often."""
    fold = circled(when(free(), "A guard KS, B stall"), 40)
    fold = when(fold, "A guard back")
    refuses(fold, "B guard KS", "card-elsewhere")
    assert when(fold, "B stall, A guard KS").state.trump == "S"


@pytest.mark.parametrize("leaves", ["A guard 9H", "A guard", "A guard back"])
def test_a_guard_goes_back_into_its_own_hand(leaves: str) -> None:
    fold = when(bout(), f"A guard KS, B stall, {leaves}")
    refuses(fold, "B guard KS", "card-elsewhere")


def test_an_unknown_guard_proves_nothing() -> None:
    fold = when(free(), "A guard KS, B stall, A guard, B stall")
    assert when(fold, "A strike KS").state.phase == "answer"
    assert when(fold, "A guard KS").state.guards == ("KS", None)
    fold = circled(fold, 19)
    assert WHO[fold.state.to_act] == "B"
    refuses(fold, "B guard KS", "card-elsewhere")
    assert when(fold, "B cycle, A stall, B guard KS").state.guards == ("?", "KS")


def test_a_card_that_came_back_is_anybodys_again() -> None:
    """A shows it, B shows it later, then A: each time it had come through the deck."""
    fold = when(shows(free(), "A", "9H"), "B stall")
    fold = when(circled(fold, 20), "A stall, B guard 9H, A stall, B guard back")
    refuses(fold, "A guard 9H", "card-elsewhere")
    fold = circled(fold, 21)
    fold = when(fold, "B stall, A guard 9H, B stall, A guard back, B stall, A cycle, B stall")
    assert when(fold, "A guard 9H").state.guards == ("9H", None)


@pytest.mark.parametrize(
    ("before", "most"),
    [
        ("", "2S 3S 4S 5S 6S 7S 8S"),
        # The Guard was not cycled away: it counts, and six others.
        ("A guard KS, B stall, A cycle, B stall", "2S 3S 4S 5S 6S 7S"),
        ("A guard KS, B stall, A guard back, B stall, A cycle, B stall", "2S 3S 4S 5S 6S 7S 8S"),
        ("A guard, B stall, A cycle, B stall", "2S 3S 4S 5S 6S 7S 8S"),
    ],
)
def test_a_hand_and_its_guard_are_seven(before: str, most: str) -> None:
    fold = when(free(), before) if before else free()
    for card in most.split():
        fold = when(fold, f"A guard {card}, B stall")
    refuses(fold, "A guard 9D", "too-many-cards")
    refuses(fold, "A strike 9D", "too-many-cards")
    assert when(fold, "A cycle, B stall, A strike 9D").state.phase == "answer"


def test_the_table_may_know_better() -> None:
    """After its own ruling on the Guards nothing seen before is held against anybody."""
    fold = when(bout(), "A strike 9H, B 10H, B disengage, A guard KS, B stall")
    refuses(fold, "A strike 10H", "card-elsewhere")
    fold = when(fold, {"type": "adjust", "set": {"guards": [None, "KS"]}})
    refuses(fold, "A strike KS", "opponents-guard")
    assert when(fold, "A strike 10H, B 9H").state.phase == "winner"


def test_a_tempo_that_does_not_count_gives_its_cards_back() -> None:
    fold = when(bout(), "A strike 9H, B 10H, B lead QD")
    refuses(fold, "A 9H", "duplicate-card")
    fold = when(fold, {"type": "adjust", "set": {"tempos": [0, 0]}})
    assert when(fold, "A 9H").state.phase == "winner"
    refuses(when(fold, "A 9H"), "B lead QD", "duplicate-card")
    refuses(fold, "A QD", "duplicate-card")


@pytest.mark.parametrize(
    ("lying", "wins", "loses"),
    [
        # Nothing is known of the other hand.
        ("A strike 9H", "A B", ""),
        ("A feint", "A B", ""),
        ("A strike", "A B", ""),
        # Only the Ace of hearts would lose to the 10 of hearts.
        ("A feint, B 10H", "A B", ""),
        ("A stall, B guard AH, A stall, B guard back, A feint, B 10H", "A", "B"),
        ("A feint, B 9C", "A B", ""),
        # Spades are trump: the Ace of spades loses to a number and beats a face card, unless it is B's.
        ("A guard KS, B stall, A feint, B 9S", "B", "A"),
        ("A guard KS, B stall, A feint, B QS", "A B", ""),
        ("A guard KS, B guard AS, A cycle, B guard back, A feint, B QS", "B", "A"),
        # Where trump is not recorded, both cards tell only within a suit.
        ("A guard, B stall, A strike 9H, B 10S", "A B", ""),
        ("A guard, B stall, A strike, B 10S", "A B", ""),
    ],
)
def test_a_result_that_the_cards_exclude(lying: str, wins: str, loses: str) -> None:
    fold = when(free(), *lying.split(","))
    for winner in wins.split():
        assert when(fold, f"{winner} won").state.phase == "winner"
    for loser in loses.split():
        refuses(fold, f"{loser} won", "result-impossible")


def test_a_result_that_a_known_hand_excludes() -> None:
    """Of hearts B holds the 2, and no trump is out."""
    fold = free()
    for card in "2H 2S 3S 4S 5S 6S 7S".split():
        fold = when(fold, f"A stall, B guard {card}")
    fold = when(fold, "A cycle, B guard back, A strike 9H")
    refuses(fold, "B won", "result-impossible")
    assert when(fold, "A won").state.tempos == (1, 0)


class RealTable:
    """Two players with real cards who follow the rules, follow suit or not, and enter what they please of it."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        cards = PACK[:]
        chance.shuffle(cards)
        self.hands = [cards[:7], cards[7:14]]
        self.deck = cards[14:]
        self.guards: list[str | None] = [None, None]
        self.careful = chance.random()
        self.scores = [0, 0]
        setup = {"first": chance.randrange(2), "circle_limit": chance.random() < 0.5, "play_limit": False}
        self.fold = start(GAME, GAME.read_setup(setup, 2), 2)
        # Some bouts are little but circling, so that cards go round.
        self.strikes = chance.choice([0.05, 0.2, 0.6])

    def enter(self, **entry: Any) -> None:
        self.fold = self.fold.add(read_line(entry, GAME, 2))

    def recorded(self) -> bool:
        return self.chance.random() < self.careful

    def act(self) -> None:
        """Takes one turn Out of Measure, or plays a whole play."""
        state = self.fold.state
        seat = state.to_act
        hand = self.hands[seat]
        kinds = ["cycle", "cycle", "guard"] + ["stall"] * (not state.steps or state.steps[-1][0] != "stall")
        kind = self.chance.choice(kinds)
        if state.actions_left == 0 or self.chance.random() < self.strikes:
            self.play()
        elif kind == "stall":
            self.enter(type="stall", seat=seat)
        elif kind == "cycle":
            self.enter(type="cycle", seat=seat)
            hand += [self.deck.pop(0), self.deck.pop(0)]
            for _ in range(2):
                self.deck.append(hand.pop(self.chance.randrange(len(hand))))
        else:
            old = self.guards[seat]
            new = None if old and self.chance.random() < 0.3 else hand.pop(self.chance.randrange(len(hand)))
            hand += [old] if old else []
            self.guards[seat] = new
            self.enter(type="guard", seat=seat, **({"card": new} if self.recorded() else {}))

    def play(self) -> None:
        leader, tempos, used = self.fold.state.to_act, [0, 0], []
        while True:
            winner = self.tempo(leader, used, "lead" if sum(tempos) else "strike")
            tempos[winner] += 1
            assert self.fold.state.bout_tempos[winner] > 0
            if sum(tempos) == 6:
                break
            assert list(self.fold.state.tempos) == tempos
            if self.chance.random() < 0.3:
                self.enter(type="disengage", seat=winner)
                break
            leader = winner
        for seat in (0, 1):
            self.scores[seat] += max(tempos[seat] - tempos[1 - seat], 0)
        assert list(self.fold.state.scores) == self.scores
        assert self.fold.state.over or self.fold.state.to_act == 1 - winner

    def tempo(self, leader: int, used: list[str], kind: str) -> int:
        left = [[card for card in hand if card not in used] for hand in self.hands]
        lead = self.chance.choice(left[leader])
        follows = [card for card in left[1 - leader] if card[-1] == lead[-1]]
        answer = self.chance.choice(follows if follows and self.chance.random() < 0.9 else left[1 - leader])
        used += [lead, answer]
        takes = taker(lead, answer, trump(self.guards))
        winner = leader if takes == "lead" else 1 - leader
        feint = lead[0] == "A" and self.chance.random() < 0.7
        if not self.recorded():
            # A tempo by its result: only the Strike must have been entered.
            if kind == "strike":
                self.enter(type=kind, seat=leader)
            self.enter(type="won", seat=winner)
            return winner
        known = feint or self.recorded()
        self.enter(type=kind, seat=leader, **({"feint": True} if feint else {"card": lead} if known else {}))
        if self.recorded():
            self.enter(type="answer", seat=1 - leader, card=answer)
            if feint and self.recorded():
                self.enter(type="turned", seat=leader, card=lead)
        if self.fold.state.plays:
            self.enter(type="won", seat=winner)
        return winner


@given(chance=st.randoms(use_true_random=False), turns=st.integers(1, 120))
def test_what_happens_at_a_table_can_be_entered(chance: Random, turns: int) -> None:
    """Nothing that players really did is refused, and the score is theirs."""
    table = RealTable(chance)
    for _ in range(turns):
        if table.fold.state.over:
            break
        table.act()
