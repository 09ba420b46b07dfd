"""Who knows of an action or of a draw: whoever is told something else than after every other that could have been."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine.openspiel.library import load

_MOST_OTHERS: Final = 1000
"""What is one of more than this is taken to be hidden: to compare them all would take too long."""


@dataclass(frozen=True, slots=True)
class ObservedStep:
    """An action of a seat or of chance, and OpenSpiel's state before it (None where nothing is hidden)."""

    before: Any
    action: int

    @property
    def seat(self) -> int:
        """The seat whose action it was; below 0 for chance."""
        player: int = self.before.current_player()
        return player


def knows(game: Any, step: ObservedStep, seat: int) -> bool:
    """Return whether a seat of OpenSpiel's game could tell at once which action it was."""
    before = step.before
    others = [action for action in before.legal_actions() if action != step.action]
    if len(others) > _MOST_OTHERS:
        return False
    told = information_of(game, before.child(step.action), seat)
    return told is not None and all(information_of(game, before.child(other), seat) != told for other in others)


def information_of(game: Any, inner: Any, seat: int) -> str | None:
    """Return what OpenSpiel tells a seat: its information state, or else its observation; None if neither is there."""
    by_history = game.get_type().provides_information_state_string
    try:
        text: str = inner.information_state_string(seat) if by_history else inner.observation_string(seat)
    except load().SpielError:
        return None  # some games tell nothing while chance draws
    return text
