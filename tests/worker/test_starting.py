"""How long a bot may take to start, which processes stay warm, and a machine that has no room for one."""

from __future__ import annotations

import asyncio
import errno
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.executor.child_handle import ChildProcess
from arena.hosting.errors import HostBusyError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.messages import StartRequest
from arena.hosting.procfs.machine import MEGABYTE
from arena.hosting.procfs.usage import tree_resident_bytes
from arena.hosting.sandbox.host_capacity import has_room
from arena.match.result import FaultCause, HostCause, MatchLostError
from arena.match.spec import SeatSpec
from arena.match.time_control import Figures
from arena.worker import process_setup as process
from arena.worker import starter as starting
from arena.worker import warm_bots as warm
from arena.worker.blame import StartError
from arena.worker.freezer import IdleFreezer
from arena.worker.match_host import MatchHost
from arena.worker.process_setup import check_room_for_bot
from arena.worker.starter import BOUND_FACTOR, BOUND_S, PATIENCE_FACTOR, BotStarter, StartClock, StarvedError
from arena.worker.warm_bot import BotKey, WarmBot, take_note
from arena.worker.warm_bots import WarmBots
from tests.support.machines import as_ordinary_user
from tests.support.patience import PATIENT
from tests.support.processes import marked_processes
from tests.support.script_game import GAME
from tests.support.specs import installed_script_game, king_spec, script_spec, scripted

LIMIT_S = 10.0
HOARDER = """
from tests.support.scripted_bot import *

hoard = b"x" * (120 * 1024 * 1024)
play("", 0)
"""


class Host:
    """A clock, and a process that computes and waits for a processor as it is told."""

    def __init__(self) -> None:
        self.now = 0.0
        self.cpu_s = self.waited_s = 0.0

    def time(self) -> float:
        return self.now

    def begin(self) -> None: ...

    def close(self) -> None: ...

    def look(self) -> tuple[int, int]:
        return round(self.cpu_s * 1e6), round(self.waited_s * 1e6)

    def until_it_is_over(self, clock: StartClock, *, share: float, waits: bool) -> float:
        """Let time pass, in which it computes for that share and else waits or sleeps; return when it was over."""
        for _ in range(10_000):
            step_s = clock.wait_s()
            self.now += step_s
            self.cpu_s += share * step_s
            self.waited_s += (1 - share) * step_s if waits else 0.0
            if clock.is_over():
                return self.now
        raise AssertionError("it was never over")


