"""A worker process: plays the matches that the coordinator sends on stdin, reports on stdout, ends with it.

    python -m arena.worker [--core N] [--warm-bots N] [--warm-memory MB]

Not for people: `arena.executor.local` starts it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import os
import resource
import signal
import sys
from collections import deque
from collections.abc import Sequence

from arena.hosting.frames import encode_frame, read_frame
from arena.hosting.launcher.client import HostingError
from arena.match.host_faults import HostBrokenError, HostCause, MatchLostError
from arena.match.match import MatchSpecError
from arena.match.spec import MatchSpec
from arena.worker.host import MatchHost
from arena.worker.warm_bots import DEFAULT_WARM_BOTS

_PR_SET_PDEATHSIG = 1
MANY_DESCRIPTORS = 16_384
"""Enough for the connections of 32 bots that hold as many as they may."""


class Worker:
    """Plays one match at a time, in the order in which they were sent."""

    def __init__(self, host: MatchHost, reader: asyncio.StreamReader, output: int) -> None:
        self._host = host
        self._reader = reader
        self._output = output
        self._waiting: deque[tuple[int, MatchSpec]] = deque()
        self._has_work = asyncio.Event()
        self._playing: tuple[int, asyncio.Task[bytes]] | None = None

    async def serve(self) -> None:
        """Until the coordinator closes stdin or is gone."""
        self._send(encode_frame({"event": "ready"}))
        player = asyncio.create_task(self._play_all())
        commands = asyncio.create_task(self._read_commands())
        await asyncio.wait({player, commands}, return_when=asyncio.FIRST_COMPLETED)
        for task in (commands, player):
            task.cancel()
        outcomes = await asyncio.gather(player, commands, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _read_commands(self) -> None:
        while (frame := await read_frame(self._reader)) is not None:
            head, _ = frame
            if head["do"] == "play":
                self._waiting.append((head["ticket"], MatchSpec.from_json(head["spec"])))
                self._has_work.set()
            elif head["do"] == "cancel":
                self._cancel(head["ticket"])

    def _cancel(self, ticket: int) -> None:
        if self._playing is not None and self._playing[0] == ticket:
            self._playing[1].cancel()
        for order in [order for order in self._waiting if order[0] == ticket]:
            self._waiting.remove(order)
            self._send(_cancelled(ticket))

    async def _play_all(self) -> None:
        while True:
            while not self._waiting:
                self._has_work.clear()
                await self._has_work.wait()
            ticket, spec = self._waiting.popleft()
            task = asyncio.create_task(self._play(ticket, spec))
            self._playing = ticket, task
            try:
                await asyncio.wait({task})
            finally:
                task.cancel()
                self._playing = None
            self._send(_cancelled(ticket) if task.cancelled() else task.result())

    async def _play(self, ticket: int, spec: MatchSpec) -> bytes:
        """The message that tells how it went. Raises HostBrokenError: then this worker is of no use any more."""
        try:
            report = await self._host.play(spec)
            return encode_frame({"event": "report", "ticket": ticket, "report": report.to_json()}, report.replay)
        except MatchSpecError as error:
            return _lost(ticket, MatchLostError(str(error), HostCause.UNPLAYABLE))
        except HostBrokenError as error:
            self._send(_lost(ticket, error))
            raise
        except MatchLostError as error:
            return _lost(ticket, error)

    def _send(self, data: bytes) -> None:
        """Write at once: the coordinator always reads."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._output, view) :]


def _lost(ticket: int, error: MatchLostError) -> bytes:
    return encode_frame({"event": "lost", "ticket": ticket, "error": error.to_json()})


def _cancelled(ticket: int) -> bytes:
    return _lost(ticket, MatchLostError("cancelled", HostCause.CANCELLED))


def _die_with_parent() -> None:
    """The launcher sees the end of this process and clears up, so it need not be gentle."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _pin(core: int | None) -> None:
    """Stay on one core; the launcher and the bots inherit it."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def allow_many_descriptors() -> None:
    """As many as this user may have, up to MANY_DESCRIPTORS: 1024, which is usual, a few hostile bots can use up."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MANY_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _take_stdout() -> int:
    """The descriptor for messages; whatever else prints goes to stderr from now on."""
    output = os.dup(1)
    os.dup2(2, 1)
    return output


async def _open_stdin() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


async def _serve(output: int, warm_bots: int, warm_mb: int | None) -> None:
    reader = await _open_stdin()
    async with MatchHost(warm_bots, warm_mb) as host:
        await Worker(host, reader, output).serve()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; 0 when told to stop, 1 with one line on stderr when the host is broken."""
    parser = argparse.ArgumentParser(prog="python -m arena.worker", description=__doc__)
    parser.add_argument("--core", type=int)
    parser.add_argument("--warm-bots", type=int, default=DEFAULT_WARM_BOTS)
    parser.add_argument("--warm-memory", type=int, metavar="MB", help="what idle bots may hold; no bound by default")
    options = parser.parse_args(arguments)
    _die_with_parent()
    _pin(options.core)
    allow_many_descriptors()
    try:
        asyncio.run(_serve(_take_stdout(), options.warm_bots, options.warm_memory))
    except (HostingError, HostBrokenError) as error:
        print(f"worker: {error}", file=sys.stderr)  # noqa: T201 - the coordinator keeps it
        return 1
    except BrokenPipeError:
        return 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
