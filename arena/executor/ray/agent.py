"""The actor that stands for one machine of a cluster: it proves what the machine can do, and keeps its versions.

It runs there, one for each coordinator, and is asked by that. What it takes and returns is plain data, since the
arena there may be another one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from arena.executor.ray.cache import MissingError, VersionCache, VersionUnplayableError, WantedVersion, program_json
from arena.executor.ray.facts import own_facts
from arena.executor.ray.library import keep_exit_statuses
from arena.hosting.cgroups.holder import sweep_groups
from arena.hosting.errors import HostingError
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import RuntimeSettings, RuntimeSettingsError, parse_runtimes
from arena.hosting.sandbox.probe import probe
from arena.hosting.user_directories import cache_directory, sweep
from engine.text import joined

VERSIONS = "versions"


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
