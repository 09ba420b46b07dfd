"""Lists where a bot must show that it can play: every game that it claims and that is installed, with all its seats."""

from __future__ import annotations

from collections.abc import Sequence

from arena.trial.values import Ground
from engine import registry

EVERY_GAME = "*"


def grounds_of(games: Sequence[str]) -> tuple[Ground, ...]:
    """Return the grounds of a manifest's `games`, with default options; empty if it plays nothing that is installed."""
    claimed = [registry.get(name) for name in registry.names() if name in games or EVERY_GAME in games]
    return tuple(Ground(game.name, game.rules_version, seats) for game in claimed for seats in game.seats)
