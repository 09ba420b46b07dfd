"""What a tree of processes has computed, engines apart from the rest, looked at twice a second from outside."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from bisect import bisect_left
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from arena.hosting.procfs.processes import list_descendants, parse_stat, read_file

_INTERVAL_S = 0.5
_TICKS = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 11, 12
"""The places of both times among the fields of a `stat` file."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of processor time since the tree began, at a moment of `time.time()`."""

    at_s: float
    engines_s: float
    others_s: float


class Spending:
    """Looks at the tree below a process while this is open. What has ended is counted as it was seen last."""

    def __init__(self, root: int, engine: str) -> None:
        self._root = root
        self._engine = engine.encode()
        self._seen: dict[int, tuple[bool, float]] = {}
        self._looks: list[Spent] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def looks(self) -> int:
        """Return how often it has looked; two moments can be compared after two looks."""
        return len(self._looks)

    def between(self, began_s: float, ended_s: float) -> tuple[float, float]:
        """Return what engines and others computed between two moments, in seconds; between two looks it is even."""
        first, last = self._at(began_s), self._at(ended_s)
        return last.engines_s - first.engines_s, last.others_s - first.others_s

    def _watch(self) -> None:
        while True:
            self._look()
            if self._over.wait(_INTERVAL_S):
                return

    def _look(self) -> None:
        for pid in list_descendants(self._root):
            with contextlib.suppress(OSError):  # it has ended
                fields = parse_stat(read_file(f"/proc/{pid}/stat"))
                # The program comes first, unless an interpreter stands before it.
                # One that has just ended has no command line any more.
                was_engine, _ = self._seen.get(pid, (False, 0.0))
                is_engine = was_engine or self._engine in read_file(f"/proc/{pid}/cmdline").split(b"\0")[:2]
                self._seen[pid] = is_engine, (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS
        sums = [sum(cpu_s for is_engine, cpu_s in self._seen.values() if is_engine is kind) for kind in (True, False)]
        self._looks.append(Spent(time.time(), *sums))

    def _at(self, moment_s: float) -> Spent:
        looks = self._looks
        index = min(max(bisect_left(looks, moment_s, key=lambda look: look.at_s), 1), len(looks) - 1)
        one, other = looks[index - 1], looks[index]
        share = min(max((moment_s - one.at_s) / (other.at_s - one.at_s), 0.0), 1.0)
        parts = zip((one.engines_s, one.others_s), (other.engines_s, other.others_s), strict=True)
        return Spent(moment_s, *(before + share * (after - before) for before, after in parts))
