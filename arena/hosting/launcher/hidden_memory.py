"""Finds out what memory a bot holds that its resident pages do not show. It ends nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence

from arena.hosting.procfs.usage import hidden_bytes, machine_memory

INTERVAL_S = 1.0
"""How often all mappings are read while nothing happens."""
STEP_BYTES = 16 << 20
"""When the kernel's own or shared memory of the machine has grown by that, they are read at once."""


class HiddenMemory:
    """What one bot holds of the kernel and in shared memory; created when it starts."""

    __slots__ = ("_bytes", "_least_shared", "_next_look", "_seen")

    def __init__(self) -> None:
        kernel, self._least_shared = machine_memory()
        self._seen = kernel + self._least_shared
        self._next_look = 0.0
        self._bytes = 0

    def measure(self, pids: Sequence[int]) -> int:
        """Return the bytes that were found last. A look that is not due reads one file."""
        kernel, shared = machine_memory()
        self._least_shared = min(self._least_shared, shared)
        now = time.monotonic()
        if now >= self._next_look or kernel + shared > self._seen + STEP_BYTES:
            self._next_look, self._seen = now + INTERVAL_S, kernel + shared
            self._bytes = hidden_bytes(pids, shared - self._least_shared)
        return self._bytes
