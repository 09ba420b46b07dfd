"""What a bot proxy costs a decision: a process between a bot and its worker, which serves the bot's connection.

    python -m benchmarks.hop [--seconds 2] [--repeats 5]

Round trips of `benchmarks.referee`, once with listeners of the worker's own and once with a bot proxy for each bot, in
turn in the same run; and what a bot proxy holds in memory and takes to start, which a bot's start takes longer.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from arena.hosting.procfs.processes import list_children
from arena.hosting.user_directories import runtime_directory
from arena.referee.queue.loop import run
from arena.worker.bot_listener import ListenerOpener, ProxiedListener
from arena.worker.own_limits import OwnLimits
from benchmarks.instant import solo
from benchmarks.processes import memory_kb
from benchmarks.referee import STREAMS, run_referee


def _by_bot_proxies(directory: Path) -> ListenerOpener:
    return partial(ProxiedListener.open, directory, OwnLimits(), sys.exit)


async def _start_bot_proxy() -> tuple[float, int]:
    """Return how long a bot proxy takes to start, in seconds, and what it holds, in kB."""
    with runtime_directory() as directory:
        began = time.perf_counter()
        listener = await ProxiedListener.open(directory, OwnLimits(), sys.exit)
        took_s = time.perf_counter() - began
        held_kb = max(map(memory_kb, list_children(os.getpid())))
        await listener.close()
    return took_s, held_kb


async def _await(kind: Callable[[], Awaitable[float]]) -> float:
    return await kind()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; there is no goal, since bot proxies serve only after a worker has fallen."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hop", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args(arguments)
    with solo.installed():
        for streams in STREAMS:
            kinds: tuple[Callable[[], Awaitable[float]], ...] = (
                partial(run_referee, streams, options.seconds),
                partial(run_referee, streams, options.seconds, _by_bot_proxies),
            )
            speeds = [[run(_await(kind)) for kind in kinds] for _ in range(options.repeats)]
            own, proxies = (statistics.median(some) for some in zip(*speeds, strict=True))
            print(
                f"{streams} stream{'s' if streams > 1 else ''}: {own:,.0f} decisions/s, by bot proxies "
                f"{proxies:,.0f}/s = {proxies / own:.0%}; {1e6 / proxies - 1e6 / own:.0f} us more a decision"
            )
        starts = [run(_start_bot_proxy()) for _ in range(options.repeats)]
    took_s, held_kb = (statistics.median(some) for some in zip(*starts, strict=True))
    print(f"a bot proxy: {held_kb / 1024:.0f} MiB, {took_s:.2f} s until it listens")
    return 0


if __name__ == "__main__":
    sys.exit(main())
