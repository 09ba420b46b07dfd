"""Serves the calls of one server over the completion queue, in the event loop that polls it.

A `QueueCall` is a `CallContext`, and has a shorter way for its messages, `post` and `deliver`: a message is sent
without waiting for the transport, and what arrives is handed over where it comes out of the queue, so that neither
takes a task or a turn of the event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NoReturn

import grpc

from arena.referee.queue import cython_api as layer
from arena.referee.queue.cython_api import Event, ListeningServer, Metadata, RawCall
from arena.referee.queue.loop import QueueLoop

END_PATIENCE_S = 0.5
"""How long a last message may lie with the transport when its call ends."""


class QueueCall:
    """One call. It is used in the event loop alone, by one who sends and one who receives."""

    __slots__ = (
        "_deliver_to",
        "_delivered",
        "_has_begun",
        "_is_over",
        "_is_receiving",
        "_loop",
        "_metadata",
        "_on_end",
        "_raw",
        "_taken",
        "_was_broken_off",
        "method",
        "sending_since",
    )

    def __init__(self, event: Event, loop: QueueLoop) -> None:
        self._raw = RawCall(event)  # the call, until it is over: then gRPC is let free what it keeps of it
        self._loop = loop
        loop.expect(self)
        self._metadata = self._raw.metadata
        self.method = self._raw.method
        self.sending_since: float | None = None
        """Since when a message lies with the transport, by the loop's clock; None if none does."""
        self._taken: asyncio.Future[None] | None = None  # ends when the transport has taken the message
        self._has_begun = False
        self._is_over = False
        self._is_receiving = False  # whether a message is awaited
        self._was_broken_off: bool | None = None  # how the call ended, while its end is not told
        self._on_end: Callable[[bool], None] = _do_nothing
        self._deliver_to: Callable[[bytes], bool] = lambda _: False
        self._delivered: asyncio.Future[None] | None = None

    def watch_end(self, on_end: Callable[[bool], None]) -> None:
        """Call `on_end` when the call is over, with whether it was broken off."""
        self._on_end = on_end
        self._raw.await_end(self._note_end)

    # As any other context.

    def invocation_metadata(self) -> Sequence[tuple[str, str | bytes]]:
        return self._metadata

    async def send_initial_metadata(self, _initial_metadata: Any = ()) -> None:
        self._begin()

    async def read(self) -> Any:
        arrived: asyncio.Future[bytes | None] = self._loop.create_future()

        def take(data: bytes | None) -> None:
            self._is_receiving = False
            self.expect_no_more()
            if not arrived.done():
                arrived.set_result(data)
            self._send_end()

        self._receive(take)
        self._is_receiving = True
        self._loop.expect(self)
        data = await arrived
        return grpc.aio.EOF if data is None else data

    async def write(self, message: bytes) -> None:
        while self.sending_since is not None and not self._is_over:
            await self._wait_until_taken()
        if not self.post(message):
            raise grpc.aio.InternalError("the call is over")
        while self.sending_since is not None and not self._is_over:
            await self._wait_until_taken()
        if self._is_over:
            raise grpc.aio.InternalError("the call was broken off")

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Metadata = ()) -> NoReturn:
        await self.end(code, details, trailing_metadata)
        raise grpc.aio.AbortError("Locally aborted.")

    # The shorter way.

    def post(self, message: bytes) -> bool:
        """Send a message unless one still lies with the transport, or the call is over; return whether it was sent."""
        if self.sending_since is not None or self._is_over:
            return False
        self._begin()
        if not self._raw.send(message, self._note_taken):
            self._is_over = True
            return False
        self.sending_since = self._loop.time()
        self._loop.expect(self)
        return True

    def expect_no_more(self) -> None:
        """Note that no message is awaited, until one is sent."""
        self._loop.expect_no_more(self)

    async def deliver(self, receive: Callable[[bytes], bool]) -> None:
        """Call `receive` with each message that arrives, until it returns False or the stream ends.

        Raises what `receive` raises.
        """
        self._deliver_to = receive
        self._delivered = self._loop.create_future()
        self._receive(self._hand_over)
        self._is_receiving = True
        await self._delivered

    # The end.

    async def end(self, code: grpc.StatusCode = grpc.StatusCode.OK, details: str = "", metadata: Metadata = ()) -> None:
        """End the call, after its last message; break it off if the other side does not take that."""
        if not self._is_over:
            self._loop.expect(self)
        try:
            async with asyncio.timeout(END_PATIENCE_S):
                while self.sending_since is not None and not self._is_over:
                    await self._wait_until_taken()
        except TimeoutError:
            if not self._is_over:
                self._raw.break_off()
            return
        if not self._is_over:
            self._raw.send_status(code.value[0], details, metadata, begins=not self._has_begun)
            self._has_begun = True

    def _begin(self) -> None:
        if not self._has_begun and not self._is_over:
            self._has_begun = True
            self._raw.send_metadata()

    def _receive(self, tag: Callable[[bytes | None], None]) -> None:
        if self._is_over or not self._raw.receive(tag):
            raise grpc.aio.UsageError("the call is over")

    def _hand_over(self, data: bytes | None) -> None:
        """Hand over a message that has arrived, and wait for the next one."""
        delivered = self._delivered
        assert delivered is not None
        self._is_receiving = False  # also if it cannot be handed over: nothing is awaited then
        self.expect_no_more()
        try:
            goes_on = data is not None and self._deliver_to(data) and not self._is_over
            self._is_receiving = goes_on and self._raw.receive(self._hand_over)
        except Exception as error:
            if not delivered.done():
                delivered.set_exception(error)
        if not self._is_receiving and not delivered.done():
            delivered.set_result(None)
        self._send_end()

    async def _wait_until_taken(self) -> None:
        if self._taken is None or self._taken.done():
            self._taken = self._loop.create_future()
        await asyncio.shield(self._taken)

    def _note_taken(self, event: Event) -> None:
        self.sending_since = None
        self._is_over = self._is_over or not event.success
        self._wake()

    def _note_end(self, was_broken_off: bool) -> None:
        self._is_over = True
        self.expect_no_more()
        del self._raw
        self._wake()
        self._was_broken_off = was_broken_off
        self._send_end()

    def _send_end(self) -> None:
        """Tell that the call is over, but not before its last message, which may come out of the queue behind that."""
        if self._was_broken_off is not None and not self._is_receiving:
            on_end, self._on_end = self._on_end, _do_nothing
            on_end(self._was_broken_off)

    def _wake(self) -> None:
        if self._taken is not None and not self._taken.done():
            self._taken.set_result(None)