@pytest.fixture
def slow_host(monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host()
    monkeypatch.setattr(starting, "make_meter", lambda _: host)
    monkeypatch.setattr(starting, "OwnWaitMeter", lambda: Quick())
    return host


class Quick:
    """An arena that is never late."""

    def look(self) -> tuple[int, int]:
        return 0, 0

    def close(self) -> None: ...


def clock(host: Host, *, is_alone: bool) -> StartClock:
    found = StartClock(cast(HostedProcess, None), LIMIT_S, is_alone=is_alone)
    found._loop = cast(asyncio.AbstractEventLoop, host)
    found._begun = found._due = host.now
    return found


@pytest.mark.parametrize(("share", "waits"), [(1.0, False), (0.0, False), (0.5, False)])
async def test_who_computes_or_sleeps_pays_for_it(slow_host: Host, share: float, waits: bool) -> None:
    over = slow_host.until_it_is_over(clock(slow_host, is_alone=False), share=share, waits=waits)
    assert over == pytest.approx(LIMIT_S, abs=0.2)


@pytest.mark.host_fault("processor-busy-at-a-start")
async def test_what_it_waited_for_a_processor_is_given_back(slow_host: Host) -> None:
    over = slow_host.until_it_is_over(clock(slow_host, is_alone=True), share=0.25, waits=True)
    assert over == pytest.approx(4 * LIMIT_S, abs=0.2)


@pytest.mark.host_fault("no-processor-for-a-start")
@pytest.mark.parametrize(
    ("is_alone", "bound_s"), [(False, PATIENCE_FACTOR * LIMIT_S), (True, BOUND_FACTOR * LIMIT_S + BOUND_S)]
)
async def test_a_start_without_a_processor_ends_and_is_nobodys_fault(
    slow_host: Host, is_alone: bool, bound_s: float
) -> None:
    with pytest.raises(StarvedError) as caught:
        slow_host.until_it_is_over(clock(slow_host, is_alone=is_alone), share=0.05, waits=True)
    assert slow_host.now == pytest.approx(bound_s, abs=0.2)
    assert caught.value.figures.queue_wait_us == pytest.approx(0.95 * bound_s * 1e6, rel=0.01)


class Starter:
    """Starts nobody: beside others everybody starves, and alone those that are named."""

    def __init__(self, starving: Sequence[str]) -> None:
        self.starving = starving
        self.alone: list[str] = []

    async def settle(self) -> None: ...

    async def start(self, seat: SeatSpec, _spec: Any, *, is_alone: bool) -> WarmBot:
        if is_alone:
            self.alone.append(seat.name)
        if not is_alone or seat.name in self.starving:
            raise StarvedError(Figures(3_000_000, 1, 2_000_000, 0, 1))
        raise StartError(cast(Any, "CAUSE"), "It came as far as this.", {})


@pytest.mark.hostile("starve-others-at-their-start")
async def test_who_starved_beside_others_starts_again_alone() -> None:
    starter = Starter(())
    with installed_script_game():
        seats = await WarmBots(cast(BotStarter, starter)).seat(script_spec("0:3", 2))
    assert starter.alone == ["bot0", "bot1"]
    assert [isinstance(one, StartError) for one in seats] == [True, True]


@pytest.mark.host_fault("no-processor-for-a-start")
async def test_who_starves_alone_too_is_the_hosts_fault() -> None:
    with installed_script_game(), pytest.raises(MatchLostError, match="seat 1 could not start") as caught:
        await WarmBots(cast(BotStarter, Starter(("bot1",)))).seat(script_spec("0:3", 2))
    assert caught.value.cause is HostCause.CHARGE_BOUND
    assert caught.value.evidence["bot"] == "bot1"
    assert caught.value.evidence["queue_wait_us"] == 2_000_000


async def test_a_seat_that_could_not_start_is_named_as_its_match_counts_it() -> None:
    """Seat 0 is played elsewhere, so those that start here are seats 1 and 2."""
    bots = WarmBots(cast(BotStarter, Starter(("bot1",))))
    with installed_script_game(), pytest.raises(MatchLostError, match="seat 2 could not start") as caught:
        await bots.seat(script_spec("0:3", 2), numbers=[1, 2])
    assert (caught.value.evidence["seat"], caught.value.evidence["bot"]) == (2, "bot1")


class Neighbourhood:
    """Has seen the bot in seat 0 compute, and that in seat 1 wait."""

    def freezer_of(self, bot: WarmBot) -> Any:
        loud = SimpleNamespace(settled_us=lambda: 2_300_000 if bot.key.version == "v0" else 4_000)
        return SimpleNamespace(meter=loud)


class Recovering(Starter):
    """Starts everybody but those that starve beside others."""

    async def start(self, seat: SeatSpec, _spec: Any, *, is_alone: bool) -> WarmBot:
        if not is_alone and seat.name in self.starving:
            raise StarvedError(Figures(3_000_000, 1, 2_000_000, 0, 1))
        key = replace(BotKey.of(seat), version=seat.name.replace("bot", "v"))
        return WarmBot(key, cast(Any, None), cast(Any, None), cast(Any, None), ("*",))


@pytest.mark.hostile("starve-others-at-their-start")
async def test_who_computed_is_named_also_where_the_start_succeeds_alone() -> None:
    bots = WarmBots(cast(BotStarter, Recovering(("bot2",))), idle_freezer=cast(IdleFreezer, Neighbourhood()))
    with installed_script_game():
        seats = await bots.seat(script_spec("0:3", 3))
    note = take_note(seats)
    assert note is not None
    assert note.sentence == (
        "seat 2 was started again alone: it had waited 2.0 s for a processor, while seat 0 computed for 2.3 s"
    )
    computed = [{"seat": 0, "bot": "bot0", "cpu_us": 2_300_000}, {"seat": 1, "bot": "bot1", "cpu_us": 4_000}]
    assert note.evidence["starts"][0]["computed_meanwhile"] == computed
    assert take_note(seats) is None, "it is said of one match, and these may play another"


@pytest.mark.host_fault("no-processor-for-a-start")
async def test_where_nobody_was_loud_nobody_is_named() -> None:
    with installed_script_game():
        seats = await WarmBots(cast(BotStarter, Recovering(("bot0", "bot1")))).seat(script_spec("0:3", 2))
    note = take_note(seats)
    assert note is not None
    assert note.sentence == "seat 0 was started again alone: it had waited 2.0 s for a processor"
    assert [start["seat"] for start in note.evidence["starts"]] == [0, 1]


CHECKOUT = str(Path(__file__).resolve().parents[2])


def bots(mark: str) -> set[int]:
    """The living bots, wherever this checkout lies."""
    commands = {pid: command.replace(CHECKOUT, "") for pid, command in marked_processes(mark).items()}
    return {pid for pid, command in commands.items() if "bot" in command}


async def play(host: MatchHost, seats: Sequence[SeatSpec], **changes: Any) -> None:
    spec = script_spec("0:3 1:3", len(seats), clock=PATIENT, seats=tuple(seats), **changes)
    assert (await host.play(spec)).result.by_rules
    await host.settle()


@pytest.mark.hostile("remember-the-chance-of-a-block")
async def test_no_process_plays_two_matches_of_one_block_of_a_game_with_chance(mark: str) -> None:
    seats = [scripted(), scripted("with-note", at=99)]
    async with MatchHost() as host:
        await play(host, seats, block="t/0")
        first = bots(mark)
        await play(host, seats, block="t/0")
        second = bots(mark) - first
        assert len(second) == 2
        await play(host, seats, block="t/1")
        await play(host, seats, block="t/1")
        assert bots(mark) == first | second  # all four could play in the next block


@pytest.mark.needs("minutes")
async def test_without_chance_a_block_has_no_secret(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAME), "has_chance", False)
    async with MatchHost() as host:
        await play(host, [scripted(), scripted("with-note", at=99)], block="t/0")
        first = bots(mark)
        await play(host, [scripted(), scripted("with-note", at=99)], block="t/0")
        assert bots(mark) == first


