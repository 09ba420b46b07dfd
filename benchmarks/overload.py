"""A machine with four times more to do than it has cores for: honest bots never lose on time, slow ones never get away.

    python -m benchmarks.overload [--decisions 2000] [--overruns 200] [--times 4]

Limit 200 ms, margin 10 ms. Two bots that always need half their limit of CPU share the decisions; beside them one
needs a fifth more than limit and margin, is caught every time, and starts afresh.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack

from arena.worker.host import MatchHost
from tests.support.overload import Tally, overrun, oversubscribed, play_in_time
from tests.support.patience import patient_autopsies
from tests.support.specs import installed_script_game

HONEST = 2
SHOWN = 10


async def play(decisions: int, overruns: int, times: int) -> Tally:
    """All of it at once."""
    tally = Tally()
    async with AsyncExitStack() as stack:
        hosts = [await stack.enter_async_context(MatchHost()) for _ in range(HONEST + 1)]
        with oversubscribed(times, bots=1), patient_autopsies():
            honest = [play_in_time(host, decisions // HONEST, tally) for host in hosts[:HONEST]]
            await asyncio.gather(*honest, overrun(hosts[HONEST], overruns, tally))
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if nobody lost who should not, and everybody was caught who should be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overload", description=__doc__)
    parser.add_argument("--decisions", type=int, default=2000)
    parser.add_argument("--overruns", type=int, default=200)
    parser.add_argument("--times", type=int, default=4)
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    with installed_script_game():
        tally = asyncio.run(play(options.decisions, options.overruns, options.times))
    seconds = time.perf_counter() - started
    print(f"cores oversubscribed {options.times} times by other work, {seconds:.0f} s")
    print(f"half the limit of CPU: {tally.decisions} decisions; a fifth too much: caught {tally.caught} times")
    for fault in tally.lost[:SHOWN]:
        print(f"  wrong: {fault.explanation} {dict(fault.evidence)}")
    print(f"honest bots that lost: {len(tally.lost)}; overruns that were missed: {len(tally.missed)}")
    print(f"host faults: {len(tally.host_faults)}")
    for why in tally.host_faults[:SHOWN]:
        print(f"  host: {why}")
    wanted = options.decisions // HONEST * HONEST, options.overruns
    return 0 if not tally.lost and (tally.decisions, tally.caught) == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
