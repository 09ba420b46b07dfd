"""A host that writes down where time goes while it plays; a worker that is not profiled does not load it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from arena.match.decisions import DecidedBy, ReplayEntry
from arena.match.match import Match
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.profiling.parts import WORKER_PARTS, ProfilePart
from arena.profiling.sampler import Sampler
from arena.profiling.shared_counters import Sheet, WorkerPhase, shared_sheet
from arena.worker.match_host import MatchHost
from arena.worker.own_limits import OwnLimits
from arena.worker.reporting import LiveFeed, Seated


class ProfiledHost(MatchHost):
    """Plays as every host does, and tells a sheet what it is at."""

    def __init__(
        self, sheet: Sheet, warm_bots: int, warm_mb: int | None, own: OwnLimits | None, *, apart: bool = False
    ) -> None:
        """Write onto `sheet`; the rest is as in `MatchHost`."""
        super().__init__(warm_bots, warm_mb, own, apart=apart)
        self._sheet = sheet
        self._entries: Sequence[ReplayEntry] = ()
        self._counted = 0

    async def play(self, spec: MatchSpec, feed: LiveFeed | None = None) -> MatchReport:
        self._sheet.enter(WorkerPhase.START)
        try:
            return await super().play(spec, feed)
        finally:
            self._sheet.enter(WorkerPhase.WAIT)

    async def _referee(self, match: Match, seated: list[Seated], feed: LiveFeed | None) -> None:
        self._sheet.enter(WorkerPhase.PLAY)
        self._counted = 0
        self._entries = match.entries
        try:
            await super()._referee(match, seated, feed)
        finally:
            entries, self._entries = self._entries, ()  # a sample that comes from now on counts nothing a second time
            self._count(entries)
            self._sheet.count_match()
            self._sheet.enter(WorkerPhase.END)

    def count_decisions(self) -> None:
        """Count what bots have decided since the last call; with each sample, at any point of what else is done."""
        if self._entries:
            self._count(self._entries)

    def _count(self, entries: Sequence[ReplayEntry]) -> None:
        new = [entry for entry in entries[self._counted :] if entry.by is DecidedBy.BOT]
        self._counted = len(entries)
        self._sheet.count_decisions(len(new), sum(entry.elapsed_us for entry in new))


@asynccontextmanager
async def profiled(
    directory: Path, warm_bots: int, warm_mb: int | None, own: OwnLimits | None, *, apart: bool
) -> AsyncIterator[MatchHost]:
    """Give a host that is profiled, with its sheet in a file of that directory, called by the id of this process."""
    with shared_sheet(directory / str(os.getpid())) as sheet:
        async with ProfiledHost(sheet, warm_bots, warm_mb, own, apart=apart) as host:
            sampler = Sampler(sheet, WORKER_PARTS, ProfilePart.TRANSPORT, host.count_decisions)
            with sampler.sampling():
                yield host
