"""Leapfrog! positions: what the trick checker rules on, and how such a position is put together turn by turn."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from companion.engine.cards import RANK, RANKS, SUIT, SUITS, Card, Suit, deck, in_order
from companion.engine.findings import Finding, Findings, RecordError
from companion.engine.game import Field, Positions, Reason, Ruling, Turn
from companion.engine.leapfrog_tricks import (
    FRESH,
    PADS,
    POWERS,
    STANDARD,
    CardLaid,
    Laid,
    PowerUsed,
    Token,
    dive,
    hop,
    led_suit,
    order_after,
    passed,
    ruling,
)
from companion.engine.reading import low_card, maybe, one_of, seat_of, several, shape, thing, whole, yes_no
from companion.engine.reading import suit as read_suit

TURNS = 4
HAND = 14
DIVE = "dive"
"""A King Frog that dives, as a turn's word."""
WORDS = ("leap", "king", DIVE)
FIELDS: Mapping[str, Field] = {
    "order": Field("hierarchy", "suits", SUITS, ("S", "H", "C"), size=3),
    "track": Field("track", "order", STANDARD, size=PADS),
    "frogs": Field("frogs", "pad", each=True),
    "king": Field("king", "pad"),
    "used": Field("powers_used", "number", (0, POWERS), each=True),
}


class Way(NamedTuple):
    """Where a token would land, and what it would pass: `to` is a place on the track, `pad` the number there."""

    seat: int
    dive: bool
    to: int
    pad: int
    over: tuple[Token, ...]

    def json(self) -> dict[str, Any]:
        return {**self._asdict(), "over": list(self.over)}


class Pond(NamedTuple):
    """The track and where the tokens stand."""

    track: tuple[int, ...]
    frogs: tuple[int, int]
    king: int

    @property
    def water(self) -> tuple[int, ...]:
        """The pads a token may dive from: the standard track's 0 is none."""
        return () if self.track == STANDARD else tuple(pad for pad, value in enumerate(self.track) if value == 0)

    def dives(self, token: Token) -> int | None:
        """Returns where a token's dive would end, or None where none is open."""
        start, others = self._stands(token)
        return dive(start, others.values(), self.water)

    def way(self, token: Token, dived: bool) -> tuple[int, tuple[Token, ...]]:
        """Returns where a token lands, and what it passes."""
        start, others = self._stands(token)
        from_ = next(pad for pad in self.water if pad != start) if dived else start
        to = hop(from_, others.values())
        return to, passed(from_, to, others)

    def ways(self, seat: int) -> list[Way]:
        """Returns where a frog would land: hopping, and diving where that is open."""
        ways = []
        for dived in (False, True) if self.dives(seat) is not None else (False,):
            to, over = self.way(seat, dived)
            ways.append(Way(seat, dived, to, self.track[to], over))
        return ways

    def _stands(self, token: Token) -> tuple[int, dict[Token, int]]:
        pads: dict[Token, int] = {0: self.frogs[0], 1: self.frogs[1], "king": self.king}
        return pads.pop(token), pads


def legal(plays: Sequence[Laid], hand: Sequence[Card], powers_used: int) -> dict[str, Any]:
    """Returns which cards of a hand may lie face up, and whether a power is open (leapfrog/follow, leapfrog/power)."""
    led = led_suit(plays)
    follows = [card for card in hand if SUIT[card] == led]
    power = bool(hand) and powers_used < POWERS and not any(play.power for play in plays)
    return {"up": sorted(follows or hand), "power": power}


