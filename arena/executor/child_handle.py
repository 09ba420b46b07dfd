"""A process of ours that plays matches, seen from the coordinator: started, listened to, sent messages, and ended.

A `WorkerTransport` is what carries frames to one worker and back: a `ChildProcess` by pipes of this machine, or one
over a cluster. A `WorkerNode` is the machine on which it runs.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from arena.hosting.errors import describe_end
from arena.hosting.framed_pipe import FrameError, encode_frame, read_frame
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from engine.translatable import Text

KEPT_STDERR_BYTES = 8192
END_GRACE_S = 10.0
BEAT = "alive"
"""The event that says only that a process goes on; one that says it is watched."""
BEAT_S = 1.0
"""How often a process says so."""
FIRST_PAUSE_S = 0.2
ROOM_PATIENCE_S = 60.0
"""How long a start waits for room: for processes, memory or descriptors."""
_WANTS_OF_ROOM = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
SILENCE_S = 30.0
"""A process that said nothing for so long does not go on: it is stopped, or its disk hangs."""
FIRST_WORD_S = 300.0
"""So long a process may take until it says for the first time that it goes on, if it is one that says so."""
WorkerArguments = Callable[[], Sequence[str]]
"""Returns the options of `arena.worker`, which may be others for each life of it."""
Handle = Callable[[Mapping[str, Any], bytes], None]
"""Takes the head and the blob of a frame."""


class ChildProcess:
    """A process with pipes of frames that can be started again after its death: `run` runs it once, `stop` ends it."""

    def __init__(
        self,
        command: Callable[[], Sequence[str]],
        handle: Callable[[Mapping[str, Any], bytes], None],
        on_silent: Callable[[], None],
        *,
        says_that_it_goes_on: bool = False,
        not_inherited: tuple[str, ...] = (),
    ) -> None:
        """`command` returns the program and its arguments.

        Call `handle` with the head and the blob of every frame that it writes, and `on_silent` after the last. One that
        `says_that_it_goes_on` is ended when it does not, also if it never began to. It does not get the variables of
        the environment whose names begin like one of `not_inherited`.
        """
        self._command = command
        self._handle = handle
        self._on_silent = on_silent
        self._says_that_it_goes_on = says_that_it_goes_on
        self._not_inherited = not_inherited
        self._process: asyncio.subprocess.Process | None = None
        self._stderr = bytearray()
        self._is_stopping = False
        self._pause: asyncio.Task[None] | None = None  # in which a start waits for room
        self._has_spoken = False
        self._was_killed = False
        self._silent_s: float | None = None  # how long it has said nothing, once it has said that it goes on
        self._companion: int | None = None  # a descriptor of the process that it named, which must end with it

    async def run(self) -> tuple[bool, int | None]:
        """Start the process, serve it until it dies, and return whether it ever spoke, and its exit code.

        The code is None if it could not be started, or does not even end when it is killed, as in a call to a disk that
        hangs: then it is given up, and what it says later is heard by nobody.
        """
        self._stderr.clear()
        self._silent_s = None
        self._has_spoken = self._was_killed = False
        try:
            process = self._process = await self._start_when_there_is_room()
        except OSError as error:
            self._stderr += f"{error}".encode()
            return False, None
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if self._is_stopping:
            process.stdin.close()
        drain = asyncio.create_task(self._drain(process.stderr))
        serving = asyncio.create_task(self._serve(process.stdout))
        watching = asyncio.create_task(self._kill_if_silent(process))
        try:
            await asyncio.wait({serving, watching}, return_when=asyncio.FIRST_COMPLETED)
            # It has ended, or was killed: what it wrote is there. Its output ends only when all who have it end theirs.
            await asyncio.wait({serving}, timeout=END_GRACE_S)
            if serving.done():
                await serving
            await self._await_end(process)
        except Exception:
            self.kill()
            await self._await_end(process)
            raise
        finally:
            watching.cancel()
            serving.cancel()
            await asyncio.wait({serving})
            await self._end_companion()  # it has our pipe for errors, too
            with suppress(TimeoutError):  # its last words; one that is stopped may hold its pipe
                async with asyncio.timeout(END_GRACE_S):
                    await drain
            process._transport.close()  # type: ignore[attr-defined]  # else pipes that another process holds stay open
        return self._has_spoken, process.returncode

    @property
    def is_stopping(self) -> bool:
        """Return whether it was told to stop."""
        return self._is_stopping

    def stop(self) -> None:
        """Have it end its bots and itself; `run` returns then."""
        self._is_stopping = True
        if self._pause is not None:
            self._pause.cancel()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        """End it at once; its launcher ends its bots."""
        if self._process is not None and self._process.returncode is None:
            self._was_killed = True
            self._process.kill()

    def send(self, head: Mapping[str, Any]) -> None:
        """Send it a message; nothing happens before it was started."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(encode_frame(head))

    def last_output(self) -> str:
        """Return what it wrote to stderr last."""
        return self._stderr.decode("utf-8", "replace")

    def last_words(self) -> str:
        """Return the last line it wrote to stderr."""
        return last_line(self.last_output())

    def describe_death(self, code: int | None) -> MatchLostError:
        """Return why a match is lost that it played when it ended with this exit code, or was given up (None)."""
        return describe_death(code, self.last_output())

    async def _start_when_there_is_room(self) -> asyncio.subprocess.Process:
        """Start the process, again after longer and longer pauses while there is no room. Raises OSError."""
        pause_s, waited_s = FIRST_PAUSE_S, 0.0
        while True:
            try:
                # gRPC's fork handlers can hang a child that is started while streams are open. A worker's bots are
                # started by its launcher, so the handlers are switched off; gRPC reads this once, when it is imported.
                inherited = {
                    name: value for name, value in os.environ.items() if not name.startswith(self._not_inherited)
                }
                return await asyncio.create_subprocess_exec(
                    *self._command(),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    env={"GRPC_ENABLE_FORK_SUPPORT": "0", **inherited},
                    start_new_session=True,  # Ctrl-C in a terminal is for the coordinator, which ends it in order
                )
            except OSError as error:
                if error.errno not in _WANTS_OF_ROOM or waited_s >= ROOM_PATIENCE_S or self._is_stopping:
                    raise
            self._pause = asyncio.create_task(asyncio.sleep(pause_s))
            await asyncio.wait({self._pause})
            waited_s += pause_s
            pause_s *= 2

    async def _kill_if_silent(self, process: asyncio.subprocess.Process) -> None:
        """Kill a process that no longer says that it goes on; time in which we did not go on does not count."""
        unheard_s = 0.0
        while self._silent_s is None or self._silent_s < SILENCE_S:
            await asyncio.sleep(BEAT_S)
            if self._was_killed or process.returncode is not None:
                return
            if self._is_stopping:
                continue
            if self._silent_s is not None:
                self._silent_s += BEAT_S
            elif self._says_that_it_goes_on:
                unheard_s += BEAT_S
                if unheard_s >= FIRST_WORD_S:
                    break
        limit_s = FIRST_WORD_S if self._silent_s is None else SILENCE_S
        self._stderr += f"\nit said nothing for {limit_s:g} s, and was killed".encode()
        self._was_killed = True
        process.kill()

    async def _end_companion(self) -> None:
        """End the launcher of a process that has ended, unless it ends by itself as it should; it may be stopped."""
        if self._companion is None:
            return
        launcher, self._companion = self._companion, None
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(launcher, ended.set)
        try:
            async with asyncio.timeout(END_GRACE_S):
                await ended.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(launcher, signal.SIGKILL)  # its guardian clears up
        finally:
            loop.remove_reader(launcher)
            os.close(launcher)

    async def _serve(self, stdout: asyncio.StreamReader) -> None:
        try:
            while (frame := await read_frame(stdout)) is not None:
                head, blob = frame
                self._has_spoken = True
                self._silent_s = None if self._silent_s is None else 0.0
                if head["event"] == BEAT:
                    self._silent_s = 0.0
                    if self._companion is None and hasattr(os, "pidfd_open"):
                        with suppress(OSError):
                            self._companion = os.pidfd_open(head["launcher"])
                else:
                    self._handle(head, blob)
        except FrameError as error:
            self._stderr += f"\n{error}".encode()
        finally:
            self._on_silent()

    async def _await_end(self, process: asyncio.subprocess.Process) -> None:
        """Wait for the end of a process whose stdout has ended, or that was killed; not for ever."""
        # It is not killed at once, because signalling a process that is just ending loses its exit status.
        if not self._was_killed and not await _has_ended(process):
            self.kill()
        if not await _has_ended(process) and not self.last_words():
            self._stderr += b"it was killed"

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._stderr += data
            del self._stderr[:-KEPT_STDERR_BYTES]


