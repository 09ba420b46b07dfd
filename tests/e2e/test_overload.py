"""On a machine with four times more to do than it has cores for: no honest bot loses on time, no slow one gets away.

`python -m benchmarks.overload` plays many more decisions.
"""

import asyncio
import sys
from contextlib import AsyncExitStack

import pytest

from arena.executor.host import MatchHost
from tests.support.overload import Tally, overrun, oversubscribed, play_in_time
from tests.support.specs import installed_script_game

DECISIONS, OVERRUNS = 100, 8


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process waited for a core")
@pytest.mark.timeout(600)
async def test_a_busy_machine_costs_nobody_the_match_and_hides_no_overrun() -> None:
    tally = Tally()
    with installed_script_game():
        async with AsyncExitStack() as stack:
            hosts = [await stack.enter_async_context(MatchHost()) for _ in range(3)]
            with oversubscribed(4):
                await asyncio.gather(
                    play_in_time(hosts[0], DECISIONS // 2, tally),
                    play_in_time(hosts[1], DECISIONS // 2, tally),
                    overrun(hosts[2], OVERRUNS, tally),
                )
    assert [fault.explanation for fault in tally.faults] == []
    assert (tally.decisions, tally.caught) == (DECISIONS, OVERRUNS)
