"""What happens to a bot and its versions after they were submitted."""

# ruff: noqa: ARG001

from __future__ import annotations

from arena.client.errors import ClientError
from arena.client.here.place import Place
from arena.client.values.bots import BotEvent
from arena.client.values.page import Page

_NOT_KEPT = ClientError("this database keeps no history of bots yet")


def list_events(place: Place, name: str, limit: int | None, after: str | None) -> Page[BotEvent]:
    """Return what happened to a bot, the newest first."""
    raise _NOT_KEPT


def promote(place: Place, text: str, message: str) -> str:
    """Let a version play on the ladders, and return the name of its bot."""
    raise _NOT_KEPT


def withdraw(place: Place, text: str, message: str) -> str:
    """Take a version out for good, and return the name of its bot."""
    raise _NOT_KEPT


def roll_back(place: Place, name: str, message: str) -> str:
    """Let the version play again that played before, and return the name of its bot."""
    raise _NOT_KEPT
