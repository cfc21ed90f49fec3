"""What refuses an entry of Measure and Tempo. A card is refused only where the record proves that it lies elsewhere."""

from collections.abc import Callable, Mapping
from typing import Any

from companion.engine.cards import BIT, PACK, Card
from companion.engine.findings import Findings, refused
from companion.engine.game import Adjusted, Conceded, Revealed
from companion.engine.measure_and_tempo_bout import (
    CIRCLE,
    TEMPOS,
    Cycled,
    Disengaged,
    GuardChanged,
    Stalled,
    State,
    TempoWon,
)
from companion.engine.measure_and_tempo_hands import may_have_come
from companion.engine.measure_and_tempo_tempos import (
    ACE,
    ACES,
    GROUP,
    HAND,
    UNKNOWN,
    Answered,
    Led,
    Turned,
    answer_wins,
    lying,
)


def check_open(state: State, phase: str, seat: int, rule: str) -> Findings:
    """Returns why this seat cannot do what belongs to this phase."""
    if state.phase == phase and seat == state.to_act:
        return ()
    if state.over:
        return refused("game-over", "measure-and-tempo/goal")
    if state.phase == "turn-up" and phase != "turn-up":
        return refused("feint-not-turned", "measure-and-tempo/feint", seat=state.leader)
    if state.phase != phase or state.to_act is None:
        return refused("wrong-phase", rule, phase="unresolved" if state.to_act is None else state.phase)
    return refused("wrong-turn", rule, seat=seat, to_act=state.to_act)


def check_card(state: State, seat: int, card: Card) -> Findings:
    """Returns why this seat cannot show this card now: nothing unless the record proves it."""
    bit, known = BIT[card], state.known
    held = known.held[seat]
    if bit & held and not bit & state.played and card != state.guards[seat]:
        return ()
    if bit & state.played:
        owner = next((play.seat for play in state.plays if play.card == card), None)
        return refused("duplicate-card", "measure-and-tempo/next-turn", card=card, seat=owner)
    if card == state.guards[seat]:
        return refused("guard-played", "measure-and-tempo/guard-stays", card=card, seat=seat)
    if card == state.guards[1 - seat]:
        return refused("opponents-guard", "measure-and-tempo/guard-stays", card=card, seat=1 - seat)
    if bit & known.shown[1 - seat] and not may_have_come(known, seat, card):
        return refused("card-elsewhere", "measure-and-tempo/deal", card=card, seat=1 - seat)
    if (held | bit).bit_count() > HAND:
        return refused("too-many-cards", "measure-and-tempo/deal", seat=seat, most=HAND)
    return ()


def check_action(state: State, entry: Any) -> Findings:
    """Returns why an Out of Measure action is refused."""
    findings = check_open(state, "out", entry.seat, "measure-and-tempo/turns")
    if findings:
        return findings
    if state.circle_limit and len(state.steps) >= CIRCLE:
        return refused("must-strike", "measure-and-tempo/circle", seat=entry.seat, most=CIRCLE)
    if type(entry) is Stalled and state.steps and state.steps[-1][0] == "stall":
        return refused("stall-after-stall", "measure-and-tempo/stall", seat=1 - entry.seat)
    if type(entry) is GuardChanged:
        return _check_guard(state, entry)
    return ()


def _check_guard(state: State, entry: GuardChanged) -> Findings:
    rule = "measure-and-tempo/change-guard"
    standing = state.guards[entry.seat]
    if entry.card is None:
        return refused("no-guard-to-take-back", rule, seat=entry.seat) if standing is None else ()
    if entry.card == UNKNOWN:
        return ()
    if entry.card == standing:
        return refused("guard-already-there", rule, card=standing, seat=entry.seat)
    return check_card(state, entry.seat, Card(entry.card))


def check_led(state: State, entry: Led) -> Findings:
    """Returns why a Strike or a later lead is refused."""
    phase, rule = ("out", "measure-and-tempo/strike") if entry.strike else ("winner", "measure-and-tempo/disengage")
    findings = check_open(state, phase, entry.seat, rule)
    if findings:
        return findings
    if entry.feint and not _aces(state, entry.seat):
        return refused("no-ace-left", "measure-and-tempo/feint", seat=entry.seat)
    return check_card(state, entry.seat, entry.card) if entry.card else ()


