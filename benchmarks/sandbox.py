"""What the sandbox costs instant bots whose processes are used again: decisions per second with it and without.

    python -m benchmarks.sandbox [--matches 20] [--rounds 9]

Both kinds take turns in the same run, so that whatever else the machine does hits both; medians are compared.
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

from arena.hosting.sandbox.limits import NONE, STANDARD
from arena.hosting.sandbox.probe import probe
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.worker.host import MatchHost
from engine import registry

PROGRAMS = Path(__file__).with_name("instant")
GAME = "foreign_king"
SEATS = 2
GOAL = 0.9


def _spec(level: str, seed: int) -> MatchSpec:
    command = (sys.executable, str(PROGRAMS / "main.py"))
    seats = tuple(SeatSpec("0" * 64, "instant", str(PROGRAMS), command, seat, sandbox=level) for seat in range(SEATS))
    clock = TimeControl(60_000_000, start_limit_us=60_000_000)
    return MatchSpec(f"m{seed}", 1, GAME, registry.get(GAME).rules_version, {}, clock, 1, seed, (), seats)


async def _measure(host: MatchHost, level: str, matches: int) -> float:
    """Decisions per second. Raises AssertionError if a match did not end by the rules."""
    started, decisions = time.perf_counter(), 0
    for seed in range(matches):
        report = await host.play(_spec(level, seed))
        assert report.result.by_rules, report.result.faults
        decisions += report.decisions
    return decisions / (time.perf_counter() - started)


async def compare(matches: int, rounds: int) -> dict[str, list[float]]:
    """Speeds by level, round for round."""
    speeds: dict[str, list[float]] = {NONE: [], STANDARD: []}
    async with AsyncExitStack() as stack:
        hosts = {level: await stack.enter_async_context(MatchHost()) for level in speeds}
        for level, host in hosts.items():
            await _measure(host, level, 2)
        for number in range(rounds):
            for level in sorted(hosts, reverse=bool(number % 2)):
                speeds[level].append(await _measure(hosts[level], level, matches))
    return speeds


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if the goal is met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sandbox", description=__doc__)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args(arguments)
    found = probe(STANDARD)
    if not found.works:
        print(f"no sandbox works here: {found.problem}; {found.remedy}")
        return 1
    speeds = asyncio.run(compare(options.matches, options.rounds))
    plain, sandboxed = median(speeds[NONE]), median(speeds[STANDARD])
    share = median(one / other for one, other in zip(speeds[STANDARD], speeds[NONE], strict=True))
    print(f"medians of {options.rounds} rounds of {options.matches} matches, {SEATS} seats, processes reused")
    print(f"without {plain:,.0f} decisions/s, in the sandbox {sandboxed:,.0f}: {share:.1%}, round for round")
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
