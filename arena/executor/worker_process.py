"""One worker process, seen from the coordinator: it is started, given matches, listened to, and ended.

`arena.worker.loop` is the other end of the pipe and describes the messages.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.executor.channel import MatchChannel
from arena.executor.transport import LocalNode, MakeTransport, TransportLostError, WorkerNode, pipe_transport
from arena.hosting.crashes import is_crash
from arena.match.live import read_live
from arena.match.report import MatchReport
from arena.match.result import HostBrokenError, HostCause, MatchLostError
from arena.match.spec import MatchSpec
from engine.text import Text, joined

WARM_BOTS_APART = 8
"""How many idle bots a worker keeps where each has another process beside it, of some 40 MB."""

_TICKETS = itertools.count(1)
_WORKER_ENDED = Text("executor.its_worker_ended", "its worker ended")


class ExecutorJob:
    """A match to play, and its report to come."""

    def __init__(self, spec: MatchSpec, on_watched: Callable[[ExecutorJob], None] = lambda _: None) -> None:
        """Call `on_watched` when somebody begins or ceases to watch the match."""
        self.spec = spec
        self.ticket = next(_TICKETS)
        """Names this job in messages; a match that was lost may come again as another job."""
        self.report: asyncio.Future[MatchReport] = asyncio.get_running_loop().create_future()
        self.report.add_done_callback(self._end_channel)
        self.channel = MatchChannel(lambda: on_watched(self))
        self._on_watched = on_watched
        self.crashes = 0
        """How many workers crashed while they played it."""
        self.moves = 0
        """How many machines were lost while they played it."""
        self.is_trial = False
        """Whether nothing counts but whether a worker crashes with it."""

    def begin_again(self, why: str = _WORKER_ENDED) -> None:
        """Note that it is played again from its start, to whoever comes to watch; who watches now is told why."""
        self.channel.end(None, joined(why, Text("executor.played_again", "it is played again")))
        self.channel = MatchChannel(lambda: self._on_watched(self))

    def fail(self, error: Exception) -> None:
        """End the job without a report, unless it has ended already."""
        if not self.report.done():
            self.report.set_exception(error)

    def _end_channel(self, report: asyncio.Future[MatchReport]) -> None:
        if report.cancelled():
            self.channel.end(None, Text("executor.cancelled", "cancelled"))
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
        self.place = place or LocalNode()
        """Where it is."""
        self._child = carry(self.words, lambda head, blob: self._handle(head, blob), self._fall_silent)
        self._has_broken = False
        self._was_ready = False
        self.is_ready = False
        self.is_apart = False
        """Whether it has fallen before, and serves each bot in a process of its own."""
        self.warm_bots = 0
        """How many processes of bots it kept when its last match ended."""

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
            self._give_all_back(str(error) if isinstance(error, TransportLostError) else unserved(error))
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
            self._end(self._jobs[head["ticket"]], head, blob)
            del self._jobs[head["ticket"]]  # not before: what fails meanwhile has all jobs given back
        self._on_room()

    def _end(self, job: ExecutorJob, head: Mapping[str, Any], blob: bytes) -> None:
        if head["event"] == "lost":
            self._fail(job, MatchLostError.from_json(head["error"]))
        else:
            self._succeed(job, MatchReport.from_json(head["report"], blob))

    def _succeed(self, job: ExecutorJob, report: MatchReport) -> None:
        self.warm_bots = report.warm_bots
        if not job.report.done():
            job.report.set_result(report)
        self.place.note_report(job.spec, report)

    def _fail(self, job: ExecutorJob, error: MatchLostError) -> None:
        if isinstance(error, HostBrokenError):
            self.is_ready, self._has_broken = False, True
        job.fail(error)
        if error.cause not in (HostCause.CANCELLED, HostCause.UNPLAYABLE):
            self.place.note_loss(job.spec, error.cause)

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

    def _give_all_back(self, why: str) -> None:
        """Give back all jobs: the one that had begun, and those that only waited."""
        jobs = self._take_all()
        for job in reversed(jobs[1:]):
            self._on_unplayed(job)
        for job in jobs[:1]:
            self._on_lost(job, why)

    def _take_all(self) -> list[ExecutorJob]:
        jobs = list(self._jobs.values())
        self._jobs.clear()
        return jobs


def unserved(error: Exception) -> str:
    """Return why a worker is not served any more, after an error of our own in what it said."""
    return f"a worker cannot be served: {type(error).__name__}: {error}"
