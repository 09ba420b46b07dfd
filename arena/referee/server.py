"""Serves the bots' socket: PlayService and health, both only with a token, and nothing else."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc  # type: ignore[import-untyped] # it has no types

from arena.referee.errors import StreamError, abort
from arena.referee.stream import BotStream, Context
from arena.wire.parsing import MAX_REQUEST_BYTES

MOST_STREAMS = 32
"""How many streams one connection may have at once."""
_OPTIONS = (
    # A larger message breaks the stream; smaller ones reach the parser, which tells the bot what is wrong.
    ("grpc.max_receive_message_length", 4 * MAX_REQUEST_BYTES),
    # A bot needs one. Each costs memory, and a bot could open a million.
    ("grpc.max_concurrent_streams", MOST_STREAMS),
    ("grpc.so_reuseport", 0),  # otherwise a second server on one TCP port binds silently
)
_TOKEN_UNKNOWN = StreamError(
    grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_UNKNOWN",
    'the metadata key "authorization" must be "Bearer <token>" with the token of ARENA_TOKEN',
)
_SECOND_STREAM = StreamError(
    grpc.StatusCode.FAILED_PRECONDITION,
    "SECOND_STREAM",
    "a hosted bot has one stream for its life; this token has one already",
)


class Admission:
    """The right of one bot process to open one stream."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)
        self.stream: asyncio.Future[BotStream] = asyncio.get_running_loop().create_future()


class PlayServer:
    """Serves streams to holders of tokens, in one event loop; `start` and `stop` are called once each."""

    def __init__(self) -> None:
        self._admissions: dict[str, Admission] = {}
        self._server = grpc.aio.server(options=_OPTIONS)
        # Bytes in, bytes out: we judge what is not a message.
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": play}),)
        )
        health_pb2_grpc.add_HealthServicer_to_server(_GuardedHealth(self), self._server)

    async def start(self, address: str) -> int:
        """Listen at `unix:/path`, or at `host:port`, and return the port. Raises RuntimeError if that is impossible."""
        port = self._server.add_insecure_port(address)
        await self._server.start()
        return port

    async def stop(self) -> None:
        """End every stream in order, then the server."""
        for admission in list(self._admissions.values()):
            self.dismiss(admission)
        await self._server.stop(0.5)

    def admit(self) -> Admission:
        """Return an admission with a new token; it will hold the stream that comes with the token."""
        admission = Admission()
        self._admissions[admission.token] = admission
        return admission

    def dismiss(self, admission: Admission) -> None:
        """Revoke a token and close its stream."""
        self._admissions.pop(admission.token, None)
        if admission.stream.done() and not admission.stream.cancelled():
            admission.stream.result().close()
        admission.stream.cancel()

    def find_admission(self, context: grpc.aio.ServicerContext[Any, Any]) -> Admission | None:
        """Return the admission whose token the call carries, or None."""
        for key, value in context.invocation_metadata() or ():
            if key == "authorization" and isinstance(value, str) and value.startswith("Bearer "):
                return self._admissions.get(value.removeprefix("Bearer "))
        return None

    async def _play(self, _requests: object, context: Context) -> None:
        admission = self.find_admission(context)
        if admission is None:
            await abort(context, _TOKEN_UNKNOWN)
            return
        if admission.stream.done():
            admission.stream.result().report_second_stream()
            await abort(context, _SECOND_STREAM)
            return
        stream = BotStream(context)
        admission.stream.set_result(stream)
        await stream.serve()


class _GuardedHealth(health.aio.HealthServicer):  # type: ignore[misc] # the package has no types
    """The standard health service, for holders of a token."""

    def __init__(self, server: PlayServer) -> None:
        super().__init__()
        self._server = server

    async def Check(  # noqa: N802 - the service's name
        self, request: health_pb2.HealthCheckRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> health_pb2.HealthCheckResponse:
        if self._server.find_admission(context) is None:
            await abort(context, _TOKEN_UNKNOWN)
        return await super().Check(request, context)

    async def Watch(  # noqa: N802 - the service's name
        self, request: health_pb2.HealthCheckRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> None:
        if self._server.find_admission(context) is None:
            await abort(context, _TOKEN_UNKNOWN)
        await super().Watch(request, context)
