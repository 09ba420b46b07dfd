"""Remote bots play to the end, leave and come back, over TLS and over the socket, with a real process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import grpc
import pytest

from arena.connect.stream import ServiceStream, open_stream
from arena.match.result import FaultCause
from arena.match.verify import verify
from arena.match.worker_report import MatchReport
from arena.rpc.channel import Endpoint
from arena.v1 import play_pb2
from tests.remote.running import RunningProcess, remote_seat, version_of
from tests.support.patience import until
from tests.support.remote_bots import RemoteBot, play_first
from tests.support.specs import scripted

pytestmark = pytest.mark.asyncio(loop_scope="session")
LEAVE = play_pb2.PlayRequest(leave=play_pb2.Leave())
NO_NEW_MATCH = -1
JOIN = play_pb2.PlayRequest(join=play_pb2.Join(name="guest-1", version="1", protocol_major=1, games=("*",)))


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


class Held:
    """Answers nothing until it is let go."""

    def __init__(self) -> None:
        self.free = asyncio.Event()

    async def __call__(self, bot: RemoteBot, decide: play_pb2.Decide) -> None:
        await self.free.wait()
        await bot.act(decide)


async def ended_in_order(bot: RemoteBot) -> bool:
    await bot.ended.wait()
    assert bot.status is not None
    return bot.status.code == grpc.StatusCode.OK.value[0]


def queue(house: RunningProcess, name: str, *match_ids: str) -> Sequence[asyncio.Task[MatchReport]]:
    """Matches of which the bot finds the next one whenever it has room."""
    return [house.order(match_id, [remote_seat(name), remote_seat("a")]) for match_id in match_ids]


async def test_who_leaves_ends_what_runs_and_begins_nothing_else(house: RunningProcess) -> None:
    held = Held()
    async with house.bot("a", room=9), house.bot("walker", on_decide=held) as bot:
        first, *others = queue(house, "walker", "l1", "l2", "l3")
        await until(lambda: bool(bot.of("decide")))
        await bot.write(LEAVE)
        await house.until_gone("walker")
        held.free.set()
        assert (await first).result.faults == ()
        assert await ended_in_order(bot)
        assert [one.match_finished.match_id for one in bot.of("match_finished")] == ["l1"]
        assert len(bot.of("match_started")) == 1
        async with house.bot("walker") as again:
            assert not any([(await other).result.faults for other in others])
        assert not any(one.match_started.resumed for one in again.of("match_started"))


async def test_who_leaves_without_a_match_is_gone_at_once(house: RunningProcess) -> None:
    async with house.bot("idle") as bot:
        await house.until_here("idle")
        await bot.write(LEAVE)
        assert await ended_in_order(bot)
    await house.until_gone("idle")


async def test_who_leaves_and_loses_the_line_comes_back_for_what_runs_only(house: RunningProcess) -> None:
    async with house.bot("a", room=9):
        async with house.bot("broken", on_decide=Held()) as first:
            playing, other = queue(house, "broken", "b1", "b2")
            await until(lambda: bool(first.of("decide")))
            await first.write(LEAVE)
            await house.until_gone("broken")
        async with house.bot("broken", room=NO_NEW_MATCH) as back:
            assert (await playing).result.faults == ()
            assert await ended_in_order(back)
            assert [one.match_started.match_id for one in back.of("match_started")] == ["b1"]
        assert not other.done()
        async with house.bot("broken"):
            assert (await other).result.faults == ()


async def test_who_comes_back_only_for_what_runs_when_nothing_does_is_told_how_it_ended(house: RunningProcess) -> None:
    async with house.bot("a", room=9) as opponent:
        async with house.bot("late", on_decide=Held()) as first:
            playing, other = queue(house, "late", "e1", "e2")
            await until(lambda: bool(first.of("decide")))
        await house.until_gone("late")
        await opponent.write(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="e1")))
        await playing
        async with house.bot("late", room=NO_NEW_MATCH) as back:
            assert await ended_in_order(back)
        assert [one.match_finished.match_id for one in back.of("match_finished")] == ["e1"]
        assert not other.done()
        async with house.bot("late"):
            await other


async def test_a_join_after_leaving_starts_afresh(house: RunningProcess) -> None:
    """As of an author who has changed his mind, and connects while the last match of his other program still runs."""
    held = Held()
    async with house.bot("a", room=9), house.bot("fresh", on_decide=held) as first:
        orders = queue(house, "fresh", "f1", "f2")
        await until(lambda: bool(first.of("decide")))
        await first.write(LEAVE)
        await house.until_gone("fresh")
        async with house.bot("fresh", room=2) as second:
            assert not any([(await order).result.faults for order in orders])
            assert not second.ended.is_set()


async def answer_all(stream: ServiceStream) -> list[play_pb2.PlayResponse]:
    """Play the first legal action until a match is over, and return all that was told."""
    heard = []
    while (response := await stream.read()) is not None:
        heard.append(response)
        if response.HasField("match_finished"):
            break
        if response.HasField("decide"):
            decide = response.decide
            act = play_pb2.Act(match_id=decide.match_id, ply=decide.ply, actions=decide.legal_actions[:1])
            await stream.send(play_pb2.PlayRequest(act=act))
    return heard


async def test_a_guest_at_the_socket_plays_a_remote_bot_of_the_network(house: RunningProcess) -> None:
    async with house.bot("owl"), open_stream(Endpoint(f"unix:{house.socket}"), None) as stream:
        await stream.send(JOIN)
        await until(lambda: version_of("guest-1", owner="people") in house.gate.present)
        match = house.order("m-socket", [remote_seat("guest-1", owner="people"), remote_seat("owl")])
        heard = await answer_all(stream)
        assert (await match).result.by_rules
    assert heard[0].joined.games
    assert heard[-1].match_finished.result.ranks


@pytest.mark.hostile("remote-token-that-is-not-known")
@pytest.mark.needs("minutes")
async def test_a_bad_token_at_the_socket_is_not_taken_for_none(house: RunningProcess) -> None:
    for token in ("mallory", ""):
        async with open_stream(Endpoint(f"unix:{house.socket}"), token) as stream:
            await stream.send(JOIN)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stream.read()
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED, token
