"""An executor for tests that is told when each match ends, and orders for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Self

from arena.executor.interface import NotWatchableError
from arena.match.live import LiveEvent
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from tests.support.specs import script_spec, seat_spec
from tests.tournament.scripted_executor import report_of


class HeldExecutor:
    """Begins every match at once and holds it until it is told to end it."""

    def __init__(self, slots: int = 1) -> None:
        self._slots = slots
        self.order: list[str] = []
        self.playing: dict[str, asyncio.Future[MatchReport]] = {}
        self.cancelled: list[str] = []
        self._specs: dict[str, MatchSpec] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        for future in self.playing.values():
            future.cancel()

    def slots(self) -> int:
        return self._slots

    async def run(self, spec: MatchSpec) -> MatchReport:
        self.order.append(spec.match_id)
        self._specs[spec.match_id] = spec
        future: asyncio.Future[MatchReport] = asyncio.get_running_loop().create_future()
        self.playing[spec.match_id] = future
        try:
            return await future
        finally:
            del self.playing[spec.match_id]

    async def cancel(self, match_id: str) -> None:
        self.cancelled.append(match_id)

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        del after, logs
        raise NotWatchableError(match_id)

    def count_warm_bots(self) -> int:
        return 0

    async def finish(self, match_id: str) -> None:
        """End a match well, and let everybody see it."""
        self.playing[match_id].set_result(report_of(self._specs[match_id]))
        await settle()

    async def fail(self, match_id: str, error: Exception) -> None:
        """End a match with an error, and let everybody see it."""
        self.playing[match_id].set_exception(error)
        await settle()


async def settle() -> None:
    """Let everything happen that can happen now."""
    for _ in range(20):
        await asyncio.sleep(0)


def order(match_id: str, *bots: str) -> MatchSpec:
    """A match of these bots."""
    seats = tuple(seat_spec(index, name=name) for index, name in enumerate(bots or ("ann", "bob")))
    return script_spec("", len(seats), match_id=match_id, seats=seats)
