"""Writes who joins a tournament late, and who withdraws from it."""

from __future__ import annotations

from sqlalchemy import select, update
from sqlmodel import Session
from sqlmodel import select as select_rows

from ratings.errors import NotFoundError, PlanError
from ratings.ledger.live import rate_prefix
from ratings.ledger.tournaments import check_versions
from ratings.ledger.waves import lock
from ratings.store import tables, waves
from ratings.store.models import Entrant, Tournament
from ratings.store.progress import count_progress
from ratings.store.states import MatchState

_m, _s = tables.match, tables.match_seat


def join(session: Session, tournament_id: str, version_id: str) -> int:
    """Enter a version from the next wave on, and return the number of that wave (from 0).

    Raises PlanError if it has entered before or the tournament is over, BotError if its bot is disabled.
    """
    _check_open(session, lock(session, tournament_id))
    check_versions(session, [version_id])
    known = waves.entered_versions(session, tournament_id)
    if any(entrant.version_id == version_id for entrant in known):
        raise PlanError("this version has entered already, and one that withdrew does not come back; enter another")
    wave = waves.count_waves(session, tournament_id)
    session.add(Entrant(tournament_id=tournament_id, position=len(known), version_id=version_id, joined_wave=wave))
    session.flush()
    return wave


def withdraw(session: Session, tournament_id: str, version_id: str, reason: str) -> int:
    """Take a version out: no wave plans it any more, and its blocks that are not over are void.

    Return how many matches will not be played; one that is being played now still ends. Raises NotFoundError if the
    version is not entered, PlanError if it has withdrawn or the tournament is over.
    """
    _check_open(session, lock(session, tournament_id))
    entrant = _get_present(session, tournament_id, version_id)
    entrant.withdrawn_wave = waves.count_waves(session, tournament_id)
    session.add(entrant)
    session.flush()
    void = _void_blocks(session, tournament_id, version_id, reason)
    rate_prefix(session.connection(), tournament_id)
    session.expire_all()
    return void


def _get_present(session: Session, tournament_id: str, version_id: str) -> Entrant:
    query = select_rows(Entrant).where(Entrant.tournament_id == tournament_id, Entrant.version_id == version_id)
    entrant = session.exec(query).one_or_none()
    if entrant is None:
        raise NotFoundError("this version is not entered; see: arena tournament show")
    if entrant.withdrawn_wave is not None:
        raise PlanError("this version has withdrawn already; see: arena tournament show")
    return entrant


def _void_blocks(session: Session, tournament_id: str, version_id: str, reason: str) -> int:
    """Make the planned matches of every block in which the version plays void, and return how many they were."""
    its_blocks = (
        select(_m.c.block_id)
        .join(_s, _s.c.match_id == _m.c.id)
        .where(_m.c.tournament_id == tournament_id, _s.c.version_id == version_id)
    )
    void = session.connection().execute(
        update(_m)
        .where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.PLANNED, _m.c.block_id.in_(its_blocks))
        .values(state=MatchState.VOID, void_reason=reason)
    )
    return int(void.rowcount)


def _check_open(session: Session, tournament: Tournament) -> None:
    """Raise PlanError unless versions can still join and leave."""
    if tournament.cancelled_at_us is not None:
        raise PlanError(f"tournament {tournament.name!r} was cancelled; nobody can join or leave it")
    if count_progress(session, tournament.id).is_over:
        raise PlanError(f"tournament {tournament.name!r} is finished; nobody can join or leave it")
