"""What is drawn: a position, the one before the last move, and the words and names that stand on it. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.games.foreign_king.state import VIRTUAL, ForeignKingState
from engine.games.foreign_king.view.text import letter_of

_VIRTUAL_STYLE: Final = 4


@dataclass(frozen=True, slots=True)
class Scene:
    """A position as it is looked at."""

    state: ForeignKingState
    before: ForeignKingState
    """The position before the last move; the same as `state` if nothing is to be marked."""
    language: str
    names: Mapping[str, str]
    """The labels of the language."""
    players: Sequence[str] = ()
    """Who plays, seat by seat; empty if nobody is named."""

    def letter(self, colour: int) -> str:
        """Return the sign of a colour: A to D, V for the virtual player."""
        return letter_of(self.state, colour)

    def style(self, colour: int) -> int:
        """Return the number by which shapes, fills and hatchings of a colour are named."""
        return _VIRTUAL_STYLE if self.state.seats == 2 and colour == VIRTUAL else colour

    def player(self, colour: int) -> str:
        """Return the name of who plays a colour, or its seat with its letter."""
        if colour >= self.state.seats:
            return self.names["virtual"]
        named = self.players[colour] if colour < len(self.players) else ""
        return named or f"{self.names['seat']} {self.letter(colour)}"
