"""The files of programs on their way to other machines: packed once, kept in the cluster's store of objects."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.executor.ray.cache import LIMITS
from arena.hosting.archive.packing import pack

KEPT_BYTES = 256 << 20
"""So much is kept for further machines; what was used longest ago is packed again for them."""
_SPOOL_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class PackedVersion:
    """An archive that the machines of the cluster can fetch."""

    content: str
    """The content hash of the files."""
    reference: Any
    size_bytes: int


class Archives:
    """The archives of one coordinator."""

    def __init__(self, put: Callable[[bytes], Any]) -> None:
        """`put` keeps bytes where every machine of the cluster finds them, as long as what it returns is kept."""
        self._put = put
        self._packed: dict[str, PackedVersion] = {}
        self._turn = asyncio.Lock()

    async def get(self, directory: str) -> PackedVersion:
        """Return the archive of a directory. Raises BotFilesError, BotArchiveError."""
        async with self._turn:
            found = self._packed.pop(directory, None) or await self._pack(directory)
            self._packed[directory] = found
            self._forget()
            return found

    async def _pack(self, directory: str) -> PackedVersion:
        content, archive = await asyncio.to_thread(_pack, directory)
        return PackedVersion(content, self._put(archive), len(archive))

    def _forget(self) -> None:
        while len(self._packed) > 1 and sum(one.size_bytes for one in self._packed.values()) > KEPT_BYTES:
            del self._packed[next(iter(self._packed))]


def _pack(directory: str) -> tuple[str, bytes]:
    with tempfile.SpooledTemporaryFile(_SPOOL_BYTES) as file:
        archive = pack(Path(directory), file, LIMITS)  # type: ignore[arg-type]
        return archive.content_hash, file.read()
