"""Leapfrog! once more, slow and obvious: plain lists, no shortcuts, nothing of the engine.

Written from the rules pages to be compared with the engine. Entries are the JSON of RECORD.md; a state is a dict.
"""

from copy import deepcopy
from itertools import permutations
from typing import Any

PACK_RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10"]


class No(Exception):
    """An entry that cannot be; the code says why."""


def rank_of(card: str) -> int:
    return PACK_RANKS.index(card[:-1]) + 1


def suit_of(card: str) -> str:
    return card[-1]


def deck_of(suits: list[str]) -> list[str]:
    return [rank + suit for suit in suits for rank in PACK_RANKS]


def winner_of(plays: list[dict[str, Any]], hierarchy: list[str]) -> dict[str, Any] | None:
    """Looks at the suits from the strongest down, and walks down from the highest card as long as the next is there."""
    for suit in hierarchy:
        here = [play for play in plays if play["type"] == "card" and suit_of(play["card"]) == suit]
        if not here:
            continue
        ranks = [rank_of(play["card"]) for play in here]
        lowest = max(ranks)
        while lowest - 1 in ranks:
            lowest = lowest - 1
        for play in here:
            if rank_of(play["card"]) == lowest:
                return play
    return None


def next_free(pad: int, taken: list[int]) -> int:
    pad = (pad + 1) % 8
    while pad in taken:
        pad = (pad + 1) % 8
    return pad


def other_water(state: dict[str, Any], pad: int, taken: list[int]) -> int | None:
    """Returns the water pad that a token on `pad` could dive to."""
    if state["variant"] != "freshwater" or state["track"][pad] != 0:
        return None
    for water in range(8):
        if state["track"][water] == 0 and water != pad and water not in taken:
            return water
    return None


def begin(setup: dict[str, Any]) -> dict[str, Any]:
    fresh = setup["variant"] == "freshwater"
    track = setup["track"] if fresh else [6, 1, 3, 5, 0, 9, 4, 2]
    frog = track.index(3 if fresh else 6)
    return {
        "variant": setup["variant"],
        "start": frog,
        "deck": deck_of(setup["hierarchy"]),
        "track": list(track),
        "hierarchy": list(setup["hierarchy"]),
        "frogs": [frog, frog],
        "king": track.index(4 if fresh else 0),
        "round": 1,
        "trick": 1,
        "dealer": setup["dealer"],
        "leader": setup["dealer"],
        "plays": [],
        "by_result": False,
        "winner": None,
        "powers_used": [0, 0],
        "rounds": [],
        "totals": [0, 0],
        "known": [],
        "round_before": [],
        "shown": [],
        "conceded": None,
    }


def over(state: dict[str, Any]) -> bool:
    return len(state["rounds"]) == 4 or state["conceded"] is not None


def to_act(state: dict[str, Any]) -> int | None:
    if over(state):
        return None
    if state["winner"] is not None:
        return int(state["winner"])
    if state["by_result"]:
        return None
    # leader, other, leader, other
    order = [state["leader"], 1 - state["leader"], state["leader"], 1 - state["leader"]]
    return int(order[len(state["plays"])])


def public(state: dict[str, Any]) -> dict[str, Any]:
    """Returns the state as RECORD.md lists it."""
    shown = {
        key: deepcopy(state[key])
        for key in "round trick dealer leader hierarchy track frogs king powers_used plays rounds totals".split()
    }
    shown["to_act"] = to_act(state)
    shown["choice"] = None if over(state) else state["winner"]
    return shown


def outcome(state: dict[str, Any]) -> dict[str, Any] | None:
    totals = state["totals"]
    if state["conceded"] is not None:
        return {"winners": [1 - state["conceded"]], "reason": "conceded", "totals": list(totals)}
    if len(state["rounds"]) < 4:
        return None
    pads = [state["track"][frog] for frog in state["frogs"]]
    if totals[0] != totals[1]:
        return {"winners": [totals.index(max(totals))], "reason": "total", "totals": list(totals)}
    if pads[0] != pads[1]:
        return {"winners": [pads.index(max(pads))], "reason": "pad", "totals": list(totals)}
    return {"winners": [], "reason": "draw", "totals": list(totals)}


def check_new_card(state: dict[str, Any], card: str) -> None:
    if card not in state["deck"]:
        raise No("not-in-deck")
    if card in state["known"]:
        raise No("duplicate-card")


def check(state: dict[str, Any], entry: dict[str, Any]) -> None:
    """Raises No where the entry cannot be."""
    kind = entry["type"]
    seat = entry.get("seat")
    if kind in ("card", "power", "won"):
        if over(state):
            raise No("game-over")
        if state["winner"] is not None:
            raise No("hop-missing")
    if kind == "card":
        if state["by_result"]:
            raise No("wrong-phase")
        if seat != to_act(state):
            raise No("wrong-turn")
        check_new_card(state, entry["card"])
    elif kind == "power":
        if [play for play in state["plays"] if play["type"] == "power"]:
            raise No("second-power")
        if state["powers_used"][seat] == 2:
            raise No("power-limit")
        if len([play for play in state["plays"] if play["seat"] == seat]) == 2:
            raise No("too-many-cards")
        if entry.get("dive") and (
            entry["power"] != "king" or other_water(state, state["king"], state["frogs"]) is None
        ):
            raise No("dive-not-allowed")
        if entry.get("card"):
            check_new_card(state, entry["card"])
    elif kind == "won":
        if not could_win(state, seat):
            raise No("result-impossible")
    elif kind == "hop":
        if over(state):
            raise No("game-over")
        if state["winner"] is None:
            raise No("hop-not-asked")
        if seat != state["winner"]:
            raise No("wrong-turn")
        if entry["dive"] and frog_water(state, seat) is None:
            raise No("dive-not-allowed")
    elif kind == "concede":
        if over(state):
            raise No("game-over")
    elif kind == "reveal":
        check_reveal(state, entry["cards"])
    elif kind == "adjust":
        check_adjust(state, entry["set"])
    else:
        raise AssertionError(kind)


