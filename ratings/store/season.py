"""The table of the seasons of ladders, and which of them a tournament is.

It follows the rules of `ratings.store.models`. Whoever looks at a tournament asks whether it is a season, and needs
nothing else of the service.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import JSON, BigInteger
from sqlmodel import Field, Session, col, select

from ratings.store.models import Table


class SeasonRecord(Table, table=True):
    """A stretch of a ladder: one tournament, whose secret is published when the season is closed."""

    ladder_id: str = Field(primary_key=True, foreign_key="ladder.id")
    number: int = Field(primary_key=True)
    """Counts from 1 within the ladder."""
    name: str
    tournament_id: str = Field(foreign_key="tournament.id", unique=True)
    opened_at_us: int = Field(sa_type=BigInteger)
    freezes_at_us: int | None = Field(default=None, sa_type=BigInteger)
    """When submissions close, as it was announced."""
    frozen_at_us: int | None = Field(default=None, sa_type=BigInteger)
    final_tournament_id: str | None = Field(default=None, foreign_key="tournament.id")
    """The final, in which every bot plays the same number of matches."""
    closed_at_us: int | None = Field(default=None, sa_type=BigInteger)
    table: list[dict[str, Any]] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    """The table as it was when the season was closed."""


def seasons_of(session: Session, ladder_id: str) -> Sequence[SeasonRecord]:
    """Return the seasons of a ladder, the first first."""
    return session.exec(
        select(SeasonRecord).where(SeasonRecord.ladder_id == ladder_id).order_by(col(SeasonRecord.number))
    ).all()


def season_of(session: Session, tournament_id: str) -> SeasonRecord | None:
    """Return the season whose tournament, or whose final, it is."""
    is_its = (col(SeasonRecord.tournament_id) == tournament_id) | (
        col(SeasonRecord.final_tournament_id) == tournament_id
    )
    return session.exec(select(SeasonRecord).where(is_its)).first()
