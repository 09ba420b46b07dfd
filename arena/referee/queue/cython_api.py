"""grpcio's private layer, as far as the arena serves calls with it: the one file of the referee that touches it.

An operation is started with a tag, and its end comes out of the queue as an event with that tag; here every tag is a
function that is called with its event. Operations of one kind must not overlap in a call.

gRPC closes a connection when its last bytes are taken, and frees a server when its connections are closed; a program
that is stopped, or never reads, takes none. Whoever frees the server's objects before waits there, for ever. So what
cannot be freed while the other side of a connection stands still is left to the end of the process.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from typing import Any

from grpc._cython import cygrpc  # type: ignore[attr-defined] # it has no types

Event = Any
"""A `cygrpc.BaseEvent`: `tag`, `success`, and what its kind has besides."""
Tag = Callable[[Event], None]
Metadata = Sequence[tuple[str, str | bytes]]
_NO_FLAGS = 0
BROKEN_OFF_S = 2.0
"""How long a server may take to end when its calls are broken off."""


def ignore(_event: Event) -> None:
    """Be the tag of an operation whose end interests nobody."""


class Queue:
    """A completion queue. One thread polls it, any may start operations whose ends come out of it."""

    __slots__ = ("_queue", "_servers")

    def __init__(self) -> None:
        self._queue = cygrpc.CompletionQueue()
        self._servers: set[ListeningServer] = set()  # those that have started and were not destroyed

    @property
    def has_servers(self) -> bool:
        """Whether a server uses it."""
        return bool(self._servers)

    def poll(self, until: float | None) -> Event | None:
        """Return the next event, or None if none comes until then (by `time.time`; None: for ever).

        Its tag is to be called by the caller. gRPC's I/O happens meanwhile, in this thread.
        """
        event = self._queue.poll(until)
        return None if event.tag is None else event

    def close(self) -> None:
        """End it, and the servers that nobody has ended: what was started is over, and nothing may be started any more.

        Without their end it would be awaited for ever, here, or where gRPC frees the queue; what does not end soon
        is left to the end of the process.
        """
        for server in self._servers:
            server.break_off()
        self._queue.shutdown()
        until = time.time() + BROKEN_OFF_S
        while (kind := self._queue.poll(until).completion_type) != cygrpc.CompletionType.queue_shutdown:
            if kind == cygrpc.CompletionType.queue_timeout:
                keep_for_ever(self._queue, *self._servers)
                return
        for server in tuple(self._servers):
            server.destroy()


class ListeningServer:
    """A server whose calls come out of a queue."""

    __slots__ = ("_is_shutting_down", "_queue", "_server", "_servers")

    def __init__(self, queue: Queue, options: Sequence[tuple[str, int]]) -> None:
        self._queue = queue._queue
        self._servers = queue._servers
        self._is_shutting_down = False
        self._server = cygrpc.Server(tuple(options), False)
        self._server.register_completion_queue(self._queue)

    def start(self, address: str) -> int:
        """Listen, and return the port (1 for a socket). Raises RuntimeError if that is impossible."""
        port = self._server.add_http2_port(address.encode())
        if not port:
            raise RuntimeError(f"Failed to bind to address {address}")
        self._server.start()
        self._servers.add(self)
        return int(port)

    def await_call(self, tag: Tag) -> None:
        """Have the next call come out of the queue; without success when the server shuts down."""
        self._server.request_call(self._queue, self._queue, tag)

    def shut_down(self, tag: Tag) -> None:
        """Let no further call in, and tell when those that there are have ended."""
        self._is_shutting_down = True
        self._server.shutdown(self._queue, tag)

    def cancel_all_calls(self) -> None:
        """Break off the calls of a server that shuts down."""
        self._server.cancel_all_calls()

    def destroy(self) -> None:
        """Free a server that has shut down."""
        self._servers.discard(self)
        self._server.destroy()

    def break_off(self) -> None:
        """Shut down, unless that was begun, and break off the calls."""
        if not self._is_shutting_down:
            self.shut_down(ignore)
        self.cancel_all_calls()


class RawCall:
    """One call that came to a server. Each method starts an operation; False means that the call is over."""

    __slots__ = ("_call", "metadata", "method")

    def __init__(self, event: Event) -> None:
        self._call = event.call
        self.method: str = event.call_details.method.decode("ascii", "replace")
        self.metadata: Metadata = event.invocation_metadata

    def send_metadata(self) -> bool:
        """Begin the answer, with no metadata of its own."""
        return self._start(cygrpc.SendInitialMetadataOperation((), _NO_FLAGS), tag=ignore)

    def send(self, data: bytes, tag: Tag) -> bool:
        """Send a message; its event has success unless the call was broken off."""
        return self._start(cygrpc.SendMessageOperation(data, _NO_FLAGS), tag=tag)

    def receive(self, tag: Callable[[bytes | None], None]) -> bool:
        """Receive a message; `tag` is called with it, or with None at the end of the stream."""
        return self._start(
            cygrpc.ReceiveMessageOperation(_NO_FLAGS), tag=lambda event: tag(event.batch_operations[0].message())
        )

    def await_end(self, tag: Callable[[bool], None]) -> bool:
        """Call `tag` when the call is over, with whether the other side has broken it off."""
        return self._start(
            cygrpc.ReceiveCloseOnServerOperation(_NO_FLAGS),
            tag=lambda event: tag(bool(event.batch_operations[0].cancelled())),
        )

    def send_status(self, code: int, details: str, metadata: Metadata, *, begins: bool) -> bool:
        """End the call; `begins` if nothing was sent before."""
        operations = [cygrpc.SendStatusFromServerOperation(metadata, code, details.encode(), _NO_FLAGS)]
        if begins:
            operations.insert(0, cygrpc.SendInitialMetadataOperation((), _NO_FLAGS))
        return self._start(*operations, tag=ignore)

    def wake(self) -> None:
        """Put an event into the queue, from any thread, also after the end of the call."""
        self._call.start_server_batch((), ignore)

    def break_off(self) -> None:
        """Break the call off."""
        self._call.cancel()

    def _start(self, *operations: Any, tag: Tag) -> bool:
        return bool(self._call.start_server_batch(operations, tag) == 0)


def call_once(address: str, method: str) -> None:
    """Make one call, and return when it has ended. For a thread of its own."""
    channel = cygrpc.Channel(address.encode(), (("grpc.enable_http_proxy", 0),), None)
    operations = (
        ((cygrpc.SendInitialMetadataOperation((), _NO_FLAGS),), "begun"),
        ((cygrpc.ReceiveStatusOnClientOperation(_NO_FLAGS),), "ended"),
    )
    call = channel.segregated_call(0, method.encode(), None, None, None, None, operations, None)
    while call.next_event().tag != "ended":
        pass
    channel.close(cygrpc.StatusCode.cancelled, "it is over")


def keep_for_ever(*objects: object) -> None:
    """Have Python never free these objects, not at its own end either."""
    for one in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))
