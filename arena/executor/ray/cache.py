"""The versions that a machine of a cluster has: each came once, and is checked whenever somebody asks for it.

A version that was damaged is thrown away and comes anew; one that is not what its hash says is never kept.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.hosting.archive.checking import add_archive
from arena.hosting.archive.format import ArchiveLimits, BotArchiveError
from arena.hosting.errors import HostingError
from arena.hosting.manifest import BotDirectoryError, resolve_command
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import InstalledRuntime
from arena.hosting.store import StoredVersion, StoreError, VersionStore
from engine.text import Text

LIMITS = ArchiveLimits(files=20_000)
"""As much as what a build made may hold."""
UNUSED_S = 30 * 24 * 3600.0
"""A version that no coordinator wanted for so long is removed."""


@dataclass(frozen=True, slots=True)
class WantedVersion:
    """A program that is to play."""

    content: str
    """The content hash of its files."""
    runtime: str
    """The hash of its runtime; empty if that is the one of this name."""


@dataclass(frozen=True, slots=True)
class CachedProgram:
    """A program as it lies on a machine."""

    directory: str
    command: tuple[str, ...]
    trees: tuple[str, ...] | None
    environment: Mapping[str, str]


class MissingError(Exception):
    """The version is not here."""


class VersionUnplayableError(Exception):
    """The version cannot be played here; the message says why."""


class VersionCache:
    """The versions of one machine, for all coordinators; several processes may use the directory at once."""

    def __init__(self, root: Path, runtimes: RuntimeCatalog) -> None:
        self._store = VersionStore(root, LIMITS.of_version())
        self._runtimes = runtimes

    def sweep(self) -> None:
        """Remove what nobody has wanted for long."""
        with suppress(StoreError):
            self._store.collect(lambda _: False, UNUSED_S)

    def find(self, wanted: WantedVersion) -> CachedProgram:
        """Return a program, and have it kept; its files were checked. Raises MissingError, VersionUnplayableError."""
        stored = self._check(wanted.content)
        try:
            runtime = self._runtime(wanted.runtime, stored.manifest.runtime)
            command = resolve_command(stored.manifest, stored.directory, runtime.places)
        except (BotDirectoryError, HostingError) as error:
            raise VersionUnplayableError(str(error)) from error
        return CachedProgram(str(stored.directory), command, runtime.trees, dict(runtime.environment))

    def add(self, content: str, archive: bytes) -> None:
        """Keep a version that came in an archive. Raises VersionUnplayableError if it is not that version."""
        try:
            add_archive(self._store, io.BytesIO(archive), content, LIMITS)
        except (BotArchiveError, StoreError) as error:
            raise VersionUnplayableError(str(error)) from error

    def _check(self, content: str) -> StoredVersion:
        """Return a version that is whole; one that is not is removed. Raises MissingError."""
        try:
            if not self._store.renew(content):
                raise MissingError
            return self._store.get(content)
        except StoreError as error:
            with suppress(StoreError):
                self._store.remove(content)
            raise MissingError from error

    def _runtime(self, runtime: str, name: str) -> InstalledRuntime:
        """Return the runtime with that hash. Raises VersionUnplayableError; the errors of `RuntimeCatalog.get`."""
        found = self._runtimes.get(name)
        if runtime and found.hash != runtime:
            raise VersionUnplayableError(
                Text(
                    "executor.runtime_another_one_than_here",
                    "its runtime {name} is another one than here; install the same on every machine",
                    name=repr(name),
                )
            )
        return found


def program_json(program: CachedProgram) -> dict[str, Any]:
    """Return a program as plain data; `read_program` is the inverse."""
    return {
        "directory": program.directory,
        "command": list(program.command),
        "trees": None if program.trees is None else list(program.trees),
        "environment": dict(program.environment),
    }


def read_program(data: Mapping[str, Any]) -> CachedProgram:
    """Return the program that `program_json` wrote."""
    trees = data["trees"]
    return CachedProgram(
        data["directory"], tuple(data["command"]), None if trees is None else tuple(trees), data["environment"]
    )
