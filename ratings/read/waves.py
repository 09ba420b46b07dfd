"""What was planned and played in a tournament, wave by wave, as its format wants to know it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from ratings.store.lookups import get_tournament
from ratings.store.models import Pool, Tournament
from ratings.store.sessions import Source, read
from ratings.store.waves import (
    BlockRecord,
    EnteredVersion,
    WaveMemory,
    block_records,
    current_memory,
    entered_versions,
    planned_waves,
)


@dataclass(frozen=True, slots=True)
class TournamentWaves:
    """A tournament with everybody who entered and every block that was planned, in one consistent view."""

    tournament: Tournament
    pool: Pool
    entrants: tuple[EnteredVersion, ...]
    """In the order of entry."""
    waves: tuple[tuple[BlockRecord, ...], ...]
    """The blocks of each wave behind the memory, in the order of the plan."""
    memory: WaveMemory | None = None
    """What the format remembers of the waves before these, if they are not read."""


def tournament_waves(source: Source, tournament_id: str) -> TournamentWaves:
    """Return all that was planned and played so far. Raises NotFoundError."""
    with read(source) as session:
        return _waves(session, tournament_id, None)


def recent_waves(source: Source, tournament_id: str) -> TournamentWaves:
    """Return what its format remembers, and all that was planned and played since. Raises NotFoundError."""
    with read(source) as session:
        return _waves(session, tournament_id, current_memory(session, tournament_id))


def entrants_of(source: Source, tournament_id: str) -> list[EnteredVersion]:
    """Return everybody who ever entered a tournament, in the order of entry."""
    with read(source) as session:
        return entered_versions(session, tournament_id)


def _waves(session: Session, tournament_id: str, memory: WaveMemory | None) -> TournamentWaves:
    tournament = get_tournament(session, tournament_id)
    planned = planned_waves(session, tournament_id, 0 if memory is None else memory.index + 1)
    return TournamentWaves(
        tournament,
        session.get_one(Pool, tournament.pool_id),
        tuple(entered_versions(session, tournament_id)),
        tuple(tuple(block_records(session, tournament_id, wave)) for wave in planned),
        memory,
    )
