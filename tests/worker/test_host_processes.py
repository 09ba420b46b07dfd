"""What becomes of the processes of bots between matches, what is the host's fault, and what leaks."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from arena.hosting.errors import HostingError, SandboxUnavailableError, StorageFailedError
from arena.hosting.launcher.client import LauncherClient
from arena.match.decisions import Answer
from arena.match.leak_check import Deviation, Trial
from arena.match.match import Match, MatchSpecError
from arena.match.replay import write_replay
from arena.match.result import FaultCause, HostBrokenError, HostCause, LeakVerdict, MatchLostError
from arena.match.spec import SeatSpec
from arena.match.worker_report import LeakCheckResult, MatchReport
from arena.referee.call_context import CallContext
from arena.referee.call_stream import CallStream
from arena.referee.server import PlayServer
from arena.worker.match_host import MatchHost
from arena.worker.state_leaks import check_leaks
from tests.support.patience import PATIENCE_S, PATIENT
from tests.support.processes import marked_processes, parent_of
from tests.support.specs import link_words, script_spec, scripted
from tests.worker.hosted import ROUNDS, TWICE, bots, only_fault, play

pytestmark = pytest.mark.asyncio(loop_scope="module")
minutes = pytest.mark.needs("minutes")
LINKS = ("grpc", "socket", "lines")

CARELESS_BOT = """
import os, pathlib, sys
from tests.support.scripted_bot import *

data = pathlib.Path(os.environ["ARENA_BOT_DIR"], "data.txt").read_text()
state = "again" if os.path.exists("debug.log") else "first"
open("debug.log", "w").write("x")
say(data, state, os.getcwd())
play("garbage", 0)
"""
GREEDY_BOT = """
import time
from tests.support import scripted_bot as bot

def first(decide):
    hoard = [b"x" * 1_000_000 for _ in range(400)]
    time.sleep(3600)

bot.first = first
bot.play("", 0)
"""
GATED_BOT = """
import pathlib, time
from tests.support import scripted_bot as bot

while not pathlib.Path({gate!r}).exists():
    time.sleep(0.01)
