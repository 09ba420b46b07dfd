"""Makes a bot's directory into a program that is ready to run: copied, so that it stays the version it says it is."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from arena.connect.errors import BotFailsError
from arena.connect.news import Note, Tell
from arena.hosting.builder.build import build_version
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.cache_directory import cache_directory
from arena.hosting.manifest import BotManifest, load_manifest
from arena.hosting.runtimes.book import Runtimes
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.limits import NONE
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import StoredVersion, VersionStore
from arena.match.spec import SeatSpec

DEFAULT_VERSION_DIGITS = 12
_SHOWN_LINES = 40
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


async def prepare(
    directory: Path,
    policy: SandboxPolicy,
    runtimes: Runtimes,
    root: Path | None = None,
    tell: Tell = lambda _: None,
) -> LocalProgram:
    """Copy the files of a bot to where this user's copies lie, build it if it needs that, and return its program.

    Raises BotDirectoryError, StoreError, BotFailsError if its build command fails, HostingError.
    """
    store = VersionStore((root or cache_directory()) / "connected.bots")
    programs = StoredPrograms(store, policy, runtimes)
    level = programs.sandbox_level(has_owner=False)
    runtimes.check_bot(load_manifest(directory), directory, is_stranger=level != NONE)
    stored = store.add(directory)
    for version in store.collect(lambda version: version == stored.hash, _KEPT_S):
        programs.builds.remove(version)
    if stored.manifest.build:
        await _build(programs, stored, tell)
    return _program(programs, stored.hash, level)


async def _build(programs: StoredPrograms, stored: StoredVersion, tell: Tell) -> None:
    """Build a version unless that was done before. Raises BotFailsError, after its log was told."""
    name, runtime = stored.manifest.name, programs.runtimes.get(stored.manifest.runtime)
    if programs.builds.get(stored.hash, runtime.hash) is None:
        tell(Note(f"building {name} with `{shlex.join(stored.manifest.build)}`"))
    outcome = await build_version(programs, stored.hash, has_owner=False)
    if isinstance(outcome, BuildFailure):
        for line in outcome.log.rstrip().splitlines()[-_SHOWN_LINES:]:
            tell(Note(f"| {line}"))
        raise BotFailsError(f"{name} cannot be built: {outcome.sentence}")


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
