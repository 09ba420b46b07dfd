"""What a call of an actor costs its caller: processor time of the whole process, and how long the answer takes."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from arena.executor.ray.actors import ask
from arena.executor.ray.library import load_ray
from arena.executor.ray.session import join, leave
from benchmarks.simulated_slots import Calls
from tests.support.small_cluster import small_cluster

CALLS = 2000
TOGETHER = 8
"""How many are under way at once: as many as a coordinator with a few hundred workers has."""


class _Echo:
    async def poll(self, number: int, orders: list[Any]) -> list[Any]:  # noqa: ARG002 - as a slot has it
        return []


def measure_calls() -> Calls:
    """Start a cluster of one core, and measure."""
    with small_cluster() as cluster:
        return asyncio.run(_measure(cluster.address))


async def _measure(address: str) -> Calls:
    await join(address)
    try:
        actor = load_ray().remote(_Echo).options(max_concurrency=2 * TOGETHER).remote()
        await ask(actor.poll.remote(0, []), limit_s=60)
        await _call(actor, CALLS // 10)
        began_s = time.process_time()
        await _call(actor, CALLS)
        cost_s = (time.process_time() - began_s) / CALLS
        began_s = time.perf_counter()
        for number in range(CALLS // 10):
            await actor.poll.remote(number, [])
        return Calls(cost_s, (time.perf_counter() - began_s) / (CALLS // 10))
    finally:
        await leave()


async def _call(actor: Any, times: int) -> None:
    for _ in range(times // TOGETHER):
        await asyncio.gather(*(actor.poll.remote(number, []) for number in range(TOGETHER)))
