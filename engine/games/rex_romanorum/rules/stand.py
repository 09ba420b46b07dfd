"""STAND: who is a candidate (6.1.2, 6.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import DECLINE, STAND
from engine.games.rex_romanorum.rules import bishop, king
from engine.games.rex_romanorum.state import NOTHING, RexState, election_of

_ANSWERS: Final[tuple[int, ...]] = (STAND, DECLINE)


def legal_stand(_state: RexState) -> Sequence[int]:
    """Return STAND and DECLINE."""
    return _ANSWERS


def is_legal_stand(_state: RexState, action: int) -> bool:
    """Tell whether the action answers the question."""
    return action in (STAND, DECLINE)


def apply_stand(state: RexState, action: int) -> None:
    """Note the answer and ask the next one; after the last the voting begins. There is no withdrawal."""
    election = state.election
    assert election is not None
    if action == STAND:
        election.candidates.append(election.asked[election.at])
    election.at += 1
    if election.at < len(election.asked):
        state.decider = election.asked[election.at]
    elif election.diocese == NOTHING:
        king.begin_vote(state, election)
    else:
        bishop.begin_vote(state, election)


def check_stand(state: RexState) -> None:
    """Raise PositionError unless the candidates are among those who have answered."""
    election = election_of(state)
    bishop.check_candidates(state, election, election.asked[: election.at])
