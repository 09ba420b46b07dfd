"""The active versions of bots, the events that made them active, and the bots anyone can play against at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func
from sqlmodel import col, select

from ratings.read.paging import Order, cut, one_page
from ratings.store import tables
from ratings.store.bot_events import ActiveVersionRecord, BotEventRecord
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.sessions import Source, get_bot, read
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.pools import games_of

_MOST_NAMES = 500
_EVENTS = Order("bot-events", (tables.bot_event.c.number,), (int,))
_ACTIVE = (
    select(VersionRecord)
    .join(ActiveVersionRecord, col(ActiveVersionRecord.version_id) == VersionRecord.id)
    .where(col(ActiveVersionRecord.bot_id) == bindparam("bot"))
)


@dataclass(frozen=True, slots=True)
class EventRow:
    """What happened to a bot, and to which of its versions, if to one."""

    event: BotEventRecord
    number: int | None
    content_hash: str | None


def bot_events(
    source: Source, bot: str, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[EventRow]:
    """Return what happened to a bot, the newest first. Raises NotFoundError, PageError."""
    with read(source) as session:
        query = (
            select(BotEventRecord, VersionRecord.number, VersionRecord.content_hash)
            .join(VersionRecord, col(VersionRecord.id) == col(BotEventRecord.version_id), isouter=True)
            .where(BotEventRecord.bot_id == get_bot(session, bot).id)
        )
        rows = [EventRow(*row) for row in session.exec(one_page(query, _EVENTS, limit, after))]
    return cut(rows, _EVENTS, limit, lambda row: (row.event.number,))


def active_version(source: Source, bot: str) -> VersionRecord | None:
    """Return the version with which a bot takes part in ladders, or `None`. Raises NotFoundError."""
    with read(source) as session:
        return session.exec(_ACTIVE, params={"bot": get_bot(session, bot).id}).one_or_none()


@dataclass(frozen=True, slots=True)
class PlayedVersion:
    """A version that played, and of which bot it is."""

    version_id: str
    bot: str
    number: int
    program: str | None
    """The hash of its files; `None` for a remote bot, whose program nobody knows."""
    is_active: bool


def played_versions(source: Source, version_ids: Sequence[str]) -> list[PlayedVersion]:
    """Return what these versions are, by the names of their bots and their numbers."""
    query = (
        select(VersionRecord, BotRecord, ActiveVersionRecord.version_id)
        .join(BotRecord, col(BotRecord.id) == col(VersionRecord.bot_id))
        .join(ActiveVersionRecord, col(ActiveVersionRecord.bot_id) == col(BotRecord.id), isouter=True)
    )
    found = []
    with read(source) as session:
        for start in range(0, len(version_ids), _MOST_NAMES):
            part = query.where(col(VersionRecord.id).in_(version_ids[start : start + _MOST_NAMES]))
            for version, bot, active in session.exec(part):
                program = None if bot.remote else version.content_hash
                found.append(PlayedVersion(version.id, bot.name, version.number, program, version.id == active))
    return sorted(found, key=lambda one: (one.bot, one.number))


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
        return [(bot.name, games_of(version.manifest)) for bot, version in session.exec(query)]
