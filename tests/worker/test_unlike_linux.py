"""A host that lacks what only Linux has, as macOS does: it plays, and says what it could not measure."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.messages import StartRequest
from arena.hosting.procfs.machine import count_cores
from arena.match.replay import load, read_figures
from arena.worker.host import MatchHost
from tests.support.machines import unlike_linux
from tests.support.patience import until
from tests.support.specs import king_spec, scripted

__all__ = ["unlike_linux"]

HONEST = scripted()


@pytest.mark.host_fault("no-proc")
@pytest.mark.usefixtures("unlike_linux")
@pytest.mark.needs("minutes")
async def test_a_match_is_played_and_its_wall_time_charged() -> None:
    async with MatchHost() as host:
        first = await host.play(king_spec("first", [HONEST, HONEST], keeps_logs=True))
        last = await host.play(king_spec("last", [HONEST, HONEST], keeps_logs=True, uses_fresh_bots=True))
    for report in (first, last):
        assert not report.result.faults
        document = load(report.replay)
        slow = [figures for figures in read_figures(document) if not figures.is_readable]
        assert all(figures.charge_us(1) == figures.wall_us for figures in slow)
    assert [process.peak_memory_bytes for process in first.seat_processes] == [None, None], "nobody could look"
    assert all(process.peak_memory_bytes for process in last.seat_processes), "the kernel told it at the end"


@pytest.mark.usefixtures("unlike_linux")
@pytest.mark.needs("minutes")
async def test_a_bot_that_dies_is_still_told_apart() -> None:
    async with MatchHost() as host:
        report = await host.play(king_spec("dies", [HONEST, replace(HONEST, command=("/bin/false",), version="false")]))
    (fault,) = report.result.faults
    assert (fault.seat, fault.evidence["exit_status"]) == (1, 1)


@pytest.mark.host_fault("launcher-killed")
@pytest.mark.usefixtures("unlike_linux")
@pytest.mark.needs("minutes")
async def test_the_guardian_ends_the_bots_of_a_launcher_that_was_killed() -> None:
    async with LauncherClient() as launcher:
        process = await launcher.start(StartRequest(("/bin/sh", "-c", "sleep 3600 & wait"), "/", {}))
        assert launcher._process is not None
        launcher._process.kill()
        await until(lambda: not is_alive(process.pid))


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.usefixtures("unlike_linux")
def test_the_cores_are_counted_where_no_process_is_bound_to_any() -> None:
    assert not hasattr(os, "sched_getaffinity")
    assert count_cores() >= 1
