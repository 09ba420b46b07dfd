"""Waves of a tournament that is planned step by step: what was planned, what came of it, what is planned next.

Each wave is written in one transaction, once, whoever tries; so is who joins and who withdraws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from ratings.errors import NotFoundError, PlanError
from ratings.ledger.leasing import progress
from ratings.ledger.live import rate_prefix
from ratings.ledger.planning import BlockPlan, check_blocks, write_wave
from ratings.store import tables
from ratings.store.ids import now_us
from ratings.store.models import Entrant, MatchState, Pool, Tournament, Wave

_m, _s, _b = tables.match, tables.match_seat, tables.block


@dataclass(frozen=True, slots=True)
class PlannedWave:
    """Which blocks a wave consists of."""

    first_block: int
    blocks: int


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One match of a block; index = seat."""

    state: MatchState
    versions: tuple[str, ...]
    ranks: tuple[int | None, ...]
    has_forfeited: tuple[bool, ...]
    game_digest: str | None
    """Of a finished match."""


def lock(session: Session, tournament_id: str) -> Tournament:
    """The tournament, kept from others who would plan, join or withdraw until the transaction ends."""
    query = select_rows(Tournament).where(Tournament.id == tournament_id).with_for_update()
    found = session.exec(query).one_or_none()
    if found is None:
        raise NotFoundError(f"no tournament {tournament_id}; see: arena tournament list")
    return found


def planned_waves(session: Session, tournament_id: str) -> list[PlannedWave]:
    """All waves in order."""
    query = select_rows(Wave).where(Wave.tournament_id == tournament_id).order_by(col(Wave.index))
    return [PlannedWave(row.first_block, row.blocks) for row in session.exec(query)]


def first_open_block(session: Session, tournament_id: str) -> int | None:
    """The index of the first block with a match that is neither finished nor void; None if there is none."""
    query = (
        select(func.min(_b.c.index))
        .join(_m, _m.c.block_id == _b.c.id)
        .where(_m.c.tournament_id == tournament_id, _m.c.state.in_((MatchState.PLANNED, MatchState.LEASED)))
    )
    found: int | None = session.connection().execute(query).scalar_one()
    return found


def entrants(session: Session, tournament_id: str) -> list[Entrant]:
    """Who ever entered, in the order of entry."""
    query = select_rows(Entrant).where(Entrant.tournament_id == tournament_id).order_by(col(Entrant.position))
    return list(session.exec(query))


def block_records(session: Session, tournament_id: str, first: int, blocks: int) -> list[list[MatchRecord]]:
    """The matches of `blocks` blocks from index `first` on, by rotation."""
    query = (
        select(_b.c.index, _m.c.rotation, _m.c.state, _s.c.version_id, _s.c.rank, _s.c.forfeit, _m.c.game_digest)
        .join(_m, _m.c.block_id == _b.c.id)
        .join(_s, _s.c.match_id == _m.c.id)
        # Of the match as well: only with both has its index the block.
        .where(_b.c.tournament_id == tournament_id, _m.c.tournament_id == tournament_id)
        .where(_b.c.index >= first, _b.c.index < first + blocks)
        .order_by(_b.c.index, _m.c.rotation, _s.c.seat)
    )
    found: dict[int, dict[int, list[_Seat]]] = {}
    for index, rotation, *seat in session.connection().execute(query):
        found.setdefault(index, {}).setdefault(rotation, []).append(_Seat(*seat))
    return [[_record(seats) for seats in matches.values()] for matches in found.values()]


class _Seat(NamedTuple):
    state: MatchState
    version: str
    rank: int | None
    forfeit: int | None
    game_digest: str | None


def _record(seats: Sequence[_Seat]) -> MatchRecord:
    return MatchRecord(
        seats[0].state,
        tuple(seat.version for seat in seats),
        tuple(seat.rank for seat in seats),
        tuple(seat.forfeit is not None for seat in seats),
        seats[0].game_digest,
    )


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
    first_position = progress(session, tournament_id).total
    write_wave(session, tournament_id, index, blocks, planned_at_us=now_us(), first_position=first_position)
    session.expire_all()
    return True


def join(session: Session, tournament_id: str, version_id: str) -> int:
    """Enter a version from the next wave on; which wave that is. Raises PlanError for who entered before."""
    lock(session, tournament_id)
    known = entrants(session, tournament_id)
    if any(entrant.version_id == version_id for entrant in known):
        raise PlanError("this version has entered already, and one that withdrew does not come back; enter another")
    wave = len(planned_waves(session, tournament_id))
    session.add(Entrant(tournament_id=tournament_id, position=len(known), version_id=version_id, joined_wave=wave))
    session.flush()
    return wave


def withdraw(session: Session, tournament_id: str, version_id: str, reason: str) -> int:
    """Take a version out: no wave plans it any more, and its blocks that are not over are void.

    How many matches will not be played; one that is being played now still ends. Raises NotFoundError for who is not
    entered, PlanError for who has withdrawn.
    """
    lock(session, tournament_id)
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
