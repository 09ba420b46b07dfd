"""Looks at a run while it goes on: waits until every worker has played, and takes two looks with some time between."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena.hosting.procfs.processes import list_children
from arena.profiling.shared_counters import Reading, Sheet, read_sheet
from arena.profiling.split import RunSnapshot, cpu_by_role

_LOOK_EVERY_S = 0.2
LEAST_DECISIONS = 1
"""So many are measured at least, however long a machine that others use needs for them."""
OnProgress = Callable[[float], None]
"""Called with how many seconds have been measured; 0 while bots and workers start."""


class Recording:
    """How long results wait until they are recorded and rated."""

    def __init__(self) -> None:
        self._came_s: list[float] = []
        self.recorded = 0  # how many results were recorded
        self.waited_s = 0.0  # how long they waited, added up

    def come(self) -> None:
        """Note that a result has come."""
        self._came_s.append(time.monotonic())

    def record(self, recorded: int) -> None:
        """Note that so many results are recorded by now; they are recorded in the order in which they come."""
        now, new = time.monotonic(), recorded - self.recorded
        self.waited_s += sum(now - came for came in self._came_s[:new])
        del self._came_s[:new]
        self.recorded = recorded


class Measuring:
    """Measures one run of this process, whose workers write their sheets into a directory."""

    def __init__(self, directory: Path, workers: int, own: Sheet, recording: Recording) -> None:
        """`own` is the sheet of this process."""
        self._directory = directory
        self._workers = workers
        self._own = own
        self._recording = recording

    async def measure(
        self, run: asyncio.Task[Any], seconds: float, on_progress: OnProgress
    ) -> tuple[RunSnapshot, RunSnapshot]:
        """Return two looks at a run with so many seconds between them, or fewer if the run ends before.

        The first comes when every worker has played a match, the last when LEAST_DECISIONS were taken since, if that
        takes longer. Raises what the run raises.
        """
        await self._until(
            run,
            lambda: sum(reading.matches > 0 for reading in self._readings().values()) >= self._workers,
            lambda: on_progress(0.0),
        )
        first = self._look()
        await self._until(
            run,
            lambda: time.monotonic() - first.at_s >= seconds and self._has_gone_on(first),
            lambda: on_progress(time.monotonic() - first.at_s),
        )
        return first, self._look()

    async def _until(self, run: asyncio.Task[Any], is_over: Callable[[], bool], tell: Callable[[], None]) -> None:
        while not is_over() and not run.done():
            tell()
            await asyncio.wait({run}, timeout=_LOOK_EVERY_S)
        if run.done():
            run.result()

    def _has_gone_on(self, first: RunSnapshot) -> bool:
        """Return whether enough was decided since that look, or a worker has ended, for which no waiting helps."""
        now = self._readings()
        if now.keys() != first.workers.keys():
            return True
        taken = sum(reading.decisions - first.workers[pid].decisions for pid, reading in now.items())
        return taken >= LEAST_DECISIONS

    def _readings(self) -> Mapping[int, Reading]:
        """Return what the workers that live say; the sheet of one that has ended stays in the directory."""
        living = list_children(os.getpid())
        found = {int(file.name): read_sheet(file) for file in self._directory.iterdir() if int(file.name) in living}
        return {pid: reading for pid, reading in found.items() if reading is not None}

    def _look(self) -> RunSnapshot:
        recording = self._recording
        return RunSnapshot(
            at_s=time.monotonic(),
            workers=self._readings(),
            coordinator=self._own.read(),
            roles=cpu_by_role(os.getpid()),
            recorded=recording.recorded,
            recording_s=recording.waited_s,
        )
