"""One stream to PlayService of a service: opened, written to, read until it ends. It knows nothing of matches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import grpc

from arena.rpc.channel import Endpoint
from arena.rpc.errors import ProtocolError
from arena.v1 import play_pb2
from arena.wire.messages import parse_response
from engine.text import Text

MOST_MESSAGE_BYTES = 16 << 20
"""How long a message of a service may be; ours lets a bot wait for 4 MB in all."""
_ACCEPT_PATIENCE_S = 2.0
_ENDED = (grpc.aio.AioRpcError, grpc.aio.BaseError, asyncio.InvalidStateError)
"""What writing to a stream raises that has ended."""

_Call = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, bytes]


class ServiceStream:
    """An open stream; `open_stream` makes it."""

    def __init__(self, call: _Call) -> None:
        self._call = call
        self._writing = asyncio.Lock()

    async def wait_until_taken(self) -> None:
        """Wait until the service has taken the stream, if it says so; nothing may be sent before.

        What is written to a stream that is being refused at that moment makes gRPC forget the reason.
        """
        answered = asyncio.create_task(self._call.initial_metadata())
        await asyncio.wait({answered}, timeout=_ACCEPT_PATIENCE_S)
        answered.cancel()

    async def send(self, request: play_pb2.PlayRequest) -> None:
        """Hand a message to the transport; if the stream has ended, nothing happens, and who reads it is told."""
        async with self._writing:
            with suppress(*_ENDED):
                await self._call.write(request)

    async def read(self) -> play_pb2.PlayResponse | None:
        """Return the next message, or None if the service has ended the stream in order.

        Raises AioRpcError; ProtocolError for what is no message.
        """
        try:
            data = await self._call.read()
        except asyncio.CancelledError:
            # The service cancelled the call, as when it is stopped; a cancelled task of ours goes on unwinding instead.
            task = asyncio.current_task()
            if task is None or task.cancelling() or not self._call.cancelled():
                raise
            return None
        if not isinstance(data, bytes):
            return None
        response = parse_response(data)
        if response is None:
            raise ProtocolError(
                Text(
                    "connect.service_sent_bytes_no_message",
                    "the service sent {count} bytes that are no message of the protocol; tell its organiser",
                    count=len(data),
                )
            )
        return response

    async def leave(self) -> None:
        """Tell the service that the bot wants no new match; it ends the stream when those that run are over."""
        await self.send(play_pb2.PlayRequest(leave=play_pb2.Leave()))

    async def finish(self) -> None:
        """Send nothing more, and wait until the service has read everything and ended the stream."""
        with suppress(*_ENDED):
            await self._call.done_writing()
        await self._call.code()

    async def has_ended_in_order(self) -> bool:
        """Return, of a stream that has ended, whether the service wanted that and named no error."""
        return await self._call.code() is grpc.StatusCode.OK


@asynccontextmanager
async def open_stream(endpoint: Endpoint, token: str | None) -> AsyncIterator[ServiceStream]:
    """Open a stream, which is closed at the end. Nobody need answer yet. A program on the same machine has no token."""
    async with endpoint.open_in_loop(MOST_MESSAGE_BYTES) as channel:
        # Bytes come out: gRPC would pass over what is no message with a traceback on stderr.
        play: grpc.aio.StreamStreamMultiCallable[play_pb2.PlayRequest, bytes] = channel.stream_stream(
            "/arena.v1.PlayService/Play", play_pb2.PlayRequest.SerializeToString, bytes
        )
        call = play(metadata=() if token is None else (("authorization", f"Bearer {token}"),))
        try:
            yield ServiceStream(call)
        finally:
            call.cancel()