def rule_on(position: Mapping[str, Any]) -> Ruling:
    """Rules on a position (RECORD.md): who takes the cards, and what `hand` may play. Raises RecordError.

    Optional beside RECORD.md's keys are `frogs` and `king`, the pads they stand on as the trick begins, and `track`;
    a `king` play may then say `dive`. The ruling then has `hierarchy` and `king` as they are after these plays, and
    `moves`: where each frog would land.
    """
    hierarchy, plays, hand, powers_used, track, frogs, king = _POSITION.read(position)
    if len(set(hierarchy)) != 3:
        raise RecordError("suits-not-different", "hierarchy")
    _check_turns(plays, hierarchy, hand or ())
    pond = _pond(track, frogs, king)
    moved = []
    for place, play in enumerate(plays):
        if not isinstance(play, PowerUsed):
            continue
        if play.dive and (play.power != "king" or pond is None or pond.dives("king") is None):
            raise RecordError("position-dive", f"plays[{place}].dive")
        if play.power == "king" and pond:
            to, over = pond.way("king", bool(play.dive))
            pond = pond._replace(king=to)
            moved.append(_move("king", bool(play.dive), pond.track[to], over))
    ruled = ruling(plays, hierarchy)
    steps: list[Reason] = []
    for step in ruled.because:
        steps += [step, *moved] if step.code == "king-moved" else [step]
    more: dict[str, Any] = {}
    if pond:
        ways = [way for seat in (0, 1) for way in pond.ways(seat)]
        order = list(order_after(plays, hierarchy))
        more = {"hierarchy": order, "king": pond.king, "moves": [way.json() for way in ways]}
        if len(plays) == TURNS:
            steps += [_lands(way) for way in ways if way.seat == ruled.winner]
    if hand is not None:
        if len(plays) == TURNS:
            raise RecordError("position-finished", "hand")
        more["legal"] = legal(plays, hand, powers_used)
        steps += _may(plays, hand, powers_used)
    if not steps:
        steps.append(Reason("nothing-laid", "leapfrog/order"))
    return ruled._replace(because=tuple(steps), findings=_revoked(plays), more=more)


def _check_turns(plays: Sequence[Laid], hierarchy: Sequence[Suit], hand: Sequence[Card]) -> None:
    seen: set[str] = set()
    for place, play in enumerate(plays):
        expected = plays[0].seat if place % 2 == 0 else 1 - plays[0].seat
        if play.seat != expected:
            raise RecordError("position-turn", f"plays[{place}].seat", seat=expected)
        if play.card is not None:
            _fresh(play.card, hierarchy, seen, f"plays[{place}].card")
    if sum(play.power is not None for play in plays) > 1:
        raise RecordError("position-second-power", "plays")
    for place, card in enumerate(hand):
        _fresh(card, hierarchy, seen, f"hand[{place}]")


def _fresh(card: Card, hierarchy: Sequence[Suit], seen: set[str], place: str) -> None:
    if SUIT[card] not in hierarchy or RANK[card] > 10:
        raise RecordError("position-not-in-deck", place, card=card)
    if card in seen:
        raise RecordError("position-card-twice", place, card=card)
    seen.add(card)


def _pond(track: tuple[int, ...] | None, frogs: tuple[int, int] | None, king: int | None) -> Pond | None:
    if track is not None and track != STANDARD and sorted(track) != list(FRESH):
        raise RecordError("track-fresh", "track", pads=list(FRESH))
    if frogs is None and king is None:
        return None
    for key, value in (("frogs", frogs), ("king", king)):
        if value is None:
            raise RecordError("key-missing", key, key=key)
    assert frogs is not None
    assert king is not None
    pond = Pond(track or STANDARD, frogs, king)
    start = pond.track.index(3 if pond.water else 6)
    if frogs[0] == frogs[1] != start:
        raise RecordError("position-pad-taken", "frogs[1]")
    if king in frogs:
        raise RecordError("position-pad-taken", "king")
    return pond


def _move(token: Token, dived: bool, pad: int, over: Sequence[Token]) -> Reason:
    code = "king-" + ("dived" if dived else "hopped") + ("-over" if over else "")
    return Reason(code, "leapfrog/dive" if dived else "leapfrog/king", {"pad": pad, "tokens": list(over)})


def _lands(way: Way) -> Reason:
    code = ("may-dive" if way.dive else "hopped") + ("-over" if way.over else "")
    params = {"seat": way.seat, "pad": way.pad, "tokens": list(way.over)}
    return Reason(code, "leapfrog/dive" if way.dive else "leapfrog/hop", params)


def _revoked(plays: Sequence[Laid]) -> Findings:
    """Returns the revokes that the trick itself proves: an off-suit card, and then a card of the lead suit."""
    led = led_suit(plays)
    up = [play for play in plays if isinstance(play, CardLaid)]
    return tuple(
        Finding("fault", "revoke", "leapfrog/follow", (), {"seat": then.seat, "suit": led, "card": then.card})
        for place, one in enumerate(up)
        for then in up[place + 1 :]
        if one.seat == then.seat and SUIT[one.card] != led == SUIT[then.card]
    )


