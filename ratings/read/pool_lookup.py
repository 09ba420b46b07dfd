"""Pools: found by a part of their id, as the value that everybody is shown, and which matches count in one."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, or_
from sqlalchemy import select as core_select
from sqlmodel import select

from engine.translatable import Text
from ratings.read.identifying import holds_part, may_be_part_of_id, only_one
from ratings.store import tables
from ratings.store.models import PoolRecord
from ratings.store.sessions import Source, read
from ratings.values.pools import Pool
from ratings.values.states import MatchState, RatingVerdict

_m = tables.match
_MOST_NAMED = 1000


def find_pool(source: Source, text: str) -> PoolRecord:
    """Return the pool whose id holds `text` (4 hex digits or more). Raises NotFoundError, AmbiguousError."""
    wanted = text.lower()
    usable = may_be_part_of_id(wanted) and set(wanted) <= set("0123456789abcdef")
    holding = select(PoolRecord.id).where(holds_part(PoolRecord.id, wanted)).limit(_MOST_NAMED)
    with read(source) as session:
        near = session.exec(holding).all() if usable else []
        found = only_one(
            wanted if near else text, "pool", [(id_, None) for id_ in near], Text("see: arena leaderboard")
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
        rating_method=pool.rating_method,
    )


@dataclass(frozen=True, slots=True)
class MatchScope:
    """A tournament or a pool, exactly one of them. Raises ValueError otherwise."""

    tournament_id: str | None = None
    pool_id: str | None = None

    def __post_init__(self) -> None:
        """Raises ValueError unless exactly one is given."""
        if (self.tournament_id is None) == (self.pool_id is None):
            raise ValueError("a scope is a tournament or a pool")

    def holds(self, match_id: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that a match counts."""
        if self.pool_id is not None:
            rated = tables.rating_order.alias()
            # A correlated look-up by the unique match_id: few matches of a large pool are asked for at once.
            return (
                core_select(rated.c.rating_seq)
                .where(
                    rated.c.match_id == match_id,
                    rated.c.pool_id == self.pool_id,
                    rated.c.verdict == RatingVerdict.RATED,
                )
                .exists()
            )
        inner, rest = _m.alias(), _m.alias()
        broken = core_select(rest.c.block_id).where(
            rest.c.tournament_id == self.tournament_id, or_(rest.c.state != MatchState.FINISHED, ~rest.c.rated)
        )
        annulled = core_select(tables.annulled_block.c.block_id)
        whole = and_(
            inner.c.tournament_id == self.tournament_id,
            inner.c.block_id.not_in(broken),
            inner.c.block_id.not_in(annulled),
        )
        return match_id.in_(core_select(inner.c.id).where(whole))
