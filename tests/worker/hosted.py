"""Matches between scripted bots on one host, and the host that all tests of a module share."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest_asyncio

from arena.match.result import Fault
from arena.match.spec import SeatSpec
from arena.match.verify import verify
from arena.match.worker_report import MatchReport
from arena.worker.match_host import MatchHost
from tests.support.patience import PATIENT
from tests.support.processes import marked_processes, outliving_processes
from tests.support.specs import script_spec

ROUNDS = "0:3 1:3 0:3 1:3 0:3 1:3"
# The first seat is asked twice, and after its fault nobody is left to be asked.
TWICE = "0:3 0:3 1:3"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(mark: str) -> AsyncIterator[MatchHost]:
    """One host for all: its honest bots stay warm."""
    async with MatchHost() as host:
        yield host
    left = outliving_processes(mark)
    assert left == {}, left


def bots(mark: str) -> dict[int, str]:
    """The living bots: command lines by process id."""
    return {pid: command for pid, command in marked_processes(mark).items() if "scripted_bot" in command}


async def play(host: MatchHost, seats: Sequence[SeatSpec], script: str = ROUNDS, **changes: Any) -> MatchReport:
    spec = script_spec(script, len(seats), **{"seats": tuple(seats), "clock": PATIENT, **changes})
    report = await host.play(spec)
    assert verify(report.replay) == []
    return report


def only_fault(report: MatchReport) -> Fault:
    (fault,) = report.result.faults
    return fault
