"""What no level but `strict` holds, tried by real bots: as docs/security.md says, and honest bots lose nothing."""

import asyncio
import json
import secrets
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.hosting.sandbox.limits import STANDARD, STRICT
from arena.match.replay import load, read_figures
from arena.match.report import MatchReport
from arena.match.result import FaultCause
from arena.worker.host import MatchHost
from tests.support.keeper import zoo_seat
from tests.support.patience import PATIENT, until
from tests.support.sandboxes import need
from tests.support.specs import script_spec
from tests.support.zoo.deeds import own_namespace
from tests.support.zoo.greed import WATCHES
from tests.worker.test_freezer import is_asleep

pytestmark = pytest.mark.needs("sandbox")

LITTLE_MB = 72
"""Enough for two processes of Python; with its files it is less than what the kernel keeps for many watches."""


async def play(
    host: MatchHost, zoo: Path, level: str, deed: str, *, memory_mb: int = 512, aims: Mapping[str, str] | None = None
) -> MatchReport:
    """A match of one that does a deed, and an honest one, which wins or is equal and was blamed for nothing."""
    aims = {**(aims or {}), "host": own_namespace()}
    seats = zoo_seat(zoo, deed, level=need(level), memory_mb=memory_mb, aims=aims), zoo_seat(zoo, level=level)
    report = await host.play(script_spec("0:3 1:3 0:3 1:3", seats=seats, clock=PATIENT))
    assert report.result.ranks[1] == 1
    assert not [fault for fault in report.result.faults if fault.seat == 1]
    return report


def need_watches() -> None:
    """The test is skipped where the kernel allows a user less than its bot takes."""
    allowed = int(Path("/proc/sys/fs/epoll/max_user_watches").read_text("ascii"))
    if allowed < 3 * WATCHES:
        pytest.skip(f"this machine is small: a user may watch {allowed} files")


def told(report: MatchReport) -> dict[str, str]:
    outcome: dict[str, str] = json.loads(load(report.replay)["entries"][0]["note"])
    return outcome


@pytest.mark.hostile("compute-in-children")
@pytest.mark.parametrize(
    ("level", "aims"), [(STANDARD, {"stay": "yes"}), (STANDARD, {}), (STRICT, {"stay": "yes"}), (STRICT, {})]
)
async def test_what_children_computed_that_nobody_waits_for_counts_while_they_live_and_in_a_group_for_ever(
    fresh_host: MatchHost, zoo: Path, level: str, aims: dict[str, str]
) -> None:
    report = await play(fresh_host, zoo, level, "compute-in-children", aims=aims)
    assert report.result.faults == ()
    computed_us, counted_us = int(told(report)["computed_us"]), read_figures(load(report.replay))[0].cpu_us
    assert computed_us >= 500_000
    # What ended between two looks is not counted at `standard`; on a slow machine each child may live through one.
    if level == STRICT or "stay" in aims:
        assert counted_us >= computed_us


@pytest.mark.hostile("children-nobody-waits-for")
async def test_who_computes_in_others_time_by_children_that_nobody_waits_for_sleeps(
    fresh_host: MatchHost, zoo: Path, tmp_path: Path
) -> None:
    mark, gate = secrets.token_hex(8), tmp_path / "go"
    honest = zoo_seat(zoo, "wait-for-file", aims={"file": str(gate)})
    seats = zoo_seat(zoo, "children-nobody-waits-for", level=need(STANDARD), mark=mark), honest
    spec = script_spec("0:3 1:3 0:3 1:3", seats=seats, clock=PATIENT)
    playing = asyncio.create_task(fresh_host.play(spec))
    await until(lambda: is_asleep(mark) or playing.done())
    assert not playing.done()
    gate.touch()
    report = await playing
    assert report.result.faults == ()


@pytest.mark.hostile("fill-the-kernel-with-watches")
async def test_memory_of_the_kernel_that_nobody_counts_is_not_held_at_standard(
    fresh_host: MatchHost, zoo: Path
) -> None:
    need_watches()
    report = await play(fresh_host, zoo, STANDARD, "fill-the-kernel-with-watches", memory_mb=LITTLE_MB)
    assert report.result.faults == ()
    assert told(report) == {"watches": str(WATCHES), "refused": ""}


@pytest.mark.hostile("fill-the-kernel-with-watches")
async def test_memory_of_the_kernel_that_nobody_counts_is_held_in_a_group(fresh_host: MatchHost, zoo: Path) -> None:
    need_watches()
    report = await play(fresh_host, zoo, STRICT, "fill-the-kernel-with-watches", memory_mb=LITTLE_MB)
    (fault,) = report.result.faults
    assert (fault.cause, fault.evidence["exceeded"]) == (FaultCause.RESOURCE, "memory")
