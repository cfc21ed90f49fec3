"""Replay: a record in, the answer of `companion replay` out (RECORD.md)."""

from typing import Any

from companion.engine.findings import Refused
from companion.engine.fold import start
from companion.engine.record import Record


def replay(record: Record) -> dict[str, Any]:
    """Returns every step's state, the final state, all findings and the outcome; a refused entry ends the replay."""
    so_far = start(record.game, record.setup, len(record.players))
    steps: list[dict[str, Any]] = []
    answer: dict[str, Any] = {"game": record.game.slug, "steps": steps}
    for number, line in enumerate(record.lines, 1):
        try:
            so_far = so_far.add(line)
        except Refused as error:
            answer["refused"] = {"n": number, "findings": [finding.json() for finding in error.findings]}
            break
        steps.append({"n": number, "entry": line.json(), "findings": [], "state": record.game.json(so_far.state)})
    outcome = record.game.outcome(so_far.state)
    answer["state"] = record.game.json(so_far.state)
    answer["findings"] = []
    answer["outcome"] = outcome.json() if outcome else None
    return answer
