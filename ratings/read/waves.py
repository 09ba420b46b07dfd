"""What was planned and played in a tournament, wave by wave, as its format wants to know it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlmodel import Session, col, select

from ratings.store.lookups import get_tournament
from ratings.store.models import GatheringRecord, PoolRecord, TournamentRecord, WaveRecord
from ratings.store.sessions import Source, read
from ratings.store.waves import (
    EnteredVersion,
    WaveBlock,
    WaveMemory,
    block_records,
    current_memory,
    entered_versions,
    planned_waves,
)


@dataclass(frozen=True, slots=True)
class TournamentWaves:
    """A tournament with everybody who entered and every block that was planned, in one consistent view."""

    tournament: TournamentRecord
    pool: PoolRecord
    entrants: tuple[EnteredVersion, ...]
    """In the order of entry."""
    waves: tuple[tuple[WaveBlock, ...], ...]
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


@dataclass(frozen=True, slots=True)
class Remembered:
    """A tournament of which its planner remembers old waves, in a memory that it would take up as it is."""

    tournament_id: str
    memory: WaveMemory
    gathered: dict[tuple[int, ...], int]
    """In how many blocks of the waves that are remembered which entrants sat, by place in the order of entry."""


def remembered(source: Source) -> list[Remembered]:
    """Return every tournament with a memory that counts, the oldest first."""
    with read(source) as session:
        ids = session.exec(select(WaveRecord.tournament_id).where(col(WaveRecord.memory).is_not(None)).distinct()).all()
        found = [(one, current_memory(session, one), _gathered(session, one)) for one in sorted(ids)]
    return [Remembered(one, memory, gathered) for one, memory, gathered in found if memory is not None]


def _gathered(session: Session, tournament_id: str) -> dict[tuple[int, ...], int]:
    rows = session.exec(select(GatheringRecord).where(GatheringRecord.tournament_id == tournament_id)).all()
    return {tuple(map(int, row.members.split(","))): row.blocks for row in rows}


def remembered_waves(source: Source, one: Remembered) -> Iterator[list[WaveBlock]]:
    """Yield the blocks of every wave that is remembered, in order, each read in a view of its own."""
    with read(source) as session:
        planned = planned_waves(session, one.tournament_id)[: one.memory.index + 1]
    for wave in planned:
        with read(source) as session:
            records = block_records(session, one.tournament_id, wave)
        yield records


def entrants_of(source: Source, tournament_id: str) -> list[EnteredVersion]:
    """Return everybody who ever entered a tournament, in the order of entry."""
    with read(source) as session:
        return entered_versions(session, tournament_id)


def _waves(session: Session, tournament_id: str, memory: WaveMemory | None) -> TournamentWaves:
    tournament = get_tournament(session, tournament_id)
    planned = planned_waves(session, tournament_id, 0 if memory is None else memory.index + 1)
    return TournamentWaves(
        tournament,
        session.get_one(PoolRecord, tournament.pool_id),
        tuple(entered_versions(session, tournament_id)),
        tuple(tuple(block_records(session, tournament_id, wave)) for wave in planned),
        memory,
    )
