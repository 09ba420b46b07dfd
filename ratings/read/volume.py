"""What a database holds: rows of its tables, files of versions, bytes of replays and logs, and how fast it grows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Table as CoreTable
from sqlalchemy import func, select
from sqlmodel import Session

from ratings.store import tables
from ratings.store.identifiers import now_us
from ratings.store.retention import first_id
from ratings.store.sessions import Source, read
from ratings.values.states import MatchState

_m = tables.match
_SAMPLE = 1_000
_WEEK_US = 7 * 24 * 3600 * 1_000_000
_FINISHED = select(func.count()).where(_m.c.state == MatchState.FINISHED)


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
    return int(session.connection().execute(select(func.count()).select_from(table)).scalar_one())


def _mean(session: Session, table: CoreTable) -> float:
    newest = select(func.length(table.c.data).label("size")).order_by(table.c.match_id.desc()).limit(_SAMPLE).subquery()
    return float(session.connection().execute(select(func.coalesce(func.avg(newest.c.size), 0))).scalar_one())


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


def held_versions(source: Source) -> list[str]:
    """Return the content hashes of all versions whose files are kept, sorted, each once; remote ones have none."""
    version, bot = tables.version, tables.bot
    query = select(version.c.content_hash).join(bot, bot.c.id == version.c.bot_id)
    query = query.where(version.c.files_removed_at_us.is_(None), ~bot.c.remote)
    with read(source) as session:
        return list(session.connection().execute(query.distinct().order_by(version.c.content_hash)).scalars())


def is_held(source: Source, content_hash: str) -> bool:
    """Return whether a version has these files, and they are to be kept."""
    version = tables.version
    query = select(version.c.id).where(version.c.content_hash == content_hash, version.c.files_removed_at_us.is_(None))
    with read(source) as session:
        return session.connection().execute(query.limit(1)).first() is not None
