"""The tables of what is counted while matches are recorded, so that no standings need all matches.

All of it follows from the facts, and may be counted anew at any time.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import Field

from ratings.store.base import Table


class EntrantTallyRecord(Table, table=True):
    """How a version has fared in a tournament; there is no row before its first finished match.

    A version that sits in several seats of a match is counted in each.
    """

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    version_id: str = Field(primary_key=True, foreign_key="version.id")
    matches: int
    wins: int
    """As in `ratings.statistics.firsts`; so are the next two."""
    shared: int = Field(sa_column_kwargs={"server_default": text("0")})
    draws: int = Field(sa_column_kwargs={"server_default": text("0")})
    points: int
    """As in `ratings.statistics.points`."""
    forfeits: int
    blocks: int
    """How many of its blocks are whole: every match of them is finished. The next two count these alone."""
    block_matches: int
    block_points: int
    equal: int
    """The leak checks of this version by what they found; so are the next three."""
    leaks: int
    unstable: int
    unknown: int


class GatheringRecord(Table, table=True):
    """In how many blocks some entrants were planned together, in those waves that `Wave.memory` remembers."""

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    members: str = Field(primary_key=True)
    """Their places in the order of entry, ascending, with commas between."""
    blocks: int
