"""What was annulled, and why."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import col, select

from ratings.read.paging import DEFAULT_LIMIT, Order, Page, cut, one_page
from ratings.store import tables
from ratings.store.fitness import annulled
from ratings.store.models import Match
from ratings.store.service import AnnulledBlock, Annulment
from ratings.store.sessions import Source, read

_ANNULMENTS = Order("annulments", (tables.annulment.c.id,), (str,))


def annulment_of(source: Source, match_id: str) -> Annulment | None:
    """Return why a match does not count, be it for itself, for another of its block, or for a version; or `None`."""
    return annulments_of(source, [match_id]).get(match_id)


def annulments_of(source: Source, match_ids: Collection[str]) -> dict[str, Annulment]:
    """Return why matches do not count, by match; those that do count are left out."""
    query = (
        select(Match.id, Annulment)
        .join(AnnulledBlock, col(AnnulledBlock.block_id) == Match.block_id)
        .join(Annulment, col(Annulment.id) == AnnulledBlock.annulment_id)
        .where(col(Match.id).in_(match_ids))
    )
    with read(source) as session:
        return dict(session.exec(query).all())


def annulment_of_version(source: Source, version_id: str) -> Annulment | None:
    """Return why nothing that a version played counts, or `None`."""
    query = select(Annulment).where(Annulment.version_id == version_id, col(Annulment.match_id).is_(None))
    with read(source) as session:
        # An imported tournament tells of annulments elsewhere, which only concern its own matches.
        return (
            session.exec(query.order_by(col(Annulment.id).desc())).first() if annulled(session, [version_id]) else None
        )


def list_annulments(source: Source, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Annulment]:
    """Return all annulments, the newest first. Raises PageError."""
    with read(source) as session:
        rows = session.exec(one_page(select(Annulment), _ANNULMENTS, limit, after)).all()
    return cut(rows, _ANNULMENTS, limit, lambda row: (row.id,))
