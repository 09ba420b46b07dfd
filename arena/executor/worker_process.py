"""One worker process as the coordinator sees it."""

from __future__ import annotations

import asyncio
import itertools
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.hosting.frames import FrameError, encode_frame, read_frame
from arena.match.host_faults import HostBrokenError, HostCause, MatchLostError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec

KEPT_STDERR_BYTES = 8192
END_GRACE_S = 10.0
_TICKETS = itertools.count(1)


async def _await_end(process: asyncio.subprocess.Process) -> None:
    """Its stdout has ended, so the process should, too."""
    # Not killed at once: signalling a process that is just ending takes its exit status from the event loop.
    try:
        async with asyncio.timeout(END_GRACE_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


class Job:
    """A match that was ordered, and the report that will come."""

    def __init__(self, spec: MatchSpec) -> None:
        self.spec = spec
        self.ticket = next(_TICKETS)
        self.report: asyncio.Future[MatchReport] = asyncio.get_running_loop().create_future()

    def lose(self, error: MatchLostError) -> None:
        """The host could not play it."""
        if not self.report.done():
            self.report.set_exception(error)


class WorkerProcess:
    """`run` has it run once, from start to death; `stop` ends it."""

    def __init__(
        self,
        core: int | None,
        on_room: Callable[[], None],
        on_unplayed: Callable[[Job], None],
        options: Sequence[str] = (),
    ) -> None:
        """`on_room` is called when it can take another match, `on_unplayed` with one that it died too early for.

        `options` are further words for the command line of `arena.worker`.
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

    @property
    def load(self) -> int:
        """How many matches it has, the one it plays included."""
        return len(self._jobs)

    async def run(self) -> bool:
        """Start it and serve it until it dies; the match it played is lost then. Whether it had been ready."""
        self._stderr.clear()
        self._has_broken = False
        try:
            process = self._process = await self._start()
        except OSError as error:
            self._stderr += f"{error}".encode()
            return False
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
        self._lose_all(process.returncode)
        return was_ready

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self._command(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal is for the coordinator, which ends it in order
        )

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

    def withdraw(self, job: Job) -> None:
        """Have it drop a match; nothing happens if it has another one."""
        if job.ticket in self._jobs:
            self._tell({"do": "cancel", "ticket": job.ticket})

    def last_words(self) -> str:
        """The last line it wrote to stderr."""
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
        return was_ready

    def _handle(self, head: Mapping[str, Any], blob: bytes) -> None:
        if head["event"] == "ready":
            self.is_ready = True
        else:
            job = self._jobs.pop(head["ticket"])
            if head["event"] == "lost":
                self._lose(job, MatchLostError.from_json(head["error"]))
            elif not job.report.done():
                job.report.set_result(MatchReport.from_json(head["report"], blob))
        self._on_room()

    def _lose(self, job: Job, error: MatchLostError) -> None:
        if isinstance(error, HostBrokenError):
            self.is_ready, self._has_broken = False, True
        job.lose(error)

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._stderr += data
            del self._stderr[:-KEPT_STDERR_BYTES]

    def _lose_all(self, code: int | None) -> None:
        """It plays in order: the first match had begun, the others only waited and can be played elsewhere."""
        begun = 0 if self._has_broken else 1
        jobs = list(self._jobs.values())
        self._jobs.clear()
        for job in jobs[:begun]:
            job.lose(self._describe_death(code))
        for job in reversed(jobs[begun:]):
            self._on_unplayed(job)

    def _describe_death(self, code: int | None) -> MatchLostError:
        number = -code if code is not None and code < 0 else 0
        ended = signal.Signals(number).name if number in list(signal.Signals) else f"exit status {code}"
        why = self.last_words()
        stderr = self._stderr.decode("utf-8", "replace")
        evidence = {"ended": ended, "exit_status": max(code or 0, 0), "signal": number, "stderr": stderr}
        return MatchLostError(f"its worker ended ({ended}){': ' + why if why else ''}", HostCause.WORKER_DIED, evidence)
