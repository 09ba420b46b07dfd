"""Hosts that play as every host does: one that lacks what only Linux has, and one that is profiled."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.messages import StartRequest
from arena.hosting.procfs.machine import count_cores
from arena.match.decisions import DecidedBy, ReplayEntry
from arena.match.match import Match
from arena.match.replay import load, read_figures
from arena.profiling.parts import ProfilePart
from arena.profiling.shared_counters import Reading, Sheet, WorkerPhase, new_words, read_sheet
from arena.worker.match_host import MatchHost
from arena.worker.profiled_host import ProfiledHost, profiled
from tests.support.machines import unlike_linux
from tests.support.patience import until
from tests.support.specs import king_spec, script_spec, scripted
from tests.worker.hosted import play

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


def read(directory: Path) -> Reading:
    found = read_sheet(directory / str(os.getpid()))
    assert found is not None
    return found


class Sampled(list[ReplayEntry]):
    """Entries of which a sample is taken while they are counted."""

    def __init__(self, entries: Iterable[ReplayEntry], sample: Callable[[], None]) -> None:
        super().__init__(entries)
        self._samples = [sample]

    def __getitem__(self, key: Any) -> Any:
        while self._samples:
            self._samples.pop()()
        return super().__getitem__(key)


async def test_a_sample_that_comes_while_decisions_are_counted_counts_none_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sheet = Sheet(new_words())
    host = ProfiledHost(sheet, 8, None, None)
    match = Match(script_spec("0:3 1:3"))
    match.entries = Sampled(
        [ReplayEntry(0, 0, 1, DecidedBy.BOT), ReplayEntry(1, 1, 2, DecidedBy.FORCED)], host.count_decisions
    )

    async def referee(*_: object) -> None:
        """Play nothing."""

    monkeypatch.setattr(MatchHost, "_referee", referee)
    await host._referee(match, [], None)
    assert sheet.read().decisions == 1


@pytest.mark.usefixtures("mark")
async def test_its_sheet_counts_the_decisions_of_its_matches_and_its_phases_take_all_of_the_time(
    tmp_path: Path,
) -> None:
    seats = [scripted(), scripted()]
    async with profiled(tmp_path, 8, None, None, apart=False) as host:
        assert read(tmp_path).wall_s[WorkerPhase.PLAY] == 0
        reports = [await play(host, seats), await play(host, seats)]
        told = read(tmp_path)
    assert told.matches == 2
    assert told.decisions == sum(report.decisions for report in reports) > 0
    assert 0 < told.asked_s <= told.wall_s[WorkerPhase.PLAY]
    assert min(told.wall_s.values()) > 0
    # The duration of a match that the host tells lies around the phase in which the referee plays.
    assert told.wall_s[WorkerPhase.PLAY] <= sum(report.duration_us for report in reports) / 1e6
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert sum(read(tmp_path).cpu_s[part] for part in ProfilePart) > 0, "the last sample is taken at the end"
