"""Rex Romanorum (Jens Puhle, 2022), 2 to 5 seats."""

from __future__ import annotations

from typing import Final

from engine.games.rex_romanorum.game import RexRomanorum

GAME: Final = RexRomanorum()
