"""The actor that stands for one machine of a cluster: it proves what the machine can do, and keeps its versions.

It runs there, one for each coordinator, and is asked by that. What it takes and returns is plain data, since the
arena there may be another one. Each version comes once, and is checked whenever somebody asks for it: one that was
damaged is thrown away and comes anew; one that is not what its hash says is never kept.
"""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.executor.ray.facts import own_facts
from arena.executor.ray.library import keep_exit_statuses
from arena.hosting.archive.checking import add_archive
from arena.hosting.archive.format import ArchiveLimits, BotArchiveError
from arena.hosting.cgroups.launcher_groups import sweep_groups
from arena.hosting.errors import HostingError
from arena.hosting.manifest import BotDirectoryError, resolve_command
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import RuntimeSettings, RuntimeSettingsError, parse_runtimes
from arena.hosting.sandbox.probe import probe
from arena.hosting.store import StoreError, VersionStore
from arena.hosting.user_directories import cache_directory, sweep
from engine.translatable import Text, joined

VERSIONS = "versions"
LIMITS = ArchiveLimits(files=20_000)
"""As much as what a build made may hold."""
UNUSED_S = 30 * 24 * 3600.0
"""A version that no coordinator wanted for so long is removed."""


class NodeAgent:
    """Answers for one machine. Every method may be called while another one has not returned."""

    def __init__(self, tables: Mapping[str, Mapping[str, Any]]) -> None:
        """Know the runtimes that the organiser defined in these tables."""
        try:
            settings = parse_runtimes(dict(tables), place="the coordinator")
        except RuntimeSettingsError:
            settings = RuntimeSettings()
        self._cache = VersionCache(cache_directory() / VERSIONS, RuntimeCatalog(settings))
        self._turn = asyncio.Lock()
        keep_exit_statuses()
        self._state: dict[str, Any] = {}
        sweep()
        sweep_groups()
        self._cache.sweep()

    async def facts(self) -> dict[str, Any]:
        """Return what is installed here."""
        return await asyncio.to_thread(lambda: own_facts().to_json())

    async def clock(self) -> float:
        """Return the time here, in seconds since 1970."""
        return time.time()

    async def try_levels(self, levels: Sequence[str]) -> dict[str, str]:
        """Try levels of the sandbox, and return for each why it does not work here, or an empty text."""
        found = await asyncio.to_thread(lambda: [probe(level) for level in levels])
        return {one.level: "" if one.works else joined(one.problem, one.remedy) for one in found}

    async def find(self, content: str, runtime: str) -> dict[str, Any]:
        """Return a program, or that it is `missing`, or why it is `refused`."""
        async with self._turn:
            try:
                return {
                    "program": program_json(await asyncio.to_thread(self._cache.find, WantedVersion(content, runtime)))
                }
            except MissingError:
                return {"missing": True}
            except VersionUnplayableError as error:
                return {"refused": str(error)}

    async def add(self, content: str, archive: bytes) -> str:
        """Keep a version, and return why it cannot be kept, or an empty text."""
        async with self._turn:
            try:
                await asyncio.to_thread(self._cache.add, content, archive)
            except (VersionUnplayableError, HostingError, OSError) as error:
                return str(error)
        return ""

    async def note(self, state: Mapping[str, Any]) -> None:
        """Keep what the coordinator says of this machine, for whoever asks."""
        self._state = dict(state)

    async def state(self) -> dict[str, Any]:
        """Return what the coordinator said last."""
        return self._state


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
        try:
            if not self._store.renew(wanted.content):
                raise MissingError
            stored = self._store.get(wanted.content)
        except StoreError as error:
            with suppress(StoreError):
                self._store.remove(wanted.content)
            raise MissingError from error
        try:
            runtime = self._runtimes.get(stored.manifest.runtime)
            if wanted.runtime and runtime.hash != wanted.runtime:
                why = Text(
                    "its runtime {name} is another one than here; install the same on every machine",
                    name=repr(stored.manifest.runtime),
                )
                raise VersionUnplayableError(why)
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
