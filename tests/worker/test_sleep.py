"""Bots that compute when they are not asked, in real processes: they sleep, and whoever wakes itself is out."""

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.procfs.processes import STATE, list_processes, list_threads, parse_stat, read_file
from arena.match.report import MatchReport
from arena.match.result import Fault, FaultCause
from arena.match.spec import NO_SANDBOX, SeatSpec
from arena.worker.host import MatchHost
from tests.support.keeper import zoo_seat
from tests.support.patience import PATIENT, patient_starts, until
from tests.support.processes import command_lines
from tests.support.specs import script_spec

needs_sandbox = pytest.mark.needs("sandbox")
TURNS = "0:3 1:3 0:3 1:3"


def states(mark: str) -> Iterator[bytes]:
    """Those of all threads of the bots with that mark in their command line, the sandboxes around them left out."""
    for pid, command in command_lines(list_processes()):
        if f"--mark {mark}" not in command or command.startswith(("bwrap", "/usr/bin/bwrap")):
            continue
        for thread in list_threads(pid):
            with suppress(OSError):
                yield parse_stat(read_file(f"/proc/{pid}/task/{thread}/stat"))[STATE]


def is_asleep(mark: str) -> bool:
    return set(states(mark)) - {b"Z", b"X"} == {b"T"}


def only_fault(report: MatchReport) -> Fault:
    (fault,) = report.result.faults
    return fault


async def play(host: MatchHost, seats: Sequence[SeatSpec], script: str = TURNS) -> MatchReport:
    return await host.play(script_spec(script, len(seats), seats=tuple(seats), clock=PATIENT))


def seats(zoo: Path, behaviour: str, level: str, file: Path) -> tuple[str, list[SeatSpec]]:
    """One that does not rest, by its mark, and an honest one that thinks until the file is there."""
    mark = secrets.token_hex(8)
    honest = zoo_seat(zoo, "wait-for-file", aims={"file": str(file)})
    return mark, [zoo_seat(zoo, behaviour, level=level, mark=mark), honest]


@pytest.mark.hostile("spin-while-waiting", "spin-in-sessions")
@pytest.mark.parametrize(
    ("behaviour", "level"),
    [
        pytest.param("spin-while-waiting", NO_SANDBOX, marks=pytest.mark.needs("minutes")),
        pytest.param("spin-while-waiting", "standard", marks=needs_sandbox),
        pytest.param(
            "spin-in-sessions", "standard", marks=needs_sandbox
        ),  # without one what left its tree is not found
    ],
)
async def test_a_bot_that_computes_while_another_one_decides_or_while_it_is_warm_sleeps(
    fresh_host: MatchHost, zoo: Path, tmp_path: Path, behaviour: str, level: str
) -> None:
    mark, both = seats(zoo, behaviour, level, tmp_path / "go")
    playing = asyncio.create_task(play(fresh_host, both))
    await until(lambda: is_asleep(mark) or playing.done())
    assert not playing.done()
    (tmp_path / "go").touch()
    report = await playing
    assert report.result.faults == ()
    await until(lambda: is_asleep(mark))  # it is warm now
    assert (await play(fresh_host, both)).result.faults == ()


@needs_sandbox
async def test_where_the_time_control_allows_it_a_bot_may_compute_in_others_time(
    fresh_host: MatchHost, zoo: Path, tmp_path: Path
) -> None:
    mark, both = seats(zoo, "spin-while-waiting", "standard", tmp_path / "go")
    clock = replace(PATIENT, may_ponder=True)
    playing = asyncio.create_task(fresh_host.play(script_spec("0:3 1:3", 2, seats=tuple(both), clock=clock)))
    await until(lambda: b"R" in set(states(mark)))
    (tmp_path / "go").touch()
    assert (await playing).result.faults == ()
    await until(lambda: is_asleep(mark))  # it is warm now


@pytest.mark.hostile("join-and-spin")
@needs_sandbox
async def test_a_bot_that_computes_in_many_sessions_while_another_one_starts_wins_nothing_by_it(
    fresh_host: MatchHost, zoo: Path
) -> None:
    loud = zoo_seat(zoo, "join-and-spin", level="standard")
    honest = zoo_seat(zoo, "work-before-joining", level="standard")
    clock = replace(PATIENT, start_limit_us=2_000_000)  # several times what it computes
    with patient_starts():
        report = await fresh_host.play(script_spec("1:3", 2, seats=(loud, honest), clock=clock))
    assert report.result.faults == ()


@pytest.mark.hostile("wake-by-timer")
@needs_sandbox
async def test_a_bot_that_wakes_itself_is_out_and_the_evidence_is_told(
    fresh_host: MatchHost, zoo: Path, tmp_path: Path
) -> None:
    _, both = seats(zoo, "wake-by-timer", "standard", tmp_path / "go")
    fault = only_fault(await play(fresh_host, both))
    assert (fault.seat, fault.cause) == (0, FaultCause.RESOURCE)
    assert "after it was put to sleep" in fault.explanation
    assert fault.evidence["asleep_cpu_us"] > 0


@pytest.mark.hostile("wake-by-timer")
@needs_sandbox
async def test_a_bot_that_wakes_itself_while_it_is_warm_is_ended(fresh_host: MatchHost, zoo: Path, mark: str) -> None:
    hidden = secrets.token_hex(8)
    deviant = zoo_seat(zoo, "wake-by-timer", level="standard", mark=hidden)
    assert (await play(fresh_host, [deviant], "0:3")).result.by_rules
    await until(lambda: not list(states(hidden)))
