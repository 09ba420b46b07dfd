"""A pool of the database as the value that crosses the interface."""

from __future__ import annotations

from arena.model.pools import Pool
from ratings.store import models


def pool_value(pool: models.Pool) -> Pool:
    """Return what all matches of the pool have in common."""
    return Pool(
        pool_id=pool.id,
        game=pool.game,
        rules_version=pool.rules_version,
        seats=pool.seats,
        options=pool.options,
        time_control=pool.time_control,
        cores=pool.cores,
        remote=pool.remote,
    )
