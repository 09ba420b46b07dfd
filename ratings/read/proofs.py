"""Reads the signed logs of tournaments; `ratings.ledger.proof` writes them and says what is in them."""

from __future__ import annotations

from sqlalchemy import func, select

from ratings.store import tables
from ratings.store.models import ProofEntryRecord
from ratings.store.sessions import Source, read


def commitment_of(source: Source, tournament_id: str) -> ProofEntryRecord | None:
    """Return the first entry of the log of a tournament, or `None` if it was begun before there were logs."""
    with read(source) as session:
        return session.get(ProofEntryRecord, (tournament_id, 0))


def planning_instants(source: Source, tournament_id: str) -> tuple[list[int], dict[int, int]]:
    """Return when each wave was planned, and since when blocks are annulled, by index; both in microseconds (UTC)."""
    w, b, x, a = tables.wave.c, tables.block.c, tables.annulled_block.c, tables.annulment.c
    planned = select(w.planned_at_us).where(w.tournament_id == tournament_id).order_by(w.index)
    annulled = (
        select(b.index, func.min(a.at_us))
        .join(tables.annulled_block, x.block_id == b.id)
        .join(tables.annulment, a.id == x.annulment_id)
        .where(b.tournament_id == tournament_id)
        .group_by(b.index)
    )
    with read(source) as session:
        connection = session.connection()
        return list(connection.execute(planned).scalars()), dict(connection.execute(annulled).all())


def drawn_blocks(source: Source, tournament_id: str) -> dict[int, tuple[tuple[int, ...], int]]:
    """Return opening and chance seed of every block of a tournament, by its index."""
    b = tables.block.c
    with read(source) as session:
        rows = session.connection().execute(
            select(b.index, b.opening, b.chance_seed).where(b.tournament_id == tournament_id)
        )
        return {index: (tuple(opening), seed) for index, opening, seed in rows}
