"""The client of the launcher, for an event loop: starts processes, signals them, collects their output, ends them."""

from __future__ import annotations

import asyncio
import errno
import json
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from arena.hosting.cgroups.hierarchy import GroupPlace
from arena.hosting.errors import HostingError, LauncherLostError, LaunchError, host_error
from arena.hosting.framed_pipe import HeartbeatWatch
from arena.hosting.launcher.messages import (
    BEGINNING,
    KEY_BYTES,
    Exceeded,
    Exit,
    FreezeOutcome,
    Log,
    Output,
    OutputMark,
    StartRequest,
    Written,
)
from engine.translatable import Text, from_json, placed

TERM_GRACE_S = 0.5
KILL_GRACE_S = 60.0
"""A killed process may have much memory to give back, and a busy host lets that take long."""
END_GRACE_S = 6.0
_SEND_AGAIN_S = 0.01
"""How soon descriptors are sent again that the launcher had no room for."""
_LINE_LIMIT = 1024 * 1024
_FAULTS_OF_A_PROGRAM = (errno.ENOENT, errno.EACCES, errno.ENOEXEC)
_QUESTIONS = ("collect", "mark", "log", "sleep", "wake")
_PROGRAM = Path(__file__).with_name("__main__.py")


class HostedProcess:
    """A process that the launcher started."""

    def __init__(self, launcher: LauncherClient, key: int, pid: int, group: GroupPlace | None = None) -> None:
        self._launcher = launcher
        self._key = key
        self.pid = pid
        self.group = group
        """Its control group, at level `strict`."""
        self.exited: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        """Done when the process and everything it started are gone. Cancelled if the launcher is lost."""
        self.exceeded: Exceeded | None = None
        """Why the launcher killed it, if it did; set before `exited` is done."""
        self.has_begun = True
        """After its end: whether its sandbox was ready for it. If not, the host is at fault."""
        self.was_killed_by_host = False
        """After its end: whether the kernel killed it for want of memory, and not for what it used itself."""
        self.written = Written()
        self.marked = BEGINNING
        """Where the last mark was set."""
        self.logged = Log()
        """What the last question for its log was answered; after its end the whole of it."""
        self.is_frozen = False
        """Whether it was frozen, or that was tried, and it was not thawed since."""
        self.freeze_outcome = FreezeOutcome()
        """What came of the last attempt to freeze or to thaw it."""

    def signal(self, number: int) -> None:
        """Signal the process and its group; nothing happens if it has ended."""
        if not self.exited.done():
            self._launcher.command({"do": "signal", "id": self._key, "signal": int(number)})

    def kill(self) -> None:
        """Kill all of it at once, unless the launcher is gone and has done so."""
        if not self._launcher.is_lost:
            self.signal(signal.SIGKILL)

    async def wait(self, timeout_s: float) -> bool:
        """Return whether it has ended within that time. Raises LauncherLostError."""
        if not self.exited.done() and timeout_s > 0:
            await asyncio.wait({self.exited}, timeout=timeout_s)
        if self.exited.cancelled():
            raise LauncherLostError(Text("the launcher has ended"))
        return self.exited.done()

    async def end(self, grace_s: float = 0.0) -> bool:
        """Wait, then send TERM, then KILL; return whether it ended by itself. Raises HostingError if it survives."""
        await self.thaw()
        if await self.wait(grace_s):
            return True
        for number, patience_s in ((signal.SIGTERM, TERM_GRACE_S), (signal.SIGKILL, KILL_GRACE_S)):
            self.signal(number)
            if await self.wait(patience_s):
                return False
        raise HostingError(f"process {self.pid} survives SIGKILL")

    async def freeze(self) -> FreezeOutcome:
        """Stop all that it runs, and return when nothing of it computes any more. Raises LauncherLostError."""
        if self.exited.done():
            return FreezeOutcome()
        self.is_frozen = True
        await self._launcher.ask("sleep", self._key)
        return self.freeze_outcome

    async def thaw(self) -> FreezeOutcome:
        """Let it go on if it was frozen. Raises LauncherLostError."""
        if not self.is_frozen or self.exited.done():
            return FreezeOutcome()
        await self._launcher.ask("wake", self._key)
        self.is_frozen = False
        return self.freeze_outcome

    async def mark(self) -> OutputMark:
        """Return the current end of its output, to be given to `collect` later; its log begins there."""
        if not self.exited.done():
            await self._launcher.ask("mark", self._key)
        return self.written.end if self.exited.done() else self.marked

    async def log(self, start: int = 0) -> Log:
        """Return what it wrote since its last mark from byte `start` on; this also works after its end."""
        if not self.exited.done():
            await self._launcher.ask("log", self._key, start=start)
        return self.logged.after(start) if self.exited.done() else self.logged

    async def collect(self, since: OutputMark = BEGINNING) -> Output:
        """Return the last part of its output after that mark; this also works after its end."""
        if not self.exited.done():
            await self._launcher.ask("collect", self._key)
        return self.written.since(since)


