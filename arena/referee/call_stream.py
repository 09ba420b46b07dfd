"""A bot's stream over a call of gRPC: reads with one task, writes with a time limit."""

from __future__ import annotations

import asyncio

import grpc

from arena.referee import stream as streams
from arena.referee.call_context import CallContext, abort
from arena.referee.framing import PROTOBUF, Framing
from arena.referee.queue.server import QueueCall
from arena.referee.stream import STOPPED_READING, BotStream, StreamClosedError
from engine.translatable import Text

SMALL_BYTES = 16_384
"""A message up to this size is taken at once: it fits into what HTTP/2 lets be sent before the bot has read, 64 kB. A
larger one is waited for, so that the clock of the question behind it does not run while it is still on its way."""
LAST_WORDS_S = 0.5
"""How long the end of a broken stream may take to be read."""


class CallStream(BotStream):
    """A stream of `PlayService.Play`: `serve` is for the handler of the call, the rest for the owner of the bot."""

    def __init__(self, context: CallContext, framing: Framing = PROTOBUF) -> None:
        super().__init__(framing)
        self._context = context
        self._call = context if isinstance(context, QueueCall) else None
        """The call, if its messages can take the shorter way."""
        self._unread_check: asyncio.TimerHandle | None = None

    # For the handler.

    async def serve(self) -> None:
        """Read until either side ends the stream."""
        reader: asyncio.Task[None] | None = None
        try:
            # At once, and not with the first message: if the stream ended while that is being written, gRPC would send
            # the metadata once more with the status, which fails, and the client would wait for ever.
            await self._context.send_initial_metadata(())
            reader = self._loop.create_task(self._read())
            # Shielded: gRPC cancels this handler when the client is gone, and the future must live to say so.
            error = await asyncio.shield(self._ending)
        except (asyncio.CancelledError, grpc.aio.BaseError):
            self._break_off()
            raise
        finally:
            if reader is not None:
                reader.cancel()
        if error is not None:
            await abort(self._context, error)

    async def _read(self) -> None:
        try:
            if self._call is not None:
                await self._call.deliver(self._receive)
            else:
                while (data := await self._context.read()) is not grpc.aio.EOF and self._receive(data):
                    pass
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            pass  # the stream is broken; the next line says so
        if not self._is_muted:
            self._end(Text("Its stream ended."))

    def _break_off(self) -> None:
        """Note that gRPC has ended the handler, perhaps before the reader has come to the end of the stream."""
        self._end(Text("Its stream broke off."))

    # For the owner of the bot.

    async def send(self, data: bytes) -> None:
        """Hand a message to the transport, and wait until it has taken one that is large."""
        if self._ending.done():
            raise StreamClosedError(self.spoiled)
        if self._call is not None and len(data) <= SMALL_BYTES and self._call.post(data):
            self._check_unread_later(streams.STOPPED_READING_S)
            return
        try:
            async with asyncio.timeout(streams.STOPPED_READING_S):
                await self._context.write(data)
        except TimeoutError as error:
            self.close()
            raise StreamClosedError(STOPPED_READING) from error
        except (grpc.aio.BaseError, asyncio.InvalidStateError) as error:
            # What it said last may not be read yet, such as that it leaves.
            await asyncio.wait({self._ending}, timeout=LAST_WORDS_S)
            raise StreamClosedError((self._ending.done() and self.spoiled) or Text("Its stream broke off.")) from error

    def detach(self) -> None:
        super().detach()
        if self._call is not None:
            self._call.expect_no_more()

    def _check_unread_later(self, after_s: float) -> None:
        """See to it that a bot that does not read what was posted is noticed; one timer serves many messages."""
        if self._unread_check is None:
            self._unread_check = self._loop.call_later(after_s, self._check_unread)

    def _check_unread(self) -> None:
        self._unread_check = None
        assert self._call is not None
        since = self._call.sending_since
        if since is None or self._ending.done():
            return
        left_s = since + streams.STOPPED_READING_S - self._loop.time()
        if left_s > 0:
            self._check_unread_later(left_s)
        else:
            self._end(STOPPED_READING)
