"""Shows a match to those who watch it, while somebody does. The play is looked at only when no clock runs.

The referee lets it look between two decisions, after an answer was judged and before the next question is sent: so what
it costs to write events down is charged to nobody. A bot that thinks for long is seen to move when it has moved; what
it writes meanwhile is fetched now and then if somebody watches its log, by a few hundred microseconds of the launcher.
A remote bot may think for minutes, on a machine of its own: who comes to its match is shown at once what has happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence

from arena.hosting.errors import HostingError
from arena.match.live import LiveEvent, LiveLogEvent, LiveReader
from arena.match.match import Match
from arena.worker.accounts import Seated, read_log

Show = Callable[[Sequence[LiveEvent]], None]
FETCH_EVERY_S = 0.5
"""How often logs that are watched are fetched while a bot thinks."""


class LiveFeed:
    """The events of one match for all who watch it: each is sent once, however watchers come and go."""

    def __init__(self, show: Show, *, is_prompt: bool = False) -> None:
        """With `is_prompt`, whoever comes is shown the match while a bot thinks, too."""
        self._show = show
        self._is_prompt = is_prompt
        self._match: Match | None = None
        self._reader: LiveReader | None = None
        self._seated: Sequence[Seated] = ()
        self._read_bytes: dict[int, int] = {}
        """How much of its log was shown, for each seat whose log is wanted."""
        self._reading = asyncio.Lock()
        """Held while logs are read: each part is asked for once, behind the last."""
        self._fetcher: asyncio.Task[None] | None = None
        self.is_present = False
        """Whether anybody watches."""

    def come(self, logs: Iterable[int]) -> None:
        """Note that somebody watches, and which seats' logs are wanted from now on besides those that were."""
        self.is_present = True
        for seat in logs:
            self._read_bytes.setdefault(seat, 0)
        if self._read_bytes and self._fetcher is None:
            self._fetcher = asyncio.create_task(self._fetch_logs())
        if self._is_prompt and self._match is not None and self._match.decision is not None:
            self._show_moves()

    def leave(self) -> None:
        """Note that nobody watches; whoever comes again sees what was missed."""
        self.is_present = False

    def take_places(self, match: Match, seated: Sequence[Seated], started_at_us: int) -> None:
        """Tell it which match begins, and what plays it."""
        self._match, self._reader, self._seated = match, LiveReader(match, started_at_us), seated

    async def look(self) -> None:
        """Show what has happened since the last look. Raises HostingError."""
        if not self.is_present or self._reader is None:
            return
        self._show_moves()
        await self._show_logs()

    async def finish(self) -> None:
        """Show what has happened since the last look, and look no more. Raises HostingError."""
        async with self._reading:  # a question that is broken off would answer the next one
            self.close()
        await self.look()

    def close(self) -> None:
        """Fetch no more logs; the match was lost."""
        if self._fetcher is not None:
            self._fetcher.cancel()

    async def _fetch_logs(self) -> None:
        """Show again and again what bots write while they think."""
        while True:
            await asyncio.sleep(FETCH_EVERY_S)
            try:
                await self._show_logs()
            except HostingError:
                return  # the match finds out by itself, and says so

    async def _show_logs(self) -> None:
        async with self._reading:
            if not self.is_present or self._reader is None:
                return
            wanted = [seat for seat in self._read_bytes if 0 <= seat < len(self._seated)]
            for found in await asyncio.gather(*map(self._read_log, wanted)):
                self._show_all(found)

    def _show_moves(self) -> None:
        if self._reader is not None:
            self._show_all(list(self._reader.read()))

    def _show_all(self, events: Sequence[LiveEvent]) -> None:
        if events:
            self._show(events)

    async def _read_log(self, seat: int) -> list[LiveEvent]:
        start = self._read_bytes[seat]
        log = await read_log(self._seated[seat], start)
        self._read_bytes[seat] = start + log.total_bytes
        return list(self._parts(seat, start, log.head, log.tail, log.cut_bytes))

    def _parts(self, seat: int, start: int, head: bytes, tail: bytes, cut_bytes: int) -> Iterator[LiveEvent]:
        assert self._reader is not None
        data = head if cut_bytes else head + tail
        if data:
            yield LiveLogEvent(self._reader.sequence, seat, start, data)
        if cut_bytes:
            yield LiveLogEvent(self._reader.sequence, seat, start + len(head) + cut_bytes, tail, cut_bytes)
