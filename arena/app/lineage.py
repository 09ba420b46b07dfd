"""What happens to a bot and its versions after they were submitted; an owner decides about his own bots."""

from __future__ import annotations

from arena.app.lookup import find_version
from arena.app.place import Place
from arena.app.rights import actor_of, need_own_bot
from arena.model.bots import BotEvent
from arena.model.page import Page
from ratings.ledger.service import ServiceLedger
from ratings.read.lineage import EventRow, bot_events


def list_events(place: Place, name: str, limit: int | None, after: str | None) -> Page[BotEvent]:
    """Return what happened to a bot, the newest first: to its owner and to organisers."""
    bot = find_version(place, name).bot
    need_own_bot(place.viewer, bot, "read its history")
    page = bot_events(place.database, bot.name, limit=limit, after=after)
    return Page(tuple(map(_event, page.items)), page.next)


def promote(place: Place, text: str, message: str) -> str:
    """Let a version play on the ladders, and return the name of its bot."""
    found = find_version(place, text)
    need_own_bot(place.viewer, found.bot, "promote its versions")
    return ServiceLedger(place.database).promote(found.version.id, actor=actor_of(place.viewer), message=message).name


def withdraw(place: Place, text: str, message: str) -> str:
    """Take a version out for good, and return the name of its bot."""
    found = find_version(place, text)
    need_own_bot(place.viewer, found.bot, "withdraw its versions")
    ledger = ServiceLedger(place.database)
    return ledger.withdraw_version(found.version.id, actor=actor_of(place.viewer), message=message).name


def roll_back(place: Place, name: str, message: str) -> str:
    """Let the version play again that played before, and return the name of its bot."""
    bot = find_version(place, name).bot
    need_own_bot(place.viewer, bot, "roll it back")
    ServiceLedger(place.database).rollback(bot.name, actor=actor_of(place.viewer), message=message)
    return bot.name


def _event(row: EventRow) -> BotEvent:
    event = row.event
    return BotEvent(
        number=event.number,
        kind=event.kind,
        at_us=event.at_us,
        actor=event.actor,
        message=event.message,
        version=row.number,
        content_hash=row.content_hash,
    )