@pytest.mark.needs("minutes")
async def test_a_process_that_has_met_many_blocks_is_replaced(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "MOST_BLOCKS", 2)
    seats = [scripted(), scripted("with-note", at=99)]
    async with MatchHost() as host:
        await play(host, seats, block="t/0")
        first = bots(mark)
        await play(host, seats, block="t/1")
        assert not bots(mark) & first


@pytest.mark.needs("minutes")
async def test_other_limits_are_another_process(mark: str) -> None:
    async with MatchHost() as host:
        for memory_mb in (512, 256):
            await play(host, [replace(scripted(), memory_mb=memory_mb)] * 2)
        assert len(bots(mark)) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.needs("minutes")
async def test_idle_processes_that_hold_too_much_memory_end_the_least_recently_used_first(
    mark: str, tmp_path: Path
) -> None:
    main = tmp_path / "bot.py"
    main.write_text(HOARDER, encoding="utf-8")
    hoarder = replace(scripted(), version="hoarder", command=(sys.executable, str(main)))
    async with MatchHost(warm_mb=200) as host:
        await play(host, [hoarder, hoarder])
        assert len(bots(mark)) == 1
        (kept,) = bots(mark)
        assert tree_resident_bytes(kept) > 120 * MEGABYTE
        await play(host, [hoarder, scripted()])
        assert kept not in bots(mark) or len(bots(mark)) == 2
        await play(host, [scripted("with-note", at=99), scripted()])
        assert len(bots(mark)) <= 3
    async with MatchHost(warm_mb=0) as host:
        await play(host, [scripted(), scripted()])
        assert not bots(mark)


