"""An open database with its bots, as a program of its organiser uses it: asked by the interface, and played on here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from arena.app.arena import LocalArena
from arena.app.bot_store import store_of
from arena.executor.interface import Executor
from arena.executor.local import LocalExecutor
from arena.hosting.procfs.machine import count_cores
from arena.hosting.runtimes.catalog import NO_RUNTIMES, RuntimeCatalog
from arena.hosting.runtimes.runtime import SYSTEM_PATH, read_runtimes
from arena.hosting.sandbox.limits import DEFAULT_POLICY, LEVELS, SandboxPolicy
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.model.errors import RefusedError
from arena.model.port import ArenaPort
from arena.scripting.arguments import need_flags, need_numbers, need_wholes, optional_wholes, path_of
from arena.tournament.match_specs import DEFAULT_LEAK_CHECKS
from ratings.read.tournaments import TournamentRow
from ratings.store.database import Database, is_there, open_database

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class HostingSettings:
    """How matches are played on this machine."""

    workers: int = 0
    """How many at once; 0 is as many as its cores allow."""
    policy: SandboxPolicy = DEFAULT_POLICY
    leak_checks: float = DEFAULT_LEAK_CHECKS
    """The part of the matches, 0 to 1, of which a bot that says it is deterministic is asked again."""
    warm_mb: int | None = None
    """The memory for idle bots; None for a share of the machine's."""
    runtimes: Path | None = None
    """A file with definitions of runtimes."""
    keep_logs: bool = False
    """Whether what bots write to their output is recorded with each match."""

    def check(self) -> None:
        """Raise RefusedError for what is of another type, or less or more than can be."""
        need_wholes(workers=self.workers)
        optional_wholes(warm_mb=self.warm_mb)
        need_flags(logs=self.keep_logs)
        need_numbers(leak_checks=self.leak_checks)
        if self.workers < 0:
            raise RefusedError(f"workers is {self.workers}; give at least 1, or 0 for one per core")
        if self.warm_mb is not None and self.warm_mb < 0:
            raise RefusedError(f"warm_mb is {self.warm_mb}; give at least 0, or None for a share of the memory")
        if not 0 <= self.leak_checks <= 1:
            raise RefusedError(f"leak_checks is {self.leak_checks}; give a part of the matches from 0 to 1")

    def executor(self, row: TournamentRow) -> Executor:
        """Return what plays the rest of a tournament. Raises RefusedError if this machine has too few cores."""
        cores, there = row.pool.cores, count_cores()
        if cores > 1 and max(1, self.workers) * cores > there:
            raise RefusedError(
                f"{max(1, self.workers)} matches at once with {cores} cores for a bot need more than the {there} here; "
                "grant fewer cores, or name fewer workers"
            )
        left = max(1, row.progress.planned + row.progress.leased)
        return LocalExecutor(min(self.workers or there // cores, left), warm_mb=self.warm_mb, cores=cores)


@dataclass(frozen=True, slots=True)
class OpenArena:
    """What an `arena.api.Arena` stands on."""

    place: str
    """The database as it was named."""
    database: Database
    port: ArenaPort
    programs: StoredPrograms
    hosting: HostingSettings


def open_arena(place: str | os.PathLike[str], hosting: HostingSettings, *, makes: bool) -> OpenArena:
    """Open a database, a path or a URL. Whoever does so closes it.

    Raises RefusedError if there is none and none is to be made, DatabaseError if it cannot serve, StoreError,
    RuntimeSettingsError.
    """
    named = path_of("db", place)
    if "://" not in named:
        named = str(Path(named).expanduser())
    if named.startswith("arena://"):
        raise RefusedError(f"{named!r} is a service, and a program plays on a database; name a path or a URL")
    if not makes and not is_there(named):
        raise RefusedError(f"there is no database at {named}; name another, or leave out makes=False")
    database = open_database(named, makes=makes)
    try:
        store = store_of(named)
        own_places = [place for place in os.get_exec_path() if Path(place).is_absolute()]
        defined = NO_RUNTIMES if hosting.runtimes is None else read_runtimes(hosting.runtimes)
        runtimes = RuntimeCatalog(defined, path=os.pathsep.join((SYSTEM_PATH, *own_places)))
        programs = StoredPrograms(store, hosting.policy, runtimes)
    except BaseException:
        database.close()
        raise
    return OpenArena(named, database, LocalArena(database, lambda: programs), programs, hosting)


def policy_of(sandbox: str, *, allow_reduced: bool) -> SandboxPolicy:
    """Return how bots are confined: at a level, or `auto`. Raises RefusedError."""
    if sandbox not in (AUTO, *LEVELS):
        raise RefusedError(f"sandbox {sandbox!r} is no level; use {AUTO}, {', '.join(LEVELS[:-1])} or {LEVELS[-1]}")
    return SandboxPolicy(None if sandbox == AUTO else sandbox, allow_reduced)
