"""The programs of stored versions and the sandbox that they run in, for those who plan and play matches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.hosting.manifest import BotManifest, resolve_command
from arena.hosting.sandbox.choice import DEFAULT_POLICY, SandboxPolicy, find_level
from arena.hosting.store import VersionStore


@dataclass(frozen=True, slots=True)
class StoredProgram:
    """The program of one version in the store; its files were checked when it was found."""

    directory: Path
    command: tuple[str, ...]
    """What starts it in its directory, ready for exec."""
    manifest: BotManifest

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

    @property
    def root(self) -> Path:
        """The directory of the store."""
        return self.store.root

    def find(self, content_hash: str) -> StoredProgram:
        """Return the program of a version. Raises StoreError if its files are missing or were changed."""
        stored = self.store.get(content_hash)
        return StoredProgram(stored.directory, resolve_command(stored.manifest, stored.directory), stored.manifest)

    def sandbox_level(self, *, has_owner: bool) -> str:
        """Return the level of bots that have an owner, or that have none. Raises SandboxUnavailableError."""
        return find_level(has_owner=has_owner, policy=self.policy)