def _do_nothing(_was_broken_off: bool) -> None:
    """Be what is called when a call has ended that nobody waits for, or has ended before."""


Handler = Callable[[QueueCall], Awaitable[None]]
"""Serves one call to its end. When it returns, the call ends in order."""


Find = Callable[[str], Handler | None]
"""Returns who serves a method, or None for a method that there is not. It is asked once for each call that comes."""


class QueueServer:
    """Serves calls, each in a task of its own; `start` and `stop` are called once each."""

    def __init__(self, loop: QueueLoop, find: Find, options: Sequence[tuple[str, int]]) -> None:
        """Serve with what `find` returns for the method of a call."""
        self._loop = loop
        self._find = find
        self._server = ListeningServer(loop.queue, options)
        self._tasks: dict[QueueCall, asyncio.Task[None]] = {}
        self._is_down: asyncio.Future[None] = loop.create_future()
        self._has_started = self._is_stopping = False

    async def start(self, address: str) -> int:
        """Listen, and return the port. Raises RuntimeError if that is impossible."""
        port = self._server.start(address)
        self._has_started = True
        self._loop.expect(self)
        self._server.await_call(self._take)
        return port

    async def stop(self, grace_s: float | None) -> None:
        """Let no further call in, break off those that do not end within the grace, and free everything.

        Return also if a client takes nothing any more, so that a connection stays: it is freed when that ends.
        """
        if not self._has_started:
            return
        self._is_stopping = True
        self._loop.expect(self)
        self._is_down.add_done_callback(lambda _: self._server.destroy())  # also if this is cancelled
        self._server.shut_down(lambda _: self._is_down.set_result(None))
        try:
            if grace_s:
                await asyncio.wait({self._is_down}, timeout=grace_s)
        finally:
            if not self._is_down.done():
                self._server.cancel_all_calls()
        try:
            await asyncio.wait({self._is_down}, timeout=layer.BROKEN_OFF_S)
        finally:
            self._loop.expect_no_more(self)

    def _take(self, event: Event) -> None:
        """Serve a call that has come, and await the next one; one that came just before the end is dropped."""
        if not event.success or self._is_stopping:
            return
        self._server.await_call(self._take)
        self._loop.expect_no_more(self)
        call = QueueCall(event, self._loop)
        handler = self._find(call.method)
        self._tasks[call] = self._loop.create_task(self._serve(call, handler))
        call.watch_end(lambda was_broken_off: self._note_end(call, was_broken_off))

    def _note_end(self, call: QueueCall, was_broken_off: bool) -> None:
        task = self._tasks.pop(call, None)
        if task is not None and was_broken_off:
            task.cancel()

    @staticmethod
    async def _serve(call: QueueCall, handler: Handler | None) -> None:
        if handler is None:
            await call.end(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
            return
        try:
            await handler(call)
            await call.end()
        except grpc.aio.AbortError:
            pass
        except grpc.aio.BaseError:  # its caller has gone, which the call's end tells, too
            await call.end(grpc.StatusCode.CANCELLED, "the call was broken off")
        except Exception:
            logging.getLogger(__name__).exception("a call of %s failed", call.method)
            await call.end(grpc.StatusCode.UNKNOWN, "the arena failed to serve this call")
