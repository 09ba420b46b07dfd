"""The accounts of visitors, which are used again and again, and the connection of each to PlayService."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import grpc
import structlog

from arena.connect.stream import RetryDecision, ServiceStream, end_of, open_stream
from arena.model.errors import ClientError
from arena.model.human_play import GUEST_VERSION, PlayLimits, guest_names
from arena.rpc.backoff import Backoff
from arena.rpc.channel import Endpoint
from arena.v1 import play_pb2
from arena.web.people.errors import NotReachedError, SeatRefusedError
from arena.web.people.human_seat import HumanSeat
from arena.web.shared.public_message import public_message
from arena.wire.messages import EVERY_GAME, PROTOCOL_MAJOR, PROTOCOL_MINOR
from engine.translatable import Text

_LOG = structlog.get_logger("web")
ENTER_PATIENCE_S = 15.0
"""How long the service may take to let visitors in before they are told to try again."""
LONGEST_PAUSE_S = 3.0
"""A person waits, so that a service that was restarted is found again soon."""
LEAVE_PATIENCE_S = 2.0
"""How long the service may take to read what was sent before the connection is closed."""


class VisitorAccounts:
    """Which accounts are free: so many people may sit at once, each by one of them."""

    def __init__(self, endpoint: Endpoint, rules: PlayLimits) -> None:
        """They sit down at `endpoint`."""
        self._endpoint = endpoint
        self._idle_s = rules.idle_s
        self._free = list(reversed(guest_names(rules.most)))

    @property
    def free(self) -> int:
        """Return how many can still sit down."""
        return len(self._free)

    def take(self, count: int) -> list[str]:
        """Return the names of so many that are free, and are not any more."""
        return [self._free.pop() for _ in range(count)]

    def take_these(self, names: Collection[str]) -> bool:
        """Take certain ones; return False, and take none, unless all of them are free."""
        if not set(names) <= set(self._free):
            return False
        self._free = [name for name in self._free if name not in names]
        return True

    def give_back(self, names: Sequence[str]) -> None:
        """Let these be used again."""
        self._free += reversed(names)

    def seat(self, name: str, number: int, person: str, note: Callable[[], None]) -> ConnectedSeat:
        """Let a person sit down in a seat by an account; `note` is called after whatever a browser may see."""
        connection = VisitorConnection(self._endpoint, name, lambda response: seat.receive(response), note)
        seat = HumanSeat(number, person, connection.send, self._idle_s, note)
        chair = ConnectedSeat(seat, connection)
        chair.running = asyncio.create_task(_sit(chair))
        return chair


@dataclass(eq=False, slots=True)
class ConnectedSeat:
    """A seat with its connection to the service."""

    seat: HumanSeat
    connection: VisitorConnection
    running: asyncio.Task[None] | None = None


async def wait_until_seated(chairs: Iterable[ConnectedSeat]) -> None:
    """Wait until the service has let all of them in. Raises NotReachedError."""
    for chair in chairs:
        entering = asyncio.create_task(chair.connection.wait_until_in())
        waiting = {entering} if chair.running is None else {entering, chair.running}
        await asyncio.wait(waiting, timeout=ENTER_PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        entering.cancel()
        if chair.connection.is_in:
            continue
        if chair.seat.lost:
            raise SeatRefusedError(chair.seat.lost, why=chair.seat.lost)
        _LOG.warning("no guest is let in", why=chair.connection.trouble or "no answer in time")  # it may tell paths
        message = Text("the arena does not let you in just now; try again in a minute")
        raise NotReachedError(message, time=f"{ENTER_PATIENCE_S:.0f}")


async def leave_seat(chair: ConnectedSeat) -> None:
    """Leave a seat; its match waits for the visitor as long as its clock lasts."""
    chair.seat.close()
    if chair.running is not None:
        await chair.connection.leave()
        chair.running.cancel()
        await asyncio.gather(chair.running, return_exceptions=True)


async def _sit(chair: ConnectedSeat) -> None:
    try:
        await chair.connection.run()
    except ClientError as error:
        chair.seat.lose(public_message(error))


class VisitorConnection:
    """The connection of one visitor, opened again until it is closed. It knows no match.

    `run` is called once, and ends when it is cancelled or the service does not let the visitor in.
    """

    def __init__(
        self, endpoint: Endpoint, name: str, receive: Callable[[play_pb2.PlayResponse], None], note: Callable[[], None]
    ) -> None:
        """`receive` is told all that the service says, and `note` is called when the connection is lost."""
        self.name = name
        self.trouble = ""
        """Why the last try to get in, or to come back, failed."""
        self._endpoint = endpoint
        self._receive = receive
        self._note = note
        self._stream: ServiceStream | None = None
        self._backoff = Backoff(first_s=0.1, most_s=LONGEST_PAUSE_S, jitter=0.5)
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
                async with open_stream(self._endpoint, None) as stream:
                    await stream.wait_until_taken()
                    join = play_pb2.Join(
                        name=self.name,
                        version=GUEST_VERSION,
                        games=[EVERY_GAME],
                        protocol_major=PROTOCOL_MAJOR,
                        protocol_minor=PROTOCOL_MINOR,
                        max_concurrent_matches=1,
                    )
                    await stream.send(play_pb2.PlayRequest(join=join))
                    while (response := await stream.read()) is not None:
                        if response.HasField("joined"):
                            self._stream = stream
                            self._backoff.reset()
                            self._is_in.set()
                        self._receive(response)
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