def describe_death(code: int | None, said: str) -> MatchLostError:
    """Return why a match is lost whose process ended with this code, or was given up (None), and `said` this last."""
    number = -code if code is not None and code < 0 else 0
    ended, why = describe_end(code), last_line(said)
    evidence = {"ended": ended, "exit_status": max(code or 0, 0), "signal": number, "stderr": said}
    reason = (
        Text("its worker ended ({how}): {why}", how=ended, why=why)
        if why
        else Text("its worker ended ({how})", how=ended)
    )
    if code is None:
        reason = Text("its worker does not end, and was given up: {why}", why=why)
    return MatchLostError(reason, HostCause.WORKER_DIED, evidence)


def last_line(said: str) -> str:
    """Return the last line that is not empty; nothing if there is none."""
    lines = said.strip().splitlines()
    return lines[-1] if lines else ""


async def _has_ended(process: asyncio.subprocess.Process) -> bool:
    """Wait for the end of a process for a while, and return whether it has come."""
    with suppress(TimeoutError):
        async with asyncio.timeout(END_GRACE_S):
            await process.wait()
    return process.returncode is not None


class TransportLostError(Exception):
    """A worker is out of reach with all that it was told, and nobody knows how far it came; the message says why."""


class WorkerTransport(Protocol):
    """A worker that can be started again after its death, wherever it is."""

    async def run(self) -> tuple[bool, int | None]:
        """Start the worker, serve it until it dies, and return whether it ever spoke, and its exit code.

        The code is None if it could not be started, or was given up. Raises TransportLostError, after which it is of no
        use any more.
        """

    @property
    def is_stopping(self) -> bool:
        """Return whether it was told to stop."""

    def stop(self) -> None:
        """Have it end its bots and itself; `run` returns then."""

    def kill(self) -> None:
        """End it at once; its launcher ends its bots."""

    def send(self, head: Mapping[str, Any]) -> None:
        """Send it a message; nothing happens before it was started."""

    def last_output(self) -> str:
        """Return what it wrote to stderr last."""

    def last_words(self) -> str:
        """Return the last line it wrote to stderr."""

    def describe_death(self, code: int | None) -> MatchLostError:
        """Return why a match is lost that it played when it ended with this exit code, or was given up (None)."""


