"""The arena's side of a bot's stream, whatever carries it: gRPC, a socket pair, or pipes with lines of JSON.

A stream delivers what comes and judges nothing but what is no message at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import socket
import struct
import termios
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import grpc
from google.protobuf import any_pb2, descriptor_pool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.unknown_fields import UnknownFieldSet
from grpc_health.v1 import health, health_pb2_grpc  # type: ignore[import-untyped] # it has no types

from arena.conform.judging import BrokenError, parse
from arena.conform.rules import Transport
from arena.hosting.launcher.messages import STDIN, STDOUT, STREAM
from arena.match.decisions import Answer, Malformed, ProtocolViolation, Resignation
from arena.referee.call_context import abort
from arena.referee.framing import PROTOBUF, FrameTooLongError, Framing, LineFraming
from arena.v1 import play_pb2
from arena.wire.lines import LineQuestion, parse_line, request_of
from arena.wire.messages import EVERY_GAME, Leave
from arena.wire.status import Status
from engine import registry
from engine.core import ActionTable

_MOST_BYTES = 64 << 20  # a message that is far too long is to be seen and told of, not to break the stream
_OPTIONS = (("grpc.max_receive_message_length", _MOST_BYTES), ("grpc.so_reuseport", 0))
_READ_BYTES = 65_536
_LOOK_S = 0.01
Context = grpc.aio.ServicerContext[Any, bytes]
Arrived = bytes | Malformed
"""A message as it came, or why it was not read."""


class ScriptedStream(ABC):
    """What arrives is queued, `None` at its end."""

    transport: Transport
    authorization: str | bytes | None = None
    """The metadata of that key as it came with a call, or None."""

    def __init__(self) -> None:
        self.arrived: asyncio.Queue[Arrived | None] = asyncio.Queue()

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether either side has ended it."""

    @abstractmethod
    async def send(self, response: play_pb2.PlayResponse) -> bool:
        """Hand a message to the transport, and return whether that was possible."""

    @abstractmethod
    def close(self, error: Status | None = None) -> None:
        """End the stream from this side, in order or, by gRPC, with an error."""

    def parse(self, data: Arrived) -> play_pb2.PlayRequest:
        """Return what arrived as a message. Raises BrokenError."""
        if isinstance(data, Malformed):
            raise BrokenError("message-size", data.why)
        return parse(data)


class ScriptedCall(ScriptedStream):
    """One call of Play."""

    transport = Transport.GRPC

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._ending: asyncio.Future[Status | None] = asyncio.get_running_loop().create_future()
        metadata = context.invocation_metadata() or ()
        self.authorization = next((value for key, value in metadata if key == "authorization"), None)

    async def serve(self) -> None:
        """Read until either side ends the stream."""
        await self._context.send_initial_metadata(())
        reader = asyncio.get_running_loop().create_task(self._read())
        try:
            error = await asyncio.shield(self._ending)
        finally:
            reader.cancel()
            self.arrived.put_nowait(None)
        if error is not None:
            await abort(self._context, error)

    async def _read(self) -> None:
        with contextlib.suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
            while (data := await self._context.read()) is not grpc.aio.EOF:
                self.arrived.put_nowait(data)
        self.close()

    @property
    def is_over(self) -> bool:
        return self._ending.done()

    async def send(self, response: play_pb2.PlayResponse) -> bool:
        try:
            await self._context.write(response.SerializeToString())
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            return False
        return True

    def close(self, error: Status | None = None) -> None:
        if not self._ending.done():
            self._ending.set_result(error)


