"""The split of a decision by parts, as `arena doctor --profile` measures it, in turn with a bare gRPC echo."""

from __future__ import annotations

import asyncio
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.bare_echo import bare_us
from benchmarks.split_history import NOISE, QUIET, TOTAL, Change, Entry, changes

ROOT = Path(__file__).resolve().parents[1]
GAME = "foreign_king"
BARE_S = 1.5


def measure(rounds: int, seconds: float, workers: int) -> Entry:
    """Measure by turns: a bare echo, and the arena for so many seconds, each of these between two echoes."""
    bare, found = [asyncio.run(bare_us(BARE_S))], []
    for _ in range(rounds):
        found.append(_profile(seconds, workers))
        bare.append(asyncio.run(bare_us(BARE_S)))
    decisions = sum(one["decisions"] for one in found)
    ratios = [one["cpu_us"] / statistics.fmean(bare[at : at + 2]) for at, one in enumerate(found)]
    parts = {name: _pooled(found, name, "cpu_us") for name in _names(found)}
    margins = {name: round(_pooled(found, name, "margin_us") / math.sqrt(rounds), 2) for name in _names(found)}
    return Entry(
        date=datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%d"),
        version=version("kingmaker-arena"),
        commit=_commit(),
        machine=_machine(),
        game=GAME,
        decisions=decisions,
        decisions_per_s=round(decisions / sum(one["seconds"] for one in found), 1),
        bare_us=round(statistics.fmean(bare), 2),
        spread=round(_standard_error(ratios), 4),
        had=round(statistics.fmean(one["busy_cores"] / min(one["cores"], one["workers"]) for one in found), 3),
        parts={**parts, TOTAL: round(sum(parts.values()), 2)},
        margins=margins,
    )


def show(entry: Entry, before: Entry | None) -> None:
    """Print an entry, and what changed since another one, if there is one to compare it with."""
    found = {change.part: change for change in changes(before, entry)} if before else {}
    print(f"CPU of a decision asked of bots; a bare gRPC echo, in turn with it: {entry.bare_us:.0f} us")
    print(f"{'part':12} {'us':>8} {'+-':>6} {'share':>7} {'echoes':>7}{'  against before' if before else ''}")
    for part in sorted(entry.parts, key=lambda part: (part == TOTAL, -entry.parts[part])):
        cost = entry.parts[part]
        line = f"{part:12} {cost:8.1f} {entry.margins.get(part, 0.0):6.1f} {cost / entry.parts[TOTAL]:7.1%}"
        print(f"{line} {cost / entry.bare_us:7.3f}  {_change_text(found.get(part))}".rstrip())
    if before is None:
        print(f"no entry of this kind of machine to compare with: {entry.machine}")
        return
    lost = [change.part for change in found.values() if change.is_loss]
    print(
        f"before: {before.date}, version {before.version}, commit {before.commit or 'unknown'}; compared in echoes, "
        f"LOSS is more than {NOISE:.0%} or what chance explains: {', '.join(lost) if lost else 'none'}"
    )
    for one, when in ((before, "before"), (entry, "now")):
        if one.had < QUIET:
            print(f"{when} it had {one.had:.0%} of the cores, other work the rest, which makes some parts dearer")


def _change_text(change: Change | None) -> str:
    if change is None:
        return ""
    mark = "  LOSS" if change.is_loss else "  gain" if change.is_gain else ""
    return ("new" if change.ratio is None else f"{change.ratio:5.2f}") + mark


def _profile(seconds: float, workers: int) -> Mapping[str, Any]:
    """Return what `arena doctor --profile --json` says."""
    words = [sys.executable, "-m", "arena.cli.main", "doctor", "--profile", "--json", "--game", GAME]
    words += ["--seconds", str(seconds), "--workers", str(workers)]
    finished = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found: Mapping[str, Any] = json.loads(finished.stdout)
    return found


def _names(found: Sequence[Mapping[str, Any]]) -> list[str]:
    return [part["part"] for part in found[0]["parts"]]


def _pooled(found: Sequence[Mapping[str, Any]], name: str, figure: str) -> float:
    """Return the mean of a figure over all decisions."""
    weighted = [part[figure] * one["decisions"] for one in found for part in one["parts"] if part["part"] == name]
    return round(float(sum(weighted) / sum(one["decisions"] for one in found)), 2)


def _standard_error(ratios: Sequence[float]) -> float:
    """Return the standard error of their mean, as a share of it; 0 for a single one, of which nobody knows."""
    if len(ratios) < 2:
        return 0.0
    return statistics.stdev(ratios) / math.sqrt(len(ratios)) / statistics.fmean(ratios)


def _machine() -> str:
    cores = len(os.sched_getaffinity(0))
    return f"{_processor()}, {cores} cores, {platform.python_implementation()} {platform.python_version()}"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _commit() -> str:
    """Return the commit that is checked out; nothing where there is none to be known."""

    def git(*words: str) -> str:
        finished = subprocess.run(["git", *words], cwd=ROOT, check=False, capture_output=True, text=True)
        return finished.stdout.strip() if finished.returncode == 0 else ""

    try:
        commit = git("rev-parse", "--short=8", "HEAD")
        return f"{commit}+" if commit and git("status", "--porcelain", "--untracked-files=no") else commit
    except FileNotFoundError:
        return ""
