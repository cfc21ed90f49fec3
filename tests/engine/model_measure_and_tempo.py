"""Measure and Tempo once more, slowly and plainly: dicts and lists, no thought of speed, nothing shared.

Where a card can be is found by walking: from the hand it was seen in, over every Cycle since, to every place it can
have got to. Places are "hand 0", "hand 1" and the deck's positions, 0 the top.
"""

from copy import deepcopy
from typing import Any

PACK = [rank + suit for suit in "SHDC" for rank in ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")]
ACES = ["AS", "AH", "AD", "AC"]
DECK = 52 - 7 - 7

State = dict[str, Any]


class No(Exception):
    """The entry is refused, for the reason named."""


def begin(setup: dict[str, Any]) -> State:
    return {
        "circle_limit": setup.get("circle_limit", True),
        "play_limit": setup.get("play_limit", True),
        "phase": "out",
        "to_act": setup["first"],
        "leader": setup["first"],
        "turn": setup["first"],
        "lying": [],
        "played": [],
        "actions": [],
        "guards": [None, None],
        "tempos": [0, 0],
        "bout_tempos": [0, 0],
        "scores": [0, 0],
        "finished": 0,
        "events": [],
        "revealed": [],
        "conceded": None,
    }


def public(state: State) -> dict[str, Any]:
    between = state["phase"] == "over" and state["conceded"] is None and state["finished"] > 0
    return {
        "play": state["finished"] if between else state["finished"] + 1,
        "phase": state["phase"],
        "to_act": state["to_act"],
        "actions": len(state["actions"]),
        "actions_left": 11 - len(state["actions"]) if state["circle_limit"] else None,
        "guards": state["guards"],
        "trump": trump(state["guards"]),
        "tempos": state["tempos"],
        "bout_tempos": state["bout_tempos"],
        "scores": state["scores"],
    }


def outcome(state: State) -> dict[str, Any] | None:
    scores, tempos = state["scores"], state["bout_tempos"]
    if state["conceded"] is not None:
        return {"winners": [1 - state["conceded"]], "reason": "conceded", "totals": scores}
    if state["phase"] != "over":
        return None
    for reason, counted in (("eleven" if max(scores) >= 11 else "score", scores), ("tempos", tempos)):
        if counted[0] != counted[1]:
            return {"winners": [counted.index(max(counted))], "reason": reason, "totals": scores}
    return {"winners": [], "reason": "draw", "totals": scores}


# Cards against cards


def group(card: str) -> str:
    rank = card[:-1]
    return "ace" if rank == "A" else "face" if rank in "JQK" else "number"


def stronger(one: str, other: str) -> bool:
    """Tells whether one card beats another in the loop, suits left aside."""
    if group(one) != group(other):
        return (group(one), group(other)) in (("face", "number"), ("ace", "face"), ("number", "ace"))
    ranks = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    return one[:-1] != other[:-1] and ranks.index(one[:-1]) > ranks.index(other[:-1])


def trump(guards: list[str | None]) -> str | None:
    if "?" in guards:
        return "?"
    standing = [guard for guard in guards if guard is not None]
    if len(standing) < 2:
        return standing[0][-1] if standing else None
    one, other = standing
    if one[:-1] == other[:-1]:
        return None
    return one[-1] if stronger(one, other) else other[-1]


def taker(lead: str, answer: str, trumps: str | None) -> str:
    """Names who takes a tempo: `lead`, `answer`, or `?` where it hangs on a trump that nobody recorded."""
    if lead[-1] == answer[-1]:
        return "answer" if stronger(answer, lead) else "lead"
    if trumps == "?":
        return "?"
    return "answer" if answer[-1] == trumps else "lead"


def known_cards(lying: list[dict[str, Any]]) -> tuple[str | None, str | None]:
    lead = answer = None
    for entry in lying:
        if entry["type"] == "answer":
            answer = entry["card"]
        elif entry.get("card"):
            lead = entry["card"]
    return lead, answer


def can_hold(state: State, seat: int, card: str) -> bool:
    """Walks a card from the hand it was seen in last, over every Cycle since."""
    events = state["events"]
    sighted = [at for at, event in enumerate(events) if event[2] == card]
    if not sighted:
        return True
    places: set[Any] = {f"hand {events[sighted[-1]][1]}"}
    for what, who, guard in events[sighted[-1] + 1 :]:
        if what != "cycle":
            continue
        after: set[Any] = set()
        for place in places:
            if place in (0, 1):
                place = f"hand {who}"
            elif isinstance(place, int):
                place -= 2
            after.add(place)
            if place == f"hand {who}" and card != guard:
                after |= {DECK - 2, DECK - 1}
        places = after
    return f"hand {seat}" in places


def in_hand(state: State, seat: int) -> set[str]:
    """Collects the cards a seat has shown since its own last Cycle, and the Guard that it could not cycle."""
    cards: set[str] = set()
    for what, who, card in state["events"]:
        if who == seat:
            if what == "cycle":
                cards = set()
            if card not in (None, "?"):
                cards.add(card)
    return cards


def show(state: State, seat: int, card: str) -> None:
    state["events"].append(("seen", seat, card))


# What is refused


def check_moment(state: State, phase: str, seat: int) -> None:
    if state["phase"] == "turn-up" and phase != "turn-up":
        raise No("feint-not-turned")
    if state["phase"] != phase or state["to_act"] is None:
        raise No("wrong-phase")
    if seat != state["to_act"]:
        raise No("wrong-turn")


def check_card(state: State, seat: int, card: str) -> None:
    if card in state["played"]:
        raise No("duplicate-card")
    if card == state["guards"][seat]:
        raise No("guard-played")
    if card == state["guards"][1 - seat]:
        raise No("opponents-guard")
    if not can_hold(state, seat, card):
        raise No("card-elsewhere")
    if len(in_hand(state, seat) | {card}) > 7:
        raise No("too-many-cards")


def may_show(state: State, seat: int, card: str) -> bool:
    try:
        check_card(state, seat, card)
        return True
    except No:
        return False


def check(state: State, entry: dict[str, Any]) -> None:
    kind, seat = entry["type"], entry.get("seat", 0)
    if state["phase"] == "over" and kind not in ("adjust", "reveal"):
        raise No("game-over")
    if kind in ("cycle", "guard", "stall"):
        check_moment(state, "out", seat)
        if state["circle_limit"] and len(state["actions"]) == 11:
            raise No("must-strike")
        if kind == "stall" and state["actions"] and state["actions"][-1] == "stall":
            raise No("stall-after-stall")
        if kind == "guard" and "card" in entry:
            check_guard(state, seat, entry["card"])
    elif kind in ("strike", "lead"):
        check_moment(state, "out" if kind == "strike" else "winner", seat)
        if entry.get("feint") and not any(may_show(state, seat, ace) for ace in ACES):
            raise No("no-ace-left")
        if entry.get("card"):
            check_card(state, seat, entry["card"])
    elif kind == "answer":
        check_moment(state, "answer", seat)
        check_card(state, seat, entry["card"])
        if state["lying"][0].get("feint"):
            # The only Ace that can lie face down cannot be the answer.
            if [ace for ace in ACES if may_show(state, state["leader"], ace)] == [entry["card"]]:
                raise No("card-elsewhere")
    elif kind == "turned":
        check_moment(state, "turn-up", seat)
        if entry["card"] not in ACES:
            raise No("feint-not-ace")
        check_card(state, seat, entry["card"])
    elif kind == "won":
        if state["phase"] == "out":
            raise No("wrong-phase")
        if not can_win(state, seat):
            raise No("result-impossible")
    elif kind == "disengage":
        if state["phase"] == "turn-up":
            raise No("feint-not-turned")
        if state["phase"] != "winner" or state["to_act"] != seat:
            raise No("disengage-not-open")
    elif kind == "reveal":
        check_reveal(state, entry["cards"])
    elif kind == "adjust":
        check_adjust(state, entry["set"])
    else:
        assert kind == "concede"


def check_guard(state: State, seat: int, card: str | None) -> None:
    standing = state["guards"][seat]
    if card is None:
        if standing is None:
            raise No("no-guard-to-take-back")
    elif card == standing:
        raise No("guard-already-there")
    else:
        check_card(state, seat, card)


def can_win(state: State, seat: int) -> bool:
    """Tries every pair of cards that can have been lead and answer."""
    if not state["lying"]:
        return True
    leader = state["lying"][0]["seat"]
    lead, answer = known_cards(state["lying"])
    hidden = ACES if state["lying"][0].get("feint") else PACK
    leads = [lead] if lead else [card for card in hidden if may_show(state, leader, card)]
    answers = [answer] if answer else [card for card in PACK if may_show(state, 1 - leader, card)]
    if lead is None and answer is None:
        return True
    wanted = "lead" if seat == leader else "answer"
    results = [taker(one, other, trump(state["guards"])) for one in leads for other in answers]
    return results == [] or wanted in results or "?" in results


def check_reveal(state: State, cards: list[str]) -> None:
    if state["phase"] != "over":
        raise No("wrong-phase")
    if len({*cards, *state["revealed"]}) < len(cards) + len(state["revealed"]):
        raise No("card-elsewhere")


def check_adjust(state: State, new: dict[str, Any]) -> None:
    if "tempos" in new:
        if state["phase"] in ("out", "over"):
            raise No("wrong-phase")
        if sum(new["tempos"]) > 5:
            raise No("too-many-tempos")
    guards = [card for card in new.get("guards", []) if card not in (None, "?")]
    if len(guards) > len(set(guards)):
        raise No("opponents-guard")
    if any(card in state["played"] for card in guards):
        raise No("duplicate-card")


def refusal(state: State, entry: dict[str, Any]) -> str | None:
    """Returns why the entry cannot be, or None where it can."""
    try:
        check(state, entry)
    except No as no:
        return str(no)
    return None


# What an entry changes


def evolve(state: State, entry: dict[str, Any]) -> State:
    """Returns the state after an entry that `check` let pass."""
    state = deepcopy(state)
    kind, seat = entry["type"], entry.get("seat", 0)
    if kind in ("cycle", "guard", "stall"):
        if kind == "cycle":
            state["events"].append(("cycle", seat, state["guards"][seat]))
        if kind == "guard":
            state["guards"][seat] = entry.get("card", "?")
            if entry.get("card"):
                show(state, seat, entry["card"])
        state["actions"].append(kind)
        state["to_act"] = 1 - seat
    elif kind in ("strike", "lead", "answer", "turned"):
        lay(state, entry)
    elif kind == "won":
        tempo_goes_to(state, seat)
    elif kind == "disengage":
        end_play(state, 1 - seat)
    elif kind == "concede":
        state.update(conceded=seat, phase="over", to_act=None)
    elif kind == "reveal":
        state["revealed"] += entry["cards"]
    else:
        adjust(state, deepcopy(entry["set"]))
    return state


def lay(state: State, entry: dict[str, Any]) -> None:
    seat = entry["seat"]
    state["lying"].append(entry)
    if entry.get("card"):
        show(state, seat, entry["card"])
        state["played"].append(entry["card"])
    if entry["type"] in ("strike", "lead"):
        state.update(leader=seat, phase="answer", to_act=1 - seat)
        return
    if entry["type"] == "answer" and state["lying"][0].get("feint"):
        state.update(phase="turn-up", to_act=1 - seat)
        return
    state.update(phase="answer", to_act=None)
    resolve(state)


def resolve(state: State) -> None:
    lead, answer = known_cards(state["lying"])
    if lead and answer:
        takes = taker(lead, answer, trump(state["guards"]))
        if takes != "?":
            tempo_goes_to(state, state["leader"] if takes == "lead" else 1 - state["leader"])


def tempo_goes_to(state: State, seat: int) -> None:
    state["tempos"][seat] += 1
    state["bout_tempos"][seat] += 1
    state.update(lying=[], leader=seat, phase="winner", to_act=seat)
    if sum(state["tempos"]) == 6:
        end_play(state, 1 - seat)


def end_play(state: State, loser: int) -> None:
    one, other = state["tempos"]
    state["scores"] = [state["scores"][0] + max(one - other, 0), state["scores"][1] + max(other - one, 0)]
    state["finished"] += 1
    state.update(tempos=[0, 0], played=[], actions=[], lying=[], turn=loser, phase="out", to_act=loser)
    end_bout(state)


def end_bout(state: State) -> None:
    if max(state["scores"]) >= 11 or (state["play_limit"] and state["finished"] >= 30):
        state.update(phase="over", to_act=None)


def adjust(state: State, new: dict[str, Any]) -> None:
    if sum(new.get("tempos", state["tempos"])) < sum(state["tempos"]):
        # Cards of tempos that do not count may be back in their hands.
        state["played"] = [card for card in known_cards(state["lying"]) if card]
    if new.get("guards", state["guards"]) != state["guards"]:
        # Nothing seen before is sure any more.
        state["events"] = []
        for seat in (0, 1):
            if new["guards"][seat] not in (None, "?"):
                show(state, seat, new["guards"][seat])
    state.update(new)
    if state["phase"] == "answer" and state["to_act"] is None:
        resolve(state)
    elif state["phase"] == "out":
        state["turn"] = state["to_act"]
        end_bout(state)
    elif state["phase"] == "over" and state["conceded"] is None:
        state.update(phase="out", to_act=state["turn"])
        end_bout(state)


def replay(setup: dict[str, Any], entries: list[dict[str, Any]]) -> State:
    """Returns the state after these entries in force. Raises No at the first that cannot be."""
    state = begin(setup)
    for entry in entries:
        check(state, entry)
        state = evolve(state, entry)
    return state
