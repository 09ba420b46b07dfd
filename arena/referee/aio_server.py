"""Serves the calls of one server by grpc.aio: in any event loop, and with any version of grpcio."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc

from arena.referee.context import Find, Handler
from arena.referee.queue import unfreed


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
        await asyncio.wait({self._stopping}, timeout=(grace_s or 0) + unfreed.BROKEN_OFF_S)
        if self._stopping.done():
            await self._stopping

    def _leave_if_cancelled(self, stopping: asyncio.Task[None]) -> None:
        """Free nothing of a server that still had a connection when the event loop ended."""
        if stopping.cancelled():
            unfreed.leave(self._server)


class _Finder(grpc.GenericRpcHandler):
    def __init__(self, find: Find) -> None:
        self._find = find

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Return who serves the call. Bytes in, bytes out: we judge what is not a message."""
        handler = self._find(handler_call_details.method)
        return None if handler is None else _as_method(handler)


def _as_method(handler: Handler) -> grpc.RpcMethodHandler[bytes, bytes]:
    async def serve(_requests: object, context: Any) -> None:
        await handler(context)

    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(serve)
    return method
