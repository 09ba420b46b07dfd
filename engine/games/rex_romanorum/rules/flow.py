"""From turn to turn, from round to round, to the end (K2, D5)."""

from __future__ import annotations

from typing import Final

from engine.games.rex_romanorum.actions import ACT_KING
from engine.games.rex_romanorum.state import (
    END,
    MOST_SEATS,
    NOBODY,
    NOTHING,
    STAND,
    TURN,
    Election,
    RexState,
    new_election,
)

_CLOCKWISE: Final = tuple(
    tuple((*range(first, seats), *range(first)) for first in range(seats)) for seats in range(MOST_SEATS + 1)
)
"""`[seats][first]`"""


def end_turn(state: RexState) -> None:
    """Forget the action that was carried out; the next seat's turn begins, or the last royal election."""
    _forget_action(state)
    state.active += 1
    if state.active == state.seats:
        state.active = 0
        if state.round == state.options.round_limit:
            # One more royal election: free, by seat 0, whatever titles are held (D5, K2).
            state.is_final = True
            state.task = ACT_KING
            open_royal_election(state)
            return
        state.round += 1
    state.phase = TURN
    state.decider = state.active


def apply_done(state: RexState, _action: int) -> None:
    """End the turn: nothing more is placed or built."""
    end_turn(state)


def _forget_action(state: RexState) -> None:
    state.task = NOTHING
    state.drawn = ()
    state.fresh = 0
    state.built = ()
    state.source = state.target = state.last = state.last_to = NOTHING
    if state.arrived:
        state.arrived = {}
    state.election = None


def open_royal_election(state: RexState) -> None:
    """Ask every player, clockwise from the caller, whether he stands (6.2.2)."""
    ask(state, new_election(NOTHING, clockwise(state), state.seats))


def ask(state: RexState, election: Election) -> None:
    """Ask the first of the election's `asked` whether he stands."""
    state.election = election
    state.phase = STAND
    state.decider = election.asked[0]


def clockwise(state: RexState) -> tuple[int, ...]:
    """Return all seats in the order of turns, the active one first (K1)."""
    return _CLOCKWISE[state.seats][state.active]


def end_game(state: RexState, king: int = NOBODY) -> None:
    """End the game; `king` is NOBODY if the last election made none."""
    _forget_action(state)
    state.king = king
    state.phase = END
    state.decider = None
