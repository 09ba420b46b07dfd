"""How the frozen bots value a game and play it on: by what is kept here or, where nothing is, as every bot does."""

from __future__ import annotations

from typing import Final

from benchmarks.baselines.foreign_king.evaluation import PLAYABLE as FOREIGN_KING
from benchmarks.baselines.rex_romanorum.playable import PLAYABLE as REX_ROMANORUM
from engine.abilities import Playable, need_playable
from engine.core import Game

_KEPT: Final = {"foreign_king": FOREIGN_KING, "rex_romanorum": REX_ROMANORUM}


def frozen_playable(game: Game) -> Playable:
    """Return how the frozen bots search a game. Raises AbilityError if it cannot be searched."""
    return _KEPT.get(game.name) or need_playable(game)
