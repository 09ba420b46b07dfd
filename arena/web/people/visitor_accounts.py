"""The accounts of visitors: so many people may sit at once, each by one of them, which is used again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence

import structlog

from arena.model.errors import ClientError
from arena.model.people import PlayLimits, guest_names
from arena.rpc.channel import Endpoint
from arena.web.people.errors import NotReachedError, SeatRefusedError
from arena.web.people.game_table import ConnectedSeat
from arena.web.people.human_seat import HumanSeat
from arena.web.people.visitor_connection import VisitorConnection
from arena.web.redaction.public_message import public_message
from engine.text import Text

_LOG = structlog.get_logger("web")
ENTER_PATIENCE_S = 15.0
"""How long the service may take to let visitors in before they are told to try again."""


class VisitorAccounts:
    """Which of them are free, and how somebody sits down by one."""

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


async def wait_until_seated(chairs: Iterable[ConnectedSeat]) -> None:
    """Wait until the service has let all of them in. Raises NotReachedError."""
    for chair in chairs:
        entering = asyncio.create_task(chair.connection.wait_until_in())
        waiting = {entering} if chair.running is None else {entering, chair.running}
        await asyncio.wait(waiting, timeout=ENTER_PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        entering.cancel()
        if not chair.connection.is_in:
            raise _kept_out(chair)


def _kept_out(chair: ConnectedSeat) -> NotReachedError:
    if chair.seat.lost:
        return SeatRefusedError(chair.seat.lost, why=chair.seat.lost)
    _LOG.warning("no guest is let in", why=chair.connection.trouble or "no answer in time")  # it may tell paths
    message = Text("web.arena_does_not_let_you", "the arena does not let you in just now; try again in a minute")
    return NotReachedError(message, time=f"{ENTER_PATIENCE_S:.0f}")


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
