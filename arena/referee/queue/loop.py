"""An event loop for descriptors and for gRPC's completion queue: one thread for everything.

It waits for descriptors, as any loop does, unless something is expected of gRPC (`expect`): then it polls the queue. A
descriptor that becomes ready cannot end that poll, so a second thread waits for them and then wakes it: it puts an
event into the queue. While nothing is expected of gRPC, its queue is looked at now and then, for what a connection
needs.

gRPC has no function that wakes a poll, but a batch without operations ends at once, on any call that came to a server
with this queue, also one that is over. So one call is made, by this process to itself.
"""

from __future__ import annotations

import asyncio
import os
import select
import selectors
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from arena.referee.queue.cython_api import Event, ListeningServer, Queue, RawCall, call_once, ignore
from arena.wire.completion_queue_check import prepare

T = TypeVar("T")
_BACKSTOP_MS = 1000
"""The poll's deadline is by the clock of the day. When somebody sets that back, timers are late by as much at most."""
_PATIENCE_S = 10.0
_LOOK_S = 0.001
_REST_S = 0.02
_MOST_EVENTS = 32
"""How often the queue is looked at while nothing is expected of it, and how much is handled then."""
_AWAY_S, _BRIEF_S = 0.005, 0.002
"""How long after a turn of the loop it may be waited outside of it, and how long such a wait lasts at most."""


class QueueLoop(asyncio.SelectorEventLoop):
    """An event loop with a completion queue; `make_queue_loop` makes it."""

    def __init__(self, selector: _QueueSelector) -> None:
        self._queue_selector = selector
        super().__init__(selector)
        selector.report = self._report

    @property
    def queue(self) -> Queue:
        """What operations are started on; their tags are called in this loop."""
        return self._queue_selector.queue

    def expect(self, source: object) -> None:
        """Note that gRPC will bring something of that server or call, until `expect_no_more`."""
        self._queue_selector.expected.add(source)

    def expect_no_more(self, source: object) -> None:
        """Note that gRPC need not bring anything of it."""
        self._queue_selector.expected.discard(source)

    def wait_briefly(self, descriptor: int) -> bool:
        """Wait for a descriptor that it reads outside its turns, and return whether that alone is ready.

        A turn of the loop costs more than many a bot takes to answer. The wait ends when anything is ready, and soon;
        there is none if the loop has something else to do, or if its last turn is long over, so that timers are at most
        some milliseconds late.
        """
        return not self._ready and self._queue_selector.wait_briefly(descriptor)  # type: ignore[attr-defined]

    @property
    def polled_s(self) -> float:
        """How many seconds of CPU the polls took, gRPC's I/O included."""
        return self._queue_selector.polled_s

    def _report(self, error: Exception) -> None:
        self.call_exception_handler({"message": "a call's event raised", "exception": error})


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end as `asyncio.run` does, in a new loop of `new_loop`."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(main)


def new_loop() -> asyncio.AbstractEventLoop:
    """Return a `QueueLoop` where the queue is used and works, and otherwise a usual event loop."""
    if not prepare():
        return asyncio.new_event_loop()
    try:
        return make_queue_loop()
    except (OSError, RuntimeError, AttributeError, TypeError, ValueError) as error:  # the last is gRPC's own, too
        sys.stderr.write(f"grpcio's completion queue cannot be used ({error}); grpc.aio is used instead\n")
        return asyncio.new_event_loop()


def polled_s() -> float:
    """Return what the running loop's polls of gRPC took of the CPU, in seconds; 0 without a loop that polls."""
    loop = asyncio._get_running_loop()
    return loop.polled_s if isinstance(loop, QueueLoop) else 0.0


def make_queue_loop() -> QueueLoop:
    """Return a loop with a queue of its own.

    Raises OSError, RuntimeError, AttributeError, TypeError or ValueError if gRPC does not work as it did when this was
    written.
    """
    queue = Queue()
    try:
        selector = _QueueSelector(queue, make_wakeup(queue))
    except BaseException:
        queue.close()
        raise
    return QueueLoop(selector)


