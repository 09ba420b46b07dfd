"""What takes long to make is kept while there is room, and made once although many ask for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock


class ByteCache:
    """Bytes by key, of which those that were used last are kept, up to so many bytes. Safe for threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._found: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._making: dict[str, Lock] = {}

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """Return what is kept under a key, or make it; whoever asks meanwhile waits for that. Errors of `make` pass."""
        found = self._find(key)
        if found is not None:
            return found
        with self._lock:
            making = self._making.setdefault(key, Lock())
        try:
            with making:
                found = self._find(key)
                return found if found is not None else self._keep(key, make())
        finally:
            with self._lock:
                self._making.pop(key, None)

    def _find(self, key: str) -> bytes | None:
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
            return found

    def _keep(self, key: str, made: bytes) -> bytes:
        with self._lock:
            self._found[key] = made
            self._bytes += len(made)
            while self._bytes > self._most_bytes and len(self._found) > 1:
                _, dropped = self._found.popitem(last=False)
                self._bytes -= len(dropped)
        return made
