"""Sweeps what nobody needs: abandoned uploads, versions that no row names, what retention wants removed.

Services that share a database share the versions, too, which one of them looks after; uploads and builds are of each.
"""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from arena.hosting.builds import BuildStore
from arena.hosting.store import StoreError, VersionStore
from arena.hosting.uploads.resumable_uploads import UploadArea
from arena.rpc.backoff import Backoff
from arena.service.home import Home
from arena.service.logs import Logger
from arena.service.maintenance.retention import enforce_limits, instant_text, limits_of
from arena.service.settings import RetentionSection
from arena.service.task_supervision import Supervisor
from ratings.read.bots import is_held
from ratings.store.database import Database

EVERY_S = 3600.0
ABANDONED_UPLOAD_S = 3 * 24 * 3600.0


class _Hourly(ABC):
    """Does something at the start, and then every hour; after its end it may begin anew."""

    part: str
    """What it is called in health."""

    def __init__(
        self,
        home: Home,
        database: Database,
        supervisor: Supervisor,
        log: Logger,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self._database = database
        self._supervisor = supervisor
        self._log = log
        self._clock_s = clock_s
        self._stopping = threading.Event()
        self._work: asyncio.Task[None] | None = None
        self._running: asyncio.Task[None] | None = None
        self._next_s = 0.0

    async def look(self) -> None:
        """Start the work if it is due; the service goes on meanwhile."""
        if self._clock_s() >= self._next_s and (self._work is None or self._work.done()):
            self._next_s = self._clock_s() + EVERY_S
            self._work = asyncio.create_task(self._supervisor.keep_going(self.part, self._keep, Backoff()))

    async def close(self) -> None:
        """End it between two pieces."""
        self._stopping.set()
        if self._work is not None:
            self._work.cancel()
        running = [task for task in (self._work, self._running) if task is not None]
        await asyncio.gather(*running, return_exceptions=True)
        self._supervisor.clear(self.part)
        # Nothing runs any more: what begins anew is not stopped, and does not wait for its hour.
        self._stopping.clear()
        self._work, self._running, self._next_s = None, None, 0.0

    async def _keep(self) -> None:
        # A thread cannot be cancelled, and works on a database that will be closed: `close` waits for it.
        self._running = asyncio.create_task(asyncio.to_thread(self.run_once))
        await asyncio.shield(self._running)

    @abstractmethod
    def run_once(self) -> None:
        """Do it once, in this thread."""


class HomeSweeper(_Hourly):
    """Sweeps what lies in the home of this service alone."""

    part = "sweeping"

    def run_once(self) -> None:
        """Remove abandoned uploads, and what was built of versions that are gone."""
        swept = UploadArea(self._home.uploads).sweep(ABANDONED_UPLOAD_S)
        if swept:
            self._log.info("abandoned uploads removed", uploads=swept)
        builds, kept = BuildStore(self._home.builds), VersionStore(self._home.store)
        for version in builds.versions():
            if not kept.directory(version).exists() and not is_held(self._database, version):
                builds.remove(version)


class Housekeeper(_Hourly):
    """Keeps versions and database in order, which services may share."""

    part = "housekeeping"

    def __init__(
        self,
        home: Home,
        database: Database,
        limits: RetentionSection,
        supervisor: Supervisor,
        log: Logger,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(home, database, supervisor, log, clock_s)
        self._limits = limits_of(limits)
        self._is_new = True

    def run_once(self) -> None:
        """Sweep, collect, and keep the limits of retention, in this thread."""
        VersionStore(self._home.store).sweep(0 if self._is_new else EVERY_S)
        kept = enforce_limits(self._database, self._limits, is_stopping=self._stopping.is_set)
        for removal in kept.done:
            self._log.info("removed", what=removal.kind.value, why=removal.why)
        for removal in kept.announced:
            due = instant_text(removal.due_at_us)
            self._log.warning("will be removed", what=removal.kind.value, why=removal.why, after=due)
        try:
            gone = VersionStore(self._home.store).collect(lambda name: is_held(self._database, name))
            for name in gone:
                BuildStore(self._home.builds).remove(name)
        except (StoreError, OSError) as error:
            if self._supervisor.problems.is_new("collecting", str(error)):
                self._log.warning("versions could not be collected", why=str(error))
        else:
            self._supervisor.problems.end("collecting")
            if gone:
                self._log.info("versions collected that nobody names", versions=[name[:12] for name in gone])
        self._is_new = False
