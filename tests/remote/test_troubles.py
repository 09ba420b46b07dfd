"""Whom a match waits for and how long, and what becomes of it when a bot stops reading or all is killed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from arena.executor.interface import NotBegunError
from arena.match.live import LiveEndEvent, LiveEntryEvent, LiveStartEvent
from arena.match.result import Fault, FaultCause, HostCause, MatchLostError
from arena.remote import pending_matches as waiting
from arena.remote.connection import BotIdentity
from arena.remote.lobby import Lobby, Member
from arena.remote.pending_matches import Place, WaitingRoom
from arena.v1 import play_pb2
from tests.remote.running import RunningProcess, remote_seat, running_process, version_of
from tests.support.patience import PATIENCE_S, until
from tests.support.remote_bots import RemoteBot
from tests.support.specs import king_spec


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


class Line:
    """A connection that takes everything."""

    def post(self, _data: bytes) -> None:
        """Do nothing."""

    def close(self, _error: object = None) -> None:
        """Do nothing."""


class RemoteMatches:
    """A lobby and a waiting room whose patience is over at once, until it is made long."""

    def __init__(self) -> None:
        self.lobby = Lobby(lambda _guest, _room: None)
        self.room = WaitingRoom(self.lobby, 0.0)

    def come(self, name: str, owner: str = "ada", room: int = 4) -> tuple[Member, Any]:
        line = cast(Any, Line())
        guest = BotIdentity(f"{owner}/{name}", version_of(name, owner=owner), ("foreign_king",), owner)
        return self.lobby.enter(line, guest, room), line

    async def places(self, *bots: str, match_id: str = "m", is_rated: bool = True) -> dict[int, Place]:
        """What a match of these bots, named `owner/name`, begins with."""
        seats = [remote_seat(name, owner=owner) for owner, name in (bot.split("/") for bot in bots)]
        async with asyncio.timeout(PATIENCE_S):
            return dict(await self.room.wait(king_spec(match_id, seats, is_rated=is_rated)))

    def order(self, *bots: str, match_id: str, is_rated: bool) -> asyncio.Task[dict[int, Place]]:
        return asyncio.create_task(self.places(*bots, match_id=match_id, is_rated=is_rated))

    def end_match(self, match_id: str, *bots: str) -> None:
        for owner, name in (bot.split("/") for bot in bots):
            self.lobby.unseat(version_of(name, owner=owner), match_id, is_over=True)


@pytest.fixture
async def matches(monkeypatch: pytest.MonkeyPatch) -> RemoteMatches:
    """Matches that have waited for a bot of eve's in vain, and will wait for anybody else for long."""
    monkeypatch.setattr(waiting, "SHORT_PATIENCE_S", 0.0)
    matches = RemoteMatches()
    matches.come("fox")
    assert isinstance((await matches.places("ada/fox", "eve/elk"))[1], Fault)
    matches.room._patience_s = 1e9
    return matches


async def test_matches_hardly_wait_for_an_owner_whose_bot_was_waited_for_in_vain(matches: RemoteMatches) -> None:
    place = (await matches.places("ada/fox", "eve/another"))[1]
    assert isinstance(place, Fault)
    assert place.cause is FaultCause.START_FAILED
    assert "was waited for in vain" in place.explanation


async def test_it_is_seated_all_the_same_if_it_is_there(matches: RemoteMatches) -> None:
    matches.come("elk", "eve")
    places = await matches.places("ada/fox", "eve/elk")
    assert not [place for place in places.values() if isinstance(place, Fault)]


async def test_others_are_waited_for_as_before(matches: RemoteMatches) -> None:
    waits = asyncio.create_task(matches.places("ada/fox", "joe/owl"))
    await asyncio.sleep(0)
    assert not waits.done()
    matches.come("owl", "joe")
    assert len(await waits) == 2


async def test_after_a_while_it_is_waited_for_again(matches: RemoteMatches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "DISTRUST_S", 0.0)
    waits = asyncio.create_task(matches.places("ada/fox", "eve/elk"))
    await asyncio.sleep(0)
    assert not waits.done()
    matches.come("elk", "eve")
    assert len(await waits) == 2


class Clock:
    """Stands in for the event loop of a room, whose time goes on only when a test says so."""

    def __init__(self, matches: RemoteMatches) -> None:
        self.now_s = 0.0
        self.create_future = asyncio.get_running_loop().create_future
        matches.lobby._loop = matches.room._loop = cast(Any, self)

    def time(self) -> float:
        return self.now_s

    async def pass_by(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)


@pytest.mark.hostile("remote-come-and-go-in-turns")
async def test_two_that_come_and_go_in_turns_are_not_waited_for_for_ever() -> None:
    clock = Clock(matches := RemoteMatches())
    matches.room._patience_s = 1000.0
    matches.come("fox")
    waits = matches.order("ada/fox", "eve/elk", "eve/emu", match_id="m", is_rated=True)
    for turn in range(12):
        member, line = matches.come(("elk", "emu")[turn % 2], "eve")
        await clock.pass_by(400.0)
        matches.lobby.leave(member, line)
    assert waits.done()
    places = waits.result()
    assert {place.cause for place in places.values() if isinstance(place, Fault)} == {FaultCause.START_FAILED}


async def test_a_bot_that_was_here_most_of_the_time_is_waited_for() -> None:
    clock = Clock(matches := RemoteMatches())
    matches.room._patience_s = 1000.0
    matches.come("fox", room=1)
    await matches.places("ada/fox", match_id="before")
    waits = matches.order("ada/fox", "eve/elk", match_id="m", is_rated=True)
    for _ in range(5):
        member, line = matches.come("elk", "eve")
        await clock.pass_by(900.0)
        matches.lobby.leave(member, line)
        await clock.pass_by(100.0)
    assert not waits.done()
    matches.come("elk", "eve")
    matches.end_match("before", "ada/fox")
    assert not [place for place in (await waits).values() if isinstance(place, Fault)]


async def test_rated_and_unrated_matches_take_turns_in_the_room_of_a_bot() -> None:
    matches = RemoteMatches()
    matches.room._patience_s = 1e9
    matches.come("fox", room=1)
    order = [matches.order("ada/fox", match_id=f"u{number}", is_rated=False) for number in range(4)]
    await asyncio.sleep(0)
    order += [matches.order("ada/fox", match_id=f"r{number}", is_rated=True) for number in range(2)]
    begun = []
    for _ in range(6):
        done, _ = await asyncio.wait(set(order), return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
        (match_id,) = matches.lobby._by_version[version_of("fox")].seats
        begun.append(match_id)
        order = [task for task in order if task not in done]
        matches.end_match(match_id, "ada/fox")
    assert begun == ["u0", "r0", "u1", "r1", "u2", "u3"]


async def test_unrated_matches_of_two_bots_in_turns_do_not_keep_their_rated_one_from_beginning() -> None:
    matches = RemoteMatches()
    matches.room._patience_s = 1e9
    for name in ("fox", "owl"):
        matches.come(name, room=1)
        await matches.places(f"ada/{name}", match_id=name, is_rated=False)
    waits = [
        matches.order(f"ada/{name}", match_id=f"{name}{number}", is_rated=False)
        for number in (1, 2)
        for name in ("fox", "owl")
    ]
    rated = matches.order("ada/fox", "ada/owl", match_id="rated", is_rated=True)
    await asyncio.sleep(0)
    matches.end_match("fox", "ada/fox")
    matches.end_match("owl", "ada/owl")
    assert len(await rated) == 2
    assert not any(task.done() for task in waits)
    for task in waits:
        task.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
