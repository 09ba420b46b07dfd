"""Which bots somebody can be given to play against at once: those that the machine here runs, and may run."""

from __future__ import annotations

from sqlalchemy import func
from sqlmodel import col, select

from ratings.store.bot_event import ActiveVersion
from ratings.store.models import Bot, Owner, Version
from ratings.store.sessions import Source, read


def list_opponents(source: Source, limit: int) -> list[tuple[str, tuple[str, ...]]]:
    """Return such bots, those added last first, each with the games of the version that would play.

    That is the version on ladders, without which an owner's bot is not among them, and else the newest.
    """
    newest = select(func.max(Version.number)).where(Version.bot_id == Bot.id).correlate(Bot).scalar_subquery()
    query = (
        select(Bot, Version)
        .join(Owner, col(Owner.id) == col(Bot.owner_id), isouter=True)
        .join(ActiveVersion, col(ActiveVersion.bot_id) == col(Bot.id), isouter=True)
        .join(Version, col(Version.bot_id) == col(Bot.id))
        .where(
            ~col(Bot.remote),
            col(Bot.disabled_at_us).is_(None),
            col(Owner.disabled_at_us).is_(None),
            col(Version.withdrawn_at_us).is_(None),
            (col(Version.id) == col(ActiveVersion.version_id))
            | (col(ActiveVersion.version_id).is_(None) & col(Bot.owner_id).is_(None) & (Version.number == newest)),
        )
        .order_by(col(Bot.id).desc())
        .limit(limit)
    )
    with read(source) as session:
        return [(bot.name, tuple(version.manifest.get("games", ["*"]))) for bot, version in session.exec(query)]
