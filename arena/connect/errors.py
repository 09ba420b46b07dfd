"""What ends a bridge and is the bot's fault; what the service refuses is in `arena.rpc.errors`.

ConnectError
├── BotFailsError    the bot does not start, or crashes in match after match
└── LeftError        its author left while matches were running
"""

from __future__ import annotations

from typing import ClassVar


class ConnectError(Exception):
    """The bridge cannot go on. The message is one line that ends with the remedy."""

    kind: ClassVar[str] = "failed"


class BotFailsError(ConnectError):
    """The bot does not start, or crashes in match after match."""


class LeftError(ConnectError):
    """The author of the bot left while matches were running."""
