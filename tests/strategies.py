"""What Hypothesis draws: setups, entries and records of Leapfrog!, and playouts of any game."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from companion.engine.fold import Fold, start
from companion.engine.game import Field, Game
from companion.engine.record import Line, read_line

SUITS = "SHDC"
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
PADS = st.integers(0, 7)
SEAT = st.integers(0, 1)

CARDS = st.builds(lambda rank, suit: rank + suit, st.sampled_from(RANKS), st.sampled_from(SUITS))
# Mostly cards of the usual deck, so that they meet each other.
LOW_CARDS = st.builds(lambda rank, suit: rank + suit, st.sampled_from(RANKS[:10]), st.sampled_from("SHC")) | CARDS
ORDERS = st.permutations("SHC").map(list)


def _fresh(track: list[int], order: list[str], dealer: int) -> dict[str, Any]:
    return {"variant": "freshwater", "track": track, "hierarchy": order, "dealer": dealer}


LEAPFROG_SETUPS = st.one_of(
    st.builds(lambda order, dealer: {"variant": "standard", "hierarchy": order, "dealer": dealer}, ORDERS, SEAT),
    st.builds(_fresh, st.permutations((0, 0, 1, 2, 3, 4, 6, 8)).map(list), ORDERS, SEAT),
)

LEAPFROG_CHANGES: Mapping[str, st.SearchStrategy[Any]] = {
    "leader": SEAT,
    "hierarchy": ORDERS,
    "frogs": st.lists(PADS, min_size=2, max_size=2),
    "king": PADS,
    "powers_used": st.lists(st.integers(0, 2), min_size=2, max_size=2),
    "totals": st.lists(st.integers(0, 40), min_size=2, max_size=2),
}
LEAPFROG_ADJUSTS = st.fixed_dictionaries(
    {
        "type": st.just("adjust"),
        "set": st.fixed_dictionaries({}, optional=LEAPFROG_CHANGES).filter(bool),
    },
    optional={"note": st.sampled_from(["moved by hand", "風で"])},
)


def _entry(kind: str, needed: dict[str, Any], **optional: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind), **needed}, optional=optional)


LEAPFROG_PLAYS = st.one_of(
    _entry("card", {"seat": SEAT, "card": LOW_CARDS}),
    _entry("power", {"seat": SEAT, "power": st.just("leap")}, card=LOW_CARDS),
    _entry("power", {"seat": SEAT, "power": st.just("king")}, dive=st.booleans(), card=LOW_CARDS),
    _entry("won", {"seat": SEAT}),
    _entry("hop", {"seat": SEAT, "dive": st.booleans()}),
)
LEAPFROG_ENTRIES = st.one_of(
    LEAPFROG_PLAYS,
    LEAPFROG_ADJUSTS,
    _entry("reveal", {"cards": st.lists(LOW_CARDS, min_size=1, max_size=4)}),
    _entry("concede", {"seat": SEAT}),
)

TEXT = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\x7f"),
    max_size=40,
)
_TIMES = st.datetimes().map(lambda moment: moment.isoformat(timespec="seconds").zfill(19) + "Z")
_ENVELOPE = {"id": TEXT.filter(bool), "at": _TIMES, "by": SEAT}


def enveloped(entries: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Puts entries into envelopes, or leaves them bare."""
    return st.builds(lambda entry, outer: {**entry, **outer}, entries, st.fixed_dictionaries({}, optional=_ENVELOPE))


REVISIONS = _entry(
    "revise",
    {
        "at": st.integers(0, 2000),
        "drop": st.integers(0, 2000),
        "entries": st.lists(enveloped(LEAPFROG_ENTRIES), max_size=3),
    },
    by=SEAT,
)


@st.composite
def leapfrog_records(draw: st.DrawFn) -> dict[str, Any]:
    """Draws records that can be read; whether they can be played is another matter."""
    entries = draw(st.lists(enveloped(LEAPFROG_ENTRIES) | REVISIONS, max_size=6))
    seen: set[str] = set()
    for entry in entries:
        if entry.get("id") in seen:
            del entry["id"]
        seen.add(entry.get("id", ""))
    return {
        "format": "companion-record",
        "version": 1,
        "game": "leapfrog",
        "players": draw(st.lists(TEXT, min_size=2, max_size=2)),
        "setup": draw(LEAPFROG_SETUPS),
        "entries": entries,
    }


# A playout is a list of numbers: each picks one of what is open then, so that shrinking makes games shorter.
SCRIPTS = st.lists(st.integers(0, 2**16), max_size=60)


def setup_of(game: Game, players: int, pick: st.DrawFn) -> dict[str, Any]:
    """Draws a setup from the game's own questions."""
    raw: dict[str, Any] = {}
    for field in game.setup_fields(players):
        if field.when is None or raw.get(field.when[0]) == field.when[1]:
            raw[field.name] = pick(answers(field, players))
    return raw


def answers(field: Field, players: int) -> st.SearchStrategy[Any]:
    """Returns what may be answered to a question of a setup or of the adjust form."""
    one: st.SearchStrategy[Any]
    match field.kind:
        case "choice":
            one = st.sampled_from(field.choices)
        case "switch":
            one = st.booleans()
        case "seat":
            one = st.integers(0, players - 1)
        case "suits":
            one = st.permutations(field.default or field.choices).map(lambda suits: list(suits[: field.size]))
        case "order":
            one = st.permutations(field.choices).map(list)
        case "number":
            one = st.integers(*field.choices)
        case "pad":
            one = PADS
        case "card":
            one = st.none() | st.sampled_from(field.choices)
        case _:
            raise AssertionError(field)
    return st.lists(one, min_size=players, max_size=players) if field.each else one


def open_entries(game: Game, state: Any) -> list[dict[str, Any]]:
    """Returns everything that could be entered next by itself."""
    return [dict(option.entry) for option in game.expects(state).options if not option.closed]


def played(game: Game, players: int, raw_setup: Mapping[str, Any], script: list[int]) -> Fold:
    """Plays what a script picks."""
    fold = start(game, game.read_setup(raw_setup, players), players)
    for number in script:
        entries = open_entries(game, fold.state)
        if not entries:
            break
        fold = fold.add(read(game, players, entries[number % len(entries)]))
    return fold


def read(game: Game, players: int, body: Mapping[str, Any]) -> Line:
    return read_line(dict(body), game, players)


@st.composite
def playouts(draw: st.DrawFn, game: Game, players: int) -> Fold:
    """Draws games in the middle: what was entered could be entered."""
    return played(game, players, setup_of(game, players, draw), draw(SCRIPTS))
