"""The loop of a worker process: plays the matches that the coordinator sends, one at a time, and reports each.

Messages are frames (`arena.hosting.frames`). From the coordinator, which closes the pipe to stop the worker:

    {"do": "play", "ticket": 1, "spec": {...}}              a `MatchSpec`
    {"do": "cancel", "ticket": 1}
    {"do": "watch", "ticket": 1, "logs": [0]}               somebody watches, and these seats' logs; may be repeated
    {"do": "unwatch", "ticket": 1}                          nobody does any more

To the coordinator:

    {"event": "ready"}
    {"event": "alive", "launcher": 4711}                    once a second, with its launcher; or it is ended
    {"event": "report", "ticket": 1, "report": {...}}       a `MatchReport` with its blob
    {"event": "live", "ticket": 1, "live": {...}}           a `LiveEvent` of a match that is watched, with its bytes
    {"event": "lost", "ticket": 1, "error": {...}}          a `MatchLostError`; if it `is_last`, the worker ends and
                                                            has begun no other match

A ticket names one job; a match that was lost may come again with another ticket.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Sequence
from functools import partial

from arena.hosting.frames import encode_frame, read_frame
from arena.match.live import LiveEvent
from arena.match.match import MatchSpecError
from arena.match.result import HostBrokenError, HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.worker.events import encode_cancelled, encode_live, encode_lost, encode_report
from arena.worker.host import MatchHost
from arena.worker.live_feed import LiveFeed

BEAT_S = 1.0


class WorkerLoop:
    """Plays one match at a time, in the order in which they were sent."""

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
                self._order(head["ticket"], MatchSpec.from_json(head["spec"]))
            elif head["do"] == "cancel":
                self._cancel(head["ticket"])
            elif (feed := self._feeds.get(head["ticket"])) is None:
                continue  # the match has just ended
            elif head["do"] == "watch":
                feed.come(head["logs"])
            elif head["do"] == "unwatch":
                feed.leave()

    def _order(self, ticket: int, spec: MatchSpec) -> None:
        self._waiting.append((ticket, spec))
        self._feeds[ticket] = LiveFeed(partial(self._show, ticket))
        self._has_work.set()

    def _show(self, ticket: int, events: Sequence[LiveEvent]) -> None:
        self._send(encode_live(ticket, events))

    def _cancel(self, ticket: int) -> None:
        if self._playing is not None and self._playing[0] == ticket:
            self._playing[1].cancel()
        for job in [job for job in self._waiting if job[0] == ticket]:
            self._waiting.remove(job)
            self._feeds.pop(ticket).close()
            self._send(encode_cancelled(ticket))

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
