"""Chameleon Tricks once more, slow and obvious: plain lists, no shortcuts, nothing of the engine.

Written from the rules page to be compared with the engine. Entries are the JSON of RECORD.md; a state is a dict.
"""

from copy import deepcopy
from itertools import combinations
from typing import Any

SUITS = ["C", "H", "S", "D"]
PACK = [f"{rank}{suit}" for suit in SUITS for rank in range(2, 11)]


class No(Exception):
    """An entry that cannot be; the code says why."""


def rank_of(card: str) -> int:
    return int(card[:-1])


def beats(card: str, other: str) -> bool:
    """Asks the suits first, then the ranks."""
    mine, theirs = SUITS.index(card[-1]), SUITS.index(other[-1])
    if mine != theirs:
        return mine < theirs
    return rank_of(card) > rank_of(other)


def begin(setup: dict[str, Any]) -> dict[str, Any]:
    players = setup["players"]
    state = {
        "players": players,
        "hand": 0,
        "dealer": (setup["dealer"] - 1) % players,
        "hands": [],
        "totals": [0] * players,
        "seen": [],
        "seen_before": [],
        "shown": [],
        "conceded": None,
    }
    deal(state)
    return state


def deal(state: dict[str, Any]) -> None:
    state["hand"] += 1
    state["trick"] = 1
    state["dealer"] = (state["dealer"] + 1) % state["players"]
    state["leader"] = state["dealer"]
    state["cards_left"] = [12] * state["players"]
    state["points"] = [0] * state["players"]
    state["stacks"] = []
    state["seen"] = []


def over(state: dict[str, Any]) -> bool:
    return len(state["hands"]) == 3 or state["conceded"] is not None


def from_leader(state: dict[str, Any]) -> list[int]:
    return [(state["leader"] + step) % state["players"] for step in range(state["players"])]


def waiting(state: dict[str, Any]) -> list[int]:
    """Returns the seats that have yet to lay their stack, in turn; the open trick was joined by who had cards then."""
    laid = [stack["seat"] for stack in state["stacks"]]
    in_trick = state["in_trick"] if state["stacks"] else [seat for seat in range(9) if has_cards(state, seat)]
    return [seat for seat in from_leader(state) if seat in in_trick and seat not in laid]


def has_cards(state: dict[str, Any], seat: int) -> bool:
    return seat < state["players"] and state["cards_left"][seat] > 0


def to_act(state: dict[str, Any]) -> int | None:
    return None if over(state) else waiting(state)[0]


def public(state: dict[str, Any]) -> dict[str, Any]:
    """Returns the state as RECORD.md lists it."""
    shown = {
        key: deepcopy(state[key]) for key in "hand trick dealer leader cards_left stacks points hands totals".split()
    }
    shown["to_act"] = to_act(state)
    shown["lead_suit"] = state["stacks"][0]["cards"][0][-1] if state["stacks"] else None
    return shown


def outcome(state: dict[str, Any]) -> dict[str, Any] | None:
    totals = state["totals"]
    able = [seat for seat in range(state["players"]) if seat != state["conceded"]]
    if not over(state):
        return None
    winners = [seat for seat in able if all(totals[seat] >= totals[other] for other in able)]
    reason = "total" if len(winners) == 1 else "shared"
    if state["conceded"] is not None:
        reason = "conceded"
    return {"winners": winners, "reason": reason, "totals": list(totals)}


def refusal(state: dict[str, Any], entry: dict[str, Any]) -> str | None:
    """Returns why the entry cannot be, or None where it can."""
    try:
        check(state, entry)
    except No as no:
        return str(no)
    return None


def check(state: dict[str, Any], entry: dict[str, Any]) -> None:
    """Raises No where the entry cannot be."""
    kind = entry["type"]
    if kind in ("stack", "won", "concede") and over(state):
        raise No("game-over")
    if kind == "stack":
        check_stack(state, entry)
    elif kind == "won":
        check_won(state, entry)
    elif kind == "reveal":
        check_reveal(state, entry["cards"])
    elif kind == "adjust":
        check_adjust(state, entry["set"])
    else:
        assert kind == "concede"


def check_new_card(state: dict[str, Any], card: str) -> None:
    if card not in PACK:
        raise No("not-in-deck")
    if card in state["seen"]:
        raise No("duplicate-card")


def check_stack(state: dict[str, Any], entry: dict[str, Any]) -> None:
    if entry["seat"] != to_act(state):
        raise No("wrong-turn")
    laid: list[str] = []
    for card in entry["cards"]:
        check_new_card(state, card)
        if card in laid:
            raise No("duplicate-card")
        laid.append(card)
        if rank_of(card) != rank_of(laid[0]):
            raise No("added-other-rank")
    if len(laid) > state["cards_left"][entry["seat"]]:
        raise No("too-many-cards")


