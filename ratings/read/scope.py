"""Which matches are counted: those of a tournament, or those rated in a pool. Only whole blocks that stand are."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, select

from ratings.store import tables
from ratings.values.states import MatchState, RatingVerdict

_m = tables.match


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
                select(rated.c.rating_seq)
                .where(
                    rated.c.match_id == match_id,
                    rated.c.pool_id == self.pool_id,
                    rated.c.verdict == RatingVerdict.RATED,
                )
                .exists()
            )
        inner, rest = _m.alias(), _m.alias()
        broken = select(rest.c.block_id).where(
            rest.c.tournament_id == self.tournament_id, rest.c.state != MatchState.FINISHED
        )
        annulled = select(tables.annulled_block.c.block_id)
        whole = and_(
            inner.c.tournament_id == self.tournament_id,
            inner.c.block_id.not_in(broken),
            inner.c.block_id.not_in(annulled),
        )
        return match_id.in_(select(inner.c.id).where(whole))
