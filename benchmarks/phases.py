"""Phases of a service that runs: what it uses meanwhile, and what the clock recorded of the bots that play then."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path

from arena.app.replays import times_of
from arena.hosting.procfs.processes import list_descendants
from arena.model.matches import DecisionTime
from benchmarks.processes import arenas_own, memory_kb, open_files, threads
from ratings.read.matches import replays
from ratings.store.database import open_database
from ratings.store.models import MatchRecord

SAMPLE_EVERY_S = 0.5
FIGURES = ("charged_us", "cpu_us", "wall_us", "queue_wait_us", "referee_lag_us")
_T_95 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)
"""Student's t for 95 %, by degrees of freedom from 1."""


@dataclass(frozen=True)
class Usage:
    """What the service used at one moment, or at its highest."""

    own_mb: float
    """The resident memory of the process that serves."""
    all_mb: float
    """The proportional memory of all processes of the arena's own, bots apart."""
    threads: int
    files: int


@dataclass(frozen=True)
class Phase:
    """A stretch of time with or without watchers."""

    is_watched: bool
    begun_us: int
    ended_us: int
    highest: Usage
    cpu: Mapping[str, float]
    """Processor time by `service`, `workers and bots` and `crowd`, as a share of one core."""


def resident_mb(pid: int, field: str) -> float:
    """The memory that the kernel tells of a process, such as VmRSS, or VmHWM for the highest."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def usage(pid: int) -> Usage:
    """What a service uses now; 0 for one that has ended."""
    return Usage(
        own_mb=resident_mb(pid, "VmRSS"),
        all_mb=sum(map(memory_kb, arenas_own(pid))) / 1024,
        threads=threads(pid),
        files=open_files(pid),
    )


def _cpu_s(pids: Sequence[int]) -> float:
    """The processor time of processes, ended children included, in seconds."""
    ticks = 0
    for pid in pids:
        try:
            words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, words[11:15]))
    return ticks / 100


def _cpu(pid: int, crowd: int | None) -> dict[str, float]:
    found = {"service": _cpu_s([pid]), "workers and bots": _cpu_s(list_descendants(pid)[1:])}
    return found | ({} if crowd is None else {"crowd": _cpu_s([crowd])})


def measure(pid: int, seconds: float, crowd: int | None) -> Phase:
    """What a service uses for so long; `crowd` is the process that watches it."""
    begun, before, begun_us = time.monotonic(), _cpu(pid, crowd), time.time_ns() // 1000
    seen = []
    while time.monotonic() - begun < seconds:
        seen.append(usage(pid))
        time.sleep(SAMPLE_EVERY_S)
    lasted, after = time.monotonic() - begun, _cpu(pid, crowd)
    highest = Usage(*(max(getattr(one, name) for one in seen) for name in (field.name for field in fields(Usage))))
    cpu = {name: (after[name] - before[name]) / lasted for name in after}
    return Phase(crowd is not None, begun_us, time.time_ns() // 1000, highest, cpu)


def decisions_of(path: Path, phases: Sequence[Phase]) -> list[list[DecisionTime]]:
    """The decisions that were taken wholly in each phase, by the database at that path."""
    found: list[list[DecisionTime]] = [[] for _ in phases]
    with closing(open_database(path)) as database:
        for match, stored in replays(database):
            if stored is None:
                continue
            for begun, one in _placed(match, times_of(stored).decisions):
                for phase, decisions in zip(phases, found, strict=True):
                    if phase.begun_us <= begun and begun + one.wall_us <= phase.ended_us:
                        decisions.append(one)
    return found


def _placed(match: MatchRecord, decisions: Sequence[DecisionTime]) -> Iterator[tuple[float, DecisionTime]]:
    """Each decision with the instant at which it began; what passes between two is taken to be always the same."""
    at = float(match.started_at_us or 0)
    between = ((match.duration_us or 0) - sum(one.wall_us for one in decisions)) / max(len(decisions), 1)
    for one in decisions:
        yield at, one
        at += one.wall_us + between


def _mean(decisions: Sequence[DecisionTime], bot: str, figure: str) -> float:
    values = [getattr(one, figure) for one in decisions if one.bot == bot and getattr(one, figure) is not None]
    return statistics.fmean(values) / 1000 if values else math.nan


def compare(found: Sequence[Sequence[DecisionTime]], bots: Sequence[str]) -> None:
    """Print for every bot and figure the mean without and with watchers, and their ratio with an interval.

    What is not watched stands at even places, and what is watched between.
    """
    print(f"\n{'bot':8} {'figure':16} {'nobody':>10} {'watched':>10}   ratio (95 % over the pairs)")
    for bot in bots:
        for figure in FIGURES:
            print(f"{bot:8} {figure:16} {_line([_mean(decisions, bot, figure) for decisions in found])}")
    print(f"decisions: {sum(map(len, found[::2]))} without watchers, {sum(map(len, found[1::2]))} with")


def _line(means: Sequence[float]) -> str:
    """What the means of all phases say; one in which the bot decided nothing is left out, with its pair."""
    text = f"{_mean_of(means[::2]):7.3f} ms {_mean_of(means[1::2]):7.3f} ms"
    threes = [means[place - 1 : place + 2] for place in range(1, len(means), 2)]
    logs = [math.log(three[1] / math.sqrt(three[0] * three[2])) for three in threes if all(mean > 0 for mean in three)]
    if not logs:
        return text
    middle = statistics.fmean(logs)
    if len(logs) < 2:
        return f"{text}   {math.exp(middle):.3f}"
    half = _T_95[min(len(logs) - 1, len(_T_95)) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    return f"{text}   {math.exp(middle):.3f} ({math.exp(middle - half):.3f} to {math.exp(middle + half):.3f})"


def _mean_of(means: Sequence[float]) -> float:
    known = [mean for mean in means if not math.isnan(mean)]
    return statistics.fmean(known) if known else math.nan
