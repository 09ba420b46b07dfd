"""Matches between real bot processes: what they do wrong, and what becomes of it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import pytest_asyncio

from arena.hosting.errors import HostingError, SandboxUnavailableError, StorageFailedError
from arena.match.host_faults import HostBrokenError, HostCause, MatchLostError
from arena.match.match import MatchSpecError
from arena.match.replay import load
from arena.match.report import MatchReport
from arena.match.result import Fault, FaultCause
from arena.match.spec import SeatSpec
from arena.match.time_control import TimeControl
from arena.match.verify import verify
from arena.referee.stream import BotStream, Context
from arena.worker.host import MatchHost
from tests.support.patience import PATIENT, patient_autopsies
from tests.support.processes import marked_processes, parent_of
from tests.support.specs import script_spec, scripted

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROUNDS = "0:3 1:3 0:3 1:3 0:3 1:3"
# The first seat is asked twice, and after its fault nobody is left to be asked.
TWICE = "0:3 0:3 1:3"
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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(mark: str) -> AsyncIterator[MatchHost]:
    """One host for all: its honest bots stay warm."""
    async with MatchHost() as host:
        yield host
    assert marked_processes(mark) == {}


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


async def test_honest_bots_play_to_the_end_by_the_rules(host: MatchHost) -> None:
    report = await play(host, [scripted(), scripted()])
    assert report.result.by_rules
    assert report.result.rated
    assert report.result.ranks == (1, 1)
    assert (report.plies, report.decisions, report.result.faults) == (6, 6, ())
    assert load(report.replay)["game_digest"] == report.game_digest


async def test_equal_matches_have_equal_game_digests_and_different_record_digests(host: MatchHost) -> None:
    one, other = [await play(host, [scripted(), scripted()]) for _ in range(2)]
    assert one.game_digest == other.game_digest
    assert one.record_digest != other.record_digest


@pytest.mark.parametrize(
    ("behaviour", "cause", "words"),
    [
        ("garbage", FaultCause.MALFORMED, "40 bytes that are no PlayRequest"),
        ("empty-request", FaultCause.MALFORMED, "without a message"),
        ("no-actions", FaultCause.MALFORMED, "0 actions"),
        ("too-many-actions", FaultCause.MALFORMED, "1 to 64"),
        ("a-hundred-thousand-actions", FaultCause.MALFORMED, "1 to 64"),
        ("long-note", FaultCause.MALFORMED, "1001 characters"),
        ("huge-message", FaultCause.MALFORMED, "bytes; 262144 are allowed"),
        ("illegal", FaultCause.ILLEGAL_ACTION, "It chose action 3 (ADD:3); legal were 0 (ADD:0), 1 (ADD:1), 2"),
        ("out-of-range", FaultCause.ILLEGAL_ACTION, "2147483647, which does not exist"),
        ("negative", FaultCause.ILLEGAL_ACTION, "-1, which does not exist"),
        ("wrong-ply", FaultCause.PROTOCOL, "It answered ply 1; asked was ply 0."),
        ("wrong-match", FaultCause.PROTOCOL, "another match, 'another'"),
        ("two-answers", FaultCause.PROTOCOL, "It answered"),
        ("many-answers", FaultCause.PROTOCOL, "It answered"),
        ("join-twice", FaultCause.PROTOCOL, "a second Join"),
        ("second-stream", FaultCause.PROTOCOL, "a second stream"),
        ("unasked-act", FaultCause.PROTOCOL, "It answered"),
        ("leave", FaultCause.DISCONNECTED, "It left."),
        ("close-stream", FaultCause.DISCONNECTED, "Its stream"),
        ("crash", FaultCause.DISCONNECTED, "Its stream"),
        ("leave-with-status-7", FaultCause.DISCONNECTED, "Its stream"),
    ],
)
async def test_what_a_bot_does_wrong_has_its_cause(
    host: MatchHost, behaviour: str, cause: FaultCause, words: str
) -> None:
    script = "1:3 0:3" if behaviour == "unasked-act" else ROUNDS
    report = await play(host, [scripted(behaviour), scripted()], script)
    fault = only_fault(report)
    assert (fault.seat, fault.cause) == (0, cause)
    assert words in fault.explanation
    assert report.result.ranks == (2, 1)
    assert not report.result.by_rules
    assert report.result.rated


@pytest.mark.parametrize("behaviour", ["silent", "late"])
async def test_no_answer_in_time_is_a_timeout(host: MatchHost, behaviour: str) -> None:
    report = await play(host, [scripted(behaviour), scripted()], script="0:3 1:3", clock="50ms")
    assert only_fault(report).cause is FaultCause.TIMEOUT
    assert only_fault(report).evidence["limit_us"] == 50_000
    assert only_fault(report).evidence["elapsed_us"] >= 100_000


async def test_without_a_clock_a_decision_has_an_end_too(host: MatchHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.referee.play.UNTIMED_DECISION_S", 0.1)
    fault = only_fault(await play(host, [scripted("silent"), scripted()], "0:3 1:3", clock="none"))
    assert fault.cause is FaultCause.TIMEOUT
    assert "even without a clock" in fault.explanation


async def test_a_bot_that_crashes_leaves_its_signal_and_its_last_words(host: MatchHost) -> None:
    with patient_autopsies():
        fault = only_fault(await play(host, [scripted("crash"), scripted()]))
    assert (fault.evidence["ended"], fault.evidence["signal"]) == ("SIGSEGV", 11)
    assert "about to crash" in fault.evidence["stderr"]


async def test_a_bot_that_exits_leaves_its_status(host: MatchHost) -> None:
    with patient_autopsies():
        fault = only_fault(await play(host, [scripted("leave-with-status-7", at=1), scripted()]))
    assert (fault.ply, fault.evidence["ended"], fault.evidence["exit_status"]) == (2, "exit status 7", 7)
    assert "no good" in fault.evidence["stderr"]


async def test_a_bot_is_told_its_own_fault(host: MatchHost) -> None:
    with patient_autopsies():
        fault = only_fault(await play(host, [scripted("illegal"), scripted()]))
    assert "fault: It chose action 3" in fault.evidence["stderr"]


@pytest.mark.parametrize(
    ("behaviour", "cause", "words"),
    [
        ("exit-at-once", FaultCause.START_FAILED, "ended before it joined (exit status 3)"),
        ("exit-in-peace", FaultCause.START_FAILED, "ended before it joined (exit status 0)"),
        ("crash-at-once", FaultCause.START_FAILED, "ended before it joined (SIGKILL)"),
        ("garbage-first", FaultCause.MALFORMED, "no PlayRequest as its first message"),
        ("act-first", FaultCause.PROTOCOL, "Act as its first message; Join comes first"),
        ("other-protocol", FaultCause.PROTOCOL, "the bot speaks protocol 2.0, this arena 1.0"),
        ("other-game", FaultCause.START_FAILED, "It joined for checkers, not for script"),
        ("wrong-token", FaultCause.START_FAILED, "exit status 4"),
    ],
)
async def test_a_bot_that_does_not_start_loses(host: MatchHost, behaviour: str, cause: FaultCause, words: str) -> None:
    report = await play(host, [scripted(), scripted(behaviour)])
    fault = only_fault(report)
    assert (fault.seat, fault.cause, fault.ply) == (1, cause, 0)
    assert words in fault.explanation
    assert report.result.ranks == (1, 2)
    assert report.plies == 0


@pytest.mark.parametrize("behaviour", ["never-connect", "never-join"])
async def test_a_bot_that_joins_too_late_loses(host: MatchHost, behaviour: str) -> None:
    await play(host, [scripted(), scripted()])
    clock = TimeControl(start_limit_us=400_000)  # the honest bot is warm, and needs no time to start
    report = await play(host, [scripted(), scripted(behaviour)], clock=clock)
    assert only_fault(report).explanation == "It did not join within 0.4 s."


async def test_a_program_that_does_not_exist_is_a_failed_start(host: MatchHost) -> None:
    missing = SeatSpec("v", "missing", "/", ("no-such-program",), 1)
    fault = only_fault(await play(host, [missing, scripted()]))
    assert fault.cause is FaultCause.START_FAILED
    assert "no-such-program" in fault.explanation


async def test_stderr_of_a_failed_start_is_kept(host: MatchHost) -> None:
    fault = only_fault(await play(host, [scripted("exit-at-once"), scripted()]))
    assert "cannot find my brain" in fault.evidence["stderr"]


async def test_the_refusal_of_another_protocol_reaches_the_bot(host: MatchHost) -> None:
    with patient_autopsies():
        fault = only_fault(await play(host, [scripted("other-protocol"), scripted()]))
    assert "FAILED_PRECONDITION the bot speaks protocol 2.0" in fault.evidence["stderr"]


async def test_a_match_in_which_nobody_starts_is_not_rated(host: MatchHost) -> None:
    report = await play(host, [scripted("exit-at-once"), scripted("exit-in-peace")])
    assert report.result.ranks == (1, 1)
    assert not report.result.rated


async def test_the_caretaker_plays_on_for_a_bot_that_faulted(host: MatchHost) -> None:
    seats = [scripted(), scripted("garbage", at=1), scripted()]
    report = await play(host, seats, script="0:2 1:2 2:2 0:2 1:2 2:2 1:2")
    assert report.result.by_rules
    assert report.result.ranks == (1, 3, 1)
    assert [entry["by"] for entry in load(report.replay)["entries"]].count("caretaker") == 2


async def test_resigning_is_no_fault_and_the_process_is_kept(host: MatchHost, mark: str) -> None:
    report = await play(host, [scripted("resign"), scripted()])
    assert (report.result.resigned, report.result.faults, report.result.ranks) == ((0,), (), (2, 1))
    await host.settle()
    before = marked_processes(mark)
    await play(host, [scripted("resign"), scripted()])
    assert marked_processes(mark) == before


async def test_notes_and_several_actions_reach_the_replay(host: MatchHost) -> None:
    report = await play(host, [scripted("many-at-once"), scripted("with-note")], script="0:2 0:2 0:2 1:2 0:2")
    entries = load(report.replay)["entries"]
    assert [entry["decide"] for entry in entries] == [0, 0, 0, 3, 4]
    assert entries[3]["note"] == "because"


async def test_a_flood_of_output_harms_nobody_and_its_end_is_kept(host: MatchHost) -> None:
    report = await play(host, [scripted("flood-stderr"), scripted("garbage", at=1)])
    assert report.result.ranks == (1, 2)


class TestProcesses:
    async def test_processes_are_used_again(self, host: MatchHost, mark: str) -> None:
        await play(host, [scripted(), scripted()])
        await host.settle()
        before = marked_processes(mark)
        await play(host, [scripted(), scripted()])
        assert marked_processes(mark) == before

    async def test_one_version_in_two_seats_is_two_processes(self, host: MatchHost, mark: str) -> None:
        await play(host, [scripted("with-note"), scripted("with-note")])
        assert sum("with-note" in command for command in marked_processes(mark).values()) == 2

    @pytest.mark.parametrize("behaviour", ["garbage", "crash", "silent", "second-stream"])
    async def test_a_process_is_replaced_after_a_fault(self, host: MatchHost, mark: str, behaviour: str) -> None:
        seats = [scripted(behaviour, at=1), scripted()]
        await play(host, seats, TWICE, clock="1s")
        assert not any(behaviour in command for command in marked_processes(mark).values())
        report = await play(host, seats, TWICE, clock="1s")
        assert only_fault(report).ply == 1

    async def test_a_process_that_answers_after_the_match_is_replaced(self, host: MatchHost, mark: str) -> None:
        seats = [scripted("two-answers", at=1), scripted()]
        await play(host, seats, "0:2 1:2")
        (first,) = (pid for pid, command in marked_processes(mark).items() if "two-answers --at 1" in command)
        assert (await play(host, seats, "1:2 0:2")).result.faults == ()
        # Its second answer is under way; if it came already, the bot is not kept.
        kept = [bot.stream for bot in host._bots._idle if bot.process.pid == first]
        while any(not stream.spoiled for stream in kept):
            await asyncio.sleep(0)
        await play(host, seats, "1:2 0:2")
        await host.settle()
        assert first not in marked_processes(mark)

    async def test_the_least_recently_used_process_ends_first(self, mark: str) -> None:
        async with MatchHost(warm_bots=2) as host:
            before = bots(mark).keys()
            for behaviour in ("with-note", "many-at-once", "resign", "many-at-once"):
                await play(host, [scripted(behaviour)], "0:2")
            await play(host, [scripted("with-note")], "0:2")
            await host.settle()
            new = [command for pid, command in bots(mark).items() if pid not in before]
            assert sorted(command.split()[-3] for command in new) == ["many-at-once", "with-note"]

    async def test_what_a_bot_started_lives_as_long_as_the_bot_and_ends_with_it(self, mark: str) -> None:
        async with MatchHost() as host:
            await play(host, [scripted("leave-daemons"), scripted()])
            await play(host, [scripted("crash"), scripted("with-note")])
            await host.settle()
            assert sum("time.sleep" in command for command in marked_processes(mark).values()) == 3
        assert not any("time.sleep" in command for command in marked_processes(mark).values())

    async def test_a_bot_that_ignores_term_is_killed(self, host: MatchHost) -> None:
        report = await play(host, [scripted("ignore-term"), scripted()], TWICE, clock="1s")
        assert only_fault(report).cause is FaultCause.TIMEOUT

    async def test_a_bot_sees_only_the_environment_it_needs(
        self, host: MatchHost, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SECRET", "of the operator")
        fault = only_fault(await play(host, [scripted("show-environment"), scripted()]))
        words = fault.evidence["stderr"].split()
        assert {"ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_BOT_DIR", "HOME", "PATH", "TMPDIR"} <= set(words)
        assert set(words) & {"SECRET", "USER", "PWD"} == set()

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

    async def test_cancelling_while_a_bot_starts_ends_those_that_were_ready(self, mark: str) -> None:
        async with MatchHost() as host:
            before = bots(mark).keys()
            await play(host, [scripted("with-note")], "0:3")
            match = asyncio.create_task(play(host, [scripted("with-note"), scripted("never-connect"), scripted()]))
            while not any("never-connect" in command for command in bots(mark).values()):
                await asyncio.sleep(0)
            match.cancel()
            with pytest.raises(asyncio.CancelledError):
                await match
            await host.settle()
            assert bots(mark).keys() == before

    async def test_no_bot_is_ending_any_more_when_the_next_match_begins(self, mark: str) -> None:
        async with MatchHost(warm_bots=0) as host:
            before = bots(mark).keys()
            await play(host, [scripted("ignore-term", at=9), scripted("with-note", at=9)], "0:3 1:3")
            match = asyncio.create_task(play(host, [scripted("silent")], "0:3"))
            while not any("silent" in command for command in bots(mark).values()):
                await asyncio.sleep(0)
            assert len(bots(mark).keys() - before) == 1
            match.cancel()
            with pytest.raises(asyncio.CancelledError):
                await match

    async def test_a_warm_bot_that_joined_for_another_game_is_not_given_this_one(self) -> None:
        async with MatchHost() as host:
            await play(host, [scripted("resign", at=99)], "0:3")
            (idle,) = host._bots._idle
            idle.games = ("checkers",)
            assert (await play(host, [scripted("resign", at=99)], "0:3")).result.faults == ()
            assert len(host._bots._idle) == 2

    async def test_a_bot_that_speaks_before_its_match_gets_no_seat(
        self, host: MatchHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        streams: list[BotStream] = []

        class Recorded(BotStream):
            def __init__(self, context: Context) -> None:
                super().__init__(context)
                streams.append(self)

        monkeypatch.setattr("arena.referee.server.BotStream", Recorded)
        gate, program = tmp_path / "open", tmp_path / "bot.py"
        program.write_text(GATED_BOT.format(gate=str(gate)), encoding="utf-8")
        gated = replace(scripted(), version="gated", command=(sys.executable, str(program)))
        match = asyncio.create_task(play(host, [scripted("join-and-act"), gated]))
        while not any(stream.spoiled for stream in streams):  # the match waits for the other one meanwhile
            await asyncio.sleep(0)
        gate.touch()
        fault = only_fault(await match)
        assert (fault.seat, fault.cause) == (0, FaultCause.PROTOCOL)
        assert fault.explanation == "Before its match started, it sent a message while no match asked it."

    async def test_a_stream_that_is_not_read_any_more_is_not_used_again(self) -> None:
        stream = BotStream(mock.Mock())
        assert not stream.spoiled
        stream.mute()
        assert stream.spoiled

    async def test_cancelling_a_match_ends_its_bots(self, host: MatchHost, mark: str) -> None:
        match = asyncio.create_task(play(host, [scripted("silent"), scripted()]))
        while not any("silent" in command for command in marked_processes(mark).values()):
            await asyncio.sleep(0)
        match.cancel()
        with pytest.raises(asyncio.CancelledError):
            await match
        await host.settle()
        assert not any("silent" in command for command in marked_processes(mark).values())
        assert (await play(host, [scripted(), scripted()])).result.by_rules


async def test_an_order_that_cannot_be_played_is_refused(host: MatchHost) -> None:
    with pytest.raises(MatchSpecError, match="rules version 9"):
        await host.play(script_spec(ROUNDS, 2, rules_version="9"))


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (MatchLostError("the referee was late", HostCause.REFEREE_LAG, {"lag_us": 5}), HostCause.REFEREE_LAG),
        (StorageFailedError("no space left"), HostCause.STORAGE_FAILED),
        (SandboxUnavailableError("no namespaces"), HostCause.SANDBOX_FAILED),
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
        patch.setattr("arena.worker.host.play_match", play_match)
        with pytest.raises(MatchLostError, match=str(error)) as lost:
            await play(host, [scripted("with-note", at=77), scripted("with-note", at=78)])
    assert lost.value.cause is cause
    assert lost.value.evidence == getattr(error, "evidence", {})
    assert isinstance(lost.value, HostBrokenError) == isinstance(error, HostingError)
    await host.settle()
    assert bots(mark).keys() == before
    assert (await play(host, [scripted(), scripted()])).result.by_rules


@pytest.mark.skipif(sys.platform != "linux", reason="memory is watched on Linux")
async def test_a_bot_that_used_too_much_is_blamed_for_that_and_not_for_its_end(host: MatchHost, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(GREEDY_BOT, encoding="utf-8")
    greedy = replace(scripted(), version="greedy", command=(sys.executable, str(tmp_path / "bot.py")), memory_mb=150)
    fault = only_fault(await play(host, [greedy, scripted()]))
    assert fault.cause is FaultCause.RESOURCE
    assert fault.evidence["exceeded"] == "memory"
    assert fault.evidence["used"] > fault.evidence["limit"]


async def test_a_lost_launcher_is_the_fault_of_no_bot(mark: str) -> None:
    before = set(marked_processes(mark))
    async with MatchHost() as host:
        # The guardian of a launcher looks like it, and is its child.
        (launcher,) = (pid for pid in marked_processes(mark).keys() - before if parent_of(pid) == os.getpid())
        match = asyncio.create_task(play(host, [scripted("silent"), scripted()]))
        while not any("silent" in command for command in marked_processes(mark).values()):
            await asyncio.sleep(0)
        os.kill(launcher, signal.SIGKILL)
        with pytest.raises(HostBrokenError) as lost:
            await match
    assert lost.value.cause is HostCause.LAUNCHER_LOST
    while marked_processes(mark).keys() - before:
        await asyncio.sleep(0.01)  # the guardian ends when it has cleared up
