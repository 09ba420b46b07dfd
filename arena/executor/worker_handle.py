"""One worker process, seen from the coordinator: it is started, given matches, listened to, and ended.

The events of each match go by a channel to any number of watchers, who share one subscription at the worker.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from arena.executor.child_handle import LocalNode, MakeTransport, TransportLostError, WorkerNode, pipe_transport
from arena.executor.interface import WatcherFellBehindError
from arena.hosting.errors import is_crash
from arena.match.live import LiveEndEvent, LiveEvent, LiveLogEvent, events_of_replay, live_end, read_live
from arena.match.replay import ReplayError, load
from arena.match.result import HostBrokenError, HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from engine.translatable import Text, joined

WARM_BOTS_APART = 8
"""How many idle bots a worker keeps where each has another process beside it, of some 40 MB."""
_TICKETS = itertools.count(1)
_WORKER_ENDED = Text("its worker ended")
MOST_BEHIND = 4096
"""How many events may happen that a watcher has not taken, once it had taken all."""
KEPT_LOG_BYTES = 512 * 1024
"""How much text of all seats together is kept for those who come later or are slow."""


class ExecutorJob:
    """A match to play, and its report to come."""

    def __init__(self, spec: MatchSpec, on_watched: Callable[[ExecutorJob], None] = lambda _: None) -> None:
        """Call `on_watched` when somebody begins or ceases to watch the match."""
        self.spec = spec
        self.ticket = next(_TICKETS)  # names this job in messages; a match that was lost may come again as another job
        self.report: asyncio.Future[MatchReport] = asyncio.get_running_loop().create_future()
        self.report.add_done_callback(self._end_channel)
        self.channel = MatchChannel(lambda: on_watched(self))
        self._on_watched = on_watched
        self.crashes = 0  # how many workers crashed while they played it
        self.moves = 0  # how many machines were lost while they played it
        self.is_trial = False  # whether nothing counts but whether a worker crashes with it

    def begin_again(self, why: str = _WORKER_ENDED) -> None:
        """Note that it is played again from its start, to whoever comes to watch; who watches now is told why."""
        self.channel.end(None, joined(why, Text("it is played again")))
        self.channel = MatchChannel(lambda: self._on_watched(self))

    def fail(self, error: Exception) -> None:
        """End the job without a report, unless it has ended already."""
        if not self.report.done():
            self.report.set_exception(error)

    def _end_channel(self, report: asyncio.Future[MatchReport]) -> None:
        if report.cancelled():
            self.channel.end(None, Text("cancelled"))
        elif (error := report.exception()) is not None:
            self.channel.end(None, str(error))
        else:
            self.channel.end(report.result())


class WorkerProcess:
    """A worker that can be started again after its death: `run` runs it once, `stop` ends it."""

    def __init__(
        self,
        cores: Sequence[int],
        on_room: Callable[[], None],
        on_unplayed: Callable[[ExecutorJob], None],
        on_crashed: Callable[[ExecutorJob, MatchLostError], None],
        options: Sequence[str] = (),
        *,
        on_lost: Callable[[ExecutorJob, str], None],
        carry: MakeTransport = pipe_transport,
        place: WorkerNode | None = None,
    ) -> None:
        """Call `on_room` when the worker can take another match, `on_unplayed` with each job it died before playing.

        Call `on_crashed` with the job with which it reached a limit of its own or crashed, and how it ended. From then
        on it serves each bot in a process of its own. The worker stays on `cores`, or anywhere if there are none.
        `options` are further words for the command line of `arena.worker`. It is in a `place` elsewhere if one is
        given, and `carry` makes its way there; `on_lost` is called with the job that was played when the way was lost,
        or something that the worker said could not be taken, and why.
        """
        self._on_room = on_room
        self._on_unplayed = on_unplayed
        self._on_crashed = on_crashed
        self._jobs: dict[int, ExecutorJob] = {}
        self._options = ("--cores", ",".join(map(str, cores)), *options) if cores else options
        self._on_lost = on_lost
        self.place = place or LocalNode()  # where it is
        self._child = carry(self.words, lambda head, blob: self._handle(head, blob), self._fall_silent)
        self._has_broken = False
        self._was_ready = False
        self.is_ready = False
        self.is_apart = False  # whether it has fallen before, and serves each bot in a process of its own
        self.warm_bots = 0  # how many processes of bots it kept when its last match ended

    @property
    def load(self) -> int:
        """How many jobs it has, including the one it plays."""
        return len(self._jobs)

    async def run(self) -> bool:
        """Start the process, serve it until it dies, and return whether it had been ready.

        The match that it plays at its death is lost. Raises TransportLostError, and what is raised by whatever it says,
        after all its jobs were given back.
        """
        self._has_broken = False
        try:
            was_ready, code = await self._child.run()
        except Exception as error:
            self.is_ready = False
            why = str(error) if isinstance(error, TransportLostError) else unserved(error)
            jobs = self._take_all()
            for job in reversed(jobs[1:]):
                self._on_unplayed(job)
            for job in jobs[:1]:
                self._on_lost(job, why)
            raise
        self._was_ready |= was_ready
        self._fail_all(code)
        return was_ready

    def stop(self) -> None:
        """Have it end its bots and itself; `run` returns then."""
        self._child.stop()

    def kill(self) -> None:
        """End it at once; its launcher ends its bots."""
        self._child.kill()

    def takes(self, job: ExecutorJob) -> bool:
        """Return whether a match may be sent to it; one with which a worker crashed only if it serves bots apart."""
        return (self.is_apart or not job.crashes) and self.place.takes(job.spec)

    def play(self, job: ExecutorJob) -> None:
        """Send it a match."""
        self._jobs[job.ticket] = job
        self._child.send({"do": "play", "ticket": job.ticket, "spec": self.place.localize(job.spec).to_json()})
        if job.channel.is_watched:
            self.update_watch(job)

    def update_watch(self, job: ExecutorJob) -> None:
        """Tell it whether a match is watched, and whose logs; nothing happens if it does not have that one."""
        if job.ticket in self._jobs:
            logs = {"logs": job.channel.wanted_logs} if job.channel.is_watched else {}
            self._child.send({"do": "watch" if logs else "unwatch", "ticket": job.ticket, **logs})

    def withdraw(self, job: ExecutorJob) -> None:
        """Have it drop a job; nothing happens if it does not have that one."""
        if job.ticket in self._jobs:
            self._child.send({"do": "cancel", "ticket": job.ticket})

    def last_words(self) -> str:
        """Return the last line it wrote to stderr."""
        return self._child.last_words()

    def words(self) -> Sequence[str]:
        """Return its options as words of a command line."""
        apart = ("--apart", "--warm-bots", str(WARM_BOTS_APART)) if self.is_apart else ()
        # Where there was room once, there will be again; where there never was, people are told at once.
        return (*self._options, *apart, *(("--patient",) if self._was_ready else ()))

    def _fall_silent(self) -> None:
        self.is_ready = False
        self.warm_bots = 0

    def _handle(self, head: Mapping[str, Any], blob: bytes) -> None:
        if head["event"] == "ready":
            self.is_ready = True
        elif head["event"] == "live":
            self._jobs[head["ticket"]].channel.publish([read_live(head["live"], blob)])
            return
        else:
            job = self._jobs[head["ticket"]]
            if head["event"] == "lost":
                error = MatchLostError.from_json(head["error"])
                if isinstance(error, HostBrokenError):
                    self.is_ready, self._has_broken = False, True
                job.fail(error)
                if error.cause not in (HostCause.CANCELLED, HostCause.UNPLAYABLE):
                    self.place.note_loss(job.spec, error.cause)
            else:
                report = MatchReport.from_json(head["report"], blob)
                self.warm_bots = report.warm_bots
                if not job.report.done():
                    job.report.set_result(report)
                self.place.note_report(job.spec, report)
            del self._jobs[head["ticket"]]  # not before: what fails meanwhile has all jobs given back
        self._on_room()

    def _fail_all(self, code: int | None) -> None:
        """Fail the match that had begun. Jobs are played in order, so the others only waited and can go elsewhere."""
        begun = 0 if self._has_broken else 1
        jobs = self._take_all()
        has_crashed = is_crash(code, self._child.last_output()) and not self._child.is_stopping
        self.is_apart |= has_crashed
        for job in jobs[:begun]:
            death = self._child.describe_death(code)
            self._on_crashed(job, death) if has_crashed else job.fail(death)
        for job in reversed(jobs[begun:]):
            self._on_unplayed(job)
        for job in jobs[:begun]:
            self.place.note_loss(job.spec, HostCause.WORKER_DIED)

    def _take_all(self) -> list[ExecutorJob]:
        jobs = list(self._jobs.values())
        self._jobs.clear()
        return jobs


def unserved(error: Exception) -> str:
    """Return why a worker is not served any more, after an error of our own in what it said."""
    return f"a worker cannot be served: {type(error).__name__}: {error}"


@dataclass(eq=False, slots=True)
class _Watcher:
    logs: frozenset[int]
    next: int = 0  # the index of the first event that it has not taken
    was_up_to_date: bool = False
    is_too_slow: bool = False
    has_news: asyncio.Event = field(default_factory=asyncio.Event)


class MatchChannel:
    """The events of one match that is ordered here; `on_change` is called when watchers come or go."""

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self._on_change = on_change
        self._events: list[LiveEvent] = []
        self._watchers: set[_Watcher] = set()
        self._last = -1
        self._texts: deque[int] = deque()
        self._text_bytes = 0
        self._ending: tuple[MatchReport | None, str] | None = None
        self._has_ended = False

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches."""
        return bool(self._watchers)

    @property
    def wanted_logs(self) -> Sequence[int]:
        """The seats whose logs somebody watches."""
        return sorted({seat for watcher in self._watchers for seat in watcher.logs})

    async def watch(self, after: int, logs: Iterable[int]) -> AsyncGenerator[LiveEvent, None]:
        """Yield the events that follow the sequence `after`, those that have happened first, to the end of the match.

        Of logs only those of the given seats. Raises WatcherFellBehindError.
        """
        watcher = _Watcher(frozenset(logs))
        self._watchers.add(watcher)
        last = after
        try:
            self._on_change()
            self._publish_end()
            while True:
                for event in self._take(watcher):
                    if watcher.is_too_slow:
                        raise WatcherFellBehindError(last)
                    if _is_wanted(event, after, watcher.logs):
                        last = max(last, event.sequence)
                        yield event
                    if isinstance(event, LiveEndEvent):
                        return
                await watcher.has_news.wait()
        finally:
            self._watchers.discard(watcher)
            self._on_change()

    def _take(self, watcher: _Watcher) -> Iterable[LiveEvent]:
        """Yield what a watcher has not taken yet, also what happens meanwhile."""
        while watcher.next < len(self._events):
            watcher.next += 1
            yield self._events[watcher.next - 1]
        watcher.was_up_to_date = True
        watcher.has_news.clear()

    def publish(self, events: Iterable[LiveEvent]) -> None:
        """Add events, and wake the watchers; nothing happens after the end."""
        if self._has_ended:
            return
        for event in events:
            self._add(event)
        for watcher in self._watchers:
            watcher.is_too_slow |= watcher.was_up_to_date and len(self._events) - watcher.next > MOST_BEHIND
            watcher.has_news.set()

    def end(self, report: MatchReport | None, lost: str = "") -> None:
        """Note the end, of which the watchers hear: the report, or one sentence that tells why there is none."""
        self._ending = report, lost
        if self.is_watched:
            self._publish_end()

    def _publish_end(self) -> None:
        """Publish the end, once, after whatever of the match was not shown to a watcher who came late."""
        if self._ending is None or self._has_ended:
            return
        report, lost = self._ending
        if report is None:
            self.publish([LiveEndEvent(self._last + 1, None, lost)])
        else:
            missing: list[LiveEvent] = []
            if self._last < report.plies:
                with suppress(ReplayError):  # a game that is installed only where the worker looks for it
                    missing = [
                        event
                        for event in events_of_replay(load(report.replay))
                        if event.sequence > self._last and not isinstance(event, LiveEndEvent)
                    ]
            self.publish([*missing, live_end(report.result, report.plies)])
        self._has_ended = True

    def _add(self, event: LiveEvent) -> None:
        self._events.append(event)
        if not isinstance(event, LiveLogEvent):
            self._last = event.sequence
            return
        self._texts.append(len(self._events) - 1)
        self._text_bytes += len(event.data)
        while self._text_bytes > KEPT_LOG_BYTES:  # the oldest log is replaced by the number of its bytes
            index = self._texts.popleft()
            oldest = self._events[index]
            assert isinstance(oldest, LiveLogEvent)
            size = len(oldest.data)
            self._text_bytes -= size
            self._events[index] = replace(
                oldest, start=oldest.start + size, data=b"", cut_bytes=oldest.cut_bytes + size
            )


def _is_wanted(event: LiveEvent, after: int, logs: frozenset[int]) -> bool:
    if isinstance(event, LiveLogEvent):
        return event.seat in logs and event.sequence >= after
    return event.sequence > after
