"""What a database holds, how fast it grows, what would be removed by age and size, why, and what was announced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Table as CoreTable
from sqlalchemy import func
from sqlalchemy import select as core_select
from sqlmodel import Session, col, select

from engine.translatable import Text
from ratings.read.bots import VersionRow
from ratings.store import tables
from ratings.store.identifiers import now_us
from ratings.store.models import BotRecord, VersionRecord
from ratings.store.retention_conditions import ENDED_US, first_id, removable_files, removable_log, removable_replay
from ratings.store.service import RemovalRecord
from ratings.store.sessions import Source, read
from ratings.values.states import MatchState, RemovalKind

_m = tables.match
DAY_US = 24 * 3600 * 1_000_000
_PART = 2_000
_SAMPLE = 1_000
_WEEK_US = 7 * 24 * 3600 * 1_000_000
_FINISHED = core_select(func.count()).where(_m.c.state == MatchState.FINISHED)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how much of each kind is kept; 0 stands for ever, and for no limit."""

    logs_days: int = 0
    logs_bytes: int = 0
    replays_days: int = 0
    replays_bytes: int = 0
    archives_days: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """Something that the limits want removed."""

    kind: RemovalKind
    before_us: int
    """What ended before this instant, unless something still needs it."""
    why: str
    items: int
    """The matches, or versions, of which something is removed."""
    size_bytes: int
    """What that frees in the database; 0 for files, which lie elsewhere."""
    is_by_size: bool


@dataclass(frozen=True, slots=True)
class _Cut:
    before_us: int
    why: str
    is_by_size: bool


def planned_removals(source: Source, limits: Limits, at_us: int) -> list[Planned]:
    """Return what the limits want removed now; kinds of which nothing may be removed are left out.

    It adds up the sizes of all logs, or replays, that are kept if they have a limit by size, a part at a time.
    """
    found = [
        _planned_of_matches(source, RemovalKind.LOGS, limits.logs_days, limits.logs_bytes, at_us),
        _planned_of_matches(source, RemovalKind.REPLAYS, limits.replays_days, limits.replays_bytes, at_us),
    ]
    if days := limits.archives_days:
        before_us = at_us - days * DAY_US
        why = Text("withdrawn or refused over {days} days ago", days=days)
        items = len(removable_versions(source, before_us))
        found.append(Planned(RemovalKind.ARCHIVES, before_us, why, items, 0, is_by_size=False))
    return [planned for planned in found if planned is not None and planned.items]


def removals(source: Source, *, pending: bool = False, limit: int = 50) -> Sequence[RemovalRecord]:
    """Return what was announced, the newest first; with `pending`, only what is not done yet."""
    query = select(RemovalRecord).order_by(col(RemovalRecord.id).desc()).limit(limit)
    with read(source) as session:
        return session.exec(query.where(col(RemovalRecord.done_at_us).is_(None)) if pending else query).all()


def removable_versions(source: Source, before_us: int) -> list[VersionRow]:
    """Return the versions withdrawn or refused before an instant whose files nothing needs, by name of the bot."""
    query = (
        select(BotRecord, VersionRecord)
        .join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
        .where(removable_files(before_us))
    )
    with read(source) as session:
        return [VersionRow(*row) for row in session.exec(query.order_by(BotRecord.name, col(VersionRecord.number)))]


def _planned_of_matches(source: Source, kind: RemovalKind, days: int, most_bytes: int, at_us: int) -> Planned | None:
    table = tables.seat_log if kind is RemovalKind.LOGS else tables.replay
    cuts = [_Cut(at_us - days * DAY_US, Text("over {days} days old", days=days), is_by_size=False)] if days else []
    if most_bytes and (over_us := _end_of_what_is_too_much(source, table, most_bytes)) is not None:
        why = Text("the oldest of more than {megabytes} MB", megabytes=f"{most_bytes / 1e6:g}")
        cuts.append(_Cut(over_us, why, is_by_size=True))
    if not cuts:
        return None
    cut = max(cuts, key=lambda one: one.before_us)
    may_go = removable_log(cut.before_us) if kind is RemovalKind.LOGS else removable_replay(cut.before_us)
    with read(source) as session:
        query = (
            core_select(func.count(table.c.match_id.distinct()), func.coalesce(func.sum(func.length(table.c.data)), 0))
            .join(_m, _m.c.id == table.c.match_id)
            .where(table.c.match_id < first_id(cut.before_us), may_go)
        )
        items, size = session.connection().execute(query).one()
    return Planned(kind, cut.before_us, cut.why, int(items), int(size), is_by_size=cut.is_by_size)