class _QueueSelector(selectors.EpollSelector):
    """A selector that polls the queue, and looks at descriptors when the watch says that some are ready."""

    def __init__(self, queue: Queue, wakeup: Callable[[], None]) -> None:
        super().__init__()
        self.queue = queue
        self.polled_s = 0.0
        self.expected: set[object] = set()
        """What gRPC is expected to bring something of."""
        self._next_look = 0.0
        self._has_skipped = False
        self._selected_at = 0.0
        self.report: Callable[[Exception], None]  # is told what a tag raised
        self._watch = _DescriptorWatch(self.fileno(), wakeup)
        self._watch.start()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return the descriptors that are ready; an event of the queue is handled here."""
        if not self.expected:
            return self._select_descriptors(timeout)
        ready = self._ready()
        if ready:
            timeout = 0
        self._poll(None if timeout is None else time.time() + timeout if timeout > 0 else 0.0)
        return ready or self._ready()

    def _select_descriptors(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for descriptors, as long as no server or call of gRPC must be looked after.

        While the loop has something else to do, they are looked at every second time only: mostly that is the match
        which has just been woken, and the next thing to wait for comes out of that.
        """
        if timeout is not None and timeout <= 0 and not self._has_skipped:
            self._has_skipped = True
            return []
        self._has_skipped = False
        if not self.queue.has_servers:
            ready = super().select(timeout)
            self._selected_at = time.monotonic()
            return ready
        ready = super().select(_REST_S if timeout is None else min(timeout, _REST_S))
        self._selected_at = now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + _REST_S
            for _ in range(_MOST_EVENTS):
                if not self._poll(0.0):
                    break
        return ready

    def wait_briefly(self, descriptor: int) -> bool:
        """Wait for one descriptor, see `QueueLoop.wait_briefly`."""
        if self.expected or time.monotonic() - self._selected_at > _AWAY_S:
            return False
        ready = super().select(_BRIEF_S)
        return len(ready) == 1 and ready[0][0].fd == descriptor

    def _poll(self, until: float | None) -> bool:
        """Handle one event of the queue, and return whether one came until then."""
        began = time.thread_time()
        event = self.queue.poll(until)
        self.polled_s += time.thread_time() - began
        if event is not None:
            try:
                event.tag(event)
            except Exception as error:  # as for any callback of a loop
                self.report(error)
        return event is not None

    def _ready(self) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(0) if self._watch.take() else []

    def close(self) -> None:
        """End the watch, and the queue."""
        self._watch.stop()
        self.queue.close()
        super().close()


class _DescriptorWatch(threading.Thread):
    """Waits for descriptors in a thread and wakes the loop; it waits again once they were handled."""

    def __init__(self, selector: int, wake: Callable[[], None]) -> None:
        super().__init__(name="descriptors", daemon=True)
        self._selector = selector
        self._wake = wake
        self._is_ready = self._was_taken = self._is_over = False
        self._may_wait = threading.Semaphore(0)
        self._end = os.eventfd(0, os.EFD_CLOEXEC)

    def take(self) -> bool:
        """Return whether descriptors have become ready since the last call."""
        if self._was_taken:
            self._was_taken = False
            self._may_wait.release()
        if not self._is_ready:
            return False
        self._is_ready, self._was_taken = False, True
        return True

    def run(self) -> None:
        """Wait and wake the loop, until it is stopped."""
        poll = select.poll()
        poll.register(self._selector, select.POLLIN)
        poll.register(self._end, select.POLLIN)
        while not self._is_over:
            is_ready = bool(poll.poll(_BACKSTOP_MS))
            if self._is_over:
                break
            self._is_ready = self._is_ready or is_ready
            self._wake()
            if is_ready:
                self._may_wait.acquire()

    def stop(self) -> None:
        """End the thread."""
        self._is_over = True
        os.eventfd_write(self._end, 1)
        self._may_wait.release()
        self.join()
        os.close(self._end)  # not before: the thread may see that it is over before it is woken


def make_wakeup(queue: Queue) -> Callable[[], None]:
    """Return what wakes a queue that nobody polls yet. Raises RuntimeError if gRPC does not do what it must."""
    calls: list[Event] = []
    ends: list[Event] = []
    with tempfile.TemporaryDirectory(prefix="kingmaker-bell-") as directory:  # nobody else can enter it
        address = f"unix:{Path(directory, 'wakeup')}"
        server = ListeningServer(queue, (("grpc.so_reuseport", 0),))
        server.start(address)
        server.await_call(calls.append)
        caller = threading.Thread(target=call_once, args=(address, "/bell"), daemon=True)
        caller.start()
        _poll_until(queue, lambda: bool(calls))
        wakeup = RawCall(calls[0])
        wakeup.send_status(0, "", (), begins=True)
        _poll_until(queue, lambda: not caller.is_alive())
        server.shut_down(ends.append)
        _poll_until(queue, lambda: bool(ends))
        server.destroy()
    wakeup.wake()
    woken = queue.poll(time.time() + _PATIENCE_S)
    if woken is None or woken.tag is not ignore:
        raise RuntimeError("the queue does not ring")
    return wakeup.wake


def _poll_until(queue: Queue, is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError("a call of this process to itself did not arrive, or did not end")
        event = queue.poll(time.time() + _LOOK_S)
        if event is not None:
            event.tag(event)