class ScriptedServer:
    """A server for one bot; `start` and `stop` are called once each."""

    def __init__(
        self, on_stream: Callable[[ScriptedStream], None], refusal: Status | None = None, *, has_health: bool = True
    ) -> None:
        """Tell `on_stream` of each call; with a `refusal` it is ended by that error before anything is read."""
        self._on_stream = on_stream
        self._refusal = refusal
        self._server = grpc.aio.server(options=_OPTIONS)
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": play}),)
        )
        if has_health:
            servicer = health.aio.HealthServicer()
            health_pb2_grpc.add_HealthServicer_to_server(servicer, self._server)

    async def start(self, address: str) -> str:
        """Listen at `unix:/path` or `127.0.0.1:0`, and return the address under which a bot finds the server."""
        port = self._server.add_insecure_port(address)
        await self._server.start()
        return address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"

    async def stop(self) -> None:
        """Break off every stream, and close the address."""
        await self._server.stop(None)

    async def _play(self, _requests: object, context: Context) -> None:
        if self._refusal is not None:
            await abort(context, self._refusal)
            return
        stream = ScriptedCall(context)
        self._on_stream(stream)
        await stream.serve()


class ScriptedDescriptors(ScriptedStream):
    """A stream by descriptors with which a bot is started; `open` makes it."""

    def __init__(self, offered: Mapping[str, int], framing: Framing) -> None:
        super().__init__()
        self.offered = dict(offered)
        """The bot's descriptors by what they are for (`arena.hosting.launcher.messages`)."""
        self._framing = framing
        self._buffer = bytearray()
        self._is_over = False
        self._reader: asyncio.Task[None] | None = None
        self._reading: asyncio.BaseTransport
        self._writing: asyncio.WriteTransport

    def note_started(self) -> None:
        """Close the bot's descriptors in this process: the bot has them."""
        for number in self.offered.values():
            os.close(number)
        self.offered.clear()

    def _read_from(self, reader: asyncio.StreamReader) -> None:
        self._reader = asyncio.get_running_loop().create_task(self._read(reader))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while data := await reader.read(_READ_BYTES):
                self._note_first()
                self._buffer += data
                self._take_messages(is_last=False)
            self._take_messages(is_last=True)
        except FrameTooLongError as error:
            self.arrived.put_nowait(error.malformed)
        except OSError:
            pass  # it ended with something unread
        finally:
            self._is_over = True
            self.arrived.put_nowait(None)

    def _note_first(self) -> None:
        """Take note that something has come."""

    def _take_messages(self, *, is_last: bool) -> None:
        while (message := self._framing.split(self._buffer, is_last=is_last)) is not None:
            self.arrived.put_nowait(message)

    @property
    def is_over(self) -> bool:
        return self._is_over

    async def send(self, response: play_pb2.PlayResponse) -> bool:
        if self._is_over or self._writing.is_closing():
            return False
        self._writing.write(self._framing.pack(self._encode(response)))
        return True

    def _encode(self, response: play_pb2.PlayResponse) -> bytes:
        return response.SerializeToString()

    def close(self, error: Status | None = None) -> None:
        assert error is None, "only a call can end with an error"
        self._is_over = True
        self._writing.close()

    def break_off(self) -> None:
        """Take both descriptors away, in the way in which an arena vanishes that is killed."""
        self._is_over = True
        if not self._writing.is_closing() or self._writing.get_write_buffer_size():
            self._writing.abort()
        self._reading.close()

    async def stop(self) -> None:
        """End the stream for good."""
        self.note_started()
        self.break_off()
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait({self._reader})


class ScriptedSocket(ScriptedDescriptors):
    """A socket pair, on which messages have their length in front. The stream is open when the bot writes to it."""

    transport = Transport.SOCKET

    def __init__(self, offered: Mapping[str, int], on_stream: Callable[[ScriptedStream], None]) -> None:
        super().__init__(offered, PROTOBUF)
        self._on_stream: Callable[[ScriptedStream], None] | None = on_stream
        self._writer: asyncio.StreamWriter  # who lets go of it closes the socket

    @classmethod
    async def open(cls, on_stream: Callable[[ScriptedStream], None]) -> ScriptedSocket:
        """Make a socket pair, and tell `on_stream` when the bot has written to it."""
        ours, theirs = socket.socketpair()
        stream = cls({STREAM: theirs.detach()}, on_stream)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        stream._writer = writer
        stream._reading = stream._writing = writer.transport
        stream._read_from(reader)
        return stream

    def _note_first(self) -> None:
        on_stream, self._on_stream = self._on_stream, None
        if on_stream is not None:
            on_stream(self)


