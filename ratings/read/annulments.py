"""What was annulled, and why."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sqlalchemy import bindparam
from sqlmodel import col, select

from ratings.read.paging import Order, cut, each, one_page
from ratings.store import tables
from ratings.store.annulment import AnnulledBlockRecord, AnnulmentRecord, annulment_value
from ratings.store.models import MatchRecord
from ratings.store.sessions import Source, read
from ratings.values.page import DEFAULT_LIMIT, Page

if TYPE_CHECKING:
    from ratings.values.annulments import Annulment

_ANNULMENTS = Order("annulments", (tables.annulment.c.id,), (str,))
_OF_MATCHES = (
    select(MatchRecord.id, AnnulmentRecord)
    .join(AnnulledBlockRecord, col(AnnulledBlockRecord.block_id) == MatchRecord.block_id)
    .join(AnnulmentRecord, col(AnnulmentRecord.id) == AnnulledBlockRecord.annulment_id)
    .where(col(MatchRecord.id).in_(bindparam("matches", expanding=True)))
)


def annulments_of(source: Source, match_ids: Collection[str]) -> dict[str, Annulment]:
    """Return why matches do not count, by match; those that do count are left out."""
    with read(source) as session:
        found = session.exec(_OF_MATCHES, params={"matches": list(match_ids)}).all()
    return {match_id: annulment_value(stored) for match_id, stored in found}


def list_annulments(source: Source, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Annulment]:
    """Return all annulments, the newest first. Raises PageError."""
    with read(source) as session:
        rows = session.exec(one_page(select(AnnulmentRecord), _ANNULMENTS, limit, after)).all()
    return each(cut(rows, _ANNULMENTS, limit, lambda row: (row.id,)), annulment_value)
