"""The guests of an arena: so many people may sit at once, each as one of them, who is used again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence

import structlog

from arena.model.errors import ClientError
from arena.model.people import guest_names
from arena.rpc.channel import Endpoint
from arena.web.frame.site import Rules
from arena.web.people.errors import KeptOutError, NotReachedError
from arena.web.people.guest import Guest
from arena.web.people.seat import Seat
from arena.web.people.table import Chair
from arena.web.strangers.sentences import sentence_of
from engine.text import Text

_LOG = structlog.get_logger("web")
ENTER_PATIENCE_S = 15.0
"""How long the service may take to let guests in before a visitor is told to try again."""


class Guests:
    """Who of them is free, and how one sits down."""

    def __init__(self, endpoint: Endpoint, rules: Rules) -> None:
        """They sit down at `endpoint`."""
        self._endpoint = endpoint
        self._idle_s = rules.idle_s
        self._free = list(reversed(guest_names(rules.most)))

    @property
    def free(self) -> int:
        """Return how many can still sit down."""
        return len(self._free)

    def take(self, count: int) -> list[str]:
        """Return the names of so many who are free, and are not any more."""
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

    def chair(self, name: str, number: int, person: str, note: Callable[[], None]) -> Chair:
        """Let a guest sit down in a seat for a person; `note` is called after whatever a browser may see."""
        guest = Guest(self._endpoint, name, lambda response: seat.hear(response), note)
        seat = Seat(number, person, guest.send, self._idle_s, note)
        chair = Chair(seat, guest)
        chair.running = asyncio.create_task(_sit(chair))
        return chair


async def let_in(chairs: Iterable[Chair]) -> None:
    """Wait until the service has let all of them in. Raises NotReachedError."""
    for chair in chairs:
        entering = asyncio.create_task(chair.guest.wait_until_in())
        waiting = {entering} if chair.running is None else {entering, chair.running}
        await asyncio.wait(waiting, timeout=ENTER_PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        entering.cancel()
        if not chair.guest.is_in:
            raise _kept_out(chair)


def _kept_out(chair: Chair) -> NotReachedError:
    if chair.seat.lost:
        return KeptOutError(chair.seat.lost, why=chair.seat.lost)
    _LOG.warning("no guest is let in", why=chair.guest.trouble or "no answer in time")  # it may tell paths
    message = Text("web.arena_does_not_let_you", "the arena does not let you in just now; try again in a minute")
    return NotReachedError(message, time=f"{ENTER_PATIENCE_S:.0f}")


async def stand_up(chair: Chair) -> None:
    """Leave a seat; its match waits for the guest as long as its clock lasts."""
    chair.seat.close()
    if chair.running is not None:
        chair.running.cancel()
        await asyncio.gather(chair.running, return_exceptions=True)


async def _sit(chair: Chair) -> None:
    try:
        await chair.guest.run()
    except ClientError as error:
        chair.seat.lose(sentence_of(error))
