"""What holds of every registered game: its parts, its choices, its end."""

import json
import re
from dataclasses import FrozenInstanceError
from random import Random

import pytest

from companion.engine.cards import PACK
from companion.engine.findings import RecordError, Refused
from companion.engine.fold import Fold, start
from companion.engine.game import Game
from companion.engine.record import Line, read_names, record_from
from tests.conformance.games import chosen, every_game, every_seating, played, setup_by_chance, whole_game
from tests.strategies import read

SEEDS = (1, 2, 3)


@every_game
def test_names(game: Game) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", game.slug)
    assert game.version >= 1
    assert len(set(game.rules)) == len(game.rules)
    for rule in game.rules:
        assert re.fullmatch(rf"{game.slug}/[a-z]+(-[a-z]+)*", rule)


@every_seating
def test_any_answers_to_its_questions_make_a_setup(game: Game, players: int) -> None:
    for seed in range(20):
        raw = setup_by_chance(game, players, Random(seed))
        setup = game.read_setup(raw, players)
        assert game.read_setup(json.loads(json.dumps(raw)), players) == setup
        deck = game.deck(setup)
        assert len(set(deck)) == len(deck)
        assert set(deck) <= set(PACK)


@every_seating
def test_a_table_is_started_without_typing(game: Game, players: int) -> None:
    """Every question has a default or can be drawn."""
    for field in game.setup_fields(players):
        assert field.drawn or field.default is not None, field


@every_seating
def test_the_start(game: Game, players: int) -> None:
    state = game.start(game.read_setup(setup_by_chance(game, players, Random(1)), players), players)
    assert game.totals(state) == (0,) * players
    assert (game.outcome(state), game.so_far(state), state.last, state.conceded) == (None, None, None, None)
    assert state.done == 0
    assert game.expects(state).options


@every_seating
def test_the_next_game_is_set_up_by_this_one(game: Game, players: int) -> None:
    """What a rematch leaves out can be drawn, and the first to act is another."""
    chance = Random(1)
    for _ in range(10):
        setup = game.read_setup(setup_by_chance(game, players, chance), players)
        raw = game.rematch(setup, players)
        for field in game.setup_fields(players):
            asked = field.when is None or raw.get(field.when[0]) == field.when[1]
            if field.name not in raw and asked:
                assert field.drawn or field.default is not None
                if field.drawn:
                    raw[field.name] = chosen(field, players, chance)
        again = game.read_setup(raw, players)
        assert game.start(again, players).to_act != game.start(setup, players).to_act


@every_seating
@pytest.mark.parametrize("seed", SEEDS)
def test_a_game_by_chance_comes_to_its_end(game: Game, players: int, seed: int) -> None:
    fold = whole_game(game, players, seed)
    outcome = game.outcome(fold.state)
    assert outcome is not None
    assert outcome.totals == game.totals(fold.state)
    assert set(outcome.winners) <= set(range(players))
    assert len(outcome.json()["totals"]) == players
    assert (fold.state.to_act, game.expects(fold.state).options) == (None, ())
    for earlier in fold.states[:-1]:
        assert game.outcome(earlier) is None