LIMITS = [
    (resource.RLIMIT_CPU, 1_000, "-t"),
    (resource.RLIMIT_STACK, 1 << 20, "-s"),
    pytest.param(resource.RLIMIT_FSIZE, 1 << 20, "-f", marks=pytest.mark.needs("minutes")),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.host_fault("ulimit-of-processor-time", "ulimit-of-file-size", "ulimit-of-the-stack")
@pytest.mark.parametrize(("which", "limit", "option"), LIMITS)
async def test_a_limit_of_this_host_that_bots_would_reach_is_told_and_nothing_is_played(
    which: int, limit: int, option: str
) -> None:
    def lower() -> None:
        resource.setrlimit(which, (limit, limit))

    command = [sys.executable, "-m", "arena.worker"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=lower, check=False)
    assert ended.returncode == 1
    figure = limit if option == "-t" else limit // 1024  # as ulimit writes it
    assert f"this host sets a limit of {figure} (ulimit {option}), and bots need" in ended.stderr.decode()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_stack_is_raised_to_the_usual_size_and_no_further() -> None:
    program = (
        "import resource; from arena.worker.process_setup import check_limits\n"
        "which, usual = resource.RLIMIT_STACK, 8 << 20\n"
        "_, hard = resource.getrlimit(which)\n"
        "for soft in (1 << 20, 16 << 20) if hard == resource.RLIM_INFINITY else (1 << 20,):\n"
        "    resource.setrlimit(which, (soft, hard))\n"
        "    check_limits()\n"
        "    assert resource.getrlimit(which) == (max(soft, usual), hard)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.host_fault("no-process-for-a-while")
async def test_a_start_waits_while_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    refusals = iter([HostBusyError("full")] * 5)

    async def start() -> str:
        for refusal in refusals:
            raise refusal
        return "started"

    assert await process.wait_for_room(start) == "started"


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.host_fault("no-process-for-long")
async def test_a_start_gives_up_when_there_is_no_room_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "ROOM_PATIENCE_S", 0.0)

    async def start() -> str:
        raise HostBusyError("full")

    with pytest.raises(HostBusyError):
        await process.wait_for_room(start)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.host_fault("no-threads-for-a-bot")
async def test_a_bot_is_not_blamed_that_could_not_start_where_there_was_no_room(
    host: MatchHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = iter([False, True])
    monkeypatch.setattr("arena.worker.starter.has_room", lambda: next(rooms))
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    report = await host.play(king_spec("m1", [scripted("exit-at-once"), scripted(), scripted()]))
    assert next(rooms, None) is None  # it was started twice, and the second time was its own fault
    assert [fault.cause for fault in report.result.faults] == [FaultCause.START_FAILED]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.host_fault("ulimit-of-processes")
async def test_a_limit_of_processes_leaves_no_room_for_a_bot() -> None:
    def ask() -> str:
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        return str(has_room())

    assert as_ordinary_user(ask) == "False"


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.host_fault("no-process-for-a-while")
@pytest.mark.parametrize("is_patient", [True, False])
async def test_a_worker_that_starts_again_waits_for_room_and_a_first_one_does_not(
    monkeypatch: pytest.MonkeyPatch, *, is_patient: bool
) -> None:
    rooms = iter([False, False, True])
    monkeypatch.setattr("arena.worker.process_setup.has_room", lambda: next(rooms))
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    if is_patient:
        await check_room_for_bot(asyncio.StreamReader(), is_patient=True)
    else:
        with pytest.raises(HostBusyError, match=r"no room for 64 more threads \(ulimit -u\)"):
            await check_room_for_bot(asyncio.StreamReader(), is_patient=False)
    assert len(list(rooms)) == (0 if is_patient else 2)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_worker_that_waits_for_room_ends_when_nobody_wants_it_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = asyncio.StreamReader()
    looks = count()

    def has_room() -> bool:
        if next(looks) == 2:
            commands.feed_eof()
        return False

    monkeypatch.setattr("arena.worker.process_setup.has_room", has_room)
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    with pytest.raises(BrokenPipeError):
        await check_room_for_bot(commands, is_patient=True)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.host_fault("no-process-for-a-while")
async def test_no_room_for_a_fork_is_no_fault_of_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    async with LauncherClient() as launcher:
        monkeypatch.setattr(launcher, "command", refusing(launcher, errno.EAGAIN))
        with pytest.raises(HostBusyError, match="could not start"):
            await launcher.start(StartRequest([sys.executable], "/", {}))
        monkeypatch.undo()


def refusing(launcher: LauncherClient, number: int) -> Callable[..., None]:
    """Answer every start as a launcher does that cannot fork."""

    def command(asked: dict[str, object]) -> None:
        if asked["do"] == "start":
            event = {"event": "failed", "id": asked["id"], "error": "no", "errno": number, "missing": ""}
            launcher._on_failed(event)

    return command


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.host_fault("no-process-for-a-worker")
async def test_a_worker_is_started_again_when_there_is_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("arena.executor.child_handle.FIRST_PAUSE_S", 0.001)
    tries = iter([BlockingIOError(errno.EAGAIN, "no room")] * 3)

    def command() -> list[str]:
        for refusal in tries:
            raise refusal
        return [sys.executable, "-c", ""]

    assert await ChildProcess(command, lambda *_: None, lambda: None).run() == (False, 0)
