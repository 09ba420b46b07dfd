"""Has those that write to one pool take turns, where the database lets several write at the same time."""

from __future__ import annotations

from sqlalchemy import bindparam, select
from sqlmodel import Session

from ratings.store import tables

_POOL = (
    select(tables.pool.c.id)
    .join(tables.tournament, tables.tournament.c.pool_id == tables.pool.c.id)
    .where(tables.tournament.c.id == bindparam("tournament"))
    .with_for_update(of=tables.pool)
)


def take_turn(session: Session, tournament_id: str) -> None:
    """Keep everybody else from writing to the pool of a tournament until the transaction ends.

    It comes first in a transaction, so that what follows reads what the one before it wrote, and no two wait for each
    other.
    """
    session.connection().execute(_POOL, {"tournament": tournament_id})
