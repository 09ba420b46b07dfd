"""Makes what wakes a poll of a completion queue: a function that any thread may call, and that puts an event into it.

gRPC has no such function, but a batch without operations ends at once, on any call that came to a server with this
queue, also one that is over. So one call is made, by this process to itself.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from arena.referee.queue.layer import Event, ListeningServer, Queue, RawCall, call_once, ignore

_PATIENCE_S = 10.0
_LOOK_S = 0.001


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
