"""The active versions that cannot be started at present."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import col, select

from ratings.store.bot_event import ActiveVersionRecord
from ratings.store.ladders import RunningLadder, active_in
from ratings.store.models import BotRecord, MatchRecord, MatchSeatRecord, PoolRecord, VersionRecord
from ratings.store.service import AbsenceRecord
from ratings.store.sessions import Source, read
from ratings.values.names import PEOPLE
from ratings.values.states import MatchState


@dataclass(frozen=True, slots=True)
class AbsentVersion:
    """A version that ladders go on without."""

    version: VersionRecord
    bot: BotRecord
    absence: AbsenceRecord


def contenders(source: Source, running: RunningLadder) -> list[tuple[VersionRecord, BotRecord]]:
    """Return the versions that a ladder needs, with their bots, those too that cannot be started.

    They are the active ones that play in its pool, and others that have matches to play still.
    """
    with read(source) as session:
        active = [version.id for version in active_in(session, running.pool)]
        planned = session.exec(_PLANNED.where(MatchRecord.tournament_id == running.tournament.id)).all()
        wanted = dict.fromkeys([*active, *sorted(planned)])
        versions = [session.get_one(VersionRecord, version_id) for version_id in wanted]
        return [(version, session.get_one(BotRecord, version.bot_id)) for version in versions]


def absent_from(source: Source, pool: PoolRecord) -> list[AbsentVersion]:
    """Return the active versions that would play in a pool if they could be started, by name."""
    with read(source) as session:
        wanted = [version.id for version in active_in(session, pool)]
        query = _ABSENT.where(col(VersionRecord.id).in_(wanted)).order_by(BotRecord.name)
        return [AbsentVersion(*row) for row in session.exec(query)]


def absent_versions(source: Source) -> list[AbsentVersion]:
    """Return all versions that cannot be started and are active, by name."""
    with read(source) as session:
        active = select(ActiveVersionRecord.version_id)
        query = _ABSENT.where(col(VersionRecord.id).in_(active)).order_by(BotRecord.name)
        return [AbsentVersion(*row) for row in session.exec(query)]


def remote_versions(source: Source) -> list[tuple[VersionRecord, str, bool]]:
    """Return the active versions of remote bots with the name of the bot and whether they are absent, by name.

    The seats that people take are left out: no ladder waits for them.
    """
    query = (
        select(VersionRecord, BotRecord.name, AbsenceRecord.version_id)
        .join(ActiveVersionRecord, col(ActiveVersionRecord.version_id) == VersionRecord.id)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .join(AbsenceRecord, col(AbsenceRecord.version_id) == VersionRecord.id, isouter=True)
        .where(col(BotRecord.remote), ~col(BotRecord.name).startswith(f"{PEOPLE}/"))
        .order_by(BotRecord.name)
    )
    with read(source) as session:
        return [(version, name, absent is not None) for version, name, absent in session.exec(query)]


_PLANNED = (
    select(MatchSeatRecord.version_id)
    .distinct()
    .join(MatchRecord, col(MatchRecord.id) == MatchSeatRecord.match_id)
    .where(col(MatchRecord.state).in_((MatchState.PLANNED, MatchState.LEASED)))
)
_ABSENT = (
    select(VersionRecord, BotRecord, AbsenceRecord)
    .join(AbsenceRecord, col(AbsenceRecord.version_id) == VersionRecord.id)
    .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
)