def _may(plays: Sequence[Laid], hand: Sequence[Card], powers_used: int) -> list[Reason]:
    """Returns what a hand may play and why the rest of it may not."""
    if not hand:
        return [Reason("hand-empty", None)]
    led = led_suit(plays)
    follows = in_order(card for card in hand if SUIT[card] == led)
    if led is None:
        rule = "leapfrog/face-down-lead" if plays else "leapfrog/lead"
        steps = [Reason("hand-any", rule, {"cards": in_order(hand)})]
    elif follows:
        steps = [Reason("hand-follows", "leapfrog/follow", {"suit": led, "cards": follows})]
        if rest := in_order(card for card in hand if SUIT[card] != led):
            steps.append(Reason("hand-closed", "leapfrog/follow", {"suit": led, "cards": rest}))
    else:
        steps = [Reason("hand-void", "leapfrog/follow", {"suit": led, "cards": in_order(hand)})]
    if any(play.power for play in plays):
        steps.append(Reason("hand-one-power", "leapfrog/one-power"))
    elif powers_used >= POWERS:
        steps.append(Reason("hand-powers-spent", "leapfrog/power-limit", {"most": POWERS}))
    else:
        steps.append(Reason("hand-power", "leapfrog/power"))
    return steps


def position(turns: Sequence[Turn], fields: Mapping[str, Any], seat: int | None) -> dict[str, Any]:
    """Returns a position as `rule_on` reads it; `seat` is whose hand is asked about."""
    plays: list[dict[str, Any]] = []
    for owner, (word, *known) in turns:
        if word in WORDS:
            power = {"power": "king", "dive": True} if word == DIVE else {"power": word}
            plays.append({"seat": owner, **power, **({"card": known[0]} if known else {})})
        else:
            plays.append({"seat": owner, "card": word})
    whole = {"game": "leapfrog", "plays": plays, **fields}
    used = whole.pop("powers_used", None)
    return whole | ({"powers_used": used[seat]} if used and seat is not None else {})


def choices(turns: Sequence[Turn], place: int, fields: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields everything that one turn could hold."""
    for card in deck(RANKS[:10], [suit for suit in SUITS if suit in fields["hierarchy"]]):
        yield (card,)
    for word in WORDS:
        yield (word,)


def standing(before: Any, trick: Any) -> tuple[tuple[Turn, ...], dict[str, Any]]:
    """Returns a finished trick, or the state in which one lies open, as a position; it began in state `before`.

    What was entered by its result leaves turns open; a power entered so is put where its player may have laid it.
    """
    turns = [Turn((before.leader + place) % 2) for place in range(TURNS)]
    for play in trick.plays:
        own = [place for place, turn in enumerate(turns) if turn.seat == play.seat and not turn.laid]
        words = (play.card,) if isinstance(play, CardLaid) else (DIVE if play.dive else play.power, play.card)
        turns[own[0]] = Turn(play.seat, tuple(word for word in words if word))
    fields = {
        "hierarchy": list(before.hierarchy),
        "frogs": list(before.frogs),
        "king": before.king,
        "powers_used": list(before.powers_used),
        **({"track": list(before.track)} if before.water else {}),
    }
    return tuple(turns), fields


def _play(value: Any) -> Laid:
    if "power" in thing(value):
        return _DOWN.read(value)  # type: ignore[no-any-return]
    return _UP.read(value)  # type: ignore[no-any-return]


_UP = shape(CardLaid, seat=seat_of(2), card=low_card)
_DOWN = shape(
    lambda seat, power, dived, card: PowerUsed(seat, power, dived, card),
    (("dive", yes_no, None), ("card", maybe(low_card), None)),
    seat=seat_of(2),
    power=one_of("leap", "king"),
)
_POSITION = shape(
    lambda game, hierarchy, plays, hand, powers_used, track, frogs, king: (
        hierarchy,
        plays,
        hand,
        powers_used,
        track,
        frogs,
        king,
    ),
    (
        ("hand", several(low_card, 0, HAND), None),
        ("powers_used", whole(0, POWERS), 0),
        ("track", several(whole(0, 9), PADS, PADS), None),
        ("frogs", several(whole(0, PADS - 1), 2, 2), None),
        ("king", whole(0, PADS - 1), None),
    ),
    game=one_of("leapfrog"),
    hierarchy=several(read_suit, 3, 3),
    plays=several(_play, 0, TURNS),
)
POSITIONS = Positions(TURNS, HAND, WORDS, FIELDS, position, choices, standing)
