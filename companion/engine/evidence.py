"""Evidence: what the log proves about hidden hands. A wrong accusation is the worst fault this program can have.

A world is a full deal of the unseen cards that agrees with every card on record. A play off the led suit is honest in a
world where its seat held no card of that suit at the time.
"""

from typing import Any, Literal, NamedTuple

from companion.engine.cards import Suit

Verdict = Literal["legal", "illegal", "open", "unknown"]


class OffSuit(NamedTuple):
    """One play off the led suit: `entry` is its 1-based place in force, `suit` the led suit.

    `illegal` in every world, `legal` in every world, `open`: some worlds each way, `unknown`: not decided in the time.
    """

    entry: int
    seat: int
    suit: Suit
    verdict: Verdict


class Part(NamedTuple):
    """What one round or hand proves (Measure and Tempo: the bout); `chapter` is its number, 0 for the whole game.

    `consistent`: some world has every off-suit play honest (None: not decided). `guilty` seats revoked in every world;
    `conflict` is a smallest set of entries that cannot all have been legal.
    """

    chapter: int
    consistent: bool | None
    guilty: tuple[int, ...] = ()
    conflict: tuple[int, ...] = ()
    plays: tuple[OffSuit, ...] = ()

    def json(self) -> dict[str, Any]:
        """Returns the part as `companion referee` writes it, but for its `part` and `text`."""
        return {
            "consistent": self.consistent,
            "guilty": list(self.guilty),
            "conflict": list(self.conflict),
            "plays": [play._asdict() for play in self.plays],
        }
