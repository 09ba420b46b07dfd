"""Writes who joins and leaves tournaments and ladders, and which active versions cannot play at present.

The entrants of ladders follow the versions that are active, from the next wave on, without those that are absent. A
hosted version is absent if it cannot be started; a remote one if it is not connected, which its author knows best, so
that nobody is told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import func, update
from sqlalchemy import select as core_select
from sqlmodel import Session, col, select

from engine.translatable import Text, parts_of
from ratings.errors import NotFoundError, PlanError
from ratings.ledger.accounts import add_notice
from ratings.ledger.rating import rate_prefix
from ratings.ledger.tournaments import check_kinds, check_versions, lock
from ratings.store import tables, waves
from ratings.store.bot_events import ActiveVersionRecord
from ratings.store.identifiers import now_us
from ratings.store.ladder_queries import RunningLadder, annulled, may_play, running_ladders
from ratings.store.models import (
    BotRecord,
    EntrantRecord,
    OwnerRecord,
    PoolRecord,
    Table,
    TournamentRecord,
    VersionRecord,
    with_text,
)
from ratings.store.season import season_of
from ratings.store.service import AbsenceRecord, GuestRecord
from ratings.store.sessions import get_version, save
from ratings.store.waves import count_progress
from ratings.values.states import MatchState

_m, _s = tables.match, tables.match_seat
_TAKEN_OUT = Text("a version that plays in it was taken out of the ladder")
_ABSENT = Text("a version that plays in it cannot be started")
SUBJECT = "bot absent"


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
            Text("this version has entered already, and one that withdrew does not come back; enter another")
        )
    wave = waves.count_waves(session, tournament_id)
    if last is not None and last.withdrawn_wave == wave:
        last.withdrawn_wave = None
        session.add(last)
    else:
        entered = tables.entrant
        query = core_select(func.coalesce(func.max(entered.c.position), -1) + 1)
        query = query.where(entered.c.tournament_id == tournament_id)
        position = int(session.connection().execute(query).scalar_one())
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
    if season is None or bot.remote:
        return
    if not session.get_one(PoolRecord, session.get_one(TournamentRecord, tournament_id).pool_id).remote:
        return
    known = session.get(GuestRecord, (season.ladder_id, bot.id))
    if is_guest and known is None:
        session.add(GuestRecord(ladder_id=season.ladder_id, bot_id=bot.id))
    elif not is_guest and known is not None:
        session.delete(known)


def _last_entry(session: Session, tournament_id: str, version_id: str) -> EntrantRecord | None:
    query = select(EntrantRecord).where(
        EntrantRecord.tournament_id == tournament_id, EntrantRecord.version_id == version_id
    )
    return session.exec(query.order_by(col(EntrantRecord.position).desc()).limit(1)).first()


def withdraw(session: Session, tournament_id: str, version_id: str, reason: str, *, voids: bool = True) -> int:
    """Take a version out: no wave plans it any more, and, if it `voids` them, its blocks that are not over are void.

    Return how many matches will not be played; one that is being played now still ends. Raises NotFoundError if the
    version is not entered, PlanError if it has withdrawn or the tournament is over.
    """
    _check_open(session, lock(session, tournament_id))
    entrant = _last_entry(session, tournament_id, version_id)
    if entrant is None:
        raise NotFoundError(Text("this version is not entered; see: arena tournament show"))
    if entrant.withdrawn_wave is not None:
        raise PlanError(Text("this version has withdrawn already; see: arena tournament show"))
    entrant.withdrawn_wave = waves.count_waves(session, tournament_id)
    save(session, entrant)
    void = void_planned(session, tournament_id, version_id, reason) if voids else 0
    rate_prefix(session.connection(), tournament_id)
    session.expire_all()
    return void


def void_planned(session: Session, tournament_id: str, version_id: str, reason: str) -> int:
    """Make the planned matches of every block in which the version plays void, and return how many they were.

    It sits in each match of such a block, so only matches that are planned have to be looked at.
    """
    sits = core_select(_s.c.seat).where(_s.c.match_id == _m.c.id, _s.c.version_id == version_id)
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
            Text("tournament {name} was cancelled; nobody can join or leave it", name=repr(tournament.name))
        )
    if count_progress(session, tournament.id).is_over:
        raise PlanError(Text("tournament {name} is finished; nobody can join or leave it", name=repr(tournament.name)))


@dataclass(frozen=True, slots=True)
class Changes:
    """Which versions entered a ladder and which left it, by id."""

    joined: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


def sync_ladders(session: Session, *kept: Table) -> None:
    """Bring every open ladder in line with the versions that are active, and read the rows that are `kept` anew."""
    for running in running_ladders(session):
        sync_ladder(session, running)
    for row in kept:
        session.refresh(row)


def sync_ladder(session: Session, running: RunningLadder) -> Changes:
    """Enter the active versions that are not in the ladder, and take out those in it that are not active any more.

    In a season that is frozen nobody enters, and a version only leaves if it may not play any more; remote ones that
    had entered come back. The planned blocks of a version that was withdrawn or annulled, cannot be started or is
    remote are void; any other plays what is planned of it.
    """
    if running.season.final_tournament_id is not None:
        return Changes()
    tournament_id, is_frozen = running.tournament.id, running.season.frozen_at_us is not None
    wanted = [version.id for version in may_play(session, running.pool)]
    entered = waves.entered_versions(session, tournament_id)
    present = [version.version_id for version in entered if version.withdrawn_wave is None]
    version_ids = set(present) - set(wanted)
    query = (
        select(VersionRecord, BotRecord.disabled_at_us, OwnerRecord.disabled_at_us)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
        .where(col(VersionRecord.id).in_(version_ids))
    )
    absent = session.exec(select(AbsenceRecord.version_id).where(col(AbsenceRecord.version_id).in_(version_ids)))
    # One that cannot be started counts as withdrawn, and so does a remote one: its author connects another version. The
    # others only made room for another version of their bot.
    bad, barred = annulled(session, version_ids) | set(absent) | _remote(session, version_ids), set()
    for version, bot_disabled, owner_disabled in session.exec(query):
        if version.withdrawn_at_us is not None:
            bad.add(version.id)
        if bot_disabled is not None or owner_disabled is not None:
            barred.add(version.id)
    barred |= bad
    known = _remote(session, {version.version_id for version in entered}) if is_frozen else set(wanted)
    joining = [version for version in wanted if version not in present and version in known]
    leaving = [version for version in present if version not in wanted and (not is_frozen or version in barred)]
    for version_id in joining:
        join(session, tournament_id, version_id, may_return=True)
    for version_id in leaving:
        withdraw(session, tournament_id, version_id, _TAKEN_OUT, voids=version_id in bad)
    # Versions that cannot be started come back to the plan by matches that a dead process had leased.
    unstartable = session.exec(select(AbsenceRecord.version_id)).all()
    if sum(void_planned(session, tournament_id, version_id, _ABSENT) for version_id in unstartable):
        rate_prefix(session.connection(), tournament_id)
        session.expire_all()
    return Changes(tuple(joining), tuple(leaving))


def _remote(session: Session, version_ids: Collection[str]) -> set[str]:
    query = select(VersionRecord.id).join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
    return set(session.exec(query.where(col(VersionRecord.id).in_(version_ids), col(BotRecord.remote))))


@dataclass(frozen=True, slots=True)
class Noted:
    """What is new, bots by name."""

    gone: tuple[str, ...]
    back: tuple[str, ...]


def note_absences(session: Session, found: Mapping[str, str | None]) -> Noted:
    """Write of versions, by id, why they cannot play, or `None` if they can; tell owners of hosted ones what is new.

    The planned blocks of a version that cannot are void, and it enters again when it can. Raises NotFoundError.
    """
    gone, back = [], []
    for version_id, why in found.items():
        known = session.get(AbsenceRecord, version_id)
        if why is None and known is not None:
            session.delete(known)
            back.append(_notify_owner(session, version_id, None))
        elif why is not None and known is None:
            session.add(AbsenceRecord(version_id=version_id, since_us=now_us(), **with_text("why", why)))
            gone.append(_notify_owner(session, version_id, why))
        elif why is not None and known is not None and known.why != why:
            known.why, known.why_text = why, parts_of(why)
            session.add(known)
    session.flush()
    if gone or back:
        sync_ladders(session)
    return Noted(tuple(gone), tuple(back))


def _notify_owner(session: Session, version_id: str, why: str | None) -> str:
    """Tell the owner of the version, if it has one, is hosted and active, why it cannot play, or that it can (`None`).

    Return the name of the bot.
    """
    version: VersionRecord = get_version(session, version_id)
    bot = session.get_one(BotRecord, version.bot_id)
    active = session.get(ActiveVersionRecord, bot.id)
    is_told = bot.owner_id is not None and not bot.remote
    if is_told and active is not None and active.version_id == version_id:
        sentence = (
            Text(
                "{bot} version {number} can be started again, and is back on its ladders",
                bot=bot.name,
                number=version.number,
            )
            if why is None
            else Text(
                "{bot} version {number} plays on no ladder until this is mended: {why}",
                bot=bot.name,
                number=version.number,
                why=why,
            )
        )
        add_notice(session, bot.owner_id, SUBJECT, sentence)
    return bot.name
