"""Looks ahead at what a person means to do before any of it is sent, so that every step can be taken back. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.web.people.errors import IllegalError
from engine.abilities import Move
from engine.chance import ScriptedChance, ScriptError
from engine.core import AbilityError, Game, State


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """An action that is to be sent when the match has come to its ply."""

    ply: int
    action: int


@dataclass(frozen=True, slots=True)
class LookAhead:
    """Where some actions of one seat lead, as far as it can know."""

    planned: tuple[PlannedAction, ...]
    state: State
    """The last position that follows from what the seat sees."""
    last: Move | None
    """The move that led there."""
    legal: tuple[int, ...]
    """What the seat may choose next; nothing if others, chance or the end come first."""

    @property
    def ply(self) -> int:
        """Return the ply at which the next of its actions would be played."""
        return self.planned[-1].ply + 1


def look_ahead(game: Game, state: State, ply: int, actions: Sequence[int]) -> LookAhead:
    """Return what comes of actions in a position, of which the seat to move sees `state`, before `ply`.

    Raises IllegalError for an action that is not legal, or not this seat's to choose.
    """
    seat, planned, last, legal = state.seat(), [], None, tuple(state.legal_actions())
    for action in actions:
        if action not in legal:
            raise IllegalError("that is not possible here; choose one of the actions that are offered")
        planned.append(PlannedAction(ply, action))
        after = _after(state, action)
        ply += 1
        if after is None:
            legal = ()
            continue
        last = Move(state, action, game.actions.format(action), state.seat() or 0, after)
        state = after
        while state.seat() == seat and len(state.legal_actions()) == 1:  # the referee plays what is forced
            forced = _after(state, state.legal_actions()[0])
            if forced is None:
                break
            state, ply = forced, ply + 1
        legal = tuple(state.legal_actions()) if state.seat() == seat and len(state.legal_actions()) > 1 else ()
    return LookAhead(tuple(planned), state, last, legal)


def _after(state: State, action: int) -> State | None:
    """Return what follows from an action, or None if chance or something hidden takes part in it."""
    after = state.clone(ScriptedChance(()))
    try:
        after.apply(action)
    except (ScriptError, AbilityError):  # what one seat sees of some games cannot be played on
        return None
    return None if after.revealed() else after
