"""How one bot is heard: through descriptors that it is started with, or where it connects by gRPC.

A bot finds a socket pair, and a socket or a port of its own where gRPC is served until it has taken the one or the
other; what it did not take is closed then. A bot that speaks lines of JSON has its standard streams instead, and no
gRPC.

What comes through a listener is that bot's doing, whatever it is: nobody else can be meant when it is too much. Only
the bot reaches a socket. A port is reached by everybody on this machine: so it is shut only when somebody has shown the
bot's token, or a stranger could shut the bot out with one call.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from arena.hosting.launcher.messages import STDIN, STDOUT, STREAM
from arena.hosting.procfs.own_sockets import Connections, connections, limit_waiting, stop_listening
from arena.hosting.user_directories import new_socket_path
from arena.match.spec import SeatSpec
from arena.referee.call_stream import CallStream
from arena.referee.descriptor_stream import DescriptorStream
from arena.referee.framing import PROTOBUF, Framing, LineFraming
from arena.referee.server import MakeStream, PlayServer, StreamAdmission
from arena.referee.stream import BotStream, Flood
from engine.translatable import Text

MOST_CONNECTIONS = 4
"""How many connections a bot may have. It needs one; a program may be slow to close another one."""
MOST_CONNECTIONS_SEEN = 16
"""How many different ones may be seen before it has joined."""


def framing_of(seat: SeatSpec) -> LineFraming | None:
    """Return the framing of a bot that speaks lines; None for protobuf."""
    return LineFraming(seat.name, seat.games) if seat.speaks_lines else None


@dataclass(slots=True)
class StreamEnds:
    """The descriptors of a stream, made before its bot starts: `reading` and `writing` are the arena's."""

    reading: int
    writing: int
    offered: dict[str, int]
    """The bot's, by what they are for (`arena.hosting.launcher.messages`); closed here once it has started."""

    @classmethod
    def make(cls, *, speaks_lines: bool) -> Self:
        """Make two pipes for a bot that speaks lines, and else a socket pair. Raises RuntimeError if that fails."""
        try:
            if speaks_lines:
                with ExitStack() as on_failure:
                    bot_reads, writing = os.pipe()
                    on_failure.callback(os.close, bot_reads)
                    on_failure.callback(os.close, writing)
                    reading, bot_writes = os.pipe()
                    on_failure.pop_all()
                return cls(reading, writing, {STDIN: bot_reads, STDOUT: bot_writes})
            ours, theirs = (end.detach() for end in socket.socketpair())
            return cls(ours, ours, {STREAM: theirs})
        except OSError as error:
            raise RuntimeError(str(error)) from error

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Close the arena's descriptors at the end: another process has them. After an error, the bot's as well."""
        try:
            yield
        except BaseException:
            self.close_offered()
            raise
        finally:
            for number in {self.reading, self.writing}:
                os.close(number)

    def close_offered(self) -> None:
        """Close the bot's descriptors in this process."""
        for number in self.offered.values():
            os.close(number)
        self.offered.clear()


MakeDescriptorStream = Callable[[int, int, Framing], DescriptorStream]


class BotListener(Protocol):
    """How one bot is heard, and its right to open one stream."""

    socket: Path | None
    """The socket; None for a port, or for a bot that speaks lines."""
    address: str
    """Where the bot connects by gRPC; empty if it cannot."""
    admission: StreamAdmission
    """The right, and the stream of the bot that used it."""

    @property
    def offered(self) -> Mapping[str, int]:
        """The descriptors that the bot is to be started with, by what they are for."""

    def note_started(self) -> None:
        """Close what was offered: the bot has it now, or will never start."""

    def look(self) -> None:
        """Disconnect a bot that has connected too often; to be called from time to time until it has joined."""

    def count_messages(self) -> int:
        """Return how many messages the bot has sent."""

    def descriptor(self) -> int | None:
        """Return the descriptor through which its messages come, once it has opened its stream."""

    def disconnect(self, flood: Flood) -> None:
        """End its connections, since it did what costs the arena more than it may."""

    def dismiss(self) -> None:
        """Revoke its right, and close its stream."""

    async def close(self) -> None:
        """End what serves it, and remove the socket."""


ListenerOpener = Callable[[LineFraming | None], Awaitable[BotListener]]
"""Opens a listener for a bot that speaks lines in that framing, or else protobuf. Raises RuntimeError."""