@every_seating
def test_after_the_end_nothing_that_is_played_fits(game: Game, players: int) -> None:
    fold = whole_game(game, players, 1)
    for place in range(0, len(fold.lines), max(1, len(fold.lines) // 20)):
        with pytest.raises(Refused) as caught:
            fold.add(Line(fold.lines[place].entry))
        assert "game-over" in [finding.code for finding in caught.value.findings]


@every_seating
def test_the_end_can_be_undone(game: Game, players: int) -> None:
    """B19: and what was undone is played again."""
    fold = whole_game(game, players, 1)
    undo = fold.undo()
    assert undo is not None
    before = fold.add(Line(undo))
    assert (before.state, game.outcome(before.state)) == (fold.states[-2], None)
    redo = before.redo()
    assert redo is not None
    assert before.add(Line(redo)).state == fold.state


@every_seating
def test_states_are_json_and_values(game: Game, players: int) -> None:
    fold = whole_game(game, players, 1)
    shown = [json.dumps(game.json(state)) for state in fold.states]
    settable = {field.name for field in game.adjustable}
    for state, text in zip(fold.states, shown, strict=True):
        assert settable <= json.loads(text).keys()
        assert isinstance(state, tuple)
        with pytest.raises((AttributeError, FrozenInstanceError)):
            state.to_act = 0
    # Nothing that came later has touched what was before.
    again = start(game, fold.setup, players)
    for line, state, text in zip(fold.lines, fold.states, shown, strict=False):
        assert (again.state, json.dumps(game.json(again.state))) == (state, text)
        again = again.add(line)


@every_seating
@pytest.mark.parametrize("seed", SEEDS)
def test_every_choice_knows_whether_it_is_open(game: Game, players: int, seed: int) -> None:
    for number, fold in enumerate(played(game, players, seed, longest=60)):
        options = game.expects(fold.state).options
        entries = [json.dumps(option.entry) for option in options]
        assert len(set(entries)) == len(entries)
        for option in options:
            line = read(game, players, option.entry)
            assert line.entry.json() == dict(option.entry), "an option is written as a record writes it"
            assert game.check(fold.state, line.entry) == option.closed
            json.dumps([dict(option.effect), [finding.json() for finding in option.closed]])
            for finding in option.closed:
                assert finding.severity == "refused"
                assert finding.rule is None or finding.rule in game.rules
        if number % 5 == 0:
            try_all(game, players, fold)


def try_all(game: Game, players: int, fold: Fold) -> None:
    for option in game.expects(fold.state).options:
        line = read(game, players, option.entry)
        if option.closed:
            with pytest.raises(Refused) as caught:
                fold.add(line)
            assert [finding.code for finding in caught.value.findings] == [finding.code for finding in option.closed]
        else:
            assert fold.add(line).version == fold.version + 1


@every_seating
@pytest.mark.parametrize("seed", SEEDS)
def test_the_history_holds_every_entry_once(game: Game, players: int, seed: int) -> None:
    fold = whole_game(game, players, seed)
    places = [place for item in fold.history() for place in range(item.first, item.last + 1)]
    assert places == list(range(len(fold.lines)))
    taken = [item.taken for item in fold.history() if item.taken]
    assert len(taken) == fold.state.done
    assert [(one.chapter, one.number) for one in taken] == sorted({(one.chapter, one.number) for one in taken})
    assert taken[-1] == fold.state.last


@every_seating
@pytest.mark.parametrize("seed", SEEDS)
def test_every_trick_is_explained_by_rules_that_there_are(game: Game, players: int, seed: int) -> None:
    fold = whole_game(game, players, seed)
    for item in fold.history():
        if item.taken is None:
            continue
        ruling = game.explain(item.taken)
        assert (ruling.winner, ruling.card) == (item.taken.winner, item.taken.card)
        assert ruling.because
        for reason in ruling.because:
            assert reason.rule is None or reason.rule in game.rules
        json.dumps(ruling.json())


@every_seating
def test_what_lies_is_ruled_on(game: Game, players: int) -> None:
    for fold in played(game, players, 1, longest=100):
        ruling = game.so_far(fold.state)
        if ruling is not None:
            json.dumps(ruling.json())
            assert all(reason.rule is None or reason.rule in game.rules for reason in ruling.because)


@every_seating
@pytest.mark.parametrize("after", [0, 1, 2, 3, 10, 50])
def test_anybody_may_concede_at_any_time(game: Game, players: int, after: int) -> None:
    fold = [so_far for so_far in played(game, players, 1, longest=after) if game.outcome(so_far.state) is None][-1]
    for seat in range(players):
        over = fold.add(read(game, players, {"type": "concede", "seat": seat}))
        outcome = game.outcome(over.state)
        assert outcome is not None
        assert (outcome.reason, outcome.totals) == ("conceded", game.totals(fold.state))
        assert seat not in outcome.winners
        best = max(total for other, total in enumerate(outcome.totals) if other != seat)
        assert outcome.winners == tuple(
            other for other, total in enumerate(outcome.totals) if other != seat and total == best
        )
        assert (over.state.to_act, over.state.conceded) == (None, seat)
        with pytest.raises(Refused, match="game-over"):
            over.add(read(game, players, {"type": "concede", "seat": seat}))


@every_seating
@pytest.mark.parametrize("after", [0, 12])
def test_a_ruling_that_sets_what_is_changes_nothing(game: Game, players: int, after: int) -> None:
    *_, fold = played(game, players, 2, longest=after)
    public = game.json(fold.state)
    for field in game.adjustable:
        line = read(game, players, {"type": "adjust", "set": {field.name: public[field.name]}})
        # Some parts can be set only in some phases.
        if [finding.code for finding in game.check(fold.state, line.entry)] != ["wrong-phase"]:
            assert game.json(fold.add(line).state) == public


@every_seating
def test_a_whole_game_is_a_record(game: Game, players: int) -> None:
    """Read, written and read again it is the same game."""
    chance = Random(1)
    raw_setup = setup_by_chance(game, players, chance)
    raw_setup |= {field.name: True for field in game.setup_fields(players) if field.kind == "switch"}
    fold = whole_game(game, players, 1)
    raw = {
        "format": "companion-record",
        "version": 1,
        "game": game.slug,
        "players": ["Ann", "Ben", "Cay"][:players],
        "setup": raw_setup,
        "entries": [line.json() for line in fold.lines],
    }
    record = record_from(raw)
    assert record.json() == raw
    assert record.lines == fold.lines
    assert record.setup == fold.setup


@every_game
def test_players_it_is_not_for(game: Game) -> None:
    for players in (game.seats.start - 1, game.seats.stop):
        with pytest.raises(RecordError, match="list-length"):
            read_names(["Ann"] * players, game)
