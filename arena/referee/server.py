"""Serves the socket of a bot: PlayService and health, both only with a token, and nothing else; and lets the bot join.

Each bot has a server of its own, so that whatever comes to it is that bot's: its calls are counted, and a bot that
makes more than anybody needs is disconnected. A server costs 0.2 ms to start, and nothing while it rests. Where the
event loop polls no completion queue, an `AioServer` serves by grpc.aio: in any event loop, and with any version of
grpcio.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health_pb2  # type: ignore[import-untyped] # the package has no types

from arena.match.decisions import Malformed, ProtocolViolation
from arena.match.result import FaultCause
from arena.referee.call_context import CallContext, Find, Handler, abort, stream_error
from arena.referee.call_stream import CallStream
from arena.referee.queue import cython_api as layer
from arena.referee.queue.loop import QueueLoop
from arena.referee.queue.server import QueueServer
from arena.referee.stream import BotStream, Flood, StreamClosedError
from arena.v1 import play_pb2
from arena.wire.messages import MAX_REQUEST_BYTES, PROTOCOL_MAJOR, PROTOCOL_MINOR, encode_joined, parse_join
from engine.translatable import Text

MOST_STREAMS = 32
"""How many streams one connection may have at once."""
MOST_CALLS = 100
"""How many calls a bot may make at once, refused ones too; it needs one for its life."""
CALLS_A_SECOND = 1.0
"""How many it may make besides, as time goes by."""
STOP_GRACE_S = 0.5
_OPTIONS = (
    # A larger message breaks the stream; smaller ones reach the parser, which tells the bot what is wrong.
    ("grpc.max_receive_message_length", 4 * MAX_REQUEST_BYTES),
    # A bot needs one. Each costs memory, and a bot could open a million.
    ("grpc.max_concurrent_streams", MOST_STREAMS),
    ("grpc.so_reuseport", 0),  # otherwise a second server on one TCP port binds silently
)
_TOKEN_UNKNOWN = stream_error(
    grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_UNKNOWN",
    'the metadata key "authorization" must be "Bearer <token>" with the token of ARENA_TOKEN',
)
_SECOND_STREAM = stream_error(
    grpc.StatusCode.FAILED_PRECONDITION,
    "SECOND_STREAM",
    "a hosted bot has one stream for its life; this token has one already",
)
MakeStream = Callable[[CallContext], CallStream]
Welcome = Callable[[BotStream], Awaitable[Sequence[str]]]
"""Waits for the `Join` of a stream and returns the games the bot plays. Raises JoinError."""
_HEALTH_SERVICE = "/grpc.health.v1.Health/"


class StreamAdmission:
    """The right of one bot process to open one stream."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)
        self.stream: asyncio.Future[BotStream] = asyncio.get_running_loop().create_future()
        """The stream, once it is there; a JoinError if the bot was disconnected before."""

    @property
    def open_stream(self) -> BotStream | None:
        """The stream if it has come, and None before, or if none will."""
        has_come = self.stream.done() and not self.stream.cancelled() and self.stream.exception() is None
        return self.stream.result() if has_come else None

    def count_messages(self) -> int:
        """Return how many messages were read from its stream."""
        stream = self.open_stream
        return 0 if stream is None else stream.heard

    def report_flood(self, flood: Flood) -> None:
        """Record that its bot is disconnected for a flood."""
        if (stream := self.open_stream) is not None:
            stream.report_flood(flood)
        elif not self.stream.done():
            self.stream.set_exception(JoinError(FaultCause.FLOOD, flood.why, flood.evidence))
            self.stream.exception()  # nobody may be waiting for it

    def report_second_stream(self) -> None:
        """Record that another stream came with its token."""
        if (stream := self.open_stream) is not None:
            stream.report_second_stream()

    def close(self) -> None:
        """Close its stream, or let none come."""
        if (stream := self.open_stream) is not None:
            stream.close()
        self.stream.cancel()


class CallCount:
    """Counts calls against what a bot may make: many at once, and few as time goes by."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._left = float(most)
        self._at = time.monotonic()

    def is_too_many(self) -> bool:
        """Count another one, and return whether it is one too many."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * CALLS_A_SECOND, self.most) - 1
        self._at = now
        return self._left < 0