class ScriptedLines(ScriptedDescriptors):
    """Two pipes, with a line of JSON for each message."""

    transport = Transport.LINES

    def __init__(self, offered: Mapping[str, int], pipe: int) -> None:
        self._lines = LineFraming("bot", (EVERY_GAME,))
        super().__init__(offered, self._lines)
        self._pipe = pipe
        self._unasked = LineQuestion("", -1, ActionTable(()))  # what a line answers if there is no question
        self._has_answered = True

    @classmethod
    async def open(cls) -> ScriptedLines:
        """Make the pipes."""
        bot_reads, writing = os.pipe()
        reading, bot_writes = os.pipe()
        stream = cls({STDIN: bot_reads, STDOUT: bot_writes}, writing)
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
        stream._reading, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", buffering=0)
        )
        stream._writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(writing, "wb", buffering=0))
        stream._read_from(reader)
        return stream

    @property
    def unfinished_line(self) -> bytes:
        """What has come of a line whose end has not."""
        return bytes(self._buffer)

    async def wait_until_read(self) -> None:
        """Wait until the bot has read all that it was sent."""
        while not self._writing.is_closing() and (self._writing.get_write_buffer_size() or _unread_bytes(self._pipe)):
            await asyncio.sleep(_LOOK_S)

    def parse(self, data: Arrived) -> play_pb2.PlayRequest:
        if isinstance(data, Malformed):
            return super().parse(data)
        # The last question of a match stays, so that a second answer to it is known as one.
        said = parse_line(data, self._lines.question or self._unasked)
        self._has_answered = True
        if isinstance(said, Answer | Resignation | Leave):
            return request_of(said)
        if isinstance(said, Malformed):
            raise BrokenError("message-size", said.why)
        assert isinstance(said, ProtocolViolation), "blank lines do not arrive"
        raise BrokenError("stdout-answers", said.why)

    def _encode(self, response: play_pb2.PlayResponse) -> bytes:
        line = self._lines.write(response.SerializeToString())
        match response.WhichOneof("event"):
            case "match_started":
                self._unasked = LineQuestion("", -1, registry.get(response.match_started.game).actions)
                self._lines.question = None
            case "decide":
                self._has_answered = False
            case "match_finished" if self._has_answered:
                self._lines.question = None
        kind = response.WhichOneof("event")
        if kind is None:  # a line has one key, whatever event that is
            events: dict[str, Any] = {f"event_{field.field_number}": {} for field in unknown_fields(response)}
            return json.dumps(events).encode() + b"\n"
        content = json.loads(line)
        if not add_unknown_keys(getattr(response, kind), content[kind]):
            return line
        return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def unknown_fields(message: Message) -> list[Any]:
    """Return the fields of a message that nobody knows, each with `field_number` and `data`."""
    found = UnknownFieldSet(message)
    return [found[index] for index in range(len(found))]


def add_unknown_keys(message: Message, content: dict[str, Any]) -> bool:
    """Add the fields of a message, and of those within it, that nobody knows to what it is as JSON.

    Return whether there are any.
    """
    unknown = unknown_fields(message)
    for field in unknown:
        data = field.data
        content[f"field_{field.field_number}"] = data.decode("ascii") if isinstance(data, bytes) else data
    if isinstance(message, any_pb2.Any):  # its content stands in its place
        found = descriptor_pool.Default().FindMessageTypeByName(message.TypeName())
        return add_unknown_keys(GetMessageClass(found).FromString(message.value), content) or bool(unknown)
    are_there = bool(unknown)
    for known, value in message.ListFields():
        if known.message_type is not None:
            values, contents = (value, content[known.name]) if known.is_repeated else ([value], [content[known.name]])
            for inner, inner_content in zip(values, contents, strict=True):
                are_there = add_unknown_keys(inner, inner_content) or are_there
    return are_there


def _unread_bytes(pipe: int) -> int:
    """Return how many bytes lie in a pipe."""
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return int(count)
