"""What is wrong with a running service right now, by the part that says so. Every thread may look and speak."""

from __future__ import annotations

import threading


class Health:
    """The problems that a service has; healthy if there is none."""

    def __init__(self) -> None:
        self._problems: dict[str, str] = {}
        self._lock = threading.Lock()

    def report(self, part: str, sentence: str) -> None:
        """Say what is wrong with a part; the newest sentence of a part counts."""
        with self._lock:
            self._problems[part] = sentence

    def clear(self, part: str) -> None:
        """Say that a part is well again."""
        with self._lock:
            self._problems.pop(part, None)

    def problems(self) -> dict[str, str]:
        """Return every problem by the part that has it."""
        with self._lock:
            return dict(self._problems)
