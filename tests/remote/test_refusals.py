"""Bots that may not join, must go, or send what no honest bot sends: each is told why, and nobody else notices."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import chain, repeat

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]

from arena.i18n.catalogue import translate
from arena.match.result import FaultCause
from arena.match.time_control import parse_time_control
from arena.remote.connection import NOT_READING
from arena.service.remote.join_interface import bot_refusal
from arena.service.remote.process_supervisor import _refusal_json
from arena.v1 import play_pb2
from arena.v1.play_pb2_grpc import PlayServiceStub
from arena.wire.status import STATUS_DETAILS_KEY, decode_status
from ratings.values.tournament_incidents import LockHolder
from tests.remote.running import RunningProcess, remote_seat
from tests.support.deaf import DeafBot
from tests.support.patience import PATIENCE_S, until
from tests.support.remote_bots import RemoteBot, play_first

pytestmark = pytest.mark.asyncio(loop_scope="session")
CLOCK = parse_time_control("500ms")
NOT_READABLE = {
    "groups in groups": b"\x93\x06" * 100_000,
    "messages in messages": b"\x0a\x7f" * 100_000,
    "an unknown group without an end": b"\x93\x06",
    "a length beyond the end": b"\x0a\xff\xff\xff\xff\x07",
    "zeros": bytes(1000),
}


async def never(_bot: RemoteBot, _decide: play_pb2.Decide) -> None:
    """Say nothing."""


async def end_of(bot: RemoteBot) -> tuple[int, str]:
    """How the stream of a bot ended: the number of the code, and the reason."""
    await bot.ended.wait()
    assert bot.status is not None
    return bot.status.code, bot.status.reason


def code(name: str) -> int:
    return int(grpc.StatusCode[name].value[0])


@pytest.mark.hostile("remote-token-that-is-not-known")
async def test_a_token_that_is_not_known_opens_nothing(house: RunningProcess) -> None:
    async with house.bot("a", token="mallory") as bot:
        assert await end_of(bot) == (code("UNAUTHENTICATED"), "TOKEN_UNKNOWN")


async def test_without_a_token_nobody_is_asked(house: RunningProcess) -> None:
    async with house.bot("a", token="") as bot:
        assert await end_of(bot) == (code("UNAUTHENTICATED"), "TOKEN_UNKNOWN")


async def test_another_major_version_of_the_protocol_is_refused_with_both(house: RunningProcess) -> None:
    bot = house.bot("a")
    bot.join.protocol_major = 7
    async with bot:
        assert await end_of(bot) == (code("FAILED_PRECONDITION"), "PROTOCOL_VERSION")
        assert bot.status is not None
        assert bot.status.metadata == {"arena": "1.0", "bot": "7.0"}


@pytest.mark.hostile("remote-first-message-that-is-no-join")
async def test_what_is_no_join_is_refused(house: RunningProcess) -> None:
    bot = house.bot("a")
    await bot.open()
    bot.join.Clear()
    await bot.write(play_pb2.PlayRequest(leave=play_pb2.Leave()))
    bot._playing = asyncio.create_task(bot._play())
    assert await end_of(bot) == (code("INVALID_ARGUMENT"), "JOIN")
    await bot.leave()


async def test_health_is_told_to_everybody(house: RunningProcess) -> None:
    credentials = grpc.ssl_channel_credentials(house.certificate.read_bytes())
    async with grpc.aio.secure_channel(f"localhost:{house.process.port}", credentials) as channel:
        answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.hostile("remote-watch-health-for-ever")
async def test_nobody_can_hold_calls_open_by_watching_health(house: RunningProcess) -> None:
    credentials = grpc.ssl_channel_credentials(house.certificate.read_bytes())
    async with grpc.aio.secure_channel(f"localhost:{house.process.port}", credentials) as channel:
        watching = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert await watching.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_the_newer_connection_takes_over_also_in_the_middle_of_a_match(house: RunningProcess) -> None:
    async with house.match_beside("t0"), house.bot("a"), house.bot("twin", on_decide=never) as first:
        match = house.order("t1", [remote_seat("twin"), remote_seat("a")])
        await until(lambda: bool(first.of("decide")))
        async with house.bot("twin") as second:
            assert await end_of(first) == (code("ABORTED"), "SUPERSEDED")
            report = await match
            assert second.of("match_started")[0].match_started.resumed
    assert report.result.by_rules
    assert report.result.faults == ()


async def test_another_version_waits_until_the_match_is_over(house: RunningProcess) -> None:
    async with house.match_beside("v0"), house.bot("a"), house.bot("young", on_decide=never) as old:
        match = house.order("v1", [remote_seat("young"), remote_seat("a")])
        await until(lambda: bool(old.of("decide")))
        async with house.bot("young", version="2") as new:
            assert await end_of(new) == (code("FAILED_PRECONDITION"), "VERSION_IN_PLAY")
            assert new.status is not None
            assert "ada/young" in new.status.message
        assert not old.ended.is_set()
        await old.write(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="v1")))
        await match
        async with house.bot("young", version="2"):
            await house.until_here("young", "2")
            assert await end_of(old) == (code("ABORTED"), "SUPERSEDED")


async def test_who_has_a_revoked_token_has_to_go(house: RunningProcess) -> None:
    async with house.bot("a", token="bob") as bobs, house.bot("a") as adas:
        await until(lambda: bool(bobs.of("joined") and adas.of("joined")))
        house.process.end_tokens(["bob"])
        assert await end_of(bobs) == (code("UNAUTHENTICATED"), "TOKEN_UNKNOWN")
        assert not adas.ended.is_set()


async def test_when_another_service_takes_bots_all_have_to_go(house: RunningProcess) -> None:
    async with house.bot("a", token="bob") as bobs, house.bot("a") as adas:
        await until(lambda: bool(bobs.of("joined") and adas.of("joined")))
        house.process.end_all(_refusal_json(bot_refusal(LockHolder("club-2", 4711, 0))))
        for bot in (bobs, adas):
            assert await end_of(bot) == (code("UNAVAILABLE"), "ELSEWHERE")
            assert bot.status is not None
            assert translate(bot.status.message, "de").startswith("Prozess 4711 auf club-2 ")


@pytest.mark.hostile(
    "remote-answers-unasked-at-length", "remote-answers-for-no-match", "remote-empty-messages-at-length"
)
@pytest.mark.parametrize("what", ["unasked", "strange", "broken"])
async def test_a_bot_that_misbehaves_disturbs_no_other_match(house: RunningProcess, what: str) -> None:
    """It answers without being asked, for matches that are not, or sends what is no message, all at great length."""

    async def misbehave(bot: RemoteBot, decide: play_pb2.Decide) -> None:
        for _ in range(500):
            if bot.ended.is_set():
                return
            if what == "unasked":
                await bot.act(decide)
            elif what == "strange":
                await bot.write(play_pb2.PlayRequest(act=play_pb2.Act(match_id="no match", ply=1, actions=[1])))
            else:
                await bot.write(play_pb2.PlayRequest())

    async with (
        house.match_beside(f"good {what}"),
        house.bot("bad", on_decide=misbehave, room=2) as bad,
        house.bot("x"),
    ):
        spoilt = house.order(f"bad {what}", [remote_seat("bad"), remote_seat("x")], clock=parse_time_control("500ms"))
        report = await spoilt
        await until(lambda: what == "broken" or bad.ended.is_set())
    assert [fault.seat for fault in report.result.faults] == [0]
    if what == "broken":
        assert report.result.faults[0].cause is FaultCause.MALFORMED


@pytest.mark.hostile("remote-answers-for-no-match")
async def test_answers_for_matches_that_are_not_end_the_stream(house: RunningProcess) -> None:
    async with house.match_beside("f0"):
        assert await asyncio.to_thread(_flood, house) == (code("RESOURCE_EXHAUSTED"), "FLOOD")


@pytest.mark.hostile("remote-never-reads")
async def test_who_never_reads_is_sent_away_and_told_why_when_it_does(house: RunningProcess) -> None:
    async with house.match_beside("n0"), DeafBot(house.process.port, house.certificate, "deaf") as deaf, house.bot("x"):
        await house.until_here("deaf")
        clock = parse_time_control("100ms")
        report = await house.order("n1", [remote_seat("x"), remote_seat("deaf")], clock=clock)
        assert [(fault.seat, fault.cause) for fault in report.result.faults] == [(1, FaultCause.TIMEOUT)]
        await house.until_gone("deaf")
        assert not deaf.bytes_taken
        deaf.open_window()
        await deaf.ended.wait()
        assert NOT_READING.message in deaf.told


def _flood(house: RunningProcess) -> tuple[int, str]:
    """Send answers that nobody asked for, and return how the stream ended.

    The client without asyncio is used: the one with it forgets the status of a stream that ends while it writes.
    """
    join = play_pb2.Join(name="flood", protocol_major=1, games=["*"], version="1")
    stray = play_pb2.PlayRequest(act=play_pb2.Act(match_id="no match", ply=1, actions=[1]))
    requests = chain([play_pb2.PlayRequest(join=join)], repeat(stray, 500))
    credentials = grpc.ssl_channel_credentials(house.certificate.read_bytes())
    with grpc.secure_channel(f"localhost:{house.process.port}", credentials) as channel:
        stub = PlayServiceStub(channel)  # type: ignore[no-untyped-call]
        stream = stub.Play(requests, metadata=(("authorization", "Bearer ada"),), timeout=PATIENCE_S)
        with pytest.raises(grpc.RpcError):
            list(stream)
        details = dict(stream.trailing_metadata())[STATUS_DETAILS_KEY]
    status = decode_status(details)
    return status.code, status.reason


@pytest.mark.hostile("remote-joins-twice")
async def test_what_cannot_be_read_and_belongs_to_no_match_ends_the_stream(house: RunningProcess) -> None:
    async with house.bot("a") as bot:
        await house.until_here("a")
        await bot.write(play_pb2.PlayRequest(join=bot.join))
        assert await end_of(bot) == (code("INVALID_ARGUMENT"), "MALFORMED")


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
