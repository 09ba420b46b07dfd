"""Pools: found by a part of their id, and as the value that everybody is shown."""

from __future__ import annotations

from sqlmodel import select

from engine.text import Text
from ratings.read.identifying import holds_part, may_be_part_of_id, only_one
from ratings.store.models import PoolRecord
from ratings.store.sessions import Source, read
from ratings.values.pools import Pool

_MOST_NAMED = 1000


def find_pool(source: Source, text: str) -> PoolRecord:
    """Return the pool whose id holds `text` (4 hex digits or more). Raises NotFoundError, AmbiguousError."""
    wanted = text.lower()
    usable = may_be_part_of_id(wanted) and set(wanted) <= set("0123456789abcdef")
    holding = select(PoolRecord.id).where(holds_part(PoolRecord.id, wanted)).limit(_MOST_NAMED)
    with read(source) as session:
        near = session.exec(holding).all() if usable else []
        found = only_one(
            wanted if near else text,
            "pool",
            [(id_, None) for id_ in near],
            Text("ratings.see_arena_leaderboard", "see: arena leaderboard"),
        )
        return session.get_one(PoolRecord, found)


def pool_value(pool: PoolRecord) -> Pool:
    """Return what all matches of a pool have in common."""
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
