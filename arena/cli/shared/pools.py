"""How pools are described to people, and the columns of a leaderboard."""

from __future__ import annotations

from arena.cli.shared.cells import yes_or_no
from arena.cli.shared.saying import say
from arena.model.pools import special_options
from engine import registry
from ratings.values.pools import Pool

_SHOWN_DIGITS = 12


def short_pool_id(pool_id: str) -> str:
    """Return the beginning of a pool's id, which is what people are shown."""
    return pool_id[:_SHOWN_DIGITS]


def describe_pool(pool: Pool) -> str:
    """Return the pool in words: game, seats, clock, whether its bots are remote, and the options.

    Of these only those are named that differ from the game's defaults.
    """
    kind = [say("cli_shared.remote_bots")] if pool.remote else []
    words = [
        _title(pool.game),
        say("cli_shared.seats", seats=pool.seats),
        say("cli_shared.time", time=pool.time_control),
        *([say("cli_shared.cores", count=pool.cores)] if pool.cores > 1 else []),
        *kind,
        *(f"{name}={yes_or_no(value)}" for name, value in special_options(pool).items()),
    ]
    return ", ".join(words)


def _title(game: str) -> str:
    return registry.get(game).title if game in registry.names() else game
