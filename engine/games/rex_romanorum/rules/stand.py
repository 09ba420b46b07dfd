"""STAND: who is a candidate (6.1.2, 6.2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import DECLINE, STAND
from engine.games.rex_romanorum.position import NOTHING, Position
from engine.games.rex_romanorum.rules import bishop, king


def legal(_position: Position) -> Sequence[int]:
    """STAND, DECLINE."""
    return (STAND, DECLINE)


def is_legal(_position: Position, action: int) -> bool:
    """Whether `action` answers the question."""
    return action in (STAND, DECLINE)


def apply(position: Position, action: int) -> None:
    """Note the answer and ask the next one; after the last the voting begins. There is no withdrawal."""
    election = position.election
    assert election is not None
    if action == STAND:
        election.candidates.append(position.decider)
    election.at += 1
    if election.at < len(election.asked):
        position.decider = election.asked[election.at]
    elif election.diocese == NOTHING:
        king.begin_vote(position, election)
    else:
        bishop.begin_vote(position, election)
