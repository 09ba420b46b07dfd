"""On a machine with four times more to do than it has cores for: no honest bot loses on time, no slow one gets away.

`python -m benchmarks.robustness overload` plays many more decisions.
"""

import asyncio
import sys
from contextlib import AsyncExitStack

import pytest

from arena.worker.match_host import MatchHost
from tests.support.overload import Tally, overrun, oversubscribed, play_in_time
from tests.support.patience import patient_autopsies
from tests.support.specs import installed_script_game

DECISIONS, OVERRUNS = 24, 2


async def play() -> Tally:
    """Half of the decisions each by two honest bots, and beside them one that is too slow."""
    tally = Tally()
    async with AsyncExitStack() as stack:
        hosts = [await stack.enter_async_context(MatchHost()) for _ in range(3)]
        with oversubscribed(4, bots=len(hosts)), patient_autopsies():
            await asyncio.gather(
                play_in_time(hosts[0], DECISIONS // 2, tally),
                play_in_time(hosts[1], DECISIONS // 2, tally),
                overrun(hosts[2], OVERRUNS, tally),
            )
    return tally


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("processor-busy-with-others")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process waited for a core")
@pytest.mark.timeout(900)
async def test_a_busy_machine_costs_nobody_the_match_and_hides_no_overrun() -> None:
    with installed_script_game():
        tally = await play()
    assert (tally.missed, tally.caught) == ([], OVERRUNS)
    assert [(fault.explanation, fault.evidence) for fault in tally.lost] == []
    assert tally.decisions == DECISIONS
