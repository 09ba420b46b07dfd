"""The tables of what became of bots and of their active versions, and which version is active by those events.

They follow the rules of `ratings.store.models`. Whoever looks at one bot reads them, and nothing else of the service.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, BigInteger, Text
from sqlmodel import Field

from ratings.store.models import Table, text_of
from ratings.values.states import BotEventKind

_ENDS = (BotEventKind.REFUSED, BotEventKind.WITHDRAWN, BotEventKind.ANNULLED)
"""After these a version is not active any more, and nobody can go back to it."""


class BotEventRecord(Table, table=True):
    """What happened to a bot, in order; `number` counts from 0 within the bot."""

    bot_id: str = Field(primary_key=True, foreign_key="bot.id")
    number: int = Field(primary_key=True)
    kind: BotEventKind = Field(sa_type=text_of(BotEventKind))
    version_id: str | None = Field(default=None, foreign_key="version.id")
    at_us: int = Field(sa_type=BigInteger)
    actor: str
    """Who did it: the name of an owner, `operator`, or `arena` for what the service did by itself."""
    message: str = Field(sa_type=Text)
    message_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))


class ActiveVersionRecord(Table, table=True):
    """The version with which a bot takes part in ladders; follows from the bot's events."""

    bot_id: str = Field(primary_key=True, foreign_key="bot.id")
    version_id: str = Field(foreign_key="version.id")


@dataclass(frozen=True, slots=True)
class Lineage:
    """The active version of a bot by id, and those to which it can be rolled back, the latest last."""

    active: str | None = None
    before: tuple[str, ...] = ()

    def after(self, kind: BotEventKind, version_id: str | None) -> Lineage:
        """Return the lineage after an event: a rollback drops what came after the version it goes back to."""
        if version_id is None:
            return self
        if kind in _ENDS:
            active = None if self.active == version_id else self.active
            return Lineage(active, tuple(one for one in self.before if one != version_id))
        if kind is BotEventKind.PROMOTED and version_id != self.active:
            earlier = self.before if self.active is None else (*self.before, self.active)
            return Lineage(version_id, tuple(one for one in earlier if one != version_id))
        if kind is BotEventKind.ROLLED_BACK and version_id in self.before:
            return Lineage(version_id, self.before[: self.before.index(version_id)])
        return self


def lineage_of(events: Iterable[tuple[BotEventKind, str | None]]) -> Lineage:
    """Return the lineage of a bot from the kinds and versions of all its events, in order."""
    lineage = Lineage()
    for kind, version_id in events:
        lineage = lineage.after(kind, version_id)
    return lineage
