"""The tables of what became of bots, and of the version with which each takes part in ladders.

They follow the rules of `ratings.store.models`. Whoever looks at one bot reads them, and nothing else of the service.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Text
from sqlmodel import Field

from ratings.store.base import Table, text_of
from ratings.values.states import BotEventKind


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