def refusal(state: dict[str, Any], entry: dict[str, Any]) -> str | None:
    """Returns why the entry cannot be, or None where it can."""
    try:
        check(state, entry)
    except No as no:
        return str(no)
    return None


def could_win(state: dict[str, Any], seat: int) -> bool:
    """Tries every way to fill the trick with cards that were not seen in this round."""
    missing = []
    for who in (0, 1):
        laid = [play for play in state["plays"] if play["seat"] == who]
        missing += [who] * (2 - len(laid))
    unseen = [card for card in state["deck"] if card not in state["known"]]
    for cards in permutations(unseen, len(missing)):
        added = [{"type": "card", "seat": who, "card": card} for who, card in zip(missing, cards, strict=True)]
        best = winner_of(state["plays"] + added, state["hierarchy"])
        if best is not None and best["seat"] == seat:
            return True
    return False


def between_rounds(state: dict[str, Any]) -> bool:
    if len(state["rounds"]) == 4:
        return True
    return state["round"] > 1 and state["trick"] == 1 and not state["plays"] and state["winner"] is None


def check_reveal(state: dict[str, Any], cards: list[str]) -> None:
    if not between_rounds(state) and not over(state):
        raise No("wrong-phase")
    seen = list(state["round_before"] if between_rounds(state) else state["known"]) + state["shown"]
    for card in cards:
        if card not in state["deck"]:
            raise No("not-in-deck")
        if card in seen:
            raise No("card-elsewhere")
        seen.append(card)


def check_adjust(state: dict[str, Any], new: dict[str, Any]) -> None:
    if "leader" in new and (over(state) or state["plays"] or state["winner"] is not None):
        raise No("wrong-phase")
    if "hierarchy" in new and sorted(new["hierarchy"]) != sorted(state["hierarchy"]):
        raise No("other-suits")
    if "frogs" in new or "king" in new:
        frogs = new.get("frogs", state["frogs"])
        king = new.get("king", state["king"])
        if king in frogs:
            raise No("pad-taken")
        if frogs[0] == frogs[1] and frogs[0] != state["start"]:
            raise No("pad-taken")


def frog_water(state: dict[str, Any], seat: int) -> int | None:
    return other_water(state, state["frogs"][seat], [state["frogs"][1 - seat], state["king"]])


def evolve(state: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """Returns the state after an entry that `check` let pass."""
    state = deepcopy(state)
    kind = entry["type"]
    seat = entry.get("seat")
    if kind in ("card", "power"):
        in_turn = seat == to_act(state)
        state["plays"].append(deepcopy(entry))
        if entry.get("card"):
            state["known"].append(entry["card"])
        if kind == "power":
            if not in_turn:
                state["by_result"] = True
            use_power(state, entry)
        if len(state["plays"]) == 4 and not state["by_result"]:
            best = winner_of(state["plays"], state["hierarchy"])
            assert best is not None
            trick_goes_to(state, best["seat"])
    elif kind == "won":
        trick_goes_to(state, entry["seat"])
    elif kind == "hop":
        move_frog(state, entry["seat"], entry["dive"])
    elif kind == "concede":
        if not between_rounds(state):
            state["shown"] = []
        state["conceded"] = seat
    elif kind == "reveal":
        state["shown"] += entry["cards"]
    elif kind == "adjust":
        state.update(deepcopy(entry["set"]))
    return state


def use_power(state: dict[str, Any], entry: dict[str, Any]) -> None:
    state["powers_used"][entry["seat"]] += 1
    if entry["power"] == "leap":
        state["hierarchy"] = [state["hierarchy"][2], state["hierarchy"][0], state["hierarchy"][1]]
        return
    pad = state["king"]
    if entry.get("dive"):
        pad = other_water(state, pad, state["frogs"])
    state["king"] = next_free(pad, state["frogs"])


def trick_goes_to(state: dict[str, Any], seat: int) -> None:
    state["winner"] = seat
    if frog_water(state, seat) is None:
        move_frog(state, seat, False)


def move_frog(state: dict[str, Any], seat: int, dive: bool) -> None:
    others = [state["frogs"][1 - seat], state["king"]]
    pad = state["frogs"][seat]
    if dive:
        pad = frog_water(state, seat)
    state["frogs"][seat] = next_free(pad, others)
    state["winner"] = None
    state["plays"] = []
    state["by_result"] = False
    state["shown"] = []
    state["leader"] = seat
    state["trick"] += 1
    if state["trick"] == 8:
        end_round(state)


def end_round(state: dict[str, Any]) -> None:
    points = [state["track"][frog] for frog in state["frogs"]]
    state["rounds"].append(points)
    state["totals"] = [state["totals"][0] + points[0], state["totals"][1] + points[1]]
    state["round_before"] = state["known"]
    state["known"] = []
    if len(state["rounds"]) == 4:
        state["trick"] = 7
        return
    state["round"] += 1
    state["trick"] = 1
    state["dealer"] = 1 - state["dealer"]
    state["leader"] = state["dealer"]
    state["powers_used"] = [0, 0]


def replay(setup: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the state after these entries in force. Raises No at the first that cannot be."""
    state = begin(setup)
    for entry in entries:
        check(state, entry)
        state = evolve(state, entry)
    return state
