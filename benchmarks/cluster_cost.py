"""What it costs to play on a Ray cluster: short matches of instant bots there and by workers of this machine.

    python -m benchmarks.cluster_cost [--matches 1000] [--workers 2] [--rounds 4]

One machine is the whole cluster, so both have the same cores. Each round plays a part of the matches here, then there,
by turns, so that neither has a quieter machine; starting workers, bots and the cluster does not count. Every match must
end alike. The goal: a cluster takes no more than 1.15 times as long.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena.executor.interface import Executor
from arena.executor.local import LocalExecutor
from arena.executor.ray.executor import RayExecutor
from arena.executor.ray.options import RayOptions
from arena.hosting.sandbox.limits import NONE
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.spec import MatchSpec, SeatSpec, program_seat
from benchmarks.arena import BOT
from tests.support.small_cluster import small_cluster
from tests.support.specs import king_spec

GOAL = 1.15
WARM = 20


async def play(executor: Executor, specs: Sequence[MatchSpec]) -> tuple[float, dict[str, str]]:
    """The seconds that the matches take, as many in flight as a tournament has, and the digest of each game."""
    began_s, left = time.perf_counter(), iter(specs)
    digests: dict[str, str] = {}

    async def lane() -> None:
        for spec in left:
            digests[spec.match_id] = (await executor.run(spec)).game_digest

    await asyncio.gather(*(lane() for _ in range(2 * executor.slots())))
    return time.perf_counter() - began_s, digests


async def compare(address: str, seat: SeatSpec, matches: int, workers: int, rounds: int) -> bool:
    """Play everything twice, tell the figures, and return whether the goal is met."""
    specs = [_spec(seat, number) for number in range(matches + WARM)]
    warm, *parts = specs[:WARM], *(specs[WARM + one :: rounds] for one in range(rounds))
    seconds, ends = [0.0, 0.0], [dict[str, str](), dict[str, str]()]
    began_s = time.perf_counter()
    async with LocalExecutor(workers) as here:
        await play(here, warm)
        print(f"{workers} workers here: ready after {time.perf_counter() - began_s:.1f} s")
        began_s = time.perf_counter()
        async with RayExecutor(RayOptions(address, workers=workers, report=print)) as there:
            await play(there, warm)
            print(f"{there.slots()} workers there: ready after {time.perf_counter() - began_s:.1f} s")
            for part in parts:
                executors: Sequence[Executor] = (here, there)
                for index, executor in enumerate(executors):
                    took_s, digests = await play(executor, part)
                    seconds[index] += took_s
                    ends[index].update(digests)
    ratio = seconds[1] / seconds[0]
    for where, took_s in zip(("here", "on the cluster"), seconds, strict=True):
        print(f"{matches} matches {where}: {took_s:.1f} s, {1000 * took_s / matches:.2f} ms each")
    print(f"the cluster takes {ratio:.3f} times as long (goal: {GOAL}); all matches alike: {ends[0] == ends[1]}")
    return ratio <= GOAL and ends[0] == ends[1]


def _spec(seat: SeatSpec, number: int) -> MatchSpec:
    return king_spec(f"m{number}", [replace(seat, seed=2 * number), replace(seat, seed=2 * number + 1)])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_cost", description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as home, small_cluster(options.workers) as cluster:
        programs = StoredPrograms(VersionStore(Path(home) / "arena.bots"))
        stored = programs.store.add(BOT)
        seat = program_seat("instant", stored.hash, programs.find(stored.hash), NONE)
        is_met = asyncio.run(compare(cluster.address, seat, options.matches, options.workers, options.rounds))
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
