"""Entries, corrections, undos and redos in any order are equal to a fresh fold: the short run of bench_scripts."""

from companion.engine.game import Game
from tests.conformance.games import every_seating
from tests.conformance.scripts import Script


@every_seating
def test_any_script_equals_a_fresh_fold(game: Game, players: int) -> None:
    taken = 0
    for seed in range(15):
        script = Script(game, players, seed).run()
        assert script.differences == [], seed
        taken += script.taken
    # Enough of what chance tries is possible, or nothing would be tested.
    assert taken > 80
