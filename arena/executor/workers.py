"""One worker process as the coordinator sees it."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Callable, Mapping
from typing import Any

from arena.executor.base import MatchLostError
from arena.executor.frames import FrameError, decode_report, encode_frame, read_frame
from arena.match.spec import MatchReport, MatchSpec

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

    def lose(self, reason: str) -> None:
        """The host could not play it."""
        if not self.report.done():
            self.report.set_exception(MatchLostError(f"match {self.spec.match_id}: {reason}"))


class WorkerProcess:
    """`run` has it run once, from start to death; `stop` ends it."""

    def __init__(self, core: int | None, on_room: Callable[[], None], on_unplayed: Callable[[Job], None]) -> None:
        """`on_room` is called when it can take another match, `on_unplayed` with one that it died too early for."""
        self._core = core
        self._on_room = on_room
        self._on_unplayed = on_unplayed
        self._jobs: dict[int, Job] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._stderr = bytearray()
        self._is_stopping = False
        self.is_ready = False

    @property
    def load(self) -> int:
        """How many matches it has, the one it plays included."""
        return len(self._jobs)

    async def run(self) -> bool:
        """Start it and serve it until it dies; the match it played is lost then. Whether it had been ready."""
        self._stderr.clear()
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
        self._lose_all()
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
        command = [sys.executable, "-P", "-m", "arena.worker"]
        return command if self._core is None else [*command, "--core", str(self._core)]

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
                job.lose(head["reason"])
            elif not job.report.done():
                job.report.set_result(decode_report(head, blob))
        self._on_room()

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._stderr += data
            del self._stderr[:-KEPT_STDERR_BYTES]

    def _lose_all(self) -> None:
        """It plays in order: the first match had begun, the others only waited and can be played elsewhere."""
        why = self.last_words()
        jobs = list(self._jobs.values())
        self._jobs.clear()
        for job in jobs[:1]:
            job.lose(f"its worker ended{': ' + why if why else ''}")
        for job in reversed(jobs[1:]):
            self._on_unplayed(job)