def _end_of_what_is_too_much(source: Source, table: CoreTable, most_bytes: int) -> int | None:
    """Return before which instant matches must have ended whose rows go, so that nine tenths of the limit are left.

    Returns None if the limit is kept. Nine tenths, so that not every day something has to go.
    """
    kept, cut_us = 0, None
    for ended_us, size in _newest_first(source, table):
        kept += size
        if cut_us is None and kept > most_bytes * 9 // 10:
            cut_us = ended_us + 1
        if kept > most_bytes:
            return cut_us
    return None


def _newest_first(source: Source, table: CoreTable) -> Iterator[tuple[int, int]]:
    """Yield when each match ended and the size of its rows, the match that was planned last first, a part at a time."""
    sizes = core_select(table.c.match_id, func.sum(func.length(table.c.data)).label("size")).group_by(table.c.match_id)
    last = None
    while True:
        part = sizes if last is None else sizes.where(table.c.match_id < last)
        some = part.order_by(table.c.match_id.desc()).limit(_PART).subquery()
        query = core_select(some.c.match_id, ENDED_US, some.c.size).join(_m, _m.c.id == some.c.match_id)
        with read(source) as session:
            rows = session.connection().execute(query.order_by(some.c.match_id.desc())).all()
        yield from ((row[1] or 0, int(row[2])) for row in rows)
        if len(rows) < _PART:
            return
        last = rows[-1][0]


@dataclass(frozen=True, slots=True)
class Volume:
    """The matches of a database, and what they take."""

    finished: int = 0
    """The matches with a result."""
    last_week: int = 0
    """Those of them that were planned in the last seven days."""
    replays: int = 0
    """The replays that are kept."""
    replay_bytes: float = 0.0
    """What a replay takes on average."""
    logs: int = 0
    """The logs of seats that are kept."""
    log_bytes: float = 0.0
    """What the log of a seat takes on average."""


def volume(source: Source, at_us: int | None = None) -> Volume:
    """Return how many matches there are and what they take; sizes are those of the newest thousand."""
    week_ago = first_id((now_us() if at_us is None else at_us) - _WEEK_US)
    with read(source) as session:
        connection = session.connection()
        return Volume(
            finished=connection.execute(_FINISHED).scalar_one(),
            last_week=connection.execute(_FINISHED.where(_m.c.id >= week_ago)).scalar_one(),
            replays=_count(session, tables.replay),
            replay_bytes=_mean(session, tables.replay),
            logs=_count(session, tables.seat_log),
            log_bytes=_mean(session, tables.seat_log),
        )


def _count(session: Session, table: CoreTable) -> int:
    return int(session.connection().execute(core_select(func.count()).select_from(table)).scalar_one())


def _mean(session: Session, table: CoreTable) -> float:
    newest = (
        core_select(func.length(table.c.data).label("size")).order_by(table.c.match_id.desc()).limit(_SAMPLE).subquery()
    )
    return float(session.connection().execute(core_select(func.coalesce(func.avg(newest.c.size), 0))).scalar_one())


@dataclass(frozen=True, slots=True)
class HeldCounts:
    """How many rows of the tables that people know there are."""

    owners: int
    bots: int
    versions: int
    tournaments: int
    matches: int
    replays: int
    seat_logs: int


def held_counts(source: Source) -> HeldCounts:
    """Return how much of everything there is."""
    with read(source) as session:
        return HeldCounts(
            _count(session, tables.owner),
            _count(session, tables.bot),
            _count(session, tables.version),
            _count(session, tables.tournament),
            _count(session, tables.match),
            _count(session, tables.replay),
            _count(session, tables.seat_log),
        )
