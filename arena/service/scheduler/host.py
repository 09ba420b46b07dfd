"""Keeps an executor under the slots: when it fails, everything waits, and another one is started after a pause."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Protocol

from arena.executor.interface import Executor, ExecutorFailedError
from arena.match.host_faults import HostCause, MatchLostError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.service.health import Health
from arena.service.logs import Logger
from arena.service.supervision import Backoff, describe
from arena.tournament.errors import HostFailingError
from arena.tournament.runner import MatchExecutor

PART = "host"
LOST_IN_A_ROW_PER_SLOT = 4
"""After so many matches in a row that the host lost, and none finished, the service pauses."""


class Users(Protocol):
    """Takes the executor that works now: the slots, or what stands before them."""

    def slots(self) -> int:
        """Return how many matches are played at once."""

    def use(self, executor: MatchExecutor | None) -> None:
        """Play with this executor from now on; with `None` nothing begins until there is another one."""


class Host:
    """Runs executors one after the other; the slots always have the one that works, or none."""

    def __init__(self, slots: Users, make: Callable[[], Executor], health: Health, log: Logger) -> None:
        """`make` returns an executor that was not started yet."""
        self._slots = slots
        self._make = make
        self._health = health
        self._log = log
        self._backoff = Backoff(first_s=5.0)
        self._failed: asyncio.Future[Exception] | None = None
        self._executor: Executor | None = None
        self._lost_in_a_row = 0

    async def run(self) -> None:
        """Keep an executor running until this task is cancelled, which ends every process that was started."""
        while True:
            try:
                error = await self._run_one()
            except (ExecutorFailedError, OSError) as failure:
                error = failure
            pause_s = self._backoff.next_s()
            self._health.tell(PART, f"{describe(error)}; nothing is played for {pause_s:g} s, `arena doctor` looks why")
            self._log.error("host failed", error=describe(error), again_in_s=pause_s)
            await asyncio.sleep(pause_s)

    async def _run_one(self) -> Exception:
        """Run one executor until it fails, and return why."""
        self._failed = asyncio.get_running_loop().create_future()
        self._lost_in_a_row = 0
        try:
            async with self._make() as executor:
                self._executor = executor
                self._slots.use(_Watched(executor, self._look))
                try:
                    return await self._failed
                finally:
                    self._slots.use(None)
        finally:
            self._executor = None

    def count_warm_bots(self) -> int:
        """Return how many idle processes of bots there are, as far as is known."""
        count: Callable[[], int] | None = getattr(self._executor, "count_warm_bots", None)
        return 0 if count is None else count()

    def watch(self, match_id: str, *, after: int = -1, logs: Sequence[int] = ()) -> AsyncGenerator[Any, None]:
        """Return the events of a match that is waiting or played now, as the executor's own `watch` does.

        Raises LookupError if there is no executor now.
        """
        watch: Callable[..., AsyncGenerator[Any, None]] | None = getattr(self._executor, "watch", None)
        if watch is None:
            raise LookupError("nothing is played now; try again in a minute")
        return watch(match_id, after=after, logs=logs)

    def _look(self, outcome: MatchReport | Exception) -> None:
        """Learn from how a match ended whether the executor can go on."""
        if isinstance(outcome, MatchReport):
            self._lost_in_a_row = 0
            self._backoff.reset()
            self._health.clear(PART)
        elif isinstance(outcome, ExecutorFailedError):
            self._fail(outcome)
        elif isinstance(outcome, MatchLostError) and outcome.cause is not HostCause.CANCELLED:
            self._lost_in_a_row += 1
            if self._lost_in_a_row >= LOST_IN_A_ROW_PER_SLOT * self._slots.slots():
                lost = self._lost_in_a_row
                self._fail(HostFailingError(f"the host lost {lost} matches in a row; last reason: {outcome}"))

    def _fail(self, error: Exception) -> None:
        if self._failed is not None and not self._failed.done():
            self._failed.set_result(error)


class _Watched:
    """An executor that tells how each match ended."""

    def __init__(self, executor: Executor, look: Callable[[MatchReport | Exception], None]) -> None:
        self._executor = executor
        self._look = look

    def slots(self) -> int:
        return self._executor.slots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        try:
            report = await self._executor.run(spec)
        except (MatchLostError, ExecutorFailedError) as error:
            self._look(error)
            raise
        self._look(report)
        return report

    async def cancel(self, match_id: str) -> None:
        await self._executor.cancel(match_id)