def _aces(state: State, seat: int) -> list[Card]:
    """Returns the Aces that this seat can have led face down."""
    return [ace for ace in ACES if not check_card(state, seat, ace)]


def check_answered(state: State, entry: Answered) -> Findings:
    """Returns why an answer is refused."""
    findings = check_open(state, "answer", entry.seat, "measure-and-tempo/follow") or check_card(
        state, entry.seat, entry.card
    )
    if not findings and entry.card in ACES:
        lead, _, _ = lying(state.plays)
        if lead.feint and _aces(state, lead.seat) == [entry.card]:
            return refused("card-elsewhere", "measure-and-tempo/feint", card=entry.card, seat=lead.seat)
    return findings


def check_turned(state: State, entry: Turned) -> Findings:
    """Returns why the card turned up cannot be the Feint's Ace."""
    rule = "measure-and-tempo/feint"
    findings = check_open(state, "turn-up", entry.seat, rule)
    if not findings and GROUP[entry.card] != ACE:
        return refused("feint-not-ace", rule, card=entry.card)
    return findings or check_card(state, entry.seat, entry.card)


def check_won(state: State, entry: TempoWon) -> Findings:
    """Returns why a tempo cannot have had this result."""
    if state.phase in ("out", "over"):
        return check_open(state, "winner", entry.seat, "measure-and-tempo/strike")
    if not state.plays or (len(state.plays) == 1 and state.plays[0].card is None) or _may_win(state, entry.seat):
        return ()
    return refused("result-impossible", "measure-and-tempo/win", seat=entry.seat)


def _may_win(state: State, seat: int) -> bool:
    """Returns whether cards that nothing excludes, in place of those not known, let this seat win the tempo."""
    lead, card, answer = lying(state.plays)
    if card:
        leads = [card]
    else:
        leads = (
            _aces(state, lead.seat) if lead.feint else [one for one in PACK if not check_card(state, lead.seat, one)]
        )
    answers = [answer.card] if answer else [one for one in PACK if not check_card(state, 1 - lead.seat, one)]
    results = {answer_wins(one, other, state.trump) for one in leads for other in answers}
    # None: it hangs on a trump that was not recorded. No result at all: the table's own ruling left no card for it.
    return not results or None in results or (seat != lead.seat) in results


def check_disengaged(state: State, entry: Disengaged) -> Findings:
    """Returns why the play cannot be ended now."""
    if state.phase == "winner" and entry.seat == state.to_act:
        return ()
    if state.over or state.phase == "turn-up":
        return check_open(state, "winner", entry.seat, "measure-and-tempo/disengage")
    return refused("disengage-not-open", "measure-and-tempo/disengage", seat=entry.seat)


def check_adjusted(state: State, entry: Adjusted) -> Findings:
    """Returns why the table's ruling does not fit the table."""
    new = dict(entry.set)
    rule = "measure-and-tempo/guard-stays"
    if "tempos" in new and state.phase in ("out", "over"):
        return refused("wrong-phase", "measure-and-tempo/six", phase=state.phase)
    if sum(new.get("tempos", ())) >= TEMPOS:
        return refused("too-many-tempos", "measure-and-tempo/six", most=TEMPOS - 1)
    guards = [card for card in new.get("guards", ()) if card not in (None, UNKNOWN)]
    if len(guards) > len(set(guards)):
        return refused("opponents-guard", rule, card=guards[0], seat=0)
    for card in guards:
        if BIT[card] & state.played:
            return refused("duplicate-card", rule, card=card)
    return ()


def check_revealed(state: State, entry: Revealed) -> Findings:
    """Returns why these cards cannot be looked at, or are not what stayed hidden."""
    if not state.over:
        return refused("wrong-phase", "measure-and-tempo/deal", phase=state.phase)
    for place, card in enumerate(entry.cards):
        if card in state.revealed or card in entry.cards[:place]:
            return refused("card-elsewhere", "measure-and-tempo/deal", card=card)
    return ()


CHECKS: Mapping[type, Callable[[State, Any], Findings]] = {
    Cycled: check_action,
    GuardChanged: check_action,
    Stalled: check_action,
    Led: check_led,
    Answered: check_answered,
    Turned: check_turned,
    TempoWon: check_won,
    Disengaged: check_disengaged,
    Adjusted: check_adjusted,
    Revealed: check_revealed,
    Conceded: lambda state, entry: refused("game-over", "measure-and-tempo/goal") if state.over else (),
}
