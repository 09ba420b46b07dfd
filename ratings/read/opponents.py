"""Which bots somebody can be given to play against at once: those that the machine here runs, and may run."""

from __future__ import annotations

from sqlalchemy import func
from sqlmodel import col, select

from ratings.store.bot_event import ActiveVersionRecord
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.sessions import Source, read


def list_opponents(source: Source, limit: int) -> list[tuple[str, tuple[str, ...]]]:
    """Return such bots, those added last first, each with the games of the version that would play.

    That is the version on ladders, without which an owner's bot is not among them, and else the newest.
    """
    newest = (
        select(func.max(VersionRecord.number))
        .where(VersionRecord.bot_id == BotRecord.id)
        .correlate(BotRecord)
        .scalar_subquery()
    )
    query = (
        select(BotRecord, VersionRecord)
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
        .join(ActiveVersionRecord, col(ActiveVersionRecord.bot_id) == col(BotRecord.id), isouter=True)
        .join(VersionRecord, col(VersionRecord.bot_id) == col(BotRecord.id))
        .where(
            ~col(BotRecord.remote),
            col(BotRecord.disabled_at_us).is_(None),
            col(OwnerRecord.disabled_at_us).is_(None),
            col(VersionRecord.withdrawn_at_us).is_(None),
            (col(VersionRecord.id) == col(ActiveVersionRecord.version_id))
            | (
                col(ActiveVersionRecord.version_id).is_(None)
                & col(BotRecord.owner_id).is_(None)
                & (VersionRecord.number == newest)
            ),
        )
        .order_by(col(BotRecord.id).desc())
        .limit(limit)
    )
    with read(source) as session:
        return [(bot.name, tuple(version.manifest.get("games", ["*"]))) for bot, version in session.exec(query)]