bot.play("", 0)
"""


class TestProcesses:
    @pytest.mark.parametrize("by", LINKS)
    async def test_processes_are_used_again(self, host: MatchHost, mark: str, by: str) -> None:
        seats = [scripted(by=by), scripted(by=by)]
        await play(host, seats)
        await host.settle()
        before = marked_processes(mark)
        await play(host, seats)
        assert marked_processes(mark) == before

    @minutes
    async def test_one_version_in_two_seats_is_two_processes(self, host: MatchHost, mark: str) -> None:
        await play(host, [scripted("with-note"), scripted("with-note")])
        assert sum("with-note" in command for command in marked_processes(mark).values()) == 2

    @pytest.mark.hostile("garbage", "crash", "silent", "second-stream")
    @pytest.mark.parametrize(
        "behaviour", ["garbage", *(pytest.param(one, marks=minutes) for one in ("crash", "silent", "second-stream"))]
    )
    async def test_a_process_is_replaced_after_a_fault(self, host: MatchHost, mark: str, behaviour: str) -> None:
        seats = [scripted(behaviour, at=1), scripted()]
        await play(host, seats, TWICE, clock="1s")
        assert not any(behaviour in command for command in marked_processes(mark).values())
        report = await play(host, seats, TWICE, clock="1s")
        assert only_fault(report).ply == 1

    @pytest.mark.hostile("two-answers")
    @minutes
    async def test_a_process_that_answers_after_the_match_is_replaced(self, host: MatchHost, mark: str) -> None:
        seats = [scripted("two-answers", at=1), scripted()]
        await play(host, seats, "0:2 1:2")
        (first,) = (pid for pid, command in marked_processes(mark).items() if "two-answers --at 1" in command)
        assert (await play(host, seats, "1:2 0:2")).result.faults == ()
        # Its second answer is under way; if it came already, the bot is not kept.
        kept = [bot.stream for bot in host._pool.bots._idle if bot.process.pid == first]
        while any(not stream.spoiled for stream in kept):
            await asyncio.sleep(0.005)
        await play(host, seats, "1:2 0:2")
        await host.settle()
        assert first not in marked_processes(mark)

    @minutes
    async def test_the_least_recently_used_process_ends_first(self, mark: str) -> None:
        async with MatchHost(warm_bots=2) as host:
            before = bots(mark).keys()
            for behaviour in ("with-note", "many-at-once", "resign", "many-at-once"):
                await play(host, [scripted(behaviour)], "0:2")
            await play(host, [scripted("with-note")], "0:2")
            await host.settle()
            new = [command for pid, command in bots(mark).items() if pid not in before]
            assert sorted(command.split()[-3] for command in new) == ["many-at-once", "with-note"]

    @pytest.mark.hostile("leave-daemons")
    @minutes
    async def test_what_a_bot_started_lives_as_long_as_the_bot_and_ends_with_it(self, mark: str) -> None:
        async with MatchHost() as host:
            await play(host, [scripted("leave-daemons"), scripted()])
            await play(host, [scripted("crash"), scripted("with-note")])
            await host.settle()
            assert sum("time.sleep" in command for command in marked_processes(mark).values()) == 3
        assert not any("time.sleep" in command for command in marked_processes(mark).values())

    @pytest.mark.hostile("ignore-term")
    @minutes
    async def test_a_bot_that_ignores_term_is_killed(self, host: MatchHost) -> None:
        report = await play(host, [scripted("ignore-term"), scripted()], TWICE, clock="1s")
        assert only_fault(report).cause is FaultCause.TIMEOUT

    @pytest.mark.hostile("show-environment")
    async def test_a_bot_sees_only_the_environment_it_needs(
        self, host: MatchHost, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SECRET", "of the operator")
        fault = only_fault(await play(host, [scripted("show-environment"), scripted()]))
        words = fault.evidence["stderr"].split()
        assert {"ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_BOT_DIR", "HOME", "PATH", "TMPDIR"} <= set(words)
        assert set(words) & {"SECRET", "USER", "PWD"} == set()

    @minutes
    async def test_a_bot_works_in_a_directory_of_its_own_which_goes_with_it(self, tmp_path: Path) -> None:
        bot = tmp_path / "bot"
        bot.mkdir()
        (bot / "data.txt").write_text("known", encoding="utf-8")
        (bot / "main.py").write_text(CARELESS_BOT, encoding="utf-8")
        seats = [replace(scripted("garbage"), directory=str(bot), command=(sys.executable, str(bot / "main.py")))]
        async with MatchHost() as host:
            reports = [await play(host, [*seats, scripted()]) for _ in range(2)]
        said = [only_fault(report).evidence["stderr"].split() for report in reports]
        assert [words[:2] for words in said] == [["known", "first"]] * 2
        directories = {words[2] for words in said}
        assert len(directories) == 2
        assert not any(Path(directory).exists() for directory in directories)
        assert sorted(path.name for path in bot.iterdir()) == ["data.txt", "main.py"]

    @minutes
    async def test_cancelling_while_a_bot_starts_ends_those_that_were_ready(self, mark: str) -> None:
        async with MatchHost() as host:
            before = bots(mark).keys()
            await play(host, [scripted("with-note")], "0:3")
            match = asyncio.create_task(play(host, [scripted("with-note"), scripted("never-connect"), scripted()]))
            while not any("never-connect" in command for command in bots(mark).values()):
                await asyncio.sleep(0.005)
            match.cancel()
            with pytest.raises(asyncio.CancelledError):
                await match
            await host.settle()
            assert bots(mark).keys() == before

    @minutes
    async def test_no_bot_is_ending_any_more_when_the_next_match_begins(self, mark: str) -> None:
        async with MatchHost(warm_bots=0) as host:
            before = bots(mark).keys()
            await play(host, [scripted("ignore-term", at=9), scripted("with-note", at=9)], "0:3 1:3")
            match = asyncio.create_task(play(host, [scripted("silent")], "0:3"))
            while not any("silent" in command for command in bots(mark).values()):
                await asyncio.sleep(0.005)
            assert len(bots(mark).keys() - before) == 1
            match.cancel()
            with pytest.raises(asyncio.CancelledError):
                await match

    @minutes
    async def test_a_warm_bot_that_joined_for_another_game_is_not_given_this_one(self) -> None:
        async with MatchHost() as host:
            await play(host, [scripted("resign", at=99)], "0:3")
            (idle,) = host._pool.bots._idle
            idle.games = ("checkers",)
            assert (await play(host, [scripted("resign", at=99)], "0:3")).result.faults == ()
            assert len(host._pool.bots._idle) == 2

    @pytest.mark.hostile("join-and-act")
    @minutes
    async def test_a_bot_that_speaks_before_its_match_gets_no_seat(
        self, host: MatchHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        streams: list[CallStream] = []

        def recorded(context: CallContext) -> CallStream:
            streams.append(CallStream(context))
            return streams[-1]

        def server(on_call: Callable[[], None], **_: object) -> PlayServer:
            return PlayServer(on_call, make_stream=recorded)

        monkeypatch.setattr("arena.worker.bot_listener.PlayServer", server)
        gate, program = tmp_path / "open", tmp_path / "bot.py"
        program.write_text(GATED_BOT.format(gate=str(gate)), encoding="utf-8")
        gated = replace(scripted(), version="gated", command=(sys.executable, str(program)))
        match = asyncio.create_task(play(host, [scripted("join-and-act"), gated]))
        async with asyncio.timeout(PATIENCE_S):
            while not any(stream.spoiled for stream in streams):  # the match waits for the other one meanwhile
                await asyncio.sleep(0.005)
        gate.touch()
        fault = only_fault(await match)
        assert (fault.seat, fault.cause) == (0, FaultCause.PROTOCOL)
        assert fault.explanation == "Before its match started, it sent a message while no match asked it."

    async def test_a_stream_that_is_not_read_any_more_is_not_used_again(self) -> None:
        stream = CallStream(mock.Mock())
        assert not stream.spoiled
        stream.mute()
        assert stream.spoiled

    async def test_cancelling_a_match_ends_its_bots(self, host: MatchHost, mark: str) -> None:
        match = asyncio.create_task(play(host, [scripted("silent"), scripted()]))
        while not any("silent" in command for command in marked_processes(mark).values()):
            await asyncio.sleep(0.005)
        match.cancel()
        with pytest.raises(asyncio.CancelledError):
            await match
        await host.settle()
        assert not any("silent" in command for command in marked_processes(mark).values())
        assert (await play(host, [scripted(), scripted()])).result.by_rules


async def test_an_order_that_cannot_be_played_is_refused(host: MatchHost) -> None:
    with pytest.raises(MatchSpecError, match="rules version 9"):
        await host.play(script_spec(ROUNDS, 2, rules_version="9"))


@pytest.mark.host_fault("referee-late", "storage-fails", "sandbox-fails", "descriptors-used-up")
@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (MatchLostError("the referee was late", HostCause.REFEREE_LAG, {"lag_us": 5}), HostCause.REFEREE_LAG),
        pytest.param(StorageFailedError("no space left"), HostCause.STORAGE_FAILED, marks=minutes),
        pytest.param(SandboxUnavailableError("no namespaces"), HostCause.SANDBOX_FAILED, marks=minutes),
        (HostingError("no descriptors left"), HostCause.HOSTING_FAILED),
    ],
)
async def test_the_fault_of_the_host_ends_the_match_and_its_bots_and_has_its_cause(
    host: MatchHost, mark: str, monkeypatch: pytest.MonkeyPatch, error: Exception, cause: HostCause
) -> None:
    async def play_match(*_: object, **_options: object) -> None:
        raise error

    await host.settle()
    before = bots(mark).keys()
    with monkeypatch.context() as patch:
        patch.setattr("arena.worker.match_host.play_match", play_match)
        with pytest.raises(MatchLostError, match=str(error)) as lost:
            await play(host, [scripted("with-note", at=77), scripted("with-note", at=78)])
    assert lost.value.cause is cause
    assert lost.value.evidence == getattr(error, "evidence", {})
    assert isinstance(lost.value, HostBrokenError) == isinstance(error, HostingError)
    await host.settle()
    assert bots(mark).keys() == before
    assert (await play(host, [scripted(), scripted()])).result.by_rules


@pytest.mark.host_fault("host-out-of-memory")
@pytest.mark.parametrize("start", [True, False])
async def test_a_bot_that_the_host_killed_for_want_of_memory_is_not_blamed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, start: bool
) -> None:
    code = "os.kill(os.getpid(), 9)\n" if start else "bot.first = lambda _: os.kill(os.getpid(), 9)\nbot.play('', 0)\n"
    (tmp_path / "bot.py").write_text(f"import os\nfrom tests.support import scripted_bot as bot\n{code}", "utf-8")
    killed = replace(scripted(), version="killed", command=(sys.executable, str(tmp_path / "bot.py")))
    note_end = LauncherClient._on_exited

    def note_kill(client: LauncherClient, event: dict[str, Any]) -> None:
        note_end(client, {**event, "killed_by_host": event["signal"] == signal.SIGKILL})

    monkeypatch.setattr(LauncherClient, "_on_exited", note_kill)
    async with MatchHost() as host:
        with pytest.raises(MatchLostError, match="fewer --workers") as lost:
            await play(host, [killed, scripted()])
        assert lost.value.cause is HostCause.OUT_OF_MEMORY
        assert not isinstance(lost.value, HostBrokenError)
        assert (await play(host, [scripted(), scripted()])).result.by_rules


@pytest.mark.hostile("bomb-with-memory")
@pytest.mark.skipif(sys.platform != "linux", reason="memory is watched on Linux")
@minutes
async def test_a_bot_that_used_too_much_is_blamed_for_that_and_not_for_its_end(host: MatchHost, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(GREEDY_BOT, encoding="utf-8")
    greedy = replace(scripted(), version="greedy", command=(sys.executable, str(tmp_path / "bot.py")), memory_mb=150)
    fault = only_fault(await play(host, [greedy, scripted()]))
    assert fault.cause is FaultCause.RESOURCE
    assert fault.evidence["exceeded"] == "memory"
    assert fault.evidence["used"] > fault.evidence["limit"]


@pytest.mark.host_fault("launcher-killed")
@pytest.mark.parametrize("by", ["grpc", "socket", pytest.param("lines", marks=minutes)])
async def test_a_lost_launcher_is_the_fault_of_no_bot(mark: str, by: str) -> None:
    before = set(marked_processes(mark))
    async with MatchHost() as host:
        # The guardian of a launcher looks like it, and is its child. A process that has just been started shows no
        # environment for a moment.
        while not (found := [pid for pid in marked_processes(mark).keys() - before if parent_of(pid) == os.getpid()]):
            await asyncio.sleep(0.005)
        (launcher,) = found
        match = asyncio.create_task(play(host, [scripted("silent", by=by), scripted(by=by)]))
        while not any("silent" in command for command in marked_processes(mark).values()):
            await asyncio.sleep(0.005)
        os.kill(launcher, signal.SIGKILL)
        with pytest.raises(HostBrokenError) as lost:
            await match
    assert lost.value.cause is HostCause.LAUNCHER_LOST
    while marked_processes(mark).keys() - before:
        await asyncio.sleep(0.01)  # the guardian ends when it has cleared up


MANY_ROUNDS = "0:3 1:3d 0:3 0:3 1:3 0:3 1:1 1:3"
BOT = """
import os, random
from tests.support.scripted_bot import Wire, act

