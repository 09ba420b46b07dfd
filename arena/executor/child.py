"""A process of ours that plays matches, seen from the coordinator: started, listened to, told things, and ended."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.hosting.frames import FrameError, encode_frame, read_frame
from arena.match.host_faults import HostCause, MatchLostError

KEPT_STDERR_BYTES = 8192
END_GRACE_S = 10.0


class ChildProcess:
    """A process with pipes of frames that can be started again after its death: `run` runs it once, `stop` ends it."""

    def __init__(
        self,
        command: Callable[[], Sequence[str]],
        handle: Callable[[Mapping[str, Any], bytes], None],
        on_silent: Callable[[], None],
    ) -> None:
        """`command` returns the program and its arguments.

        Call `handle` with the head and the blob of every frame that it writes, and `on_silent` after the last.
        """
        self._command = command
        self._handle = handle
        self._on_silent = on_silent
        self._process: asyncio.subprocess.Process | None = None
        self._stderr = bytearray()
        self._is_stopping = False

    async def run(self) -> tuple[bool, int | None]:
        """Start the process, serve it until it dies, and return whether it ever spoke, and its exit code."""
        self._stderr.clear()
        try:
            process = self._process = await self._start()
        except OSError as error:
            self._stderr += f"{error}".encode()
            return False, None
        return await self._serve_until_death(process), process.returncode

    @property
    def is_stopping(self) -> bool:
        """Return whether it was told to stop."""
        return self._is_stopping

    def stop(self) -> None:
        """Have it end its bots and itself; `run` returns then."""
        self._is_stopping = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        """End it at once; its launcher ends its bots."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    def tell(self, head: Mapping[str, Any]) -> None:
        """Send it a message; nothing happens before it was started."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(encode_frame(head))

    def last_words(self) -> str:
        """Return the last line it wrote to stderr."""
        lines = self._stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def describe_death(self, code: int | None) -> MatchLostError:
        """Return why a match is lost that it played when it ended with this exit code."""
        number = -code if code is not None and code < 0 else 0
        ended = signal.Signals(number).name if number in list(signal.Signals) else f"exit status {code}"
        why = self.last_words()
        stderr = self._stderr.decode("utf-8", "replace")
        evidence = {"ended": ended, "exit_status": max(code or 0, 0), "signal": number, "stderr": stderr}
        return MatchLostError(f"its worker ended ({ended}){': ' + why if why else ''}", HostCause.WORKER_DIED, evidence)

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
            self._on_silent()
        return was_ready

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._stderr += data
            del self._stderr[:-KEPT_STDERR_BYTES]


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
