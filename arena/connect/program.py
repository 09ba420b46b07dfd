"""Makes a bot's directory into a program that is ready to run: copied, so that it stays the version it says it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.connect.errors import BotFailsError
from arena.hosting.builder.build import build_version
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.cache_directory import cache_directory
from arena.hosting.manifest import BotManifest, load_manifest
from arena.hosting.runtimes.book import Runtimes
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.limits import NONE
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.spec import SeatSpec

DEFAULT_VERSION_DIGITS = 12
_KEPT_S = 30 * 24 * 3600.0
"""How long a copy is kept that nobody has connected with."""


@dataclass(frozen=True, slots=True)
class LocalProgram:
    """A version of a bot that is ready to run on this machine."""

    manifest: BotManifest
    hash: str
    seat: SeatSpec
    """What its processes are started with."""

    @property
    def default_version(self) -> str:
        """What the version is called unless its author has another word for it."""
        return self.hash[:DEFAULT_VERSION_DIGITS]


async def prepare(directory: Path, policy: SandboxPolicy, runtimes: Runtimes, root: Path | None = None) -> LocalProgram:
    """Copy the files of a bot to where this user's copies lie, build it if it needs that, and return its program.

    Raises BotDirectoryError, StoreError, BotFailsError if its build command fails, HostingError.
    """
    store = VersionStore((root or cache_directory()) / "connected.bots")
    programs = StoredPrograms(store, policy, runtimes)
    level = programs.sandbox_level(has_owner=False)
    runtimes.check_bot(load_manifest(directory), directory, is_stranger=level != NONE)
    stored = store.add(directory)
    store.collect(lambda version: version == stored.hash, _KEPT_S)
    outcome = await build_version(programs, stored.hash, has_owner=False)
    if isinstance(outcome, BuildFailure):
        last = outcome.log.rstrip().rpartition("\n")[2].strip()
        raise BotFailsError(f"{stored.manifest.name} cannot be built: {outcome.sentence} Its last line was: {last!r}")
    return _program(programs, stored.hash, level)


def _program(programs: StoredPrograms, version: str, level: str) -> LocalProgram:
    found = programs.find(version)
    seat = SeatSpec(
        version=version,
        name=found.manifest.name,
        directory=str(found.directory),
        command=found.command,
        seed=0,
        memory_mb=found.memory_mb,
        sandbox=level,
        runtime=found.runtime,
        trees=found.trees,
        environment=found.environment,
    )
    return LocalProgram(found.manifest, version, seat)
