"""What happened to bots, and which of their versions are active."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam
from sqlmodel import col, select

from ratings.read.paging import Order, cut, one_page
from ratings.store import tables
from ratings.store.bot_event import ActiveVersionRecord, BotEventRecord
from ratings.store.lookups import get_bot
from ratings.store.models import VersionRecord
from ratings.store.sessions import Source, read
from ratings.values.page import DEFAULT_LIMIT, Page

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
