"""The connection of one visitor to PlayService: opened again and again until it is closed. It knows no match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import grpc

from arena.connect.backoff import ReconnectBackoff
from arena.connect.refusals import RetryDecision, end_of
from arena.connect.stream import ServiceStream, open_stream
from arena.model.people import GUEST_VERSION
from arena.rpc.channel import Endpoint
from arena.v1 import play_pb2
from arena.wire.messages import EVERY_GAME, PROTOCOL_MAJOR, PROTOCOL_MINOR

LONGEST_PAUSE_S = 3.0
"""A person waits, so that a service that was restarted is found again soon."""
LEAVE_PATIENCE_S = 2.0
"""How long the service may take to read what was sent before the connection is closed."""


class VisitorConnection:
    """One visitor: `run` is called once, and ends when it is cancelled or the service does not let the visitor in."""

    def __init__(
        self, endpoint: Endpoint, name: str, receive: Callable[[play_pb2.PlayResponse], None], note: Callable[[], None]
    ) -> None:
        """`receive` is told all that the service says, and `note` is called when the connection is lost."""
        self.name = name
        self.trouble = ""
        """Why the last try to get in, or to come back, failed."""
        self._endpoint = endpoint
        self._hear = receive
        self._note = note
        self._stream: ServiceStream | None = None
        self._backoff = ReconnectBackoff(first_s=0.1, most_s=LONGEST_PAUSE_S)
        self._is_in = asyncio.Event()
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def is_in(self) -> bool:
        """Return whether the service has let the visitor in, and the connection holds."""
        return self._stream is not None

    async def wait_until_in(self) -> None:
        """Wait until the service has let the visitor in for the first time."""
        await self._is_in.wait()

    async def run(self) -> None:
        """Stay connected. Raises ClientError if the service does not let the visitor in, and trying again is no use."""
        while True:
            try:
                await self._converse()
            except grpc.aio.AioRpcError as error:
                end = end_of(error, self._endpoint)
                self.trouble = str(end.error)
                if end.turn is RetryDecision.END and not end.is_vague:
                    raise end.error from error
            finally:
                self._stream = None
            self._note()
            await asyncio.sleep(self._backoff.next_s())

    def send(self, request: play_pb2.PlayRequest) -> None:
        """Send something; if the connection is lost, nothing happens, and the service asks again when it is back."""
        if self._stream is not None:
            task = asyncio.create_task(self._stream.send(request))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def leave(self) -> None:
        """Close the connection when the service has read what was sent, such as that a seat is given up.

        What is on its way when a stream is cancelled is lost.
        """
        if (stream := self._stream) is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVE_PATIENCE_S):
                    await asyncio.gather(*self._sending)
                    await stream.finish()

    async def _converse(self) -> None:
        async with open_stream(self._endpoint, None) as stream:
            await stream.wait_until_taken()
            await stream.send(play_pb2.PlayRequest(join=_join(self.name)))
            while (response := await stream.read()) is not None:
                if response.HasField("joined"):
                    self._stream = stream
                    self._backoff.reset()
                    self._is_in.set()
                self._hear(response)


def _join(name: str) -> play_pb2.Join:
    return play_pb2.Join(
        name=name,
        version=GUEST_VERSION,
        games=[EVERY_GAME],
        protocol_major=PROTOCOL_MAJOR,
        protocol_minor=PROTOCOL_MINOR,
        max_concurrent_matches=1,
    )
