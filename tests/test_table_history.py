"""What a table keeps of its history as entries, corrections, undos and redos come in equals what is made afresh."""

from random import Random

import pytest

from companion.engine.game import Adjusted, Game
from companion.table import Table, Tables
from tests.conformance.games import every_seating, with_limits
from tests.conformance.scripts import GAMES_EACH, Script


def as_fresh(table: Table) -> None:
    ruled = [place for place, line in enumerate(table.fold.lines) if isinstance(line.entry, Adjusted)]
    assert list(table.items) == table.fold.history()
    assert table.ruled == (ruled[0] if ruled else None)


@pytest.mark.parametrize("seed", range(4))
@every_seating
def test_every_step_of_a_script(tables: Tables, game: Game, players: int, seed: int) -> None:
    script = Script(game, players, seed).run()
    setup = with_limits(game, players, Random(seed % GAMES_EACH))
    table = tables.start(game.slug, ["Ann", "Ben", "Cem"][:players], setup)
    assert table.fold.setup == script.fold.setup
    for version, line in enumerate(script.log):
        table = tables.record(table.row.id, version, f"key{version}", line.entry.json()).table
        as_fresh(table)


def test_an_entry_put_into_the_past_stands_there(tables: Tables) -> None:
    table = tables.start("leapfrog", ["Ann", "Ben"], {"variant": "standard", "dealer": 0})
    for version, seat in enumerate((0, 1, 0, 1)):
        table = tables.record(table.row.id, version, f"key{version}", {"type": "won", "seat": seat}).table
    ruling = {"type": "adjust", "set": {"king": 2}}
    revised = {"type": "revise", "at": 1, "drop": 0, "entries": [ruling]}
    table = tables.record(table.row.id, 4, "ruling", revised).table
    as_fresh(table)
    assert table.ruled == 1
    assert [item.taken and item.taken.winner for item in table.items] == [0, None, 1, 0, 1]