class PlayServer:
    """Serves streams to holders of tokens, in one event loop; `start` and `stop` are called once each."""

    def __init__(
        self,
        on_call: Callable[[], None] = lambda: None,
        most_calls: int = MOST_CALLS,
        make_stream: MakeStream = CallStream,
    ) -> None:
        """Call `on_call` at the first call of anybody, let in or not. More than `most_calls` at once are a flood."""
        self._admissions: dict[str, StreamAdmission] = {}
        self._make_stream = make_stream
        self._on_first_call = on_call
        self._calls = CallCount(most_calls)
        self._stopping: asyncio.Task[None] | None = None
        self._handlers: Mapping[str, Handler] = {
            "/arena.v1.PlayService/Play": self._play,
            f"{_HEALTH_SERVICE}Check": partial(self._if_admitted, _answer_health_check),
            f"{_HEALTH_SERVICE}Watch": partial(self._if_admitted, _watch_health),
        }
        loop = asyncio.get_running_loop()
        self._server: QueueServer | AioServer = (
            QueueServer(loop, self._find, _OPTIONS) if isinstance(loop, QueueLoop) else AioServer(self._find, _OPTIONS)
        )

    async def start(self, address: str) -> int:
        """Listen at `unix:/path`, or at `host:port`, and return the port. Raises RuntimeError if that is impossible."""
        return await self._server.start(address)

    async def stop(self) -> None:
        """End every stream in order, then the server."""
        for admission in list(self._admissions.values()):
            self.dismiss(admission)
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._server.stop(STOP_GRACE_S))
        await self._stopping

    def disconnect(self, flood: Flood) -> None:
        """End every connection, since the bot did what costs the arena more than it may."""
        if self._stopping is not None:
            return
        for admission in self._admissions.values():
            admission.report_flood(flood)
        self._stopping = asyncio.create_task(self._server.stop(None))

    def admit(self) -> StreamAdmission:
        """Return an admission with a new token; it will hold the stream that comes with the token."""
        admission = StreamAdmission()
        self._admissions[admission.token] = admission
        return admission

    def dismiss(self, admission: StreamAdmission) -> None:
        """Revoke a token and close its stream."""
        self._admissions.pop(admission.token, None)
        admission.close()

    def release(self, admission: StreamAdmission) -> None:
        """Forget an admission, whose stream may have come by another way: this server has no more to do with it."""
        self._admissions.pop(admission.token, None)

    def find_admission(self, context: CallContext) -> StreamAdmission | None:
        """Return the admission whose token the call carries, or None."""
        for key, value in context.invocation_metadata() or ():
            if key == "authorization" and isinstance(value, str) and value.startswith("Bearer "):
                return self._admissions.get(value.removeprefix("Bearer "))
        return None

    def _find(self, method: str) -> Handler | None:
        """Count the call, and return who serves it."""
        on_call, self._on_first_call = self._on_first_call, lambda: None
        on_call()
        if self._calls.is_too_many():
            why = Text(
                "It made more than {most} calls to the arena; a bot needs one for its whole life.",
                most=self._calls.most,
            )
            self.disconnect(Flood(why, {"calls": self._calls.most}))
        return self._handlers.get(method)

    async def _play(self, context: CallContext) -> None:
        admission = self.find_admission(context)
        if admission is None:
            await abort(context, _TOKEN_UNKNOWN)
        if admission.stream.done():
            admission.report_second_stream()
            await abort(context, _SECOND_STREAM)
        stream = self._make_stream(context)
        admission.stream.set_result(stream)
        await stream.serve()

    async def _if_admitted(self, handler: Handler, context: CallContext) -> None:
        if self.find_admission(context) is None:
            await abort(context, _TOKEN_UNKNOWN)
        await handler(context)


class JoinError(Exception):
    """The bot did not join as it must; cause and explanation are those of the fault it gets."""

    def __init__(self, cause: FaultCause, explanation: str, evidence: Mapping[str, Any] | None = None) -> None:
        super().__init__(explanation)
        self.cause = cause
        self.explanation = explanation
        self.evidence = dict(evidence or {})


async def join(stream: BotStream) -> Sequence[str]:
    """Wait for the `Join`, answer it, and return the games the bot plays. The caller limits the time.

    Raises JoinError.
    """
    games = await receive_join(stream)
    await welcome(stream, encode_joined(games))
    return games


async def welcome(stream: BotStream, joined: bytes) -> None:
    """Send the answer to a `Join`, and wait until the bot has started if that is still to be seen. Raises JoinError."""
    try:
        await stream.tell(joined)
    except StreamClosedError as error:
        raise JoinError(FaultCause.START_FAILED, str(error)) from error
    if stream.framing.join is None:
        return
    await stream.wait_until_read()
    if stream.is_closed:
        raise JoinError(FaultCause.START_FAILED, Text("It ended before it read its first line."))
    if stream.spoiled:
        raise JoinError(FaultCause.PROTOCOL, Text("Before its match started, {what}.", what=stream.spoiled))


