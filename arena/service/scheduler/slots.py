"""The match slots of a service: one queue for each activity, one executor, fair shares, and limits of owners."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from arena.executor.interface import NotBegunError
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.service.scheduler.queue import (
    FairQueue,
    MatchPurpose,
    MatchQueue,
    OwnerLimit,
    OwnerMatchCounts,
    QueuedMatch,
    next_job,
    without_slot,
)
from arena.tournament.circuit_breaker import HostWatch
from arena.tournament.rate_limit import MatchRateLimit
from arena.tournament.runner import MatchExecutor
from engine.translatable import Text
from ratings.read.accounts import own_limits
from ratings.store.database import Database
from ratings.values.owners import OwnerLimits

HEAD_START_S = 60.0
"""How many seconds of slots admissions may have ahead of their share: they come first, and nobody starves."""
SHORT_S = 1.0
"""Matches shorter than this on average wait in the workers themselves, as many as there are slots."""


class SlotsObserver(Protocol):
    """Is told what happens in the slots."""

    def ended(self, job: QueuedMatch, outcome: MatchReport | Exception, seconds: float) -> None:
        """Look at a match that has ended, well or not."""


class Slots:
    """Hands matches of all activities to one executor, which may be replaced; without one everything waits."""

    def __init__(
        self,
        slots: int | Callable[[], int],
        weights: Mapping[MatchPurpose, float],
        *,
        owner_limit: OwnerLimit = lambda _: 0,
        needs_slot: Callable[[MatchSpec], bool] = lambda _: True,
        observer: SlotsObserver | None = None,
        watch: HostWatch | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Play at most `slots` matches at once, which may change; those that need none begin at once, not counted.

        Matches that rest, as `watch` says, let others go first.
        """
        self._count = slots
        self._owners = OwnerMatchCounts(owner_limit)
        self._needs_slot = needs_slot
        self._observer = observer
        self._watch = watch
        self._clock = clock
        self._executor: MatchExecutor | None = None
        self._is_draining = False
        self._queues: list[MatchQueue] = []
        self._running: set[QueuedMatch] = set()
        self._kinds: FairQueue[MatchPurpose] = FairQueue()
        self._shares: dict[MatchPurpose, FairQueue[MatchQueue]] = {kind: FairQueue() for kind in MatchPurpose}
        for kind in MatchPurpose:
            self._kinds.add(kind, weights[kind], HEAD_START_S if kind is MatchPurpose.ADMISSION else 0.0)
        self._timer: asyncio.TimerHandle | None = None
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def view(self, kind: MatchPurpose, name: str, *, pace: MatchRateLimit | None = None, width: int = 0) -> SlotsView:
        """Return the slots as one activity sees them; it closes the view when it ends.

        An activity whose matches need no slot may order as many of them at once as if there were `width` slots.
        """
        queue = MatchQueue(kind, name, pace)
        self._queues.append(queue)
        return SlotsView(self, queue, width)

    def slots(self) -> int:
        return self._count if isinstance(self._count, int) else self._count()

    def use(self, executor: MatchExecutor | None) -> None:
        """Play with this executor from now on; with `None` nothing begins until there is another one."""
        self._executor = executor
        self.dispatch()

    def drain(self) -> None:
        """Let nothing begin any more."""
        self._is_draining = True

    async def wait_until_idle(self) -> None:
        """Wait until no match runs."""
        await self._is_idle.wait()

    def count_waiting(self) -> dict[MatchPurpose, int]:
        """Count the matches that wait, by kind."""
        return {kind: sum(len(queue.waiting) for queue in self._queues if queue.kind is kind) for kind in MatchPurpose}

    def count_running(self) -> dict[MatchPurpose, int]:
        """Count the matches that hold a slot, by kind."""
        return {kind: sum(job.queue.kind is kind for job in self._running if job.needs_slot) for kind in MatchPurpose}

    async def run(self, queue: MatchQueue, spec: MatchSpec) -> MatchReport:
        """Play a match of an activity when it is its turn. Raises what the executor raises."""
        if spec.match_id in queue.waiting or spec.match_id in queue.running:
            raise ValueError(f"match {spec.match_id} is being played already")
        report: asyncio.Future[MatchReport] = asyncio.get_running_loop().create_future()
        job = queue.waiting[spec.match_id] = QueuedMatch(spec, queue, self._needs_slot(spec), report)
        report.add_done_callback(lambda _: job.moved.set())
        self.dispatch()
        try:
            return await report
        finally:
            self._withdraw(job)

    def find(self, match_id: str) -> QueuedMatch | None:
        """Return a match that waits or runs, or `None`."""
        found = (queue.waiting.get(match_id) or queue.running.get(match_id) for queue in self._queues)
        return next((job for job in found if job is not None), None)

    async def cancel(self, queue: MatchQueue, match_id: str) -> None:
        """End a match without a report: its `run` raises MatchLostError. Unknown ids are ignored."""
        waiting = queue.waiting.pop(match_id, None)
        if waiting is not None and not waiting.report.done():
            waiting.report.set_exception(MatchLostError(Text("cancelled"), HostCause.CANCELLED))
        elif match_id in queue.running and self._executor is not None:
            await self._executor.cancel(match_id)

    def close(self, queue: MatchQueue) -> None:
        """Forget an activity; matches that it still runs are ended."""
        for job in [*queue.waiting.values(), *queue.running.values()]:
            self._withdraw(job)
        if queue in self._queues:
            self._queues.remove(queue)
        self._shares[queue.kind].remove(queue)

    def _withdraw(self, job: QueuedMatch) -> None:
        """Give up a match whose report nobody waits for."""
        job.queue.waiting.pop(job.spec.match_id, None)
        job.report.cancel()
        if job.task is not None:
            job.task.cancel()

    def dispatch(self) -> None:
        """Begin what may begin; called whenever that may have changed."""
        if self._executor is None or self._is_draining:
            return
        now_s = self._clock()
        for job in [job for queue in self._queues for job in without_slot(queue, now_s)]:
            self._begin(job, self._executor)
        while self._has_room():
            now_s = self._clock()
            resting = frozenset[str]() if self._watch is None else self._watch.resting(now_s)
            found = {queue: next_job(queue, self._owners, now_s, resting) for queue in self._queues}
            ready = {queue: job for queue, job in found.items() if job is not None}
            if not ready:
                # Come back when the next activity that is held to a pace may go on, or a match has rested.
                waits = [queue.pace.wait_s(now_s) for queue in self._queues if queue.waiting and queue.pace is not None]
                rest_s = None if self._watch is None else self._watch.rest_s(now_s)
                if rest_s is not None:
                    waits.append(rest_s)
                if self._timer is not None:
                    self._timer.cancel()
                soonest = min((wait for wait in waits if wait > 0), default=None)
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(soonest, self.dispatch) if soonest is not None else None
                return
            kind = self._kinds.choose([kind for kind in MatchPurpose if any(queue.kind is kind for queue in ready)])
            chosen = self._shares[kind].choose([queue for queue in ready if queue.kind is kind])
            self._begin(ready[chosen], self._executor)

    def _has_room(self) -> bool:
        running = sum(job.needs_slot for job in self._running)
        kinds = {job.queue.kind for job in self._running}
        is_short = all(self._kinds.mean_cost(kind) < SHORT_S for kind in kinds)
        return running < (2 * self.slots() if is_short else self.slots())

    def _begin(self, job: QueuedMatch, executor: MatchExecutor) -> None:
        queue = job.queue
        del queue.waiting[job.spec.match_id]
        queue.running[job.spec.match_id] = job
        self._running.add(job)
        job.begun_s = self._clock()
        if job.needs_slot:
            # A match of remote bots may wait for long: it must not keep other matches of their owners from their turn.
            self._owners.begin(job)
            job.charges = self._kinds.begin(queue.kind), self._shares[queue.kind].begin(queue)
            job.part = min(1.0, self.slots() / sum(one.needs_slot for one in self._running))
        if queue.pace is not None:
            queue.pace.take(job.begun_s)
        self._is_idle.clear()
        job.task = asyncio.ensure_future(executor.run(job.spec))
        job.moved.set()
        job.task.add_done_callback(lambda task: self._end(job, task))

    def _end(self, job: QueuedMatch, task: asyncio.Task[MatchReport]) -> None:
        outcome: MatchReport | Exception
        if task.cancelled():
            outcome = MatchLostError(Text("cancelled"), HostCause.CANCELLED)
        elif (error := task.exception()) is None:
            outcome = task.result()
        else:
            outcome = error if isinstance(error, Exception) else MatchLostError(f"{type(error).__name__}: {error}")
        seconds = self._clock() - job.begun_s
        del job.queue.running[job.spec.match_id]
        self._running.discard(job)
        if job.needs_slot:
            self._owners.end(job)
        is_played = not isinstance(outcome, Exception)
        if job.charges is not None:
            of_kind, of_flow = job.charges
            # What was lost or withdrawn used the slot, too, but says nothing of how long the next one takes.
            self._kinds.end(of_kind, seconds * job.part, is_typical=is_played)
            self._shares[job.queue.kind].end(of_flow, seconds * job.part, is_typical=is_played)
        if job.queue.pace is not None and not is_played:
            job.queue.pace.give_back()
        if not self._running:
            self._is_idle.set()
        if isinstance(outcome, NotBegunError) and not job.report.done():
            job.queue.waiting[job.spec.match_id] = job  # as if it had never been its turn
            return
        if self._observer is not None:
            self._observer.ended(job, outcome, seconds)
        if not job.report.done():
            if isinstance(outcome, Exception):
                job.report.set_exception(outcome)
            else:
                job.report.set_result(outcome)
        self.dispatch()


