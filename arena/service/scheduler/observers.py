"""Counts and logs the matches in the slots, and lets them be watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from arena.executor import interface
from arena.match.live import LiveEvent
from arena.match.result import HostCause, MatchLostError
from arena.match.worker_report import MatchReport
from arena.model.errors import FellBehindError
from arena.service.logs import Logger
from arena.service.metrics import Metrics
from arena.service.scheduler.executor_supervisor import Watch
from arena.service.scheduler.queue import QueuedMatch
from arena.service.scheduler.slots import Slots

OPERATOR = "operator"
"""Stands for the owner of bots that have none."""
_LAGS = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)


class MatchObserver:
    """A `SlotsObserver` that keeps metrics and writes a line for each match, fault and loss."""

    def __init__(self, metrics: Metrics, log: Logger) -> None:
        self._log = log
        self._matches = metrics.counter("arena_matches_total", "Matches that were finished.", ("activity",))
        self._seconds = metrics.histogram("arena_match_seconds", "From slot to result of a match.", ("activity",))
        self._decisions = metrics.counter("arena_decisions_total", "Decisions that bots took.")
        self._plies = metrics.counter("arena_plies_total", "Plies of all matches, forced ones too.")
        self._faults = metrics.counter("arena_faults_total", "Faults of bots.", ("cause", "owner"))
        self._lost = metrics.counter("arena_lost_matches_total", "Attempts that the host lost.", ("cause",))
        self._lag = metrics.histogram(
            "arena_referee_lag_seconds", "Longest wait of the referee for a processor in a match.", (), _LAGS
        )

    def ended(self, job: QueuedMatch, outcome: MatchReport | Exception, seconds: float) -> None:
        """Count and log a match that has ended, well or not."""
        if isinstance(outcome, MatchReport):
            activity = job.queue.kind.value
            self._matches.add(1, activity)
            self._seconds.observe(seconds, activity)
            self._decisions.add(outcome.decisions)
            self._plies.add(outcome.plies)
            self._lag.observe(outcome.referee_lag_us / 1_000_000)
            log = self._log.bind(match=outcome.match_id, attempt=outcome.attempt, activity=activity, of=job.queue.name)
            log.debug("match finished", plies=outcome.plies, decisions=outcome.decisions, seconds=round(seconds, 3))
            for fault in outcome.result.faults:
                seat = job.spec.seats[fault.seat]
                owner, slash, _ = seat.name.partition("/")
                self._faults.add(1, fault.cause.value, owner if slash else OPERATOR)
                about = {"seat": fault.seat, "ply": fault.ply, "bot": seat.name, "version": seat.version[:12]}
                log.debug("fault", cause=fault.cause.value, why=fault.explanation, **about)
        else:
            cause = outcome.cause if isinstance(outcome, MatchLostError) else HostCause.HOSTING_FAILED
            self._lost.add(1, cause.value)
            if cause is not HostCause.CANCELLED:
                about = {"activity": job.queue.kind.value, "of": job.queue.name, "cause": cause.value}
                self._log.warning(
                    "match lost", match=job.spec.match_id, attempt=job.spec.attempt, why=str(outcome), **about
                )


def export_slots(metrics: Metrics, slots: Slots, count_warm_bots: Callable[[], int]) -> None:
    """Have the state of the slots exported with every look at the metrics."""
    total = metrics.gauge("arena_slots", "Matches that can be played at once.")
    queue = metrics.gauge("arena_queue_matches", "Matches that wait for a slot.", ("activity",))
    busy = metrics.gauge("arena_slots_busy", "Matches that hold a slot or wait in a worker.", ("activity",))
    warm = metrics.gauge("arena_warm_processes", "Idle processes of bots that are kept for later matches.")

    def fill() -> None:
        total.set(slots.slots())
        warm.set(count_warm_bots())
        for kind, count in slots.count_waiting().items():
            queue.set(count, kind.value)
        for kind, count in slots.count_running().items():
            busy.set(count, kind.value)

    metrics.before_export(fill)


class LiveSlots:
    """Shows the matches of the slots; implements `arena.service.server.match_watching.LiveMatches`."""

    def __init__(self, slots: Slots, watch: Watch) -> None:
        self._slots = slots
        self._watch = watch

    async def watch(
        self, match_id: str, *, after: int = -1, logs: Sequence[int] = ()
    ) -> AsyncGenerator[LiveEvent, None]:
        """Yield the events of a match that follow the sequence `after`, to its end; one that waits is waited for.

        Raises LookupError if it neither waits nor is played, and FellBehindError for who takes the events too slowly.
        """
        job = self._slots.find(match_id)
        if job is None:
            raise LookupError(f"match {match_id} is not played now")
        await job.moved.wait()
        await asyncio.sleep(0)  # what has begun just now reaches the executor with the next turn of the loop
        try:
            async with aclosing(self._watch(match_id, after=after, logs=logs)) as events:
                async for event in events:
                    yield event
        except interface.WatcherFellBehindError as error:
            raise FellBehindError(error.sequence) from error
