"""Serves remote bots over TLS: PlayService and health, nothing else; the coordinator is asked who may join.

Over a socket in a directory that only this user may enter, programs on this machine join without a token, for people.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc  # type: ignore[import-untyped] # it has no types

from arena.match.decisions import JoinRequest, Malformed, ProtocolViolation
from arena.referee.call_context import abort
from arena.remote.connection import (
    FULL,
    STOPPING,
    TOKEN_UNKNOWN,
    BotIdentity,
    RemoteConnection,
    StreamRefusedError,
    bad_join,
    other_protocol,
)
from arena.remote.lobby import Lobby, Member
from arena.wire.messages import MAX_REQUEST_BYTES, PROTOCOL_MAJOR, parse_join
from arena.wire.status import Status

MOST_STREAMS = 16
"""How many streams one connection may have at once."""
MOST_UNJOINED = 256
"""How many streams may be open at once whose bots have not joined yet."""
MOST_JUDGED = 2
"""How many joins with one token are judged at once: each writes into the database of all."""
MOST_CALLS = 4096
MOST_CONNECTIONS = 4096
Context = grpc.aio.ServicerContext[Any, bytes]

_LONGEST_TOKEN = 200
_PREFIX = "Bearer "
_UNIX = "unix:"
_OPTIONS = (
    # A larger message breaks the stream; smaller ones reach the parser, which tells the bot what is wrong.
    ("grpc.max_receive_message_length", 4 * MAX_REQUEST_BYTES),
    ("grpc.max_metadata_size", 8 << 10),
    ("grpc.max_concurrent_streams", MOST_STREAMS),
    ("grpc.max_allowed_incoming_connections", MOST_CONNECTIONS),
    ("grpc.so_reuseport", 0),  # otherwise a second server on one TCP port binds silently
    # A bot whose machine has vanished is noticed within half a minute.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.http2.max_ping_strikes", 0),
    # A handshake that does not come to its end, and a connection that asks nothing, are closed.
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 60_000),
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TlsEndpoint:
    """Where bots connect over the network, and what the connection is made safe with (PEM files)."""

    address: str
    certificate: Path
    key: Path


Admit = Callable[[JoinRequest], Awaitable[BotIdentity]]
"""Asks whether a bot may join. Raises StreamRefusedError."""


class RemoteServer:
    """Serves remote bots in one event loop; `start` and `stop` are called once each."""

    def __init__(self, lobby: Lobby, admit: Admit) -> None:
        self.lobby = lobby
        self._admit = admit
        self._judging = KeyedSemaphore(MOST_JUDGED)
        self.pending = PendingStreams(MOST_UNJOINED)
        self._is_stopping = False
        self._server = grpc.aio.server(options=_OPTIONS, maximum_concurrent_rpcs=MOST_CALLS)
        # Bytes in, bytes out: we judge what is not a message.
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": play}),)
        )
        self._health = _Health()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)

    async def start(self, endpoint: TlsEndpoint | None, socket: Path | None = None) -> int:
        """Listen, and return the port of `endpoint`; 0 without one. Raises OSError, RuntimeError."""
        port = 0
        if socket is not None:
            self._server.add_insecure_port(f"{_UNIX}{socket}")
        if endpoint is not None:
            credentials = grpc.ssl_server_credentials([(endpoint.key.read_bytes(), endpoint.certificate.read_bytes())])
            port = self._server.add_secure_port(endpoint.address, credentials)
        await self._server.start()
        await self._health.set("", health_pb2.HealthCheckResponse.SERVING)
        return port

    async def stop(self) -> None:
        """Tell every bot that the service stops, and end."""
        self._is_stopping = True
        await self._health.enter_graceful_shutdown()
        self.lobby.end_all(STOPPING)
        await self._server.stop(1.0)

    async def _play(self, _requests: object, context: Context) -> None:
        if self._is_stopping:
            await abort(context, STOPPING)
        call = _PlayCall(self, context, _token_of(context))
        try:
            self.pending.enter(call.address, call.connection)
        except StreamRefusedError as refusal:
            await abort(context, refusal.error)
        await call.serve()

    async def join(self, call: _PlayCall, data: bytes | None) -> Member:
        """Judge the first message of a bot, and take it in. Raises StreamRefusedError."""
        request = parse_join(data or b"")
        if isinstance(request, Malformed | ProtocolViolation):
            raise StreamRefusedError(bad_join(request.why))
        if request.protocol_major != PROTOCOL_MAJOR:
            raise StreamRefusedError(other_protocol(request.protocol_major, request.protocol_minor))
        if call.token is None:
            # Not before the Join has come: a bot that is still sending it when the stream ends is told by gRPC for
            # asyncio of an internal error instead of this.
            raise StreamRefusedError(TOKEN_UNKNOWN)
        asked = JoinRequest(call.token, call.peer, request.name, request.version, tuple(request.games))
        bot = await self._judging.run(call.token, lambda: self._admit(asked))
        if self._is_stopping:
            raise StreamRefusedError(STOPPING)
        return self.lobby.enter(call.connection, bot, request.max_concurrent_matches)


class _PlayCall:
    """One stream, from its first message to its end."""

    def __init__(self, server: RemoteServer, context: Context, token: str | None) -> None:
        self._server = server
        self._member: Member | None = None
        self.connection = RemoteConnection(context)
        self.token = token
        self.peer = context.peer()
        self.address = self.peer.rpartition(":")[0]  # without the port

    async def serve(self) -> None:
        try:
            error = await self.connection.serve(self._welcome, self._receive)
        finally:
            self._server.pending.leave(self.address, self.connection)
            if self._member is not None:
                self._server.lobby.leave(self._member, self.connection)
        if error is not None:
            await self.connection.send_error(error)  # last: a bot that takes nothing would be here until then

    async def _welcome(self, data: bytes | None) -> None:
        if data is None:
            self.connection.close()
            return
        self._member = await self._server.join(self, data)
        self._server.pending.leave(self.address, self.connection)

    def _receive(self, data: bytes, at: float) -> None:
        assert self._member is not None
        self._server.lobby.receive(self._member, self.connection, data, at)


class _Health(health.aio.HealthServicer):  # type: ignore[misc] # the package has no types
    """The standard health service without Watch: that lasts, needs no token, and could take all the calls there are."""

    async def Watch(  # noqa: N802 - the service's name
        self, _request: health_pb2.HealthCheckRequest, context: Context
    ) -> None:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "ask with Check from time to time")


def _token_of(context: Context) -> str | None:
    """Return the token of a call, "" for one over the socket that shows none, or None for one that may not come in."""
    shown = [value for key, value in context.invocation_metadata() or () if key == "authorization"]
    if not shown:
        return "" if context.peer().startswith(_UNIX) else None
    if isinstance(shown[0], str) and shown[0].startswith(_PREFIX):
        token = shown[0].removeprefix(_PREFIX).strip()
        return token if 0 < len(token) <= _LONGEST_TOKEN else None
    return None


class ClosableStream(Protocol):
    """A stream that can be ended."""

    def close(self, error: Status | None = None) -> None:
        """End the stream with an error for the bot."""


class PendingStreams:
    """Holds streams by the address that they come from, so that one address cannot keep all others out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._streams: dict[str, dict[ClosableStream, None]] = {}

    def enter(self, address: str, stream: ClosableStream) -> None:
        """Take a stream in; when all is full, the address with most streams loses one. Raises StreamRefusedError."""
        if sum(map(len, self._streams.values())) >= self._most:
            crowded = max(self._streams, key=lambda one: len(self._streams[one]))
            if len(self._streams.get(address, ())) + 1 >= len(self._streams[crowded]):
                raise StreamRefusedError(FULL)
            oldest = next(iter(self._streams[crowded]))
            oldest.close(FULL)
            self.leave(crowded, oldest)
        self._streams.setdefault(address, {})[stream] = None

    def leave(self, address: str, stream: ClosableStream) -> None:
        """Note that a stream has joined or ended; nothing happens if it had to give way."""
        streams = self._streams.get(address, {})
        streams.pop(stream, None)
        if not streams:
            self._streams.pop(address, None)


class KeyedSemaphore:
    """Limits how many calls run at once for each key. A call counts until it is done, even if nobody waits for it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._semaphores: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}

    async def run(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """Call `work` once fewer than `most` calls run for `key`, and return what it returns."""
        semaphore = self._semaphores.setdefault(key, asyncio.Semaphore(self._most))
        self._users[key] = self._users.get(key, 0) + 1
        try:
            await semaphore.acquire()
        except BaseException:
            self._forget(key)
            raise
        doing = asyncio.ensure_future(work())
        doing.add_done_callback(lambda done: self._end(key, semaphore, done))
        return await asyncio.shield(doing)

    def _end(self, key: str, semaphore: asyncio.Semaphore, done: asyncio.Future[T]) -> None:
        if not done.cancelled():
            done.exception()  # whoever waited may be gone, and nobody else wants to hear of it
        semaphore.release()
        self._forget(key)

    def _forget(self, key: str) -> None:
        self._users[key] -= 1
        if not self._users[key]:
            del self._users[key], self._semaphores[key]
