"""What a database holds, in counts, and which versions' files belong to it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Table as CoreTable
from sqlalchemy import func, select

from ratings.store import tables
from ratings.store.sessions import Source, read


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

        def count(table: CoreTable) -> int:
            return int(session.connection().execute(select(func.count()).select_from(table)).scalar_one())

        return HeldCounts(
            count(tables.owner),
            count(tables.bot),
            count(tables.version),
            count(tables.tournament),
            count(tables.match),
            count(tables.replay),
            count(tables.seat_log),
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