matches = 0
wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("match_started"):
        matches += 1
    if response.HasField("decide"):
        decide = response.decide
        wire.send_bytes(act(decide, decide.legal_actions[({choice}) % len(decide.legal_actions)]))
"""
CHOICES = {
    "forgets": "decide.ply",
    "remembers": "matches - 1 if decide.ply > 2 else 0",
    "guesses": "random.SystemRandom().randrange(3) if decide.ply > 2 else 0",
    "dies": "0 if matches > 0 and decide.ply < 3 or matches > 1 else os._exit(5)",
}


def seat_of(tmp_path: Path, kind: str, by: str = "grpc", **changes: Any) -> SeatSpec:
    main = tmp_path / f"{kind}.py"
    main.write_text(BOT.format(choice=CHOICES[kind]), encoding="utf-8")
    changes = {"is_deterministic": True, "version": f"{kind} {by}", **link_words(by), **changes}
    return replace(scripted(), name=kind, command=(sys.executable, str(main), f"--by={by}"), **changes)


async def play_seats(host: MatchHost, *seats: SeatSpec, script: str = MANY_ROUNDS, **changes: Any) -> MatchReport:
    return await host.play(script_spec(script, len(seats), clock=PATIENT, seats=tuple(seats), **changes))


async def check(host: MatchHost, *seats: SeatSpec) -> tuple[LeakCheckResult, ...]:
    """What a check finds after a first match; both matches run to their ends."""
    first = await play_seats(host, *seats, script="0:3 1:3")
    report = await play_seats(host, *seats, checks_leaks=True)
    assert first.result.by_rules
    assert report.result.by_rules
    return report.leak_checks


@pytest.mark.needs("minutes")
async def test_a_bot_that_forgets_is_found_equal(host: MatchHost, tmp_path: Path) -> None:
    (found,) = await check(host, seat_of(tmp_path, "forgets"), scripted())
    assert (found.seat, found.verdict, found.ply, found.evidence) == (0, LeakVerdict.EQUAL, None, {})


def deviating(*answered: str) -> Trial:
    return Trial(tuple(Deviation(4, ("ADD:1",), (word,)) for word in answered))


@pytest.mark.parametrize(
    ("trials", "verdict"),
    [
        ([Trial()], LeakVerdict.EQUAL),
        ([Trial(unanswered="It died.")], LeakVerdict.UNKNOWN),
        ([deviating("ADD:0"), deviating("ADD:0")], LeakVerdict.LEAK),
        ([deviating("ADD:0"), deviating("ADD:2")], LeakVerdict.UNSTABLE),
    ],
)
async def test_a_second_fresh_process_is_asked_only_where_the_first_answered_otherwise(
    trials: list[Trial], verdict: LeakVerdict
) -> None:
    spec = script_spec("0:3")
    match = Match(spec)
    match.begin()
    match.receive(0, Answer(spec.match_id, 0, (1,)), 10, 10)
    ask = mock.AsyncMock(side_effect=[*trials, StopAsyncIteration])
    with mock.patch("arena.worker.state_leaks._try", ask):
        (found,) = await check_leaks(mock.Mock(), spec, write_replay(match, 0, 0), [0])
    assert (found.verdict, ask.await_count) == (verdict, len(trials))


@pytest.mark.hostile("remember-across-matches")
@pytest.mark.parametrize("by", ["grpc", pytest.param("socket", marks=minutes), "lines"])
async def test_a_bot_that_remembers_is_flagged_with_both_answers(host: MatchHost, tmp_path: Path, by: str) -> None:
    (found,) = await check(host, scripted(), seat_of(tmp_path, "remembers", by))
    assert (found.seat, found.verdict, found.ply) == (1, LeakVerdict.LEAK, 4)
    assert found.evidence == {"used": ["ADD:1"], "fresh": [["ADD:0"], ["ADD:0"]]}


@pytest.mark.needs("minutes")
async def test_a_bot_that_is_not_deterministic_is_not_called_a_leak(host: MatchHost, tmp_path: Path) -> None:
    many = "0:3 1:3 " + "0:3 " * 60  # the chance that two agree by accident is 3 ** -60
    seats = seat_of(tmp_path, "guesses"), scripted()
    await play_seats(host, *seats, script="0:3 1:3")
    (found,) = (await play_seats(host, *seats, script=many, checks_leaks=True)).leak_checks
    assert found.verdict is LeakVerdict.UNSTABLE


@pytest.mark.needs("minutes")
async def test_a_fresh_process_that_dies_proves_nothing(host: MatchHost, tmp_path: Path) -> None:
    (found,) = await check(host, seat_of(tmp_path, "dies"), scripted())
    assert found.verdict is LeakVerdict.UNKNOWN


@pytest.mark.needs("minutes")
async def test_who_does_not_declare_it_or_was_fresh_or_not_drawn_is_not_checked(
    host: MatchHost, tmp_path: Path
) -> None:
    plain, fresh = seat_of(tmp_path, "remembers", is_deterministic=False), seat_of(tmp_path, "forgets", version="new")
    await play_seats(host, plain, scripted())
    assert (await play_seats(host, plain, fresh, checks_leaks=True)).leak_checks == ()
    assert (await play_seats(host, plain, fresh)).leak_checks == ()


@pytest.mark.needs("minutes")
async def test_a_check_leaves_no_process_and_changes_no_result(host: MatchHost, mark: str, tmp_path: Path) -> None:
    seats = seat_of(tmp_path, "remembers", version="again"), scripted()
    await play_seats(host, *seats)
    unchecked = await play_seats(host, *seats)
    await host.settle()
    before = marked_processes(mark)
    await play_seats(host, *seats, checks_leaks=True)
    await host.settle()
    assert marked_processes(mark) == before
    assert unchecked.leak_checks == ()
