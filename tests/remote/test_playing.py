"""Remote bots play to the end, leave and come back, over real connections with TLS to a real process."""

from __future__ import annotations

import asyncio

import pytest

from arena.match.result import FaultCause
from arena.match.verify import verify
from arena.v1 import play_pb2
from tests.remote.running import RunningProcess, remote_seat
from tests.support.patience import until
from tests.support.remote_bot import RemoteBot, play_first
from tests.support.specs import scripted

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_two_remote_bots_play_to_the_end_by_the_rules(house: RunningProcess) -> None:
    async with house.bot("a") as one, house.bot("b") as other:
        report = await house.order("m1", [remote_seat("a"), remote_seat("b")])
        assert report.result.by_rules
        assert report.result.faults == ()
        assert verify(report.replay) == []
        await until(lambda: bool(one.of("match_finished")) and bool(other.of("match_finished")))
        started = one.of("match_started")[0].match_started
        assert (started.match_id, started.seat, started.resumed) == ("m1", 0, False)
        assert one.of("match_finished")[0].match_finished.result.ranks == list(report.result.ranks)


async def test_a_match_waits_until_all_its_remote_bots_are_there(house: RunningProcess) -> None:
    async with house.bot("a"):
        await house.until_here("a")
        match = house.order("m2", [remote_seat("a"), remote_seat("late")])
        other = await house.order("m3", [remote_seat("a"), scripted()])
        assert other.match_id == "m3"
        assert not match.done()
        async with house.bot("late"):
            assert (await match).result.by_rules


async def test_a_bot_plays_as_many_matches_at_once_as_it_says(house: RunningProcess) -> None:
    held: list[play_pb2.Decide] = []

    async def hold(_bot: RemoteBot, decide: play_pb2.Decide) -> None:
        held.append(decide)

    async with house.bot("wide", room=2, on_decide=hold) as bot, house.bot("x"), house.bot("y"), house.bot("z"):
        orders = [house.order(f"w{name}", [remote_seat("wide"), remote_seat(name)]) for name in "xyz"]
        await until(lambda: len({decide.match_id for decide in held}) == 2)
        bot._on_decide = play_first
        for decide in tuple(held):
            await bot.act(decide)
        reports = await asyncio.gather(*orders)
        assert all(report.result.by_rules for report in reports)


async def test_a_bot_that_comes_back_is_told_everything_and_its_clock_went_on(house: RunningProcess) -> None:
    left: asyncio.Future[play_pb2.Decide] = asyncio.get_running_loop().create_future()

    async def play_twice(bot: RemoteBot, decide: play_pb2.Decide) -> None:
        if len(bot.of("decide")) < 3:
            await bot.act(decide)
        elif not left.done():
            left.set_result(decide)

    async with house.bot("a"):
        async with house.bot("back", on_decide=play_twice) as first:
            match = house.order("m4", [remote_seat("a"), remote_seat("back")])
            pending = await left
        await house.until_gone("back")
        async with house.bot("back") as again:
            report = await match
            await until(lambda: bool(again.of("match_finished")))
    assert report.result.faults == ()
    assert report.result.by_rules
    started, decide = again.of("match_started")[0].match_started, again.of("decide")[0].decide
    assert started.resumed
    assert [event.ply for event in started.events] == list(range(pending.ply))
    heard = [event for response in first.of("decide") for event in response.decide.events]
    assert [event for event in started.events if event in heard] == heard
    assert (decide.ply, list(decide.legal_actions)) == (pending.ply, list(pending.legal_actions))
    assert decide.time_limit_us < pending.time_limit_us
    assert not decide.events


async def test_who_comes_back_after_the_end_is_told_of_it(house: RunningProcess) -> None:
    asked = asyncio.Event()

    async def stay_silent(_bot: RemoteBot, _decide: play_pb2.Decide) -> None:
        asked.set()

    async with house.bot("a") as opponent:
        async with house.bot("gone", on_decide=stay_silent):
            match = house.order("m5", [remote_seat("a"), remote_seat("gone")])
            await asked.wait()
        await house.until_gone("gone")
        await opponent.write(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m5")))
        report = await match
        async with house.bot("gone") as again:
            await until(lambda: bool(again.of("match_finished")))
    assert report.result.resigned == (0,)
    assert again.of("match_started")[0].match_started.resumed
    assert again.of("match_finished")[0].match_finished.result.ranks == [2, 1]


async def test_hosted_bots_play_beside_remote_ones(house: RunningProcess) -> None:
    async with house.bot("a"):
        report = await house.order("m6", [scripted(), remote_seat("a"), scripted()], keeps_logs=True)
    assert report.result.by_rules
    assert [process.seat for process in report.seat_processes] == [0, 2]


async def test_a_bot_for_another_game_has_not_started(house: RunningProcess) -> None:
    async with house.bot("a"), house.bot("roman", games=("rex_romanorum",)):
        await house.until_here("roman")
        report = await house.order("m7", [remote_seat("a"), remote_seat("roman")])
    (fault,) = report.result.faults
    assert (fault.seat, fault.cause) == (1, FaultCause.START_FAILED)
