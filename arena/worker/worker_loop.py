"""The worker process: plays matches that the coordinator sends to its stdin, and reports on stdout.

    python -m arena.worker [--cores N,N] [--warm-bots N] [--warm-memory MB] [--memory MB] [--cpu SECONDS]
                           [--apart] [--patient] [--profile DIRECTORY]

It is started by `arena.executor.local`, not by people, and ends with the process that started it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from arena.hosting.errors import HostingError, exit_over_limit
from arena.hosting.framed_pipe import encode_frame, read_frame
from arena.hosting.prctl import die_with_parent
from arena.match.live import LiveEvent
from arena.match.match import MatchSpecError
from arena.match.result import HostBrokenError, HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.referee.queue.loop import run
from arena.worker.match_host import MatchHost
from arena.worker.own_limits import OwnLimits
from arena.worker.process_setup import check_limits, check_room_for_bot, open_stdin, pin, take_stdout
from arena.worker.reporting import LiveFeed, encode_cancelled, encode_live, encode_lost, encode_report
from arena.worker.warm_bots import DEFAULT_WARM_BOTS

BEAT_S = 1.0


async def _serve(output: int, options: argparse.Namespace) -> None:
    reader = await open_stdin()
    await check_room_for_bot(reader, is_patient=options.patient)
    async with _host(options) as host:
        await WorkerLoop(host, reader, output).serve()


def _host(options: argparse.Namespace) -> AbstractAsyncContextManager[MatchHost]:
    own = OwnLimits(options.memory, options.cpu)
    if options.profile is None:
        return MatchHost(options.warm_bots, options.warm_memory, own, apart=options.apart)
    from arena.worker.profiled_host import profiled  # only a worker that is profiled pays for it

    return profiled(options.profile, options.warm_bots, options.warm_memory, own, apart=options.apart)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; return 0 when told to stop, or 1 with one line on stderr if the host is broken."""
    parser = argparse.ArgumentParser(prog="python -m arena.worker", description=__doc__)
    parser.add_argument("--cores", default="", metavar="N,N", help="the cores that it and its bots stay on")
    parser.add_argument("--warm-bots", type=int, default=DEFAULT_WARM_BOTS)
    parser.add_argument("--warm-memory", type=int, metavar="MB", help="what idle bots may hold; no bound by default")
    parser.add_argument(
        "--memory", type=int, metavar="MB", default=OwnLimits().memory_mb, help="what it may hold itself"
    )
    parser.add_argument(
        "--cpu", type=float, metavar="SECONDS", default=OwnLimits().cpu_s, help="what no match explains"
    )
    parser.add_argument("--apart", action="store_true", help="have each bot's listener served by a process of its own")
    parser.add_argument("--patient", action="store_true", help="wait while there is no room for a bot")
    parser.add_argument("--profile", type=Path, metavar="DIRECTORY", help="write there where time goes")
    options = parser.parse_args(arguments)
    die_with_parent(signal.SIGKILL)  # the launcher sees the end of this process and clears up
    pin(options.cores)
    try:
        check_limits()
        run(_serve(take_stdout(), options))
    except (HostingError, HostBrokenError) as error:
        print(f"worker: {error}", file=sys.stderr)  # noqa: T201 - the coordinator keeps it
        return 1
    except BrokenPipeError:
        return 1
    except MemoryError:
        exit_over_limit("worker: it had no memory left")
    return 0


class WorkerLoop:
    """Plays one match at a time, in the order in which they were sent.

    Messages are frames (`arena.hosting.framed_pipe`). From the coordinator, which closes the pipe to stop the worker:

        {"do": "play", "ticket": 1, "spec": {...}}              a `MatchSpec`
        {"do": "cancel", "ticket": 1}
        {"do": "watch", "ticket": 1, "logs": [0]}               somebody watches, and these seats' logs; may be repeated
        {"do": "unwatch", "ticket": 1}                          nobody does any more

    To the coordinator:

        {"event": "ready"}
        {"event": "alive", "launcher": 4711}                    once a second, with its launcher; or it is ended
        {"event": "report", "ticket": 1, "report": {...}}       a `MatchReport` with its blob
        {"event": "live", "ticket": 1, "live": {...}}           a `LiveEvent` of a watched match, with its bytes
        {"event": "lost", "ticket": 1, "error": {...}}          a `MatchLostError`; if it `is_last`, the worker ends and
                                                                has begun no other match

    A ticket names one job; a match that was lost may come again with another ticket.
    """

    def __init__(self, host: MatchHost, reader: asyncio.StreamReader, output: int) -> None:
        """Read commands from `reader`, and write events to the descriptor `output`."""
        self._host = host
        self._reader = reader
        self._output = output
        self._waiting: deque[tuple[int, MatchSpec]] = deque()
        self._feeds: dict[int, LiveFeed] = {}
        self._has_work = asyncio.Event()
        self._playing: tuple[int, asyncio.Task[bytes]] | None = None

    async def serve(self) -> None:
        """Serve until the coordinator closes stdin or is gone. Raises HostBrokenError, BrokenPipeError."""
        self._send(encode_frame({"event": "ready"}))
        player = asyncio.create_task(self._play_all())
        commands = asyncio.create_task(self._read_commands())
        beats = asyncio.create_task(self._beat())
        await asyncio.wait({player, commands}, return_when=asyncio.FIRST_COMPLETED)
        for task in (commands, player, beats):
            task.cancel()
        outcomes = await asyncio.gather(player, commands, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _beat(self) -> None:
        while True:
            self._send(encode_frame({"event": "alive", "launcher": self._host.launcher_pid}))
            await asyncio.sleep(BEAT_S)

    async def _read_commands(self) -> None:
        while (frame := await read_frame(self._reader)) is not None:
            head, _ = frame
            if head["do"] == "play":
                ticket = head["ticket"]
                self._waiting.append((ticket, MatchSpec.from_json(head["spec"])))
                self._feeds[ticket] = LiveFeed(partial(self._show, ticket))
                self._has_work.set()
            elif head["do"] == "cancel":
                if self._playing is not None and self._playing[0] == head["ticket"]:
                    self._playing[1].cancel()
                for job in [job for job in self._waiting if job[0] == head["ticket"]]:
                    self._waiting.remove(job)
                    self._feeds.pop(job[0]).close()
                    self._send(encode_cancelled(job[0]))
            elif (feed := self._feeds.get(head["ticket"])) is None:
                continue  # the match has just ended
            elif head["do"] == "watch":
                feed.come(head["logs"])
            elif head["do"] == "unwatch":
                feed.leave()

    def _show(self, ticket: int, events: Sequence[LiveEvent]) -> None:
        self._send(encode_live(ticket, events))

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
                self._feeds.pop(ticket).close()
            self._send(encode_cancelled(ticket) if task.cancelled() else task.result())

    async def _play(self, ticket: int, spec: MatchSpec) -> bytes:
        """Play a match and return the message about its end.

        Raises HostBrokenError after sending the message itself, because this worker must end.
        """
        try:
            return encode_report(ticket, await self._host.play(spec, self._feeds[ticket]))
        except MatchSpecError as error:
            return encode_lost(ticket, MatchLostError(str(error), HostCause.UNPLAYABLE))
        except HostBrokenError as error:
            self._send(encode_lost(ticket, error))
            raise
        except MatchLostError as error:
            return encode_lost(ticket, error)

    def _send(self, data: bytes) -> None:
        """Write all data, blocking: the coordinator always reads."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._output, view) :]
