"""Keeps an executor running for the slots, and routes matches with remote bots to their own process.

When an executor fails, everything waits, and another one is started after a pause. What the host loses is judged as in
a run of a tournament (`arena.tournament.circuit_breaker`), for all activities together.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from typing import Protocol

from arena.executor.interface import Executor, ExecutorFailedError, Failing
from arena.match.live import LiveEvent
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.rpc.backoff import Backoff
from arena.service.logs import Logger
from arena.service.scheduler.slots import Slots
from arena.service.task_supervision import Health, KnownProblems, describe
from arena.tournament.circuit_breaker import HostWatch
from arena.tournament.errors import HostFailingError
from arena.tournament.runner import MatchExecutor
from engine.translatable import Text

PART = "host"
Watch = Callable[..., AsyncGenerator[LiveEvent, None]]
"""The `watch` of an executor, or of whatever keeps one; it raises LookupError for a match that is not there."""


class ExecutorUser(Protocol):
    """Takes the executor that works now: the slots, or what stands before them."""

    def slots(self) -> int:
        """Return how many matches are played at once."""

    def use(self, executor: MatchExecutor | None) -> None:
        """Play with this executor from now on; with `None` nothing begins until there is another one."""


class ExecutorHost:
    """Runs executors one after the other; the slots always have the one that works, or none."""

    def __init__(
        self,
        slots: ExecutorUser,
        make: Callable[[], Executor],
        health: Health,
        log: Logger,
        watch: HostWatch | None = None,
    ) -> None:
        """`make` returns an executor that was not started yet. The slots let matches rest by the same `watch`."""
        self._slots = slots
        self._make = make
        self._health = health
        self._log = log
        self._backoff = Backoff(first_s=5.0)
        self._problems = KnownProblems()
        self._failed: asyncio.Future[Exception] | None = None
        self._executor: Executor | None = None
        self._watch = watch or HostWatch(2 * slots.slots())
        self._in_flight: set[str] = set()
        self._failed_by_itself = False

    async def run(self) -> None:
        """Keep an executor running until this task is cancelled, which ends every process that was started."""
        while True:
            try:
                error = await self._run_one()
            except (ExecutorFailedError, OSError) as failure:
                error = failure
            pause_s = self._backoff.next_s()
            self._health.report(
                PART, f"{describe(error)}; nothing is played for {pause_s:g} s, `arena doctor` looks why"
            )
            if self._problems.is_new(PART, describe(error)):
                self._log.error("host failed", error=describe(error), again_in_s=pause_s)
            await asyncio.sleep(pause_s)

    async def _run_one(self) -> Exception:
        self._failed = asyncio.get_running_loop().create_future()
        self._watch.begin_anew()
        try:
            async with self._make() as executor:
                self._executor = executor
                if self._failed_by_itself:  # and this one has looked: health need not wait for a match
                    self._health.clear(PART)
                self._slots.use(_Watched(executor, self._begin, self._look))
                watching = asyncio.create_task(self._follow(executor))
                try:
                    return await self._failed
                finally:
                    watching.cancel()
                    self._slots.use(None)
        finally:
            self._executor = None

    async def _follow(self, executor: Executor) -> None:
        """Learn from an executor that tells it by itself that it cannot go on."""
        self._failed_by_itself = False
        if isinstance(executor, Failing):
            error = await executor.failed()
            self._failed_by_itself = True
            self._fail(error)

    def count_warm_bots(self) -> int:
        """Return how many idle processes of bots there are, as far as is known."""
        return 0 if self._executor is None else self._executor.count_warm_bots()

    def watch(self, match_id: str, *, after: int = -1, logs: Sequence[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        """Return the events of a match that is waiting or played now, as the executor's own `watch` does.

        Raises LookupError if there is no executor now.
        """
        if self._executor is None:
            raise LookupError("nothing is played now; try again in a minute")
        return self._executor.watch(match_id, after=after, logs=logs)

    def _begin(self, match_id: str) -> None:
        self._in_flight.add(match_id)
        self._watch.hand_out(match_id)

    def _look(self, match_id: str, outcome: MatchReport | Exception) -> None:
        """Learn from how a match ended whether the executor can go on."""
        self._in_flight.discard(match_id)
        if isinstance(outcome, MatchReport):
            self._watch.finish(match_id)
            self._backoff.reset()
            self._problems.end(PART)
            self._health.clear(PART)
        elif isinstance(outcome, ExecutorFailedError):
            self._fail(outcome)
        elif isinstance(outcome, MatchLostError) and outcome.cause is not HostCause.CANCELLED:
            self._watch.lose(match_id, outcome.cause, still_open=len(self._in_flight), now_s=time.monotonic())
            if lost := self._watch.count_failures(self._in_flight):
                self._fail(HostFailingError(f"the host lost {lost} matches in a row; last reason: {outcome}"))
        else:
            self._watch.forget(match_id)

    def _fail(self, error: Exception) -> None:
        if self._failed is not None and not self._failed.done():
            self._failed.set_result(error)


class _Watched:
    """An executor that tells when each match begins, and how it ended."""

    def __init__(
        self, executor: Executor, begin: Callable[[str], None], look: Callable[[str, MatchReport | Exception], None]
    ) -> None:
        self._executor = executor
        self._begin = begin
        self._look = look

    def slots(self) -> int:
        return self._executor.slots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        self._begin(spec.match_id)
        try:
            report = await self._executor.run(spec)
        except BaseException as error:
            lost = error if isinstance(error, Exception) else MatchLostError(Text("cancelled"), HostCause.CANCELLED)
            self._look(spec.match_id, lost)
            raise
        self._look(spec.match_id, report)
        return report

    async def cancel(self, match_id: str) -> None:
        await self._executor.cancel(match_id)


class RemoteMatchExecutor(Protocol):
    """Plays matches with remote bots, as an `arena.executor.remote_bots_process.RemoteProcess` does."""

    def has(self, match_id: str) -> bool:
        """Return whether the match is played here, or waits for its bots."""

    async def run_match(self, spec: MatchSpec) -> MatchReport:
        """Play one match when its remote bots are here. Raises MatchLostError, NotBegunError, ExecutorFailedError."""

    def cancel(self, match_id: str) -> None:
        """End a match without a report. Unknown ids are ignored."""

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        """Return the events of a match. Raises NotWatchableError."""


class MatchRouter:
    """Stands between a host and the slots, so that what becomes of remote matches says nothing of the host."""

    def __init__(self, slots: Slots, remote: RemoteMatchExecutor | None) -> None:
        """Without `remote`, no tournament with remote bots is begun, so that all matches are the executor's."""
        self._slots = slots
        self._remote = remote

    def slots(self) -> int:
        """Return how many matches are played at once on this machine."""
        return self._slots.slots()

    def use(self, executor: MatchExecutor | None) -> None:
        """Have the slots play with this executor from now on; with `None` nothing begins until there is another one."""
        if executor is not None and self._remote is not None:
            executor = _Routed(executor, self._remote)
        self._slots.use(executor)

    def watch_with(self, watch: Watch) -> Watch:
        """Return the `watch` of all matches, given that of those without remote bots."""
        remote = self._remote

        def routed(match_id: str, *, after: int = -1, logs: Sequence[int] = ()) -> AsyncGenerator[LiveEvent, None]:
            chosen = watch if remote is None or not remote.has(match_id) else remote.watch
            return chosen(match_id, after=after, logs=logs)

        return routed


class _Routed:
    """A `MatchExecutor` that knows two places."""

    def __init__(self, local: MatchExecutor, remote: RemoteMatchExecutor) -> None:
        self._local = local
        self._remote = remote

    def slots(self) -> int:
        return self._local.slots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        return await (self._remote.run_match(spec) if spec.has_remote else self._local.run(spec))

    async def cancel(self, match_id: str) -> None:
        self._remote.cancel(match_id)
        await self._local.cancel(match_id)