def check_won(state: dict[str, Any], entry: dict[str, Any]) -> None:
    seat, card = entry["seat"], entry["card"]
    lying = {stack["seat"]: stack["cards"] for stack in state["stacks"]}
    if seat not in lying and seat not in waiting(state):
        raise No("result-impossible")
    if card not in lying.get(seat, []):
        check_new_card(state, card)
    if seat in lying and lying[seat][-1] != card:
        raise No("result-impossible")
    if any(beats(cards[-1], card) for cards in lying.values()):
        raise No("result-impossible")
    counts = counts_of(state, entry)
    for who, number in enumerate(counts):
        if who in lying:
            if number != len(lying[who]):
                raise No("counts-differ")
        elif who not in waiting(state):
            if number > 0:
                raise No("too-many-cards")
        elif number == 0:
            raise No("card-missing")
        elif number > state["cards_left"][who]:
            raise No("too-many-cards")
    unseen = [one for one in PACK if one not in state["seen"] and one != card]
    if not could_be(seat, card, {who: counts[who] for who in waiting(state)}, unseen):
        if could_be(seat, card, {who: 1 for who in waiting(state)}, unseen):
            raise No("counts-impossible")
        raise No("result-impossible")


def counts_of(state: dict[str, Any], entry: dict[str, Any]) -> list[int]:
    if "counts" in entry:
        return list(entry["counts"])
    lying = {stack["seat"]: len(stack["cards"]) for stack in state["stacks"]}
    return [lying.get(seat, 1 if seat in waiting(state) else 0) for seat in range(state["players"])]


def could_be(winner: int, card: str, counts: dict[int, int], unseen: list[str]) -> bool:
    """Tries every way to lay the stacks that were not entered, so that this card beats their last cards."""
    if not counts:
        return True
    seat = next(iter(counts))
    rest = {who: number for who, number in counts.items() if who != seat}
    for last in [card] if seat == winner else unseen:
        if beats(last, card):
            continue
        same = [one for one in unseen if rank_of(one) == rank_of(last) and one != last]
        for under in combinations(same, counts[seat] - 1):
            if could_be(winner, card, rest, [one for one in unseen if one != last and one not in under]):
                return True
    return False


def between_hands(state: dict[str, Any]) -> bool:
    return state["hand"] > 1 and state["trick"] == 1 and not state["stacks"]


def check_reveal(state: dict[str, Any], cards: list[str]) -> None:
    if not between_hands(state) and not over(state):
        raise No("wrong-phase")
    seen = [*(state["seen"] or state["seen_before"]), *state["shown"]]
    for card in cards:
        if card not in PACK:
            raise No("not-in-deck")
        if card in seen:
            raise No("card-elsewhere")
        seen.append(card)


def check_adjust(state: dict[str, Any], new: dict[str, Any]) -> None:
    if over(state) and [key for key in new if key != "totals"]:
        raise No("game-over")
    if state["stacks"] and "leader" in new:
        raise No("wrong-phase")
    if state["stacks"] and "cards_left" in new and [seat for seat in waiting(state) if new["cards_left"][seat] == 0]:
        raise No("wrong-phase")


def evolve(state: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """Returns the state after an entry that `check` let pass."""
    state = deepcopy(state)
    kind = entry["type"]
    seat = entry.get("seat")
    if kind == "stack":
        if not state["stacks"]:
            state["in_trick"] = waiting(state)
        state["stacks"].append({"seat": seat, "cards": list(entry["cards"])})
        state["seen"] += entry["cards"]
        state["cards_left"][seat] -= len(entry["cards"])
        if not waiting(state):
            best = state["stacks"][0]
            for stack in state["stacks"]:
                if beats(stack["cards"][-1], best["cards"][-1]):
                    best = stack
            trick_goes_to(state, best["seat"], best["cards"][-1])
    elif kind == "won":
        counts = counts_of(state, entry)
        for who in waiting(state):
            state["cards_left"][who] -= counts[who]
        if entry["card"] not in state["seen"]:
            state["seen"].append(entry["card"])
        trick_goes_to(state, seat, entry["card"])
    elif kind == "concede":
        if state["seen"] and len(state["hands"]) < 3:
            state["shown"] = []
        state["conceded"] = seat
    elif kind == "reveal":
        state["shown"] += entry["cards"]
    elif kind == "adjust":
        state.update(deepcopy(entry["set"]))
        if not state["stacks"] and ("leader" in entry["set"] or "cards_left" in entry["set"]):
            go_on(state)
    return state


def trick_goes_to(state: dict[str, Any], seat: int, card: str) -> None:
    state["points"][seat] += rank_of(card)
    state["stacks"] = []
    state["shown"] = []
    state["leader"] = seat
    if go_on(state):
        state["trick"] += 1


def go_on(state: dict[str, Any]) -> bool:
    """Ends the hand where fewer than two have cards; else the lead goes to the next who has some."""
    if sum(has_cards(state, seat) for seat in range(state["players"])) < 2:
        end_hand(state)
        return False
    while not has_cards(state, state["leader"]):
        state["leader"] = (state["leader"] + 1) % state["players"]
    return True


def end_hand(state: dict[str, Any]) -> None:
    scores = []
    for points in state["points"]:
        if points == max(state["points"]):
            points = points // 2
        scores.append(points)
    state["hands"].append(scores)
    state["totals"] = [total + score for total, score in zip(state["totals"], scores, strict=True)]
    state["seen_before"] = state["seen"]
    state["shown"] = []
    if len(state["hands"]) < 3:
        deal(state)


def replay(setup: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the state after entries that can be."""
    state = begin(setup)
    for entry in entries:
        state = evolve(state, entry)
    return state
