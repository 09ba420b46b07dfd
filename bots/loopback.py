"""Carries the bytes of the stream to a bot in this process, and its answers back. No I/O."""

from __future__ import annotations

import time

from arena.v1 import play_pb2
from bots.session import Bot, PlaySession


class Loopback:
    """A bot that is spoken to as over the stream: every message is encoded, carried as bytes and decoded."""

    __slots__ = ("_session", "bot")

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self._session = PlaySession(bot)

    def join(self) -> bytes:
        """Return the first message of the bot, which prepares itself before."""
        return self._session.join().SerializeToString()

    def send(self, message: bytes) -> bytes:
        """Hand the bot a `PlayResponse` and return its `PlayRequest`, or no bytes if the message asks for none.

        Raises what `PlaySession.receive` raises.
        """
        request = self._session.receive(play_pb2.PlayResponse.FromString(message), time.monotonic())
        return request.SerializeToString() if request else b""
