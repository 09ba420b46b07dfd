"""What each level of the sandbox costs instant bots whose processes are used again: decisions per second.

    python -m benchmarks.sandbox [--matches 20] [--rounds 9]

All levels take turns in the same run, so that whatever else the machine does hits all; medians are compared.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from arena.hosting.sandbox.limits import NONE, STANDARD, STRICT
from arena.hosting.sandbox.probe import probe
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.worker.match_host import MatchHost
from engine import registry

PROGRAMS = Path(__file__).with_name("instant")
GAME = "foreign_king"
SEATS = 2
GOALS = {STANDARD: 0.9, STRICT: 0.85}
"""What must be left of the decisions a second of no sandbox."""


async def _measure(host: MatchHost, level: str, matches: int) -> float:
    """Decisions per second. Raises AssertionError if a match did not end by the rules."""
    started, decisions = time.perf_counter(), 0
    command = (sys.executable, str(PROGRAMS / "main.py"))
    seats = tuple(SeatSpec("0" * 64, "instant", str(PROGRAMS), command, seat, sandbox=level) for seat in range(SEATS))
    clock, rules = TimeControl(60_000_000, start_limit_us=60_000_000), registry.get(GAME).rules_version
    for seed in range(matches):
        report = await host.play(MatchSpec(f"m{seed}", 1, GAME, rules, {}, clock, 1, seed, (), seats))
        assert report.result.by_rules, report.result.faults
        decisions += report.decisions
    return decisions / (time.perf_counter() - started)


async def compare(levels: Sequence[str], matches: int, rounds: int) -> dict[str, list[float]]:
    """Speeds by level, round for round."""
    speeds: dict[str, list[float]] = {level: [] for level in levels}
    async with AsyncExitStack() as stack:
        hosts = {level: await stack.enter_async_context(MatchHost()) for level in levels}
        for level, host in hosts.items():
            await _measure(host, level, 2)
        for number in range(rounds):
            for level in levels[:: -1 if number % 2 else 1]:
                speeds[level].append(await _measure(hosts[level], level, matches))
    return speeds


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every level that works here meets its goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sandbox", description=__doc__)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args(arguments)
    working = []
    for level in GOALS:
        found = probe(level)
        if found.works:
            working.append(level)
        else:
            print(f"{level} does not work here: {found.problem}; {found.remedy}")
    speeds = asyncio.run(compare([NONE, *working], options.matches, options.rounds))
    print(f"medians of {options.rounds} rounds of {options.matches} matches, {SEATS} seats, processes reused")
    print(f"{NONE}: {median(speeds[NONE]):,.0f} decisions/s")
    shares = {
        level: median(one / other for one, other in zip(speeds[level], speeds[NONE], strict=True)) for level in working
    }
    for level, share in shares.items():
        print(f"{level}: {median(speeds[level]):,.0f} decisions/s, {share:.1%} of that, round for round")
    return 0 if working and all(share >= GOALS[level] for level, share in shares.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
