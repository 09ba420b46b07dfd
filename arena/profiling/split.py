"""From two looks at a run to where time went between them, in decisions, parts and processes.

`cpu_by_role` reads the processor time of the processes of a run, by what they are for; all else is values and
arithmetic.
"""

from __future__ import annotations

import enum
import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from arena.hosting.procfs.processes import (
    CHILDREN_SYSTEM,
    CHILDREN_USER,
    list_children,
    list_descendants,
    parse_stat,
    read_file,
)
from arena.profiling.parts import ProfilePart
from arena.profiling.shared_counters import PARTS, Reading, WorkerPhase
from engine.translatable import Text

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Role(enum.StrEnum):
    """What a process of a run is for."""

    COORDINATOR = "coordinator"
    WORKER = "worker"
    LAUNCHER = "launcher"
    BOT = "bot"


def cpu_by_role(coordinator: int) -> Mapping[Role, float]:
    """Return the processor time of all processes of a run so far, in seconds; ended bots are counted, too.

    The coordinator's children are workers, theirs launchers, and what these start are bots. Their clocks are exact;
    what has ended is known in ticks of the kernel, of a hundredth of a second, by the launcher that waited for it.
    """
    workers = list_children(coordinator)
    launchers = [launcher for worker in workers for launcher in list_children(worker)]
    bots = [bot for launcher in launchers for bot in list_descendants(launcher)[1:]]
    ticks = 0  # of the children that these processes have waited for
    for pid in (*launchers, *bots):
        with suppress(OSError):
            fields = parse_stat(read_file(f"/proc/{pid}/stat"))
            ticks += int(fields[CHILDREN_USER]) + int(fields[CHILDREN_SYSTEM])
    return {
        Role.COORDINATOR: _ran_s([coordinator]),
        Role.WORKER: _ran_s(workers),
        Role.LAUNCHER: _ran_s(launchers),
        Role.BOT: _ran_s(bots) + ticks * _TICK_S,
    }


def _ran_s(pids: Iterable[int]) -> float:
    total = 0.0
    for pid in pids:
        with suppress(OSError):  # it has just ended
            total += time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3)
    return total


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """What was seen of a run at one moment."""

    at_s: float
    """By a clock that only goes forward."""
    workers: Mapping[int, Reading]
    """The sheets of the workers by process id."""
    coordinator: Reading
    roles: Mapping[Role, float]
    """Processor time of the processes, in seconds."""
    recorded: int = 0
    """The matches that were recorded."""
    recording_s: float = 0.0
    """The sum of the times from their reports to their recording."""


@dataclass(frozen=True, slots=True)
class PartCost:
    """What one part costs a decision."""

    part: ProfilePart
    cpu_us: float
    share: float
    """Of the processor time of all parts, 0 to 1."""
    margin_us: float
    """Two standard errors of `cpu_us` that come from sampling; 0 for a process of its own, whose clock was read."""


