"""Waves of a tournament that is planned step by step: what was planned, what came of it, what is planned next.

Each wave is written in one transaction, once, whoever tries; so is who joins and who withdraws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy import select, update
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from ratings.errors import NotFoundError, PlanError
from ratings.ledger.live import rate_prefix
from ratings.ledger.tournaments import BlockPlan, check_blocks, check_versions, plan_of, write_wave
from ratings.statistics.blocks import Block
from ratings.store import tables, waves
from ratings.store.ids import now_us
from ratings.store.models import Entrant, MatchState, Pool, Tournament
from ratings.store.progress import count_progress
from ratings.store.waves import BlockRecord, EnteredVersion, MatchRecord, PlannedWave, first_open_block, planned_waves

__all__ = ["MatchRecord", "PlannedWave", "block_records", "entrants", "first_open_block", "planned_waves"]

_m, _s = tables.match, tables.match_seat


class WaveLedger:
    """What a planner reads and writes of its tournament; valid only while the ledger's transaction is open."""

    def __init__(self, session: Session, tournament_id: str) -> None:
        self._session, self._tournament_id = session, tournament_id

    def has_more_waves(self) -> bool:
        """Return whether further waves may be planned; from here on nobody else plans, joins or withdraws."""
        return lock(self._session, self._tournament_id).more_waves

    def entrants(self) -> list[EnteredVersion]:
        """Return everybody who ever entered, in the order of entry."""
        return waves.entered_versions(self._session, self._tournament_id)

    def planned(self) -> list[PlannedWave]:
        """Return all waves in order."""
        return waves.planned_waves(self._session, self._tournament_id)

    def first_open_block(self) -> int | None:
        """Return the index of the first block with a match that is neither finished nor void, or `None`."""
        return waves.first_open_block(self._session, self._tournament_id)

    def played(self, wave: PlannedWave) -> list[BlockRecord]:
        """Return the matches of every block of a wave, by rotation, as they stand."""
        return waves.block_records(self._session, self._tournament_id, wave)

    def add_wave(self, index: int, blocks: Sequence[Block]) -> bool:
        """Write wave `index`, or, without blocks, that no wave follows any more.

        Return False, with nothing changed, if the wave is there already or the tournament was cancelled. Raises
        PlanError, with nothing written, for what cannot be played.
        """
        return add_wave(self._session, self._tournament_id, index, [plan_of(block) for block in blocks])


class Planner(Protocol):
    """Plans the waves of one tournament."""

    def plan_ready(self, waves: WaveLedger) -> int:
        """Add every wave that can be planned now, and return how many matches they have."""


def lock(session: Session, tournament_id: str) -> Tournament:
    """The tournament, kept from others who would plan, join or withdraw until the transaction ends."""
    query = select_rows(Tournament).where(Tournament.id == tournament_id).with_for_update()
    found = session.exec(query).one_or_none()
    if found is None:
        raise NotFoundError(f"no tournament {tournament_id}; see: arena tournament list")
    return found


def entrants(session: Session, tournament_id: str) -> list[Entrant]:
    """Who ever entered, in the order of entry."""
    query = select_rows(Entrant).where(Entrant.tournament_id == tournament_id).order_by(col(Entrant.position))
    return list(session.exec(query))


def block_records(session: Session, tournament_id: str, first: int, blocks: int) -> list[BlockRecord]:
    """The matches of `blocks` blocks from index `first` on, by rotation."""
    return waves.block_records(session, tournament_id, PlannedWave(first, blocks))


def add_wave(session: Session, tournament_id: str, index: int, blocks: Sequence[BlockPlan]) -> bool:
    """Write wave `index` down; False, and nothing changed, if it is there already.

    Without blocks, that no wave comes any more. Raises PlanError, nothing written, for what cannot be played.
    """
    tournament = lock(session, tournament_id)
    if not tournament.more_waves or len(planned_waves(session, tournament_id)) != index:
        return False
    if not blocks:
        tournament.more_waves = False
        session.add(tournament)
        session.flush()
        return True
    pool = session.get_one(Pool, tournament.pool_id)
    known = {entrant.version_id for entrant in entrants(session, tournament_id)}
    check_blocks(blocks, seats=pool.seats, rated=tournament.rated, entrants=known)
    first_position = count_progress(session, tournament_id).total
    write_wave(session, tournament_id, index, blocks, planned_at_us=now_us(), first_position=first_position)
    session.expire_all()
    return True


def join(session: Session, tournament_id: str, version_id: str) -> int:
    """Enter a version from the next wave on, and return the number of that wave (from 0).

    Raises PlanError if it has entered before or the tournament is over, BotError if its bot is disabled.
    """
    _check_open(session, lock(session, tournament_id))
    check_versions(session, [version_id])
    known = entrants(session, tournament_id)
    if any(entrant.version_id == version_id for entrant in known):
        raise PlanError("this version has entered already, and one that withdrew does not come back; enter another")
    wave = len(planned_waves(session, tournament_id))
    session.add(Entrant(tournament_id=tournament_id, position=len(known), version_id=version_id, joined_wave=wave))
    session.flush()
    return wave


def withdraw(session: Session, tournament_id: str, version_id: str, reason: str) -> int:
    """Take a version out: no wave plans it any more, and its blocks that are not over are void.

    Return how many matches will not be played; one that is being played now still ends. Raises NotFoundError if the
    version is not entered, PlanError if it has withdrawn or the tournament is over.
    """
    _check_open(session, lock(session, tournament_id))
    entrant = next((one for one in entrants(session, tournament_id) if one.version_id == version_id), None)
    if entrant is None:
        raise NotFoundError("this version is not entered; see: arena tournament show")
    if entrant.withdrawn_wave is not None:
        raise PlanError("this version has withdrawn already; see: arena tournament show")
    entrant.withdrawn_wave = len(planned_waves(session, tournament_id))
    session.add(entrant)
    session.flush()
    its_blocks = (
        select(_m.c.block_id)
        .join(_s, _s.c.match_id == _m.c.id)
        .where(_m.c.tournament_id == tournament_id, _s.c.version_id == version_id)
    )
    connection = session.connection()
    void = connection.execute(
        update(_m)
        .where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.PLANNED, _m.c.block_id.in_(its_blocks))
        .values(state=MatchState.VOID, void_reason=reason)
    ).rowcount
    rate_prefix(connection, tournament_id)
    session.expire_all()
    return int(void)


def _check_open(session: Session, tournament: Tournament) -> None:
    """Raise PlanError unless versions can still join and leave."""
    if tournament.cancelled_at_us is not None:
        raise PlanError(f"tournament {tournament.name!r} was cancelled; nobody can join or leave it")
    if count_progress(session, tournament.id).is_over:
        raise PlanError(f"tournament {tournament.name!r} is finished; nobody can join or leave it")
