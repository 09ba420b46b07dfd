"""Who has the majority in a province: strictly more discs than every other colour (R10, A9)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.state import Position

NOBODY: Final = -1


def majority(s: Position, province: int) -> int:
    """The colour with the majority there, or NOBODY."""
    row = s.discs[province::PROVINCE_COUNT]
    most = max(row)
    return row.index(most) if row.count(most) == 1 else NOBODY
