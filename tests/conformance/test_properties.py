"""What holds of every registered game's log, whatever was played: the fold, corrections, undo and redo."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.engine.findings import Refused
from companion.engine.fold import Fold, extend, fold, start
from companion.engine.game import Game
from companion.engine.record import Line, Revised, record_from
from tests.conformance.games import every_seating
from tests.strategies import answers, open_entries, playouts, read

# Each holds for every game and every number of players, so a few examples each are many.
few = settings(max_examples=max(10, settings().max_examples // 5))


def corrections(draw: st.DrawFn, game: Game, players: int, so_far: Fold) -> Revised:
    """Draws a correction: what it puts in could stand there, or was entered elsewhere."""
    length = len(so_far.lines)
    at = draw(st.integers(0, length))
    drop = draw(st.integers(0, min(3, length - at)))
    fits = open_entries(game, so_far.states[at])
    known = [line.entry.json() for line in so_far.lines]
    # sampled_from would show every one of them in a failure.
    picked = draw(st.lists(st.integers(0, 2**16), max_size=2))
    pool = [*fits, *known]
    lines = tuple(read(game, players, pool[number % len(pool)]) for number in picked) if pool else ()
    return Revised(at, drop, lines)


def fresh(so_far: Fold) -> Fold:
    """Folds the entries in force anew."""
    return extend(start(so_far.game, so_far.setup, so_far.players), so_far.lines)


@every_seating
@few
@given(data=st.data())
def test_the_fold_is_the_running_state_at_every_prefix(game: Game, players: int, data: st.DataObject) -> None:
    played = data.draw(playouts(game, players))
    for place in range(len(played.lines) + 1):
        prefix = extend(start(game, played.setup, players), played.lines[:place])
        assert prefix.state == played.states[place]
        assert prefix.states == played.states[: place + 1]


@every_seating
@few
@given(data=st.data())
def test_a_correction_is_a_fresh_fold_of_the_list_in_force(game: Game, players: int, data: st.DataObject) -> None:
    """B20, B24: winners, leads, rounds and scores; nothing is kept of what was."""
    played = data.draw(playouts(game, players))
    revised = corrections(data.draw, game, players, played)
    try:
        corrected = played.add(Line(revised))
    except Refused as refused:
        # Without the entries it lists, the correction can be made.
        broken = {finding.entries[0] - 1 for finding in refused.findings}
        assert broken <= set(range(revised.at, len(played.lines) + len(revised.entries) - revised.drop))
        lines = (*played.lines[: revised.at], *revised.entries, *played.lines[revised.at + revised.drop :])
        kept = tuple(line for place, line in enumerate(lines) if place not in broken)
        whole = Revised(0, len(played.lines), kept)
        assert played.add(Line(whole)).states == extend(start(game, played.setup, players), kept).states
        return
    again = fresh(corrected)
    assert (corrected.lines, corrected.states) == (again.lines, again.states)
    assert game.outcome(corrected.state) == game.outcome(again.state)
    assert corrected.history() == again.history()


@every_seating
@few
@given(data=st.data())
def test_what_is_refused_changes_nothing(game: Game, players: int, data: st.DataObject) -> None:
    played = data.draw(playouts(game, players))
    options = game.expects(played.state).options
    field = data.draw(st.sampled_from(game.adjustable))
    entries: list[dict[str, Any]] = [dict(option.entry) for option in options if option.closed]
    entries.append({"type": "adjust", "set": {field.name: data.draw(answers(field, players))}})
    entries.append({"type": "reveal", "cards": [data.draw(st.sampled_from(game.deck(played.setup)))]})
    before = (played.lines, played.states, played.done, played.undone, played.version)
    shown = json.dumps(game.json(played.state))
    for entry in entries:
        line = read(game, players, entry)
        if game.check(played.state, line.entry):
            with pytest.raises(Refused):
                played.add(line)
        else:
            # A ruling of the table, or cards shown, may fit; that leaves the game before it as it was too.
            assert entry["type"] in ("adjust", "reveal")
            assert played.add(line).version == played.version + 1
        assert (played.lines, played.states, played.done, played.undone, played.version) == before
        assert json.dumps(game.json(played.state)) == shown


@every_seating
@few
@given(data=st.data())
def test_adding_and_taking_away_is_nothing(game: Game, players: int, data: st.DataObject) -> None:
    played = data.draw(playouts(game, players))
    for entry in open_entries(game, played.state)[:20]:
        added = played.add(read(game, players, entry))
        undo = added.undo()
        assert undo is not None
        for removal in (undo, Revised(len(played.lines), 1, ())):
            back = added.add(Line(removal))
            assert (back.lines, back.states) == (played.lines, played.states)


@every_seating
@few
@given(data=st.data())
def test_undo_and_redo_walk_back_and_forth(game: Game, players: int, data: st.DataObject) -> None:
    """Across plain entries and corrections alike, to the beginning and to the end."""
    table = data.draw(playouts(game, players))
    for _ in range(data.draw(st.integers(0, 4))):
        with suppress(Refused):
            table = table.add(Line(corrections(data.draw, game, players, table)))
    shown = [table]
    while (undo := table.undo()) is not None:
        table = table.add(Line(undo))
        shown.append(table)
    assert (table.lines, table.done) == ((), ())
    for later in reversed(shown[:-1]):
        redo = table.redo()
        assert redo is not None
        table = table.add(Line(redo))
        assert (entries_of(table), table.states) == (entries_of(later), later.states)


def entries_of(folded: Fold) -> list[Any]:
    return [line.entry for line in folded.lines]


@every_seating
@few
@given(data=st.data())
def test_the_whole_log_is_a_record(game: Game, players: int, data: st.DataObject) -> None:
    """Corrections and undos among it: written, read and folded it is the same table."""
    raw_setup: dict[str, Any] = {}
    for field in game.setup_fields(players):
        if field.when is None or raw_setup.get(field.when[0]) == field.when[1]:
            raw_setup[field.name] = data.draw(answers(field, players))
    table = start(game, game.read_setup(raw_setup, players), players)
    log: list[dict[str, Any]] = []
    for number in data.draw(st.lists(st.integers(0, 2**16), max_size=25)):
        entries = open_entries(game, table.state)
        revised = table.undo() if number % 7 == 0 else table.redo() if number % 7 == 1 else None
        if revised is None and not entries:
            break
        line = Line(revised) if revised else read(game, players, entries[number % len(entries)])
        table = table.add(line)
        log.append(line.json())
    raw = {
        "format": "companion-record",
        "version": 1,
        "game": game.slug,
        "players": ["Ann", "Ben", "Cay"][:players],
        "setup": raw_setup,
        "entries": json.loads(json.dumps(log)),
    }
    record = record_from(raw)
    assert record.json() == raw
    assert fold(record) == table
