"""The active versions that cannot be started at present."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import col, select

from ratings.store.bot_event import ActiveVersion
from ratings.store.ladders import RunningLadder, active_in
from ratings.store.models import Bot, Match, MatchSeat, Pool, Version
from ratings.store.service import Absence
from ratings.store.sessions import Source, read
from ratings.values.names import PEOPLE
from ratings.values.states import MatchState


@dataclass(frozen=True, slots=True)
class AbsentVersion:
    """A version that ladders go on without."""

    version: Version
    bot: Bot
    absence: Absence


def contenders(source: Source, running: RunningLadder) -> list[tuple[Version, Bot]]:
    """Return the versions that a ladder needs, with their bots, those too that cannot be started.

    They are the active ones that play in its pool, and others that have matches to play still.
    """
    with read(source) as session:
        active = [version.id for version in active_in(session, running.pool)]
        planned = session.exec(_PLANNED.where(Match.tournament_id == running.tournament.id)).all()
        wanted = dict.fromkeys([*active, *sorted(planned)])
        versions = [session.get_one(Version, version_id) for version_id in wanted]
        return [(version, session.get_one(Bot, version.bot_id)) for version in versions]


def absent_from(source: Source, pool: Pool) -> list[AbsentVersion]:
    """Return the active versions that would play in a pool if they could be started, by name."""
    with read(source) as session:
        wanted = [version.id for version in active_in(session, pool)]
        query = _ABSENT.where(col(Version.id).in_(wanted)).order_by(Bot.name)
        return [AbsentVersion(*row) for row in session.exec(query)]


def absent_versions(source: Source) -> list[AbsentVersion]:
    """Return all versions that cannot be started and are active, by name."""
    with read(source) as session:
        active = select(ActiveVersion.version_id)
        query = _ABSENT.where(col(Version.id).in_(active)).order_by(Bot.name)
        return [AbsentVersion(*row) for row in session.exec(query)]


def remote_versions(source: Source) -> list[tuple[Version, str, bool]]:
    """Return the active versions of remote bots with the name of the bot and whether they are absent, by name.

    The seats that people take are left out: no ladder waits for them.
    """
    query = (
        select(Version, Bot.name, Absence.version_id)
        .join(ActiveVersion, col(ActiveVersion.version_id) == Version.id)
        .join(Bot, col(Bot.id) == Version.bot_id)
        .join(Absence, col(Absence.version_id) == Version.id, isouter=True)
        .where(col(Bot.remote), ~col(Bot.name).startswith(f"{PEOPLE}/"))
        .order_by(Bot.name)
    )
    with read(source) as session:
        return [(version, name, absent is not None) for version, name, absent in session.exec(query)]


_PLANNED = (
    select(MatchSeat.version_id)
    .distinct()
    .join(Match, col(Match.id) == MatchSeat.match_id)
    .where(col(Match.state).in_((MatchState.PLANNED, MatchState.LEASED)))
)
_ABSENT = (
    select(Version, Bot, Absence)
    .join(Absence, col(Absence.version_id) == Version.id)
    .join(Bot, col(Bot.id) == Version.bot_id)
)
