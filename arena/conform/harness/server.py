"""Serves PlayService at one address for one process of a bot: it delivers bytes and judges nothing."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2_grpc  # type: ignore[import-untyped] # it has no types

from arena.referee.errors import abort
from arena.wire.status import Status

_MOST_BYTES = 64 << 20
"""A message that is far too long is to be seen and told of, not to break the stream."""
_OPTIONS = (("grpc.max_receive_message_length", _MOST_BYTES), ("grpc.so_reuseport", 0))

Context = grpc.aio.ServicerContext[Any, bytes]


class ScriptedStream:
    """One call of Play: what arrives is queued, `None` at its end."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ending: asyncio.Future[Status | None] = asyncio.get_running_loop().create_future()
        self.arrived: asyncio.Queue[bytes | None] = asyncio.Queue()
        metadata = context.invocation_metadata() or ()
        self.authorization = next((value for key, value in metadata if key == "authorization"), None)
        """The metadata of that key as it came, or None."""

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
        """Whether either side has ended it."""
        return self._ending.done()

    async def send(self, data: bytes) -> bool:
        """Hand a message to the transport, and return whether that was possible."""
        try:
            await self._context.write(data)
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            return False
        return True

    def close(self, error: Status | None = None) -> None:
        """End the stream from this side, in order or with an error."""
        if not self._ending.done():
            self._ending.set_result(error)


class ScriptedServer:
    """A server for one bot; `start` and `stop` are called once each."""

    def __init__(self, refusal: Status | None = None, *, has_health: bool = True) -> None:
        """With a `refusal` every call is ended by that error before anything is read."""
        self._refusal = refusal
        self._server = grpc.aio.server(options=_OPTIONS)
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": play}),)
        )
        if has_health:
            servicer = health.aio.HealthServicer()
            health_pb2_grpc.add_HealthServicer_to_server(servicer, self._server)
        self.streams: asyncio.Queue[ScriptedStream] = asyncio.Queue()
        """The calls that have come and that nobody has taken yet."""
        self.refused = asyncio.Event()
        """Whether a call was refused."""

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
            self.refused.set()
            await abort(context, self._refusal)
            return
        stream = ScriptedStream(context)
        self.streams.put_nowait(stream)
        await stream.serve()
