"""Streams by descriptors with the bot's ends in hand, for tests."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable
from dataclasses import replace

from arena.match.decisions import Answer
from arena.referee.descriptor_stream import DescriptorStream
from arena.referee.framing import Framing, LineFraming
from arena.referee.stream import Inbox
from arena.v1 import play_pb2
from arena.wire.lines import LineQuestion
from arena.wire.messages import MAX_REQUEST_BYTES
from tests.support.patience import PATIENCE_S
from tests.support.script_game import GAME

JOIN = play_pb2.PlayRequest(join=play_pb2.Join(name="bot", protocol_major=1, games=["*"])).SerializeToString()
LEAVE = play_pb2.PlayRequest(leave=play_pb2.Leave()).SerializeToString()
JOINED = play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=1)).SerializeToString()
FIRST_ACTION = Answer("m", 0, (0,))
NONE_ALLOWED = f"{MAX_REQUEST_BYTES} are allowed"
TURNS = 40
"""How often the event loop turns before we say that nothing happens: what lies in a socket is read in the next turn."""


def act(note: str = "") -> bytes:
    message = play_pb2.Act(match_id="m", ply=0, actions=[0], note=note)
    return play_pb2.PlayRequest(act=message).SerializeToString()


def frame(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + data


def asked_lines() -> LineFraming:
    """Lines of a bot that has been asked for its first action."""
    framing = LineFraming("bot", ["*"])
    framing.question = LineQuestion("m", 0, GAME.actions)
    return framing


class Wired:
    """A stream, and the bot's ends of its descriptors, which never block."""

    def __init__(self, framing: Framing, make: Callable[[int, int, Framing], DescriptorStream]) -> None:
        if framing.join is None:
            ours, theirs = (end.detach() for end in socket.socketpair())
            self.reads = self.writes = theirs
            self.numbers = {ours}
            self.stream = make(ours, ours, framing)
        else:
            self.reads, writing = os.pipe()
            reading, self.writes = os.pipe()
            self.numbers = {reading, writing}
            self.stream = make(reading, writing, framing)
        self._open = {self.reads, self.writes}
        for number in self._open:
            os.set_blocking(number, False)
        self.inbox = Inbox()

    def begin(self) -> Wired:
        """Start to read; one that joins itself has done so."""
        self.stream.start()
        if not self.stream.first_message.done():
            self.say(frame(JOIN))
        return self

    async def seated(self) -> Wired:
        """Have it take a seat of a match."""
        self.begin()
        await self.stream.first_message
        self.stream.attach(self.inbox, 0)
        return self

    def say(self, data: bytes) -> None:
        assert os.write(self.writes, data) == len(data)

    def read(self) -> bytes:
        """What lies there; nothing at the end."""
        try:
            return os.read(self.reads, 1 << 20)
        except BlockingIOError:
            return b""

    def fill(self, piece: bytes) -> int:
        """Write until nothing more is taken, and return how many bytes were."""
        taken = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                taken += os.write(self.writes, piece)
        return taken

    def shut(self, how: int) -> None:
        """Close one direction of a socket pair."""
        with socket.socket(fileno=os.dup(self.reads)) as end:
            end.shutdown(how)

    def close(self, *numbers: int) -> None:
        """Close these ends of the bot, or what is still open of them."""
        for number in numbers or tuple(self._open):
            self._open.discard(number)
            os.close(number)

    def heard(self) -> list[object]:
        return [comparable(arrival.what) for arrival in self.inbox.drain()]


def comparable(what: object) -> object:
    """The actions of a message of protobuf are a list of its own kind."""
    return replace(what, actions=tuple(what.actions)) if isinstance(what, Answer) else what


Wire = Callable[..., Wired]


async def turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


async def message_of(wired: Wired) -> object:
    """What arrives next."""
    arrival = await wired.inbox.get(asyncio.get_running_loop().time() + PATIENCE_S)
    assert arrival is not None
    return comparable(arrival.what)


async def write_all(bot: Wired, data: bytes) -> None:
    """Write all of it, as far as the stream is open."""
    while data and not bot.stream.is_closed:
        with contextlib.suppress(BlockingIOError):
            data = data[os.write(bot.writes, data) :]
        await asyncio.sleep(0)