async def receive_join(stream: BotStream) -> Sequence[str]:
    """Wait for the `Join` and return the games the bot plays; the caller answers it later, and limits the time.

    Raises JoinError.
    """
    data = await asyncio.shield(stream.first_message)
    if stream.flood:
        raise JoinError(FaultCause.FLOOD, stream.flood.why, stream.flood.evidence)
    if data is None:
        raise JoinError(
            FaultCause.START_FAILED,
            Text("It closed its stream before it joined."),
        )
    request = data if isinstance(data, Malformed) else parse_join(data)
    if isinstance(request, Malformed):
        raise JoinError(FaultCause.MALFORMED, Text("It sent {what}.", what=request.why))
    if isinstance(request, ProtocolViolation):
        raise JoinError(FaultCause.PROTOCOL, Text("It sent {what}.", what=request.why))
    _check_version(stream, request)
    return tuple(request.games)


def _check_version(stream: BotStream, request: play_pb2.Join) -> None:
    if request.protocol_major == PROTOCOL_MAJOR:
        return
    theirs, ours = f"{request.protocol_major}.{request.protocol_minor}", f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"
    message = Text(
        "the bot speaks protocol {theirs}, this arena {ours}; use a kit of major version {major}",
        theirs=theirs,
        ours=ours,
        major=PROTOCOL_MAJOR,
    )
    stream.close(
        stream_error(grpc.StatusCode.FAILED_PRECONDITION, "PROTOCOL_VERSION", message, {"bot": theirs, "arena": ours})
    )
    raise JoinError(
        FaultCause.PROTOCOL,
        Text("The protocol versions do not fit: {why}.", why=message),
    )


class AioServer:
    """Serves calls; `start` and `stop` are called once each."""

    def __init__(self, find: Find, options: Sequence[tuple[str, int]]) -> None:
        """Serve with what `find` returns for the method of a call."""
        self._server = grpc.aio.server(options=options)
        self._server.add_generic_rpc_handlers((_Finder(find),))
        self._stopping: asyncio.Task[None]

    async def start(self, address: str) -> int:
        """Listen, and return the port. Raises RuntimeError if that is impossible."""
        port = self._server.add_insecure_port(address)
        await self._server.start()
        return port

    async def stop(self, grace_s: float | None) -> None:
        """Let no further call in, break off those that do not end within the grace, and free everything.

        Return also if a client takes nothing any more, so that a connection stays: it is freed when that ends. It goes
        on if this is cancelled.
        """
        self._stopping = asyncio.create_task(self._server.stop(grace_s))
        self._stopping.add_done_callback(self._leave_if_cancelled)
        await asyncio.wait({self._stopping}, timeout=(grace_s or 0) + layer.BROKEN_OFF_S)
        if self._stopping.done():
            await self._stopping

    def _leave_if_cancelled(self, stopping: asyncio.Task[None]) -> None:
        """Free nothing of a server that still had a connection when the event loop ended."""
        if stopping.cancelled():
            layer.keep_for_ever(self._server)


class _Finder(grpc.GenericRpcHandler):
    def __init__(self, find: Find) -> None:
        self._find = find

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Return who serves the call. Bytes in, bytes out: we judge what is not a message."""
        handler = self._find(handler_call_details.method)
        if handler is None:
            return None

        async def serve(_requests: object, context: Any) -> None:
            await handler(context)

        method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(serve)
        return method


async def _answer_health_check(context: CallContext) -> None:
    """Answer `Check`: the server as a whole serves, and nothing else is known by name."""
    if await _named_service(context):
        await context.abort(grpc.StatusCode.NOT_FOUND)
    await context.write(_health_response(health_pb2.HealthCheckResponse.SERVING))


async def _watch_health(context: CallContext) -> None:
    """Answer `Watch`: what is so now, and nothing more until the stream ends, since it does not change."""
    named = await _named_service(context)
    status = health_pb2.HealthCheckResponse
    await context.write(_health_response(status.SERVICE_UNKNOWN if named else status.SERVING))
    await asyncio.Event().wait()


async def _named_service(context: CallContext) -> str:
    """Return the name of the service that is asked for. Raises grpc.aio.AbortError."""
    data = await context.read()
    try:
        return str(health_pb2.HealthCheckRequest.FromString(b"" if data is grpc.aio.EOF else data).service)
    except DecodeError:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "this is no HealthCheckRequest")


def _health_response(status: int) -> bytes:
    return bytes(health_pb2.HealthCheckResponse(status=status).SerializeToString())
