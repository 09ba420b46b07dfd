"""Makes from the home and the settings what plays matches: the executors, and the programs of the bots."""

from __future__ import annotations

from collections.abc import Callable

from arena.executor.interface import Executor
from arena.executor.local import LocalExecutor
from arena.hosting.procfs.machine import count_cores
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.settings import parse_runtimes
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.service.home import Home
from arena.service.logs import get_logger
from arena.service.settings.values import ServiceSection, ServiceSettings

RAY = "ray"
AUTO = "auto"
_AT_LEAST = 1
"""So many matches wait for a cluster that has not told yet how many it plays."""
_MANY = 64
"""A cluster may play so many, or more."""
_AUTO = "auto"


class ExecutorFactory:
    """Makes executors, and knows how many matches the newest one plays at once."""

    def __init__(self, settings: ServiceSection, say: Callable[[str], None] = lambda _: None) -> None:
        """`say` is told what people should know of the machines of a cluster."""
        self._settings = settings
        self._say = say
        self._newest: Executor | None = None
        self.programs: StoredPrograms | None = None
        """The programs whose runtimes the machines of a cluster need."""

    def slots(self) -> int:
        """Return how many matches are played at once."""
        if self._settings.executor != RAY:
            return self._settings.workers or count_cores()
        return _AT_LEAST if self._newest is None else self._newest.slots()

    def most(self) -> int:
        """Return how many matches may be played at once some day, as far as is known before any is."""
        return self._settings.workers or _MANY if self._settings.executor == RAY else self.slots()

    def make(self) -> Executor:
        """Return an executor that was not started yet."""
        if self._settings.executor == RAY:
            self._newest = self._of_cluster()
            return self._newest
        return LocalExecutor(self.slots(), warm_mb=self._settings.warm_memory)

    def _of_cluster(self) -> Executor:
        from arena.executor.ray.executor import RayExecutor  # only who asks for a cluster needs what is behind it
        from arena.executor.ray.options import RayOptions

        address = self._settings.ray_address
        options = RayOptions(
            address="" if address == AUTO else address,
            workers=self._settings.workers,
            warm_mb=self._settings.warm_memory,
            runtimes={} if self.programs is None else self.programs.runtimes.tables(),
            report=self._warn,
        )
        return RayExecutor(options)

    def _warn(self, sentence: str) -> None:
        get_logger("cluster").warning("machines", why=sentence)
        self._say(sentence)


def make_programs(home: Home, settings: ServiceSettings) -> StoredPrograms:
    """Return the programs of a home, in the runtimes that its settings define. Raises RuntimeSettingsError."""
    service = settings.service
    return StoredPrograms(
        VersionStore(home.store),
        policy_of(service.sandbox, allow_reduced=service.allow_reduced_sandbox),
        RuntimeCatalog(parse_runtimes(settings.runtimes, place=str(home.settings_file))),
        home.builds,
    )


def policy_of(sandbox: str, *, allow_reduced: bool) -> SandboxPolicy:
    """Return what the two settings about sandboxes mean."""
    return SandboxPolicy(None if sandbox == _AUTO else sandbox, allow_reduced)