class DirectListener:
    """A `BotListener` that this process serves itself. `open` or `open_port` opens it; `close` ends it."""

    def __init__(
        self,
        ends: StreamEnds,
        framing: Framing = PROTOBUF,
        make_stream: MakeStream = CallStream,
        make_descriptor_stream: MakeDescriptorStream = DescriptorStream,
    ) -> None:
        self.socket: Path | None = None  # the socket; None for a port, or for no gRPC
        self.address = ""  # where the bot connects
        self.admission = StreamAdmission()
        self._ends = ends
        self._pair = make_descriptor_stream(ends.reading, ends.writing, framing)
        self._make_stream = make_stream
        self._server: PlayServer | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._seen: set[int] = set()
        self._descriptor: int | None = None

    @classmethod
    async def open(
        cls,
        directory: Path,
        framing: LineFraming | None = None,
        ends: StreamEnds | None = None,
        make_stream: MakeStream = CallStream,
        make_descriptor_stream: MakeDescriptorStream = DescriptorStream,
    ) -> Self:
        """Open a listener for lines in that framing, or else for protobuf, with a socket in a runtime directory.

        `ends` are its descriptors if they are made already. Raises RuntimeError if that is impossible.
        """
        ends = ends or StreamEnds.make(speaks_lines=framing is not None)
        listener = cls(ends, framing or PROTOBUF, make_stream, make_descriptor_stream)
        try:
            if framing is not None:
                listener._hear()
                return listener
            listener.socket = new_socket_path(directory)
            listener.address = f"unix:{listener.socket}"
            await listener._serve(listener.address)
            limit_waiting(listener._name, MOST_CONNECTIONS_SEEN)
        except BaseException:
            await listener.close()
            raise
        return listener

    @classmethod
    async def open_port(cls, host: str) -> Self:
        """Open a listener with a port of this machine in place of a socket. Raises RuntimeError if that fails."""
        listener = cls(StreamEnds.make(speaks_lines=False))
        try:
            listener.address = f"{host}:{await listener._serve(f'{host}:0')}"
        except BaseException:
            await listener.close()
            raise
        listener.admission.stream.add_done_callback(lambda _: listener._shut())
        return listener

    async def _serve(self, address: str) -> int:
        """Serve gRPC at an address, and hear the socket pair, until the bot has come by one of them."""
        self._server = PlayServer(self._note_call, make_stream=self._make_stream)
        self.admission = self._server.admit()
        port = await self._server.start(address)
        self._hear()
        return port

    def _hear(self) -> None:
        self.admission.stream.add_done_callback(lambda come: _close_unless_come(self._pair, come))
        if self._pair.framing.join is not None:
            self.admission.stream.set_result(self._pair)
        self._pair.start(self._note_first)

    def _note_first(self, stream: DescriptorStream) -> None:
        """Take the socket pair for the bot's stream, since its first message comes there, and serve gRPC no more."""
        if not self.admission.stream.done():
            self.admission.stream.set_result(stream)
        self._stop_serving()

    def _stop_serving(self) -> asyncio.Task[None] | None:
        if self._server is not None and self._stopping is None:
            self._server.release(self.admission)
            self._stopping = asyncio.create_task(self._server.stop())
        return self._stopping

    @property
    def offered(self) -> Mapping[str, int]:
        """The descriptors that the bot is to be started with, by what they are for."""
        return self._ends.offered

    def note_started(self) -> None:
        """Close what was offered."""
        self._ends.close_offered()

    def look(self) -> None:
        """Disconnect a bot that has connected too often; to be called from time to time until it has joined."""
        if self._server is None or self._stopping is not None:
            return
        now = connections().get(self._name, Connections()).inodes
        self._seen |= now
        if len(now) > MOST_CONNECTIONS or len(self._seen) > MOST_CONNECTIONS_SEEN:
            most = max(len(now), len(self._seen))
            why = Text("It opened {most} connections to the arena; a bot needs one for its whole life.", most=most)
            self.disconnect(Flood(why, {"connections": most}))

    def count_messages(self) -> int:
        """Return how many messages the bot has sent."""
        return self.admission.count_messages()

    def descriptor(self) -> int | None:
        """Return the descriptor of its stream. For gRPC the first call looks at every socket of this process."""
        stream = self.admission.open_stream
        if isinstance(stream, DescriptorStream):
            return stream.descriptor()
        if self._descriptor is None:
            self._descriptor = next(iter(connections().get(self._name, Connections()).descriptors), None)
        return self._descriptor

    def disconnect(self, flood: Flood) -> None:
        """End its connections, since it did what costs the arena more than it may."""
        if self._server is not None and self._stopping is None:
            self._shut()
            self._server.disconnect(flood)
        else:
            self.admission.report_flood(flood)

    def dismiss(self) -> None:
        """Revoke its right, and close its stream."""
        if self._server is not None:
            self._server.dismiss(self.admission)
        else:
            self.admission.close()

    async def close(self) -> None:
        """End the server, close the descriptors, and remove the socket."""
        self.dismiss()
        self._pair.close()
        self._ends.close_offered()
        if (stopping := self._stop_serving()) is not None:
            await stopping
        if self.socket is not None:
            self.socket.unlink(missing_ok=True)

    def _note_call(self) -> None:
        """Shut a socket: whoever makes a call there is the bot."""
        if self.socket is not None:
            self._shut()

    def _shut(self) -> None:
        """Accept nobody any more: the bot has connected, and needs one connection."""
        stop_listening(self._name)

    @property
    def _name(self) -> str:
        return self.address if self.socket is None else str(self.socket)


def _close_unless_come(stream: DescriptorStream, come: asyncio.Future[BotStream]) -> None:
    """Close a socket pair if the bot's stream came by gRPC, or none will come."""
    if come.cancelled() or come.exception() is not None or come.result() is not stream:
        stream.close()
