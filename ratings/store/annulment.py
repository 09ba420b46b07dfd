"""The tables of what was played and does not count; every table of what does is read with them.

They follow the rules of `ratings.store.models`. The tables of the service are apart: no list of matches needs those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Index, Text
from sqlmodel import Field

from ratings.store.base import Table

if TYPE_CHECKING:
    from ratings.values.annulments import Annulment


class AnnulmentRecord(Table, table=True):
    """That a match, or everything a version played, does not count; a fact, the match itself stays as it was."""

    __table_args__ = (Index(None, "match_id"), Index(None, "version_id"))

    id: str = Field(primary_key=True)
    match_id: str | None = Field(default=None, foreign_key="match.id")
    version_id: str | None = Field(default=None, foreign_key="version.id")
    why: str = Field(sa_type=Text)
    actor: str
    at_us: int = Field(sa_type=BigInteger)


class AnnulledBlockRecord(Table, table=True):
    """A block that does not count because of an annulment: seats are only fair in whole blocks."""

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    annulment_id: str = Field(foreign_key="annulment.id", index=True)


def annulment_value(stored: AnnulmentRecord) -> Annulment:
    """Return an annulment as the value that everybody is shown."""
    from ratings.values.annulments import Annulment  # every list of matches asks for annulments, and few have any

    return Annulment(
        id=stored.id,
        match=stored.match_id,
        version=stored.version_id,
        why=stored.why,
        actor=stored.actor,
        at_us=stored.at_us,
    )