@dataclass(frozen=True, slots=True)
class _PendingStart:
    """A start that was requested and not answered yet."""

    program: str
    directory: str
    started: asyncio.Future[HostedProcess]

    def explain_failure(self, event: Mapping[str, Any]) -> HostingError:
        """Return the error: too few processes, files or space, and a missing interpreter, are the host's fault."""
        path = Path(self.program)
        is_own = not path.is_absolute() or path.is_relative_to(self.directory)
        if is_own and event["missing"] == self.program and event["errno"] in _FAULTS_OF_A_PROGRAM:
            return LaunchError(from_json(event["error"]))
        return host_error(event["errno"])(
            placed(f"this host could not start {self.program}", from_json(event["error"]))
        )


class LauncherClient:
    """Owns a launcher process. Async context manager; leaving it kills every bot."""

    def __init__(self, remove: Sequence[Path] = ()) -> None:
        """Have the launcher remove the directories in `remove` when it ends, for whatever reason."""
        self._remove = remove
        self._descriptors: socket.socket | None = None  # the socket through which descriptors are sent
        self._next_key = 0
        self._hosted: dict[int, HostedProcess] = {}
        self._starting: dict[int, _PendingStart] = {}
        self._asked: dict[tuple[str, int], asyncio.Future[None]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._heartbeat = HeartbeatWatch()
        self._found_ids: asyncio.Future[str] | None = None

    async def __aenter__(self) -> Self:
        """Start the launcher process."""
        self._descriptors, theirs = socket.socketpair()
        self._descriptors.setblocking(False)
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", str(_PROGRAM), str(theirs.fileno()), *map(str, self._remove)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C in a terminal is not meant for it
                limit=_LINE_LIMIT,
            )
        self._reader = asyncio.create_task(self._read_events(self._process))
        self._watcher = asyncio.create_task(self._kill_if_silent(self._process))
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """End the launcher, which kills every bot first."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._reader is not None
        assert self._descriptors is not None
        self._process.stdin.close()
        self._descriptors.close()
        try:
            async with asyncio.timeout(END_GRACE_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reader
        if self._watcher is not None:
            self._watcher.cancel()

    @property
    def pid(self) -> int:
        """The process id of the launcher."""
        return 0 if self._process is None else self._process.pid

    @property
    def is_lost(self) -> bool:
        """Whether the launcher has ended."""
        return self._process is None or self._process.returncode is not None

    async def start(self, request: StartRequest, descriptors: Sequence[int] = ()) -> HostedProcess:
        """Start a program in a session of its own, with these descriptors for what the request says of them.

        The program has copies of them. Raises LaunchError if the program itself is at fault, another HostingError if
        the host is.
        """
        self._next_key += 1
        key = self._next_key
        started: asyncio.Future[HostedProcess] = asyncio.get_running_loop().create_future()
        self._starting[key] = _PendingStart(request.named_program, request.directory, started)
        try:
            if descriptors:
                await self._send_descriptors(key, descriptors)
            self.command({"do": "start", "id": key, "request": request.to_json()})
            return await asyncio.shield(started)
        except asyncio.CancelledError:
            if started.done() and not started.exception():
                started.result().signal(signal.SIGKILL)
            raise
        finally:
            del self._starting[key]

    async def explain_shared_ids(self) -> str:
        """Return why bots cannot get user ids of their own, or an empty text if they can. Raises LauncherLostError."""
        if self._found_ids is None:
            self._found_ids = asyncio.get_running_loop().create_future()
            self.command({"do": "find_ids"})
        return await asyncio.shield(self._found_ids)

    async def ask(self, what: str, key: int, **about: int) -> None:
        """Have the launcher `collect`, `mark` or `log`, and wait until the handle of the process has the answer."""
        if key in self._hosted:
            future = self._asked.get((what, key)) or asyncio.get_running_loop().create_future()
            self._asked[what, key] = future
            self.command({"do": what, "id": key, **about})
            await asyncio.shield(future)

    async def _send_descriptors(self, key: int, descriptors: Sequence[int]) -> None:
        """Send what the launcher takes when it reads the command to start. Raises LauncherLostError."""
        assert self._descriptors is not None
        name = key.to_bytes(KEY_BYTES, "little")
        while True:
            try:
                socket.send_fds(self._descriptors, [name], list(descriptors))
                return
            except BlockingIOError:
                await asyncio.sleep(_SEND_AGAIN_S)
            except OSError as error:
                raise LauncherLostError(Text("the launcher has ended")) from error

    def command(self, command: Mapping[str, Any]) -> None:
        """Send a command to the launcher. Raises LauncherLostError."""
        if self._process is None or self._process.stdin is None or self._process.stdin.is_closing():
            raise LauncherLostError("the launcher is not running")
        self._process.stdin.write(json.dumps(command).encode() + b"\n")

    async def _kill_if_silent(self, process: asyncio.subprocess.Process) -> None:
        """Kill a launcher that has ceased to answer; its guardian clears up."""
        with suppress(LauncherLostError):
            await self._heartbeat.wait(lambda: self.command({"do": "beat"}))
            process.kill()

    async def _read_events(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self._heartbeat.note_answer()
            event = json.loads(line)
            getattr(self, "_on_" + event["event"])(event)
        error = LauncherLostError(Text("the launcher has ended"))
        for start in self._starting.values():
            if not start.started.done():
                start.started.set_exception(error)
        if self._found_ids is not None and not self._found_ids.done():
            self._found_ids.set_result(str(error))  # the start itself tells of the loss
        for what, key in list(self._asked):
            self._answer(what, key)
        for hosted in self._hosted.values():
            hosted.exited.cancel()
        self._hosted.clear()

    def _on_alive(self, _event: Mapping[str, Any]) -> None:
        """Nothing is to be done: whatever it says, it goes on."""

    def _on_ids(self, event: Mapping[str, Any]) -> None:
        if self._found_ids is not None:
            self._found_ids.set_result(from_json(event["problem"]))

    def _on_started(self, event: Mapping[str, Any]) -> None:
        key = event["id"]
        place = event["group"] and GroupPlace.from_json(event["group"])
        hosted = self._hosted[key] = HostedProcess(self, key, event["pid"], place)
        if key in self._starting:
            self._starting[key].started.set_result(hosted)
        else:
            hosted.signal(signal.SIGKILL)  # whoever asked for it was cancelled

    def _on_failed(self, event: Mapping[str, Any]) -> None:
        start = self._starting.get(event["id"])
        if start is not None:
            start.started.set_exception(start.explain_failure(event))

    def _on_output(self, event: Mapping[str, Any]) -> None:
        self._hosted[event["id"]].written = Written.from_event(event)
        self._answer("collect", event["id"])

    def _on_marked(self, event: Mapping[str, Any]) -> None:
        self._hosted[event["id"]].marked = OutputMark(*event["totals"])
        self._answer("mark", event["id"])

    def _on_log(self, event: Mapping[str, Any]) -> None:
        self._hosted[event["id"]].logged = Log.from_event(event)
        self._answer("log", event["id"])

    def _on_slept(self, event: Mapping[str, Any]) -> None:
        self._hosted[event["id"]].freeze_outcome = FreezeOutcome.from_event(event)
        self._answer("sleep", event["id"])

    def _on_woken(self, event: Mapping[str, Any]) -> None:
        self._hosted[event["id"]].freeze_outcome = FreezeOutcome.from_event(event)
        self._answer("wake", event["id"])

    def _on_exceeded(self, event: Mapping[str, Any]) -> None:
        self._hosted[event["id"]].exceeded = Exceeded.from_event(event)

    def _on_exited(self, event: Mapping[str, Any]) -> None:
        hosted = self._hosted.pop(event["id"])
        hosted.written, hosted.logged = Written.from_event(event), Log.from_event(event["log"])
        hosted.has_begun, hosted.was_killed_by_host = event["has_begun"], event["killed_by_host"]
        hosted.exited.set_result(Exit(event["status"], event["signal"]))
        for what in _QUESTIONS:
            self._answer(what, event["id"])

    def _answer(self, what: str, key: int) -> None:
        future = self._asked.pop((what, key), None)
        if future is not None:
            future.set_result(None)