@dataclass(frozen=True, slots=True)
class WallShare:
    """What one stretch of a match takes of its worker's time."""

    stretch: str
    """`wait`, `start`, `asked`, `between` or `end`."""
    wall_ms: float
    """For each match."""
    share: float
    """Of the time of all workers, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Split:
    """Where time went in a run."""

    seconds: float
    workers: int
    matches: int
    decisions: int
    """The plies that bots chose."""
    samples: int
    cpu_s: float
    """The processor time of all processes together; that of the parts adds up to it."""
    parts: tuple[PartCost, ...]
    walls: tuple[WallShare, ...]
    recording_ms: float | None
    """From the report of a match until it is recorded and rated, while the next one is played; None if none was."""

    @property
    def cpu_us(self) -> float:
        """The processor time of a decision."""
        return self.cpu_s / self.decisions * 1e6

    @property
    def decisions_per_s(self) -> float:
        """Return how many decisions were taken in a second."""
        return self.decisions / self.seconds

    @property
    def busy_cores(self) -> float:
        """Return how many cores computed for it, on the average."""
        return self.cpu_s / self.seconds


class UnmeasuredError(Exception):
    """Two looks do not tell where time went between them. The message is a sentence."""


def split_of(first: RunSnapshot, last: RunSnapshot) -> Split:
    """Return where time went between two looks.

    Raises UnmeasuredError if no decision was taken, or not all workers lived all the time.
    """
    pids = first.workers.keys()
    if pids != last.workers.keys():
        raise UnmeasuredError(Text("a worker ended while it was measured, and what it knew with it; measure again"))
    decisions = sum(last.workers[pid].decisions - first.workers[pid].decisions for pid in pids)
    if decisions < 1:
        raise UnmeasuredError(Text("no decision was taken while it was measured; measure for longer, with --seconds"))
    roles = {role: max(last.roles[role] - first.roles[role], 0.0) for role in Role}
    workers = _within(roles[Role.WORKER], [(first.workers[pid], last.workers[pid]) for pid in pids], ProfilePart.OTHER)
    own = _within(roles[Role.COORDINATOR], [(first.coordinator, last.coordinator)], ProfilePart.COORDINATOR)
    costs = {}  # the processor time of each part with its error, in seconds
    for part in PARTS:
        (of_workers, error), (of_own, own_error) = workers.costs[part], own.costs[part]
        costs[part] = of_workers + of_own, math.hypot(error, own_error)
    costs[ProfilePart.BOT] = roles[Role.BOT], 0.0
    costs[ProfilePart.LAUNCHER] = roles[Role.LAUNCHER], 0.0
    total_s = sum(cost_s for cost_s, _ in costs.values())
    whole_s = total_s or 1.0  # on a machine whose clocks stand still, no part has a share
    recorded = last.recorded - first.recorded
    matches = sum(last.workers[pid].matches - first.workers[pid].matches for pid in pids)
    spent = {
        phase: sum(last.workers[pid].wall_s[phase] - first.workers[pid].wall_s[phase] for pid in pids)
        for phase in WorkerPhase
    }
    asked = sum(last.workers[pid].asked_s - first.workers[pid].asked_s for pid in pids)
    stretches = {
        "wait": spent[WorkerPhase.WAIT],
        "start": spent[WorkerPhase.START],
        "asked": asked,
        "between": max(spent[WorkerPhase.PLAY] - asked, 0.0),
        "end": spent[WorkerPhase.END],
    }
    total = sum(stretches.values()) or 1.0
    return Split(
        seconds=last.at_s - first.at_s,
        workers=len(pids),
        matches=matches,
        decisions=decisions,
        samples=workers.samples + own.samples,
        cpu_s=total_s,
        parts=tuple(
            PartCost(part, cost_s / decisions * 1e6, cost_s / whole_s, error_s / decisions * 1e6)
            for part, (cost_s, error_s) in costs.items()
        ),
        walls=tuple(
            WallShare(stretch, wall_s * 1000 / max(matches, 1), wall_s / total) for stretch, wall_s in stretches.items()
        ),
        recording_ms=(last.recording_s - first.recording_s) / recorded * 1000 if recorded else None,
    )


@dataclass(frozen=True, slots=True)
class _Within:
    """What the samples of some processes say."""

    costs: Mapping[ProfilePart, tuple[float, float]]
    samples: int


def _within(used_s: float, readings: Sequence[tuple[Reading, Reading]], rest: ProfilePart) -> _Within:
    """Divide what processes used by their samples; what these do not explain is `rest`.

    The error is that of a share that was counted: the square root of p (1 - p) / n, taken twice.
    """
    samples = sum(last.samples - first.samples for first, last in readings)
    sampled = {part: sum(last.cpu_s[part] - first.cpu_s[part] for first, last in readings) for part in PARTS}
    total = sum(sampled.values())
    scale = min(used_s / total, 1.0) if total > 0 else 0.0  # a sheet is read a moment later than a clock
    costs = {part: cpu_s * scale for part, cpu_s in sampled.items()}
    costs[rest] += max(used_s - total, 0.0)
    if used_s <= 0 or samples < 1:
        return _Within({part: (cost, 0.0) for part, cost in costs.items()}, samples)
    shares = {part: min(cost / used_s, 1.0) for part, cost in costs.items()}
    errors = {part: 2 * math.sqrt(share * (1 - share) / samples) * used_s for part, share in shares.items()}
    return _Within({part: (cost, errors[part]) for part, cost in costs.items()}, samples)
