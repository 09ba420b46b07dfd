"""The Foreign King (Javier Garcia, 2015), 2 to 4 seats."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king.game import ForeignKing

GAME: Final = ForeignKing()
