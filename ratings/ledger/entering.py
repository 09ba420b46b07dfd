"""Writes who joins a tournament late, who withdraws from it, and who comes back to a ladder."""

from __future__ import annotations

from sqlalchemy import func, select, update
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from engine.text import Text
from ratings.errors import NotFoundError, PlanError
from ratings.ledger.live import rate_prefix
from ratings.ledger.tournaments import check_kinds, check_versions
from ratings.ledger.waves import lock
from ratings.store import tables, waves
from ratings.store.models import BotRecord, EntrantRecord, PoolRecord, TournamentRecord, VersionRecord, with_text
from ratings.store.season import season_of
from ratings.store.service import GuestRecord
from ratings.store.waves import count_progress
from ratings.values.states import MatchState

_m, _s = tables.match, tables.match_seat


def join(session: Session, tournament_id: str, version_id: str, *, may_return: bool = False) -> int:
    """Enter a version from the next wave on, and return the number of that wave (from 0).

    One that withdrew only comes back if it `may_return`: a further row tells from which wave on it plays again, so that
    every wave before follows from what is stored as it did when it was planned; if no wave was planned without it, it
    goes on as if it had never left, so that who comes and goes adds a row a wave at most.

    Raises PlanError if it takes part already or the tournament is over, BotError if its bot is disabled, or remote in a
    pool of hosted ones.
    """
    tournament = lock(session, tournament_id)
    _check_open(session, tournament)
    check_versions(session, [version_id])
    check_kinds(session, [version_id], remote=session.get_one(PoolRecord, tournament.pool_id).remote)
    last = _last_entry(session, tournament_id, version_id)
    if last is not None and not (may_return and last.withdrawn_wave is not None):
        raise PlanError(
            Text(
                "ratings.version_entered_already_one_withdrew",
                "this version has entered already, and one that withdrew does not come back; enter another",
            )
        )
    wave = waves.count_waves(session, tournament_id)
    if last is not None and last.withdrawn_wave == wave:
        last.withdrawn_wave = None
        session.add(last)
    else:
        position = _next_position(session, tournament_id)
        session.add(
            EntrantRecord(tournament_id=tournament_id, position=position, version_id=version_id, joined_wave=wave)
        )
    session.flush()
    return wave


def note_guest(session: Session, tournament_id: str, version_id: str, *, is_guest: bool) -> None:
    """Write that somebody has entered a hosted bot in a ladder of remote bots, or taken it out of it.

    It takes part in the seasons to come, too, until it is taken out. Other tournaments have no guests.
    """
    season = season_of(session, tournament_id)
    bot = session.get_one(BotRecord, session.get_one(VersionRecord, version_id).bot_id)
    if season is None or bot.remote or not session.get_one(PoolRecord, _pool_of(session, tournament_id)).remote:
        return
    known = session.get(GuestRecord, (season.ladder_id, bot.id))
    if is_guest and known is None:
        session.add(GuestRecord(ladder_id=season.ladder_id, bot_id=bot.id))
    elif not is_guest and known is not None:
        session.delete(known)


def _pool_of(session: Session, tournament_id: str) -> str:
    return session.get_one(TournamentRecord, tournament_id).pool_id


def _last_entry(session: Session, tournament_id: str, version_id: str) -> EntrantRecord | None:
    query = select_rows(EntrantRecord).where(
        EntrantRecord.tournament_id == tournament_id, EntrantRecord.version_id == version_id
    )
    return session.exec(query.order_by(col(EntrantRecord.position).desc()).limit(1)).first()


def _next_position(session: Session, tournament_id: str) -> int:
    entrant = tables.entrant
    query = select(func.coalesce(func.max(entrant.c.position), -1) + 1).where(entrant.c.tournament_id == tournament_id)
    return int(session.connection().execute(query).scalar_one())


def withdraw(session: Session, tournament_id: str, version_id: str, reason: str, *, voids: bool = True) -> int:
    """Take a version out: no wave plans it any more, and, if it `voids` them, its blocks that are not over are void.

    Return how many matches will not be played; one that is being played now still ends. Raises NotFoundError if the
    version is not entered, PlanError if it has withdrawn or the tournament is over.
    """
    _check_open(session, lock(session, tournament_id))
    entrant = _get_present(session, tournament_id, version_id)
    entrant.withdrawn_wave = waves.count_waves(session, tournament_id)
    session.add(entrant)
    session.flush()
    void = void_planned(session, tournament_id, version_id, reason) if voids else 0
    rate_prefix(session.connection(), tournament_id)
    session.expire_all()
    return void


def _get_present(session: Session, tournament_id: str, version_id: str) -> EntrantRecord:
    entrant = _last_entry(session, tournament_id, version_id)
    if entrant is None:
        raise NotFoundError(
            Text("ratings.version_not_entered_see_arena", "this version is not entered; see: arena tournament show")
        )
    if entrant.withdrawn_wave is not None:
        raise PlanError(
            Text(
                "ratings.version_withdrawn_already_see_arena",
                "this version has withdrawn already; see: arena tournament show",
            )
        )
    return entrant


def void_planned(session: Session, tournament_id: str, version_id: str, reason: str) -> int:
    """Make the planned matches of every block in which the version plays void, and return how many they were.

    It sits in each match of such a block, so only matches that are planned have to be looked at.
    """
    sits = select(_s.c.seat).where(_s.c.match_id == _m.c.id, _s.c.version_id == version_id)
    void = session.connection().execute(
        update(_m)
        .where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.PLANNED, sits.exists())
        .values(state=MatchState.VOID, **with_text("void_reason", reason))
    )
    return int(void.rowcount)


def _check_open(session: Session, tournament: TournamentRecord) -> None:
    """Raise PlanError unless versions can still join and leave."""
    if tournament.cancelled_at_us is not None:
        raise PlanError(
            Text(
                "tournaments.tournament_cancelled_nobody_can_join",
                "tournament {name} was cancelled; nobody can join or leave it",
                name=repr(tournament.name),
            )
        )
    if count_progress(session, tournament.id).is_over:
        raise PlanError(
            Text(
                "tournaments.tournament_finished_nobody_can_join",
                "tournament {name} is finished; nobody can join or leave it",
                name=repr(tournament.name),
            )
        )
