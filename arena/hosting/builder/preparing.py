"""Makes a bot ready to run where its author sits: its files are copied as they are now, and built if need be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from arena.hosting.builder.build import build_version
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.builds import Built
from arena.hosting.cache_directory import cache_directory
from arena.hosting.manifest import BotManifest, load_manifest
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.limits import NONE
from arena.hosting.sandbox.programs import StoredProgram, StoredPrograms
from arena.hosting.store import StoredVersion, VersionStore
from arena.hosting.tools import with_lack

OnBuild = Callable[[BotManifest], None]
"""Called before a build command runs; not if what it made is there already."""
_KEPT_S = 30 * 24 * 3600.0
"""How long a copy is kept that nobody has used."""


@dataclass(frozen=True, slots=True)
class PreparedBot:
    """A version of a bot that is ready to run on this machine."""

    version: str
    """Its content hash (SHA-256, hex)."""
    program: StoredProgram
    level: str
    """The level of the sandbox at which it runs."""
    build_s: float | None
    """How long its build command ran; None if it has none."""

    @property
    def manifest(self) -> BotManifest:
        """What it says of itself."""
        return self.program.manifest


async def prepare_bot(
    directory: Path, programs: StoredPrograms, on_build: OnBuild = lambda _: None
) -> PreparedBot | BuildFailure:
    """Store a bot as it is in its directory now, build it unless that was done already, and return its program.

    Raises BotDirectoryError if there is no bot that can run here, StoreError, HostingError.
    """
    manifest = load_manifest(directory)
    level = programs.sandbox_level(has_owner=False)
    programs.runtimes.check_bot(manifest, directory, is_stranger=level != NONE)
    stored = await asyncio.to_thread(programs.store.add, directory)
    if manifest.build and not await asyncio.to_thread(_is_built, programs, stored):
        on_build(manifest)
    built = await build_here(programs, stored, has_owner=False)
    if isinstance(built, BuildFailure):
        return built
    program = await asyncio.to_thread(programs.find, stored.hash)
    return PreparedBot(stored.hash, program, level, None if built is None else built.seconds)


async def prepare_copy(
    directory: Path,
    policy: SandboxPolicy,
    runtimes: RuntimeCatalog,
    root: Path | None = None,
    on_build: OnBuild = lambda _: None,
) -> PreparedBot | BuildFailure:
    """Prepare a bot as `prepare_bot` does, among the copies in `root`, by default this user's cache.

    Copies that were not used for a month are removed.
    """
    programs = StoredPrograms(VersionStore((root or cache_directory()) / "connected.bots"), policy, runtimes)
    prepared = await prepare_bot(directory, programs, on_build)
    for version in await asyncio.to_thread(programs.store.collect, lambda _: False, _KEPT_S):
        programs.builds.remove(version)
    return prepared


async def build_here(
    programs: StoredPrograms, stored: StoredVersion, *, has_owner: bool
) -> Built | BuildFailure | None:
    """Build a version as `build_version` does; a failure also tells what this machine lacks, to be installed."""
    built = await build_version(programs, stored.hash, has_owner=has_owner)
    if not isinstance(built, BuildFailure):
        return built
    return replace(
        built, sentence=await asyncio.to_thread(with_lack, built.sentence, stored.manifest, stored.directory)
    )


def _is_built(programs: StoredPrograms, stored: StoredVersion) -> bool:
    runtime = programs.runtimes.get(stored.manifest.runtime)
    return programs.builds.get(stored.hash, runtime.hash) is not None
