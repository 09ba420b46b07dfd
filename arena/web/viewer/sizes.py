"""How large the pictures of a game are, so that a page keeps their place free before they are there."""

from __future__ import annotations

from functools import cache

from engine import registry
from engine.abilities import View
from engine.chance import SeededChance
from engine.core import EngineError


@cache
def board_size(game: str, seats: int) -> tuple[int, int] | None:
    """Return width and height of a game's pictures; `None` if it draws none."""
    try:
        found = registry.get(game)
        start = found.new_state(seats, found.parse_options({}), SeededChance(0))
        picture = found.shown.picture(start, View())
    except EngineError:
        return None
    return picture.width, picture.height
