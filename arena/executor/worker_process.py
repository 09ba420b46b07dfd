"""One worker process, seen from the coordinator: it is started, given matches, listened to, and ended.

`arena.worker.loop` is the other end of the pipe and describes the messages.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.executor.channel import Channel
from arena.hosting.frames import FrameError, encode_frame, read_frame
from arena.match.host_faults import HostBrokenError, HostCause, MatchLostError
from arena.match.live import read_live
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec

KEPT_STDERR_BYTES = 8192
END_GRACE_S = 10.0
_TICKETS = itertools.count(1)


class Job:
    """A match to play, and its report to come."""

    def __init__(self, spec: MatchSpec, on_watched: Callable[[Job], None] = lambda _: None) -> None:
        """Call `on_watched` when somebody begins or ceases to watch the match."""
        self.spec = spec
        self.ticket = next(_TICKETS)
        """Names this job in messages; a match that was lost may come again as another job."""
        self.report: asyncio.Future[MatchReport] = asyncio.get_running_loop().create_future()
        self.report.add_done_callback(self._end_channel)
        self.channel = Channel(lambda: on_watched(self))

    def fail(self, error: Exception) -> None:
        """End the job without a report, unless it has ended already."""
        if not self.report.done():
            self.report.set_exception(error)

    def _end_channel(self, report: asyncio.Future[MatchReport]) -> None:
        if report.cancelled():
            self.channel.end(None, "cancelled")
        elif (error := report.exception()) is not None:
            self.channel.end(None, str(error))
        else:
            self.channel.end(report.result())


class WorkerProcess:
    """A worker that can be started again after its death: `run` runs it once, `stop` ends it."""

    def __init__(
        self,
        core: int | None,
        on_room: Callable[[], None],
        on_unplayed: Callable[[Job], None],
        options: Sequence[str] = (),
    ) -> None:
        """Call `on_room` when the worker can take another match, `on_unplayed` with each job it died before playing.

        The worker stays on `core`. `options` are further words for the command line of `arena.worker`.
        """
        self._options = options if core is None else ("--core", str(core), *options)
        self._on_room = on_room
        self._on_unplayed = on_unplayed
        self._jobs: dict[int, Job] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._stderr = bytearray()
        self._is_stopping = False
        self._has_broken = False
        self.is_ready = False
        self.warm_bots = 0
        """How many processes of bots it kept when its last match ended."""

    @property
    def load(self) -> int:
        """How many jobs it has, including the one it plays."""
        return len(self._jobs)

    async def run(self) -> bool:
        """Start the process, serve it until it dies, and return whether it had been ready.

        The match that it plays at its death is lost.
        """
        self._stderr.clear()
        self._has_broken = False
        try:
            process = self._process = await self._start()
        except OSError as error:
            self._stderr += f"{error}".encode()
            return False
        was_ready = await self._serve_until_death(process)
        self._fail_all(process.returncode)
        return was_ready

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self._command(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_environment(),
            start_new_session=True,  # Ctrl-C in a terminal is for the coordinator, which ends it in order
        )

    async def _serve_until_death(self, process: asyncio.subprocess.Process) -> bool:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if self._is_stopping:
            process.stdin.close()
        drain = asyncio.create_task(self._drain(process.stderr))
        try:
            was_ready = await self._serve(process.stdout)
            await _await_end(process)
        except Exception:
            self.kill()
            await process.stdout.read()
            raise
        finally:
            await drain
        return was_ready

    def stop(self) -> None:
        """Have it end its bots and itself; `run` returns then."""
        self._is_stopping = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        """End it at once; its launcher ends its bots."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    def play(self, job: Job) -> None:
        """Send it a match."""
        self._jobs[job.ticket] = job
        self._tell({"do": "play", "ticket": job.ticket, "spec": job.spec.to_json()})
        if job.channel.is_watched:
            self.tell_watched(job)

    def tell_watched(self, job: Job) -> None:
        """Tell it whether a match is watched, and whose logs; nothing happens if it does not have that one."""
        if job.ticket in self._jobs:
            logs = {"logs": job.channel.wanted_logs} if job.channel.is_watched else {}
            self._tell({"do": "watch" if logs else "unwatch", "ticket": job.ticket, **logs})

    def withdraw(self, job: Job) -> None:
        """Have it drop a job; nothing happens if it does not have that one."""
        if job.ticket in self._jobs:
            self._tell({"do": "cancel", "ticket": job.ticket})

    def last_words(self) -> str:
        """Return the last line it wrote to stderr."""
        lines = self._stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def _command(self) -> list[str]:
        # -P: a folder named arena in the current directory is not ours.
        return [sys.executable, "-P", "-m", "arena.worker", *self._options]

    def _tell(self, head: Mapping[str, Any]) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(encode_frame(head))

    async def _serve(self, stdout: asyncio.StreamReader) -> bool:
        was_ready = False
        try:
            while (frame := await read_frame(stdout)) is not None:
                head, blob = frame
                was_ready = True
                self._handle(head, blob)
        except FrameError as error:
            self._stderr += f"\n{error}".encode()
        finally:
            self.is_ready = False
            self.warm_bots = 0
        return was_ready

    def _handle(self, head: Mapping[str, Any], blob: bytes) -> None:
        if head["event"] == "ready":
            self.is_ready = True
        elif head["event"] == "live":
            self._jobs[head["ticket"]].channel.publish([read_live(head["live"], blob)])
            return
        else:
            self._end(self._jobs.pop(head["ticket"]), head, blob)
        self._on_room()

    def _end(self, job: Job, head: Mapping[str, Any], blob: bytes) -> None:
        if head["event"] == "lost":
            self._fail(job, MatchLostError.from_json(head["error"]))
        else:
            self._succeed(job, MatchReport.from_json(head["report"], blob))

    def _succeed(self, job: Job, report: MatchReport) -> None:
        self.warm_bots = report.warm_bots
        if not job.report.done():
            job.report.set_result(report)

    def _fail(self, job: Job, error: MatchLostError) -> None:
        if isinstance(error, HostBrokenError):
            self.is_ready, self._has_broken = False, True
        job.fail(error)

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._stderr += data
            del self._stderr[:-KEPT_STDERR_BYTES]

    def _fail_all(self, code: int | None) -> None:
        """Fail the match that had begun. Jobs are played in order, so the others only waited and can go elsewhere."""
        begun = 0 if self._has_broken else 1
        jobs = list(self._jobs.values())
        self._jobs.clear()
        for job in jobs[:begun]:
            job.fail(self._describe_death(code))
        for job in reversed(jobs[begun:]):
            self._on_unplayed(job)

    def _describe_death(self, code: int | None) -> MatchLostError:
        number = -code if code is not None and code < 0 else 0
        ended = signal.Signals(number).name if number in list(signal.Signals) else f"exit status {code}"
        why = self.last_words()
        stderr = self._stderr.decode("utf-8", "replace")
        evidence = {"ended": ended, "exit_status": max(code or 0, 0), "signal": number, "stderr": stderr}
        return MatchLostError(f"its worker ended ({ended}){': ' + why if why else ''}", HostCause.WORKER_DIED, evidence)


def _environment() -> dict[str, str]:
    # gRPC's fork handlers can hang a child that is started while streams are open. A worker's bots are started by its
    # launcher, so the handlers are switched off; gRPC reads this once, when it is imported.
    return {"GRPC_ENABLE_FORK_SUPPORT": "0", **os.environ}


async def _await_end(process: asyncio.subprocess.Process) -> None:
    """Wait for the end of a process whose stdout has ended."""
    # It is not killed at once, because signalling a process that is just ending loses its exit status.
    try:
        async with asyncio.timeout(END_GRACE_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
