"""Messages that no honest bot sends, in the middle of a match: another match beside it ends by the rules."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import grpc
import pytest

from arena.match.result import FaultCause
from arena.match.time_control import parse_time_control
from arena.v1 import play_pb2
from tests.remote.running import RunningProcess, remote_seat
from tests.support.patience import until
from tests.support.remote_bot import RemoteBot, play_first

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLOCK = parse_time_control("500ms")
NOT_READABLE = {
    "groups in groups": b"\x93\x06" * 100_000,
    "messages in messages": b"\x0a\x7f" * 100_000,
    "an unknown group without an end": b"\x93\x06",
    "a length beyond the end": b"\x0a\xff\xff\xff\xff\x07",
    "zeros": bytes(1000),
}


class RawBot(RemoteBot):
    """A bot that may also send bytes that are no message."""

    async def open(self) -> None:
        self.stream = self._channel.stream_stream(
            "/arena.v1.PlayService/Play",
            request_serializer=lambda what: what if isinstance(what, bytes) else what.SerializeToString(),
            response_deserializer=play_pb2.PlayResponse.FromString,
        )(metadata=(("authorization", f"Bearer {self._token}"),))

    async def write_bytes(self, data: bytes) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self.stream.write(data)


def raw(house: RunningProcess, name: str, **said: object) -> RawBot:
    return RawBot(house.process.port, house.certificate, name, **said)  # type: ignore[arg-type] # of RemoteBot


@pytest.mark.hostile(
    "remote-groups-in-groups",
    "remote-messages-in-messages",
    "remote-group-without-an-end",
    "remote-length-beyond-the-end",
    "remote-zeros",
)
@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=[pytest.mark.needs("minutes")] if number % 4 else [])
        for number, what in enumerate(NOT_READABLE)
    ],
)
async def test_what_cannot_be_read_is_a_fault_in_the_one_match_of_its_bot(house: RunningProcess, what: str) -> None:
    async def send(bot: RemoteBot, _decide: play_pb2.Decide) -> None:
        assert isinstance(bot, RawBot)
        await bot.write_bytes(NOT_READABLE[what])

    async with house.match_beside(f"beside {what}"), raw(house, "raw", on_decide=send), house.bot("x"):
        report = await house.order(f"raw {what}", [remote_seat("raw"), remote_seat("x")], clock=CLOCK)
    assert [(fault.seat, fault.cause) for fault in report.result.faults] == [(0, FaultCause.MALFORMED)]


@pytest.mark.hostile("remote-message-of-many-megabytes")
@pytest.mark.parametrize("megabytes", [0.9, pytest.param(100, marks=pytest.mark.needs("minutes"))])
async def test_a_message_of_many_megabytes_disturbs_nobody(house: RunningProcess, megabytes: float) -> None:
    async def send(bot: RemoteBot, _decide: play_pb2.Decide) -> None:
        assert isinstance(bot, RawBot)
        await bot.write_bytes(bytes(int(megabytes * (1 << 20))))

    async with house.match_beside(f"beside {megabytes}"), raw(house, "big", on_decide=send) as big, house.bot("x"):
        report = await house.order(f"big {megabytes}", [remote_seat("big"), remote_seat("x")], clock=CLOCK)
        if megabytes > 1:
            await big.ended.wait()
    cause = FaultCause.TIMEOUT if megabytes > 1 else FaultCause.MALFORMED
    assert [(fault.seat, fault.cause) for fault in report.result.faults] == [(0, cause)]


async def test_fields_of_the_future_are_passed_over(house: RunningProcess) -> None:
    async def send(bot: RemoteBot, decide: play_pb2.Decide) -> None:
        assert isinstance(bot, RawBot)
        act = play_pb2.Act(match_id=decide.match_id, ply=decide.ply, actions=decide.legal_actions[:1])
        await bot.write_bytes(play_pb2.PlayRequest(act=act).SerializeToString() + b"\xfa\x3e\x03new")

    async with raw(house, "future", on_decide=send), house.bot("x"):
        report = await house.order("future", [remote_seat("future"), remote_seat("x")])
    assert report.result.faults == ()
    assert report.result.by_rules


@pytest.mark.hostile("remote-message-of-no-known-kind")
async def test_a_kind_of_message_of_the_future_alone_is_a_fault(house: RunningProcess) -> None:
    async def send(bot: RemoteBot, _decide: play_pb2.Decide) -> None:
        assert isinstance(bot, RawBot)
        await bot.write_bytes(b"\xfa\x3e\x03new")

    async with house.match_beside("kinds"), raw(house, "kind", on_decide=send), house.bot("x"):
        report = await house.order("kind", [remote_seat("kind"), remote_seat("x")], clock=CLOCK)
    assert [fault.seat for fault in report.result.faults] == [0]


@pytest.mark.hostile("remote-answer-before-the-question", "remote-answer-twice", "remote-resign-twice")
@pytest.mark.parametrize("what", ["before", "twice", "resign twice"])
async def test_answers_at_the_wrong_time_harm_their_own_match_alone(house: RunningProcess, what: str) -> None:
    async def send(bot: RemoteBot, decide: play_pb2.Decide) -> None:
        resign = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=decide.match_id))
        if what == "before":
            later = play_pb2.Decide(match_id=decide.match_id, ply=decide.ply + 2, legal_actions=decide.legal_actions)
            await bot.act(later)
            await bot.act(decide)
        elif what == "twice":
            await bot.act(decide)
            await bot.act(decide)
        else:
            await bot.write(resign)
            await bot.write(resign)

    async with house.match_beside(f"beside {what}"), raw(house, "hasty", on_decide=send) as hasty, house.bot("x"):
        report = await house.order(f"hasty {what}", [remote_seat("hasty"), remote_seat("x")], clock=CLOCK)
        causes = [] if what == "resign twice" else [(0, FaultCause.PROTOCOL)]
        assert [(fault.seat, fault.cause) for fault in report.result.faults] == causes
        assert report.result.resigned == ((0,) if what == "resign twice" else ())
        hasty._on_decide = play_first
        again = await house.order(f"then {what}", [remote_seat("hasty"), remote_seat("x")])
    assert again.result.faults == ()


@pytest.mark.hostile("play-on-with-a-revoked-token")
async def test_a_token_that_is_revoked_in_the_middle_of_a_match_ends_that_bot_alone(house: RunningProcess) -> None:
    async def stay_silent(_bot: RemoteBot, _decide: play_pb2.Decide) -> None:
        """Say nothing."""

    async with (
        house.match_beside("beside revoked"),
        house.bot("elk", token="eve", on_decide=stay_silent) as one,
        house.bot("emu", token="eve", on_decide=stay_silent) as other,
        house.bot("x"),
    ):
        seats = [remote_seat("elk", owner="eve"), remote_seat("x")]
        match = house.order("revoked", seats, clock=CLOCK)
        await until(lambda: bool(one.of("decide")))
        house.process.end_tokens(["eve"])
        await one.ended.wait()
        await other.ended.wait()
        assert [bot.status.reason for bot in (one, other) if bot.status] == ["TOKEN_UNKNOWN"] * 2
        report = await match
    assert [(fault.seat, fault.cause) for fault in report.result.faults] == [(0, FaultCause.TIMEOUT)]