MakeTransport = Callable[[WorkerArguments, Handle, Callable[[], None]], WorkerTransport]
"""Makes a transport: it calls the handler with every frame, and the third after the last one of each life."""


class WorkerNode(Protocol):
    """The machine on which a worker plays, as far as that is not this one."""

    def takes(self, spec: MatchSpec) -> bool:
        """Return whether the match can be played there now."""

    def localize(self, spec: MatchSpec) -> MatchSpec:
        """Return the match with its programs as they lie there."""

    def note_report(self, spec: MatchSpec, report: MatchReport) -> None:
        """Note that a match was played there."""

    def note_loss(self, spec: MatchSpec, cause: HostCause) -> None:
        """Note that a match was lost there through no bot's fault."""


class LocalNode:
    """The place that is this machine, where every program lies already."""

    def takes(self, spec: MatchSpec) -> bool:  # noqa: ARG002 - the interface's argument
        return True

    def localize(self, spec: MatchSpec) -> MatchSpec:
        return spec

    def note_report(self, spec: MatchSpec, report: MatchReport) -> None:
        """Keep no count."""

    def note_loss(self, spec: MatchSpec, cause: HostCause) -> None:
        """Keep no count."""


def worker_command(words: Sequence[str]) -> list[str]:
    """Return the command that starts a worker with these options."""
    # -P: a folder named arena in the current directory is not ours.
    return [sys.executable, "-P", "-m", "arena.worker", *words]


def pipe_transport(words: WorkerArguments, handle: Handle, on_silent: Callable[[], None]) -> ChildProcess:
    """Return a worker that is a process of this machine."""
    return ChildProcess(lambda: worker_command(words()), handle, on_silent, says_that_it_goes_on=True)
