"""The programs of stored versions and the sandbox that they run in, for those who plan and play matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena.hosting.builds import BUILDS_SUFFIX, BuildMissingError, BuildStore
from arena.hosting.manifest import BotManifest, resolve_command
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import InstalledRuntime, RuntimeDescription
from arena.hosting.sandbox.limits import DEFAULT_POLICY, SandboxPolicy, find_level
from arena.hosting.store import VersionStore
from engine.translatable import Text, placed


@dataclass(frozen=True, slots=True)
class StoredProgram:
    """The program of one version in the store; its files were checked when it was found."""

    directory: Path
    command: tuple[str, ...]
    """What starts it in its directory, ready for exec."""
    manifest: BotManifest
    used_runtime: InstalledRuntime

    @property
    def runtime(self) -> str:
        """The hash of the runtime that it runs in."""
        return self.used_runtime.hash

    @property
    def trees(self) -> tuple[str, ...] | None:
        """What its runtime needs besides the system; None for what the arena's own Python does."""
        return self.used_runtime.trees

    @property
    def environment(self) -> Mapping[str, str]:
        """What its runtime adds to the environment."""
        return self.used_runtime.environment

    @property
    def games(self) -> tuple[str, ...]:
        """The games that it says it plays, as written: names, or `*` for every game."""
        return self.manifest.games

    @property
    def memory_mb(self) -> int:
        """What its whole process tree may use."""
        return self.manifest.memory_mb

    @property
    def is_deterministic(self) -> bool:
        """Whether it promises equal answers to equal questions."""
        return self.manifest.deterministic

    def plays(self, game: str) -> bool:
        """Return whether it says it plays that game."""
        return self.manifest.plays(game)


@dataclass(frozen=True, slots=True)
class StoredPrograms:
    """All programs of a version store, and the sandbox levels that a policy gives them."""

    store: VersionStore
    policy: SandboxPolicy = DEFAULT_POLICY
    runtimes: RuntimeCatalog = field(default_factory=RuntimeCatalog)
    build_root: Path | None = None
    """Where built versions lie; None for `X.builds` beside the store `X.bots`."""

    @property
    def builds(self) -> BuildStore:
        """The versions that were built."""
        return BuildStore(self.build_root or self.store.root.with_suffix(BUILDS_SUFFIX))

    @property
    def root(self) -> Path:
        """The directory of the store."""
        return self.store.root

    def find(self, content_hash: str) -> StoredProgram:
        """Return the program of a version.

        Raises StoreError if its files are missing or were changed, BuildMissingError if it is not built for its runtime
        as that is now, UnknownRuntimeError or RuntimeBrokenError if its runtime is not there, ManifestError if the
        runtime does not have its program.
        """
        stored = self.store.get(content_hash)
        runtime = self.runtimes.get(stored.manifest.runtime)
        directory = stored.directory
        if stored.manifest.build:
            built = self.builds.get(stored.hash, runtime.hash)
            if built is None:
                why = Text(
                    "version {hash} is not built for runtime {name} as it is now; `arena bot add {path}` builds it",
                    hash=stored.hash[:12],
                    name=repr(runtime.name),
                    path=directory,
                )
                raise BuildMissingError(placed(stored.manifest.name, why))
            directory = built.directory
        command = resolve_command(stored.manifest, directory, runtime.places)
        return StoredProgram(directory, command, stored.manifest, runtime)

    def describe_runtime(self, runtime: str) -> RuntimeDescription | None:
        """Return what the runtime with that hash consists of; None if it is none of those looked at, or has changed."""
        return self.runtimes.describe(runtime)

    def sandbox_level(self, *, has_owner: bool) -> str:
        """Return the level of bots that have an owner, or that have none. Raises SandboxUnavailableError."""
        return find_level(has_owner=has_owner, policy=self.policy)
