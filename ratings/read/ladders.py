"""Ladders and their seasons, and the active versions that they go on without because these cannot be started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select as sql_select
from sqlmodel import col, select

from engine.translatable import Text
from ratings.errors import LadderError
from ratings.read.paging import Order, cut, each, one_page
from ratings.store import ladder_queries as stored
from ratings.store import tables
from ratings.store.bot_events import ActiveVersionRecord
from ratings.store.ladder_queries import RunningLadder, active_in
from ratings.store.models import BotRecord, MatchRecord, MatchSeatRecord, PoolRecord, VersionRecord
from ratings.store.season import SeasonRecord, seasons_of
from ratings.store.service import AbsenceRecord, LadderRecord
from ratings.store.sessions import Source, read
from ratings.values.owners import PEOPLE
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import MatchState

_m, _e = tables.match, tables.entrant
_SEASONS = Order("seasons", (tables.season.c.number,), (int,))
_LADDERS = Order("ladders", (tables.ladder.c.id,), (str,))
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


@dataclass(frozen=True, slots=True)
class LadderRow:
    """A ladder with its pool and its seasons, the first first."""

    ladder: LadderRecord
    pool: PoolRecord
    seasons: tuple[SeasonRecord, ...]


def open_ladders(source: Source) -> list[RunningLadder]:
    """Return the open ladders that have an open season, by name."""
    with read(source) as session:
        return stored.running_ladders(session)


def find_ladder(source: Source, name: str) -> LadderRow:
    """Return the open ladder of that name, or the one that was closed last. Raises NotFoundError."""
    with read(source) as session:
        ladder = stored.get_ladder(session, name)
        return LadderRow(ladder, session.get_one(PoolRecord, ladder.pool_id), tuple(seasons_of(session, ladder.id)))


def running_ladder(source: Source, name: str) -> RunningLadder:
    """Return the open ladder of that name with its season. Raises NotFoundError, LadderError if nothing of it runs."""
    with read(source) as session:
        found = stored.running_ladders(session, stored.get_ladder(session, name).id)
    if not found:
        raise LadderError(
            Text(
                "no season of ladder {ladder} is open; open one: arena season open {name}", ladder=repr(name), name=name
            )
        )
    return found[0]


def list_ladders(source: Source, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[LadderRow]:
    """Return the ladders, the newest first, closed ones too. Raises PageError."""
    query = select(LadderRecord, PoolRecord).join(PoolRecord, col(PoolRecord.id) == LadderRecord.pool_id)
    with read(source) as session:
        found = session.exec(one_page(query, _LADDERS, limit, after)).all()
        page = cut(found, _LADDERS, limit, lambda row: (row[0].id,))
        return each(page, lambda row: LadderRow(*row, tuple(seasons_of(session, row[0].id))))


def last_starts(source: Source, tournament_id: str, most: int) -> list[int]:
    """Return when the last `most` matches of a tournament that are finished began, in microseconds, ascending."""
    its = (_m.c.tournament_id == tournament_id, _m.c.state == MatchState.FINISHED)
    query = sql_select(_m.c.started_at_us).where(*its).order_by(_m.c.position.desc()).limit(most)
    with read(source) as session:
        return sorted(start for start in session.connection().execute(query).scalars() if start is not None)


def owners_present(source: Source, tournament_id: str) -> list[str | None]:
    """Return the name of the owner of each bot that takes part and has not withdrawn; `None` for the operator's own."""
    query = (
        sql_select(tables.owner.c.name)
        .select_from(_e)
        .join(tables.version, tables.version.c.id == _e.c.version_id)
        .join(tables.bot, tables.bot.c.id == tables.version.c.bot_id)
        .outerjoin(tables.owner, tables.owner.c.id == tables.bot.c.owner_id)
        .where(_e.c.tournament_id == tournament_id, _e.c.withdrawn_wave.is_(None))
        .order_by(_e.c.position)
    )
    with read(source) as session:
        return list(session.connection().execute(query).scalars())


def count_apart(owners: Sequence[str | None]) -> int:
    """Return how many of the bots with these owners may sit at one table where bots of one owner do not meet."""
    return owners.count(None) + len({owner for owner in owners if owner is not None})


def list_seasons(
    source: Source, ladder_id: str, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[SeasonRecord]:
    """Return the seasons of a ladder, the newest first. Raises PageError."""
    query = select(SeasonRecord).where(SeasonRecord.ladder_id == ladder_id)
    with read(source) as session:
        found = session.exec(one_page(query, _SEASONS, limit, after)).all()
    return cut(found, _SEASONS, limit, lambda season: (season.number,))


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
