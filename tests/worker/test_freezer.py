"""Bots that compute when they are not asked: what freezes them, and what only the level `strict` holds."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.errors import HostingError
from arena.hosting.launcher.messages import FreezeOutcome
from arena.hosting.procfs.processes import STATE, list_processes, list_threads, parse_stat, read_file
from arena.hosting.sandbox.limits import STANDARD, STRICT
from arena.match.replay import load, read_figures
from arena.match.result import Fault, FaultCause
from arena.match.spec import NO_SANDBOX, SeatSpec
from arena.match.worker_report import MatchReport
from arena.referee.stream import Offence
from arena.worker.freezer import FREE_US, MOST_ASLEEP_US, BotFreezer
from arena.worker.match_host import MatchHost
from tests.support.keeper import zoo_seat
from tests.support.patience import PATIENT, patient_starts, until
from tests.support.processes import command_lines
from tests.support.sandboxes import need
from tests.support.specs import script_spec
from tests.support.zoo.deeds import own_namespace
from tests.support.zoo.greed import WATCHES

WHOLE = FreezeOutcome(is_whole=True)
needs_sandbox = pytest.mark.needs("sandbox")
TURNS = "0:3 1:3 0:3 1:3"


class Bot:
    """Stands for its process, its stream and its meter."""

    def __init__(self) -> None:
        self.pid = 1
        self.cpu_us = self.begun_us = 0
        self.at = 0.0
        self.is_frozen = self.is_killed = False
        self.answer = self.freeze_outcome = WHOLE
        self.exited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.offences: list[Offence] = []
        self.times_frozen = 0

    def idle_us(self) -> int:
        return self.cpu_us

    settled_us = total_us = idle_us

    def now(self) -> float:
        return self.at

    async def freeze(self) -> FreezeOutcome:
        self.times_frozen += 1
        self.is_frozen, self.freeze_outcome = True, self.answer
        return self.freeze_outcome

    async def thaw(self) -> FreezeOutcome:
        self.is_frozen, self.freeze_outcome = False, self.answer
        return self.freeze_outcome

    def kill(self) -> None:
        self.is_killed = True

    def offend(self, offence: Offence) -> None:
        self.offences.append(offence)

    def freezer(self) -> BotFreezer:
        stand_in: Any = self
        return BotFreezer(stand_in, stand_in, stand_in, self.at)

    def decide(self, freezer: BotFreezer, wall_s: float, cpu_s: float) -> None:
        """Be asked, and answer after that time having computed for that time."""
        self.begun_us = self.cpu_us
        freezer.begin(self.at)
        self.pass_time(wall_s, cpu_s)
        freezer.end(self.at)

    def pass_time(self, wall_s: float, cpu_s: float = 0.0) -> None:
        self.at += wall_s
        self.cpu_us += round(cpu_s * 1_000_000)


async def test_a_bot_that_computes_only_while_it_is_asked_is_left_alone() -> None:
    bot = Bot()
    freezer = bot.freezer()
    for length_s in (0.0005, 0.001, 0.01, 2.0):
        for _ in range(1000):
            bot.decide(freezer, length_s, length_s)
            bot.pass_time(length_s, 0.0001)  # it tidies up
            assert not freezer.must_freeze(bot.at)
    assert not freezer.is_restless


@pytest.mark.hostile("compute-in-short-gaps")
@pytest.mark.parametrize("gap_s", [0.001, 0.005, 0.02, 1.0])
async def test_a_bot_that_computes_in_others_time_is_found_however_short_their_decisions_are(gap_s: float) -> None:
    bot = Bot()
    freezer = bot.freezer()
    for _ in range(round(0.2 / gap_s) + 1):
        bot.decide(freezer, 0.0005, 0.0005)
        bot.pass_time(gap_s, gap_s)
    bot.decide(freezer, 0.0005, 0.0005)
    assert freezer.is_restless
    await freezer.freeze()
    assert bot.is_frozen


@pytest.mark.hostile("save-up-time-by-waiting")
async def test_what_a_longer_decision_computed_less_than_it_lasted_is_no_credit() -> None:
    bot = Bot()
    freezer = bot.freezer()
    for _ in range(10):
        bot.decide(freezer, 0.02, 0.0)
        bot.pass_time(0.02, 0.02)
    assert freezer.must_freeze(bot.at)


async def test_little_is_free_and_calms_down_again() -> None:
    bot = Bot()
    freezer = bot.freezer()
    bot.pass_time(0.1, FREE_US / 1_000_000)
    assert not freezer.must_freeze(bot.at)
    bot.pass_time(0.001, 0.01)
    assert freezer.must_freeze(bot.at)
    assert freezer.is_restless
    bot.pass_time(10.0)
    assert not freezer.must_freeze(bot.at)
    assert not freezer.is_restless


@pytest.mark.hostile("compute-while-asleep")
async def test_who_computes_while_it_sleeps_is_expelled_once() -> None:
    bot = Bot()
    freezer = bot.freezer()
    await freezer.freeze()
    bot.pass_time(1.0, MOST_ASLEEP_US / 1_000_000)
    assert not freezer.must_freeze(bot.at)
    assert not bot.offences
    bot.pass_time(1.0, 0.001)
    assert not freezer.must_freeze(bot.at)
    (offence,) = bot.offences
    assert offence.cause is FaultCause.RESOURCE
    assert offence.evidence == {"asleep_cpu_us": MOST_ASLEEP_US + 1000, "asleep_s": 2.0}
    assert bot.is_killed
    assert not freezer.must_freeze(bot.at)


async def test_where_some_of_it_may_have_escaped_it_is_put_to_sleep_again() -> None:
    bot = Bot()
    bot.answer = FreezeOutcome()
    freezer = bot.freezer()
    await freezer.freeze()
    bot.pass_time(1.0, 1.0)
    assert freezer.must_freeze(bot.at)
    await freezer.freeze()
    assert (bot.times_frozen, bot.offences) == (2, [])
    assert not freezer.must_freeze(bot.at)


@pytest.mark.hostile("prevent-its-sleep")
async def test_who_prevents_its_sleep_is_expelled_and_a_host_that_cannot_is_left_alone() -> None:
    bot = Bot()
    bot.answer = FreezeOutcome("It killed it.", is_own=True)
    await bot.freezer().freeze()
    assert [offence.explanation for offence in bot.offences] == ["It killed it."]
    other = Bot()
    other.answer = FreezeOutcome("Its namespaces cannot be entered.")
    freezer = other.freezer()
    await freezer.freeze()
    assert (other.offences, other.is_frozen) == ([], False)
    other.pass_time(1.0, 1.0)
    assert not freezer.must_freeze(other.at)


@pytest.mark.host_fault("bot-that-cannot-be-woken")
async def test_a_bot_that_cannot_be_woken_is_the_hosts_fault() -> None:
    bot = Bot()
    freezer = bot.freezer()
    await freezer.freeze()
    bot.answer = FreezeOutcome("Its namespaces cannot be entered.")
    with pytest.raises(HostingError, match="could not be woken"):
        await freezer.thaw()


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


def seats(zoo: Path, behaviour: str, level: str, file: Path, by: str = "") -> tuple[str, list[SeatSpec]]:
    """One that does not rest, by its mark, and an honest one that thinks until the file is there."""
    mark = secrets.token_hex(8)
    honest = zoo_seat(zoo, "wait-for-file", aims={"file": str(file)}, by=by)
    return mark, [zoo_seat(zoo, behaviour, level=level, mark=mark, by=by), honest]


@pytest.mark.hostile("spin-while-waiting", "spin-in-sessions")
@pytest.mark.parametrize(
    ("behaviour", "level", "by"),
    [
        pytest.param("spin-while-waiting", NO_SANDBOX, "", marks=pytest.mark.needs("minutes")),
        pytest.param("spin-while-waiting", NO_SANDBOX, "socket", marks=pytest.mark.needs("minutes")),
        ("spin-while-waiting", NO_SANDBOX, "lines"),
        pytest.param("spin-while-waiting", "standard", "", marks=needs_sandbox),
        pytest.param(
            "spin-in-sessions", "standard", "", marks=needs_sandbox
        ),  # without one what left its tree is not found
    ],
)
async def test_a_bot_that_computes_while_another_one_decides_or_while_it_is_warm_sleeps(
    fresh_host: MatchHost, zoo: Path, tmp_path: Path, behaviour: str, level: str, by: str
) -> None:
    mark, both = seats(zoo, behaviour, level, tmp_path / "go", by)
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


LITTLE_MB = 72
"""Enough for two processes of Python; with its files it is less than what the kernel keeps for many watches."""


async def play_confined(
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


@pytest.mark.needs("sandbox")
@pytest.mark.hostile("compute-in-children")
@pytest.mark.parametrize(
    ("level", "aims"), [(STANDARD, {"stay": "yes"}), (STANDARD, {}), (STRICT, {"stay": "yes"}), (STRICT, {})]
)
async def test_what_children_computed_that_nobody_waits_for_counts_while_they_live_and_in_a_group_for_ever(
    fresh_host: MatchHost, zoo: Path, level: str, aims: dict[str, str]
) -> None:
    report = await play_confined(fresh_host, zoo, level, "compute-in-children", aims=aims)
    assert report.result.faults == ()
    computed_us, counted_us = int(told(report)["computed_us"]), read_figures(load(report.replay))[0].cpu_us
    assert computed_us >= 500_000
    # What ended between two looks is not counted at `standard`; on a slow machine each child may live through one.
    if level == STRICT or "stay" in aims:
        assert counted_us >= computed_us


@pytest.mark.needs("sandbox")
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


@pytest.mark.needs("sandbox")
@pytest.mark.hostile("fill-the-kernel-with-watches")
async def test_memory_of_the_kernel_that_epoll_takes_is_held_in_a_group(fresh_host: MatchHost, zoo: Path) -> None:
    need_watches()
    report = await play_confined(fresh_host, zoo, STRICT, "fill-the-kernel-with-watches", memory_mb=LITTLE_MB)
    (fault,) = report.result.faults
    assert fault.cause == FaultCause.RESOURCE
    assert fault.evidence["exceeded"] in {"memory", "watches"}  # the watchdog may be quicker than the group