class SlotsView:
    """The slots as one activity sees them: an `arena.tournament.runner.MatchExecutor`."""

    def __init__(self, slots: Slots, queue: MatchQueue, width: int = 0) -> None:
        self._slots = slots
        self._flow = queue
        self._width = width

    def slots(self) -> int:
        """Return how many matches are played at once when nobody else wants to."""
        return self._width or self._slots.slots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        """Play one match when it is its turn. Raises what the executor raises."""
        return await self._slots.run(self._flow, spec)

    async def cancel(self, match_id: str) -> None:
        await self._slots.cancel(self._flow, match_id)

    def close(self) -> None:
        """End what is left, and give up the share."""
        self._slots.close(self._flow)


class MatchLimits:
    """How many matches with bots of an owner may be played at the same time, as it was read last; 0 for no limit."""

    def __init__(self, common: OwnerLimits) -> None:
        self._common = common.concurrent_matches
        self._own: Mapping[str, int] = {}

    def __call__(self, owner: str) -> int:
        return self._own.get(owner, self._common)

    def set_own(self, own: Mapping[str, int]) -> bool:
        """Take over for whom it differs from what all owners may, and return whether anything has changed."""
        has_changed = own != self._own
        self._own = own
        return has_changed


class MatchLimitUpdater:
    """Reads again and again for whom the limit differs, so that a change counts at once."""

    def __init__(self, database: Database, slots: Slots, limits: MatchLimits) -> None:
        self._database = database
        self._slots = slots
        self._limits = limits

    async def look(self) -> None:
        """Read the limits; what may begin now begins."""
        rows = await asyncio.to_thread(own_limits, self._database)
        name = "concurrent_matches"
        if self._limits.set_own({owner: own[name] for owner, own in rows.items() if name in own}):
            self._slots.dispatch()

    async def close(self) -> None:
        """Do nothing: nothing was begun."""
