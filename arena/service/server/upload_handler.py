"""Receives the parts of archives, one after the other, as long as their sender may send them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc

from arena.hosting.archive.packing import expand_chunk
from arena.hosting.uploads.area import UploadArea
from arena.service.server.authentication import CALLER, Caller
from arena.service.server.submissions import own_upload
from arena.service.server.threads import Threads
from arena.v1 import bot_pb2

LookAgain = Callable[[Caller], Awaitable[None]]
"""Raises AccessDeniedError if whoever opened a stream may not call any more."""


class UploadHandler:
    """Answers the call that sends an archive. `look_again` is asked before each part is stored."""

    def __init__(self, threads: Threads, uploads: UploadArea, look_again: LookAgain) -> None:
        self._threads = threads
        self._uploads = uploads
        self._look_again = look_again

    def handler(self) -> grpc.RpcMethodHandler[Any, Any]:
        """Return the handler of BotService.Upload."""
        return grpc.stream_unary_rpc_method_handler(
            self._upload, bot_pb2.UploadRequest.FromString, bot_pb2.UploadResponse.SerializeToString
        )

    async def _upload(self, requests: AsyncIterator[bot_pb2.UploadRequest], _context: object) -> bot_pb2.UploadResponse:
        caller = CALLER.get()
        first: bot_pb2.UploadRequest | None = None
        offset = 0
        async for request in requests:
            if first is None:
                first, offset = request, request.offset
                await self._threads.run(own_upload, self._uploads, caller.viewer, first.upload)
            if request.chunk:
                await self._look_again(caller)
                offset = await self._threads.run(self._append, first, offset, request.chunk)
        return bot_pb2.UploadResponse(offset=offset)

    def _append(self, first: bot_pb2.UploadRequest, offset: int, frame: bytes) -> int:
        return self._uploads.append(first.upload, offset, expand_chunk(frame), first.turn)
