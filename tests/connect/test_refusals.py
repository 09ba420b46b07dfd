"""A service that refuses, is another one than is meant, or means harm: its author's machine comes to no harm."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import grpc
import pytest

from arena.connect.bridge import ConnectOptions
from arena.connect.bridged_match import MOST_EVENTS, BridgedMatch
from arena.connect.news import Connected as LetIn
from arena.connect.news import Disconnected, MatchBegan, MatchEnded, Note
from arena.connect.stream import MOST_MESSAGE_BYTES, end_of, open_stream
from arena.model.errors import ClientError, ForbiddenError, RefusedError
from arena.rpc.errors import CertificateError, LoginError, ProtocolError, ServiceError, UnreachableError
from arena.rpc.login import log_in
from arena.service.server import self_signed as certificates
from arena.service.server.self_signed import TlsFiles, make_certificate
from arena.v1 import play_pb2
from tests.connect.bridging import connected, write_bot, write_program
from tests.support.play_service import GAMES, FakeService, decide, finished, listening, play_service, started

pytestmark = pytest.mark.usefixtures("inside")

Code = grpc.StatusCode
JOINED = play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=1, games=GAMES))


async def test_a_login_at_the_address_for_remote_bots_names_the_mistake(tls: TlsFiles) -> None:
    async with play_service(tls) as service:
        with pytest.raises(
            ProtocolError, match=r"this is its address for remote bots, which `arena login` does not want"
        ):
            await asyncio.to_thread(log_in, service.endpoint, "club", "kma_t0ken")


async def refusal_of(service: FakeService, directory: Path) -> ClientError:
    async with connected(service, directory) as told:
        with pytest.raises(ClientError) as caught:
            await told.end()
    assert "\n" not in str(caught.value)
    assert not told.of(LetIn)
    return caught.value


@pytest.mark.parametrize(
    ("code", "reason", "kind", "words"),
    [
        (Code.UNAUTHENTICATED, "TOKEN_UNKNOWN", LoginError, "`arena login ADDRESS --name club --token-stdin`"),
        (Code.PERMISSION_DENIED, "SCOPE", ForbiddenError, "it says why"),
        (Code.FAILED_PRECONDITION, "PROTOCOL_VERSION", ProtocolError, "this arena speaks protocol 1"),
        (Code.FAILED_PRECONDITION, "BOT_IS_HOSTED", RefusedError, "it says why"),
        (Code.FAILED_PRECONDITION, "NO_GAME", RefusedError, "it says why"),
        (Code.INVALID_ARGUMENT, "BOT_NAME", RefusedError, "it says why"),
        (Code.INVALID_ARGUMENT, "VERSION_NAME", RefusedError, "it says why"),
        (Code.RESOURCE_EXHAUSTED, "BOTS", ServiceError, "it says why"),
        (Code.ABORTED, "SUPERSEDED", ServiceError, "--name gives this one a name of its own"),
    ],
)
async def test_what_a_service_refuses_ends_the_bridge(
    tls: TlsFiles, tmp_path: Path, code: grpc.StatusCode, reason: str, kind: type[ClientError], words: str
) -> None:
    directory = write_bot(tmp_path)
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        await visit.hear()
        visit.end(code, reason, "it says why")
        with pytest.raises(ClientError) as caught:
            await told.end()
    assert type(caught.value) is kind
    assert str(caught.value).startswith("it says why")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (Code.FAILED_PRECONDITION, "VERSION_IN_PLAY"),
        (Code.UNAVAILABLE, "STOPPING"),
        (Code.RESOURCE_EXHAUSTED, "CONNECTIONS"),
        (Code.UNAVAILABLE, "BUSY"),
    ],
)
async def test_what_passes_by_itself_is_waited_for(
    tls: TlsFiles, tmp_path: Path, code: grpc.StatusCode, reason: str
) -> None:
    directory = write_bot(tmp_path)
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        await visit.hear()
        visit.end(code, reason, "not now")
        await (await service.visit()).welcome()
        await told.wait_for(LetIn)
    assert told.of(Disconnected)[0].why.startswith("not now")


async def test_a_connection_that_is_taken_over_ends_even_in_the_middle_of_a_match(
    tls: TlsFiles, tmp_path: Path
) -> None:
    async with play_service(tls) as service, connected(service, write_bot(tmp_path)) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1"))
        visit.end(Code.ABORTED, "SUPERSEDED", "a newer connection of ada/fox took over")
        with pytest.raises(ServiceError, match="a newer connection"):
            await told.end()


async def test_a_service_of_another_protocol_major_is_told(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, write_bot(tmp_path)) as told:
        await (await service.visit()).welcome(major=2)
        with pytest.raises(ProtocolError, match=r"speaks protocol 2\.0 with bots, and this arena 1; install"):
            await told.end()


async def test_a_service_without_the_game_is_told(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_program(tmp_path, write_bot(tmp_path).joinpath("main.py").read_text(), games='["nim", "go"]')
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        assert list((await visit.hear()).join.games) == ["nim", "go"]
        await visit.say(play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=1)))
        with pytest.raises(RefusedError, match=r"plays none of the games of fox \(nim, go\)"):
            await told.end()


async def test_other_rules_than_the_bot_demands_are_refused_and_others_than_the_engine_has_are_told(
    tls: TlsFiles, tmp_path: Path
) -> None:
    directory = write_bot(tmp_path)
    other = play_pb2.GameInfo(name="foreign_king", rules_version="77")
    async with play_service(tls) as service, connected(service, directory) as told:
        await (await service.visit()).welcome(other)
        assert "plays foreign_king by the rules 77, not " in (await told.wait_for(Note)).text
    with (directory / "bot.toml").open("a") as file:
        file.write('\n[rules]\nforeign_king = "76"\n')
    async with play_service(tls) as service, connected(service, directory) as told:
        await (await service.visit()).welcome(other)
        with pytest.raises(RefusedError, match=r"by the rules 77, not 76, as bot\.toml of fox demands"):
            await told.end()


# The connection.


async def test_a_service_that_is_not_there_is_told(tls: TlsFiles, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        service = FakeService(tls)
        service.address = f"127.0.0.1:{listener.getsockname()[1]}"
    error = await refusal_of(service, write_bot(tmp_path))
    assert isinstance(error, UnreachableError)
    assert f"cannot reach {service.address}: Connection refused; check the address" in str(error)


async def test_another_certificate_than_the_pinned_one_is_told(tls: TlsFiles, tmp_path: Path) -> None:
    def with_another(order: ConnectOptions) -> ConnectOptions:
        other = make_certificate(tmp_path / "other", []).certificate.read_text(encoding="ascii")
        return replace(order, profile=replace(order.profile, certificate=other))

    async with play_service(tls) as service, connected(service, write_bot(tmp_path), with_another) as told:
        with pytest.raises(CertificateError, match=r"shows another certificate .* --name club --fingerprint"):
            await told.end()


@pytest.mark.parametrize(
    ("lifetime", "backdated", "expected"),
    [
        (timedelta(days=-1), timedelta(days=2), r"expired on .* this machine's clock says 2.* UTC; if that is right"),
        (
            timedelta(days=9),
            timedelta(hours=-3),
            r"valid only from 2.* to 2.* UTC, and this machine's clock says 2.* UTC; set the clock",
        ),
    ],
    ids=["a clock that is ahead", "a clock that is behind"],
)
async def test_a_clock_that_is_off_is_told_with_the_time_and_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lifetime: timedelta, backdated: timedelta, expected: str
) -> None:
    monkeypatch.setattr(certificates, "LIFETIME", lifetime)
    monkeypatch.setattr(certificates, "_BACKDATED", backdated)
    async with play_service(make_certificate(tmp_path / "tls", [])) as service:
        async with connected(service, write_bot(tmp_path)) as told:
            with pytest.raises(CertificateError, match=expected):
                await told.end()
        assert service.visits.empty()


async def test_an_address_without_play_service_is_told(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls, takes_bots=False) as service:
        error = await refusal_of(service, write_bot(tmp_path))
    assert isinstance(error, ProtocolError)
    assert "takes no remote bots; check --play-address" in str(error)


async def test_the_reason_of_a_refusal_is_never_lost(tls: TlsFiles) -> None:
    """A message that is written while the stream is being refused makes gRPC say INTERNAL in place of the reason."""
    leave = play_pb2.PlayRequest(leave=play_pb2.Leave())
    async with play_service(tls, takes_bots=False) as service:
        for _ in range(12):
            async with open_stream(service.endpoint, "kma_t0ken") as stream:
                await stream.wait_until_taken()
                await stream.send(leave)
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await stream.read()
                assert caught.value.code() is Code.UNIMPLEMENTED


async def test_writing_to_a_stream_that_ends_raises_nothing_and_the_lost_reason_is_asked_for_again(
    tls: TlsFiles,
) -> None:
    leave = play_pb2.PlayRequest(leave=play_pb2.Leave())
    async with play_service(tls, takes_bots=False) as service:
        for _ in range(12):
            async with open_stream(service.endpoint, "kma_t0ken") as stream:
                for _ in range(30):
                    await stream.send(leave)
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await stream.read()
                end = end_of(caught.value, service.endpoint)
                assert end.is_vague or isinstance(end.error, ProtocolError)


@asynccontextmanager
async def raw_service(tls: TlsFiles, *said: bytes) -> AsyncIterator[FakeService]:
    """A service that says these bytes to whoever joins, and then waits."""

    async def play(_requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await context.send_initial_metadata(())
        await context.read()
        for data in said:
            await context.write(data)
        await asyncio.Event().wait()

    service = FakeService(tls)
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": handler}),))
    async with listening(service, server):
        yield service


@pytest.mark.parametrize("first", [(), (JOINED.SerializeToString(),)], ids=["first", "after Joined"])
@pytest.mark.parametrize(
    ("data", "words"),
    [(b"\xff" * 100, "no message of the protocol"), (bytes(MOST_MESSAGE_BYTES + 1), "more than 16 MB")],
    ids=["garbage", "too long"],
)
async def test_what_is_no_message_ends_the_bridge(
    tls: TlsFiles, tmp_path: Path, first: tuple[bytes, ...], data: bytes, words: str
) -> None:
    async with raw_service(tls, *first, data) as service, connected(service, write_bot(tmp_path)) as told:
        with pytest.raises(ProtocolError, match=words):
            await told.end()
    assert len(told.of(LetIn)) == len(first)


async def test_who_is_let_in_without_end_leaves(tls: TlsFiles, tmp_path: Path) -> None:
    said = [JOINED.SerializeToString()] * 500
    async with raw_service(tls, *said) as service, connected(service, write_bot(tmp_path)) as told:
        with pytest.raises(ProtocolError, match="twice"):
            await told.end()
    assert len(told.of(LetIn)) == 1


async def test_questions_of_matches_that_have_not_begun_are_told_of_once(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, write_bot(tmp_path)) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(*[decide(f"none {number}", 0) for number in range(100)])
        await visit.say(started("m1"), finished("m1"))
        await told.wait_for(MatchEnded)
    assert len(told.of(Note)) == 1


async def test_a_match_of_a_game_of_which_the_service_has_not_told_is_not_begun(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, write_bot(tmp_path)) as told:
        visit = await service.visit()
        await visit.welcome()
        strange = started("m1")
        strange.match_started.game = "\x1b[2Jchess"
        await visit.say(strange)
        with pytest.raises(ProtocolError, match="of which it had not told"):
            await told.end()
    assert not told.of(MatchBegan)


async def test_a_service_may_not_ask_on_and_on_while_the_bot_does_not_read() -> None:
    table = BridgedMatch(started("m1").match_started, cast(Any, None), cast(Any, None), lambda _news: None)
    for ply in range(MOST_EVENTS):
        table.receive(decide("m1", ply).decide)
    with pytest.raises(ProtocolError, match="on and on"):
        table.receive(decide("m1", MOST_EVENTS).decide)


async def test_a_decision_among_very_many_actions_is_made(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, write_bot(tmp_path)) as told:
        visit = await service.visit()
        await visit.welcome()
        question = decide("m1", 0)
        question.decide.legal_actions.extend(range(300_000))
        await visit.say(started("m1"), question)
        assert (await visit.hear_act()).ply == 0
        await visit.say(finished("m1"))
        await told.wait_for(MatchEnded)
