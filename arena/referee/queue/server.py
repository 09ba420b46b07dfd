"""Serves the calls of one server over the completion queue, in the event loop that polls it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

import grpc

from arena.referee.queue import unfreed
from arena.referee.queue.call import QueueCall
from arena.referee.queue.layer import Event, ListeningServer
from arena.referee.queue.loop import QueueLoop

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
        self._server.await_call(self._take)
        return port

    async def stop(self, grace_s: float | None) -> None:
        """Let no further call in, break off those that do not end within the grace, and free everything.

        Return also if a client takes nothing any more, so that a connection stays: it is freed when that ends.
        """
        if not self._has_started:
            return
        self._is_stopping = True
        self._is_down.add_done_callback(lambda _: self._server.destroy())  # also if this is cancelled
        self._server.shut_down(lambda _: self._is_down.set_result(None))
        try:
            if grace_s:
                await asyncio.wait({self._is_down}, timeout=grace_s)
        finally:
            if not self._is_down.done():
                self._server.cancel_all_calls()
        await asyncio.wait({self._is_down}, timeout=unfreed.BROKEN_OFF_S)

    def _take(self, event: Event) -> None:
        """Serve a call that has come, and await the next one; one that came just before the end is dropped."""
        if not event.success or self._is_stopping:
            return
        self._server.await_call(self._take)
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
