"""What was planned and played in a tournament, wave by wave, as its format wants to know it."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.store.lookups import get_tournament
from ratings.store.models import Pool, Tournament
from ratings.store.sessions import Source, read
from ratings.store.waves import BlockRecord, EnteredVersion, block_records, entered_versions, planned_waves


@dataclass(frozen=True, slots=True)
class TournamentWaves:
    """A tournament with everybody who entered and every block that was planned, in one consistent view."""

    tournament: Tournament
    pool: Pool
    entrants: tuple[EnteredVersion, ...]
    """In the order of entry."""
    waves: tuple[tuple[BlockRecord, ...], ...]
    """The blocks of each wave, in the order of the plan."""


def tournament_waves(source: Source, tournament_id: str) -> TournamentWaves:
    """Return all that was planned and played so far. Raises NotFoundError."""
    with read(source) as session:
        tournament = get_tournament(session, tournament_id)
        planned = planned_waves(session, tournament_id)
        return TournamentWaves(
            tournament,
            session.get_one(Pool, tournament.pool_id),
            tuple(entered_versions(session, tournament_id)),
            tuple(tuple(block_records(session, tournament_id, wave)) for wave in planned),
        )
