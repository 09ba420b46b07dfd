"""What becomes of matches when a bot stops reading, the process is killed, nobody comes, or the service stops."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from arena.executor.interface import NotBegunError
from arena.match.live import LiveEndEvent, LiveEntryEvent, LiveStartEvent
from arena.match.result import FaultCause, HostCause, MatchLostError
from arena.v1 import play_pb2
from tests.remote.running import RunningProcess, remote_seat, running_process
from tests.support.patience import until
from tests.support.remote_bots import RemoteBot


async def never(_bot: RemoteBot, _decide: play_pb2.Decide) -> None:
    """Say nothing."""


@pytest_asyncio.fixture
async def own_house(tmp_path: Path) -> AsyncIterator[RunningProcess]:
    """A process that only one test has."""
    async with running_process(tmp_path) as house:
        yield house


@pytest.mark.hostile("remote-never-comes")
@pytest.mark.needs("minutes")
async def test_a_bot_that_is_never_there_has_not_started_and_the_other_wins(tmp_path: Path) -> None:
    async with running_process(tmp_path, patience_s=0.1) as house, house.bot("a"):
        await house.until_here("a")
        report = await house.order("m1", [remote_seat("a"), remote_seat("nobody")])
    (fault,) = report.result.faults
    assert (fault.seat, fault.cause) == (1, FaultCause.START_FAILED)
    assert "not connected" in fault.explanation
    assert report.result.ranks == (1, 2)


@pytest.mark.host_fault("process-of-remote-bots-killed")
async def test_when_the_process_is_killed_its_matches_are_lost_and_those_that_wait_go_on(tmp_path: Path) -> None:
    async with running_process(tmp_path) as house:
        process = house.process
        async with house.bot("a"), house.bot("slow", on_decide=never) as slow:
            playing = house.order("m1", [remote_seat("slow"), remote_seat("a")])
            await until(lambda: bool(slow.of("decide")))
            waiting = house.order("m2", [remote_seat("a"), remote_seat("late")])
            await asyncio.sleep(0)
            child = process._child._process
            assert child is not None
            os.kill(child.pid, signal.SIGKILL)
            with pytest.raises(MatchLostError) as lost:
                await playing
            assert lost.value.cause is HostCause.WORKER_DIED
            assert house.gate.present == {}
        assert not waiting.done()
        again = asyncio.create_task(process.run())
        await until(lambda: process._is_ready)
        async with house.bot("a"), house.bot("late"):
            assert (await waiting).result.by_rules
        process.stop()
        await again


@pytest.mark.needs("minutes")
async def test_what_waits_when_the_service_stops_has_not_begun_and_what_is_played_may_end(
    own_house: RunningProcess,
) -> None:
    async with own_house.bot("a"), own_house.bot("slow", on_decide=never) as slow:
        playing = own_house.order("m1", [remote_seat("slow"), remote_seat("a")])
        await until(lambda: bool(slow.of("decide")))
        waiting = own_house.order("m2", [remote_seat("slow"), remote_seat("a")])
        await asyncio.sleep(0)
        own_house.process.drain()
        with pytest.raises(NotBegunError):
            await waiting
        await slow.write(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m1")))
        assert (await playing).result.resigned == (0,)
        own_house.process.stop()
        await slow.ended.wait()
    assert slow.status is not None
    assert slow.status.reason == "STOPPING"


@pytest.mark.needs("minutes")
async def test_a_match_that_is_cancelled_is_broken_off_for_its_bots(own_house: RunningProcess) -> None:
    async with own_house.bot("a"), own_house.bot("slow", on_decide=never) as slow:
        playing = own_house.order("m1", [remote_seat("slow"), remote_seat("a")])
        await until(lambda: bool(slow.of("decide")))
        own_house.process.cancel("m1")
        with pytest.raises(MatchLostError, match="cancelled"):
            await playing
        await until(lambda: bool(slow.of("match_finished")))
    finished = slow.of("match_finished")[0].match_finished
    assert finished.match_id == "m1"
    assert not finished.HasField("result")


@pytest.mark.needs("minutes")
async def test_who_comes_to_watch_sees_what_has_happened_while_a_remote_bot_thinks(own_house: RunningProcess) -> None:
    held: asyncio.Future[play_pb2.Decide] = asyncio.get_running_loop().create_future()

    async def hold_first(bot: RemoteBot, decide: play_pb2.Decide) -> None:
        if held.done():
            await bot.act(decide)
        else:
            held.set_result(decide)

    async with own_house.bot("a", on_decide=hold_first) as bot, own_house.bot("b"):
        match = own_house.order("m1", [remote_seat("a"), remote_seat("b")])
        decide = await held
        events = own_house.process.watch("m1")
        first = await anext(events)
        await bot.act(decide)
        report, kinds = await match, [type(event) for event in (first, *await _all(events))]
    assert kinds == [LiveStartEvent, *[LiveEntryEvent] * report.plies, LiveEndEvent]


async def _all(events: object) -> list[object]:
    return [event async for event in events]  # type: ignore[attr-defined]
