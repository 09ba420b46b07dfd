"""A sheet of counters that one process writes while it works, and another reads at any moment.

It is a file in memory of 64-bit words: writing one costs no system call, and each is read whole. A reader may see
some words newer than others, by no more than one sample.
"""

from __future__ import annotations

import enum
import mmap
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.profiling.parts import ProfilePart


class WorkerPhase(enum.StrEnum):
    """What a worker is at."""

    WAIT = "wait"
    """It has no match: the last report was sent, the next match has not come."""
    START = "start"
    """Bots are started or woken, and seated."""
    PLAY = "play"
    """The referee plays."""
    END = "end"
    """Bots are let go, the replay and the report are made."""


PARTS, PHASES = tuple(ProfilePart), tuple(WorkerPhase)
_CPU, _WALL = 0, len(PARTS)
_SAMPLES, _MATCHES, _DECISIONS, _ASKED, _PHASE, _SINCE = range(_WALL + len(PHASES), _WALL + len(PHASES) + 6)
_SIZE = _SINCE + 1
_BYTES = _SIZE * 8


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sheet said at one moment, all of it since the process began."""

    cpu_s: Mapping[ProfilePart, float]
    """Processor time by part; only those that can be told apart within this process are not 0."""
    samples: int
    """How many samples that rests on."""
    wall_s: Mapping[WorkerPhase, float]
    """Wall time by phase, the one that lasts included."""
    matches: int
    """The matches that have ended."""
    decisions: int
    """The plies that bots chose."""
    asked_s: float
    """The wall time from questions to their answers, which is a part of the phase PLAY."""


class Sheet:
    """The counters, as their process writes them."""

    def __init__(self, words: memoryview) -> None:
        """Take the `words`, as many as `new_words` returns, all 0."""
        self._words = words
        words[_SINCE] = time.monotonic_ns()

    def add_cpu(self, part: ProfilePart, used_ns: int) -> None:
        """Count processor time."""
        self._words[_CPU + _CPU_OF[part]] += used_ns

    def count_sample(self) -> None:
        """Count a sample."""
        self._words[_SAMPLES] += 1

    def enter(self, phase: WorkerPhase) -> None:
        """End the phase that lasts, and begin another one."""
        now = time.monotonic_ns()
        self._words[_WALL + self._words[_PHASE]] += now - self._words[_SINCE]
        self._words[_PHASE], self._words[_SINCE] = PHASES.index(phase), now

    def count_decisions(self, decisions: int, asked_us: int) -> None:
        """Count plies that bots chose, and the wall time for which they were asked."""
        self._words[_DECISIONS] += decisions
        self._words[_ASKED] += asked_us * 1000

    def count_match(self) -> None:
        """Count a match that has ended."""
        self._words[_MATCHES] += 1

    def read(self) -> Reading:
        """Return what it says now."""
        return _reading(list(self._words))


_CPU_OF = {part: index for index, part in enumerate(PARTS)}


def new_words() -> memoryview:
    """Return the words of a sheet that only this process reads."""
    return memoryview(bytearray(_BYTES)).cast("Q")


@contextmanager
def shared_sheet(file: Path) -> Iterator[Sheet]:
    """Make a file that `read_sheet` reads, and give its sheet. Raises OSError."""
    with file.open("x+b") as opened:
        opened.truncate(_BYTES)
        opened.flush()
        with mmap.mmap(opened.fileno(), _BYTES) as mapped, memoryview(mapped) as whole, whole.cast("Q") as words:
            yield Sheet(words)


def read_sheet(file: Path) -> Reading | None:
    """Return what the sheet of another process says now; None if that has only just begun. Raises OSError."""
    data = file.read_bytes()
    words = list(struct.unpack(f"={_SIZE}Q", data)) if len(data) == _BYTES else []
    return _reading(words) if words and words[_SINCE] else None


def _reading(words: list[int]) -> Reading:
    walls = words[_WALL : _WALL + len(PHASES)]
    walls[words[_PHASE]] += max(time.monotonic_ns() - words[_SINCE], 0)
    return Reading(
        cpu_s={part: words[index] / 1e9 for index, part in enumerate(PARTS)},
        samples=words[_SAMPLES],
        wall_s={phase: wall / 1e9 for phase, wall in zip(PHASES, walls, strict=True)},
        matches=words[_MATCHES],
        decisions=words[_DECISIONS],
        asked_s=words[_ASKED] / 1e9,
    )
