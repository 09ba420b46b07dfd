"""A match of the game that follows a script, driven answer by answer."""

from collections.abc import Sequence
from typing import Any

from arena.match.decisions import Answer
from arena.match.match import Match
from arena.match.result import Fault, FaultCause
from tests.support.specs import script_spec


def start(script: str, seats: int = 2, *, absent: Sequence[int] = (), **changes: Any) -> Match:
    match = Match(script_spec(script, seats, **changes))
    match.begin([Fault(seat, FaultCause.START_FAILED, 0, "It did not start.") for seat in absent])
    return match


def act(match: Match, *actions: int, took_us: int = 0, **changes: Any) -> None:
    """The seat that is asked answers."""
    decision = match.decision
    assert decision is not None
    answer = Answer(**{"match_id": "m1", "ply": decision.ply, "actions": actions, **changes})
    match.receive(decision.seat, answer, took_us, took_us)


def asked(match: Match) -> tuple[int, int]:
    """Seat and ply of the pending decision."""
    assert match.decision is not None
    return match.decision.seat, match.decision.ply


def causes(match: Match) -> list[tuple[int, FaultCause, int]]:
    return [(fault.seat, fault.cause, fault.ply) for fault in match.result().faults]


def plies_of(match: Match) -> list[tuple[int, int, str]]:
    return [(entry.seat, entry.action, entry.by.value) for entry in match.entries]
