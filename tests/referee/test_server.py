"""The bots' socket: tokens, health, errors as a client sees them, and streams that break."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest import mock

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped] # it has no types

from arena.match.result import FaultCause
from arena.referee.call_context import CallContext
from arena.referee.queue.loop import QueueLoop
from arena.referee.queue.server import QueueServer
from arena.referee.server import MOST_STREAMS, AioServer, JoinError, PlayServer, join
from arena.referee.stream import Flood, Inbox
from arena.v1 import play_pb2
from arena.wire.messages import encode_joined
from arena.wire.status import STATUS_DETAILS_KEY
from engine import registry
from tests.support.deaf import call_and_read_nothing, is_full
from tests.support.patience import PATIENCE_S, until

Call = grpc.aio.StreamStreamCall[bytes, bytes]
MORE_THAN_A_SOCKET_HOLDS = b"x" * 10_000_000
_PROGRAM = """
import asyncio, tempfile
from pathlib import Path
from arena.wire.completion_queue_check import prepare
prepare()
from arena.referee.queue.loop import run
from tests.referee.test_server import serve_the_deaf

clients = []

async def main(directory):
    server, client = await serve_the_deaf(directory)
    clients.append(client)
    if STOPS:
        await server.stop(0.1)

with tempfile.TemporaryDirectory() as directory:
    run(main(Path(directory)))
print("ended", flush=True)
"""


class Client:
    """Raw access to the socket."""

    def __init__(self, address: str) -> None:
        self.channel = grpc.aio.insecure_channel(address)

    def play(self, *metadata: tuple[str, str]) -> Call:
        method: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self.channel.stream_stream(
            "/arena.v1.PlayService/Play"
        )
        return method(metadata=metadata)


def bearer(token: str) -> tuple[str, str]:
    return "authorization", f"Bearer {token}"


def join_bytes(major: int = 1, *games: str) -> bytes:
    message = play_pb2.Join(name="bot", protocol_major=major, protocol_minor=4, games=games)
    return play_pb2.PlayRequest(join=message).SerializeToString()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[PlayServer]:
    server = PlayServer(most_calls=1_000)
    await server.start(f"unix:{tmp_path}/play")
    yield server
    await server.stop()


@pytest.fixture
async def client(server: PlayServer, tmp_path: Path) -> AsyncIterator[Client]:
    client = Client(f"unix:{tmp_path}/play")
    yield client
    await client.channel.close()


async def error_of(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()
    return caught.value


def reason_of(error: grpc.aio.AioRpcError) -> bytes:
    """The bytes of google.rpc.Status in the trailers."""
    trailers = dict(error.trailing_metadata() or ())
    details = trailers[STATUS_DETAILS_KEY]
    assert isinstance(details, bytes)
    return details


@pytest.mark.hostile("wrong-token")
@pytest.mark.parametrize(
    "metadata", [(), (("authorization", "Bearer wrong"),), (("authorization", "Basic x"),), (("token", "x"),)], ids=str
)
async def test_without_a_valid_token_a_stream_is_refused(client: Client, metadata: tuple[tuple[str, str], ...]) -> None:
    error = await error_of(client.play(*metadata))
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    assert "ARENA_TOKEN" in (error.details() or "")
    assert b"TOKEN_UNKNOWN" in reason_of(error)


@pytest.mark.hostile("token-of-a-match-that-is-over")
async def test_a_token_is_worth_nothing_after_its_bot_was_dismissed(server: PlayServer, client: Client) -> None:
    admission = server.admit()
    server.dismiss(admission)
    assert (await error_of(client.play(bearer(admission.token)))).code() is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.hostile("ask-for-health-without-a-token")
async def test_health_asks_for_a_token_too(server: PlayServer, client: Client) -> None:
    stub = health_pb2_grpc.HealthStub(client.channel)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Check(health_pb2.HealthCheckRequest())
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    answer = await stub.Check(health_pb2.HealthCheckRequest(), metadata=(bearer(server.admit().token),))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_health_can_be_watched(server: PlayServer, client: Client) -> None:
    stub = health_pb2_grpc.HealthStub(client.channel)
    assert (await error_of(stub.Watch(health_pb2.HealthCheckRequest()))).code() is grpc.StatusCode.UNAUTHENTICATED
    watch = stub.Watch(health_pb2.HealthCheckRequest(), metadata=(bearer(server.admit().token),))
    assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
    watch.cancel()


@pytest.fixture
def no_more_calls_as_time_goes_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine four calls can take longer than a second, in which the bot would be allowed one more."""
    monkeypatch.setattr("arena.referee.server.CALLS_A_SECOND", 0.0)


@pytest.mark.hostile("wrong-tokens")
@pytest.mark.usefixtures("no_more_calls_as_time_goes_by")
async def test_who_makes_more_calls_than_anybody_needs_is_disconnected(tmp_path: Path) -> None:
    server = PlayServer(most_calls=3)
    await server.start(f"unix:{tmp_path}/flooded")
    client, admission = Client(f"unix:{tmp_path}/flooded"), server.admit()
    call = client.play(bearer(admission.token))
    await call.write(join_bytes())
    stream, inbox = await admission.stream, Inbox()
    stream.attach(inbox, 0)
    for _ in range(3):
        await error_of(client.play(bearer("wrong")))
    arrival = await inbox.get(asyncio.get_running_loop().time() + PATIENCE_S)
    assert arrival is not None
    assert isinstance(arrival.what, Flood)
    assert "more than 3 calls" in arrival.what.why
    assert (await error_of(client.play(bearer("wrong")))).code() is grpc.StatusCode.UNAVAILABLE
    await server.stop()
    await client.channel.close()


@pytest.mark.hostile("wrong-tokens-before-joining")
@pytest.mark.usefixtures("no_more_calls_as_time_goes_by")
async def test_who_floods_before_it_joins_is_refused_for_that(tmp_path: Path) -> None:
    server = PlayServer(most_calls=3)
    await server.start(f"unix:{tmp_path}/flooded")
    client, admission = Client(f"unix:{tmp_path}/flooded"), server.admit()
    for _ in range(4):
        await error_of(client.play(bearer("wrong")))
    with pytest.raises(JoinError) as caught:
        await admission.stream
    assert caught.value.cause is FaultCause.FLOOD
    await server.stop()
    await client.channel.close()


@pytest.mark.hostile("many-streams-at-once")
async def test_a_connection_has_only_so_many_streams_at_once(server: PlayServer, client: Client) -> None:
    stub, request = health_pb2_grpc.HealthStub(client.channel), health_pb2.HealthCheckRequest()
    token = bearer(server.admit().token)
    watches = [stub.Watch(request, metadata=(token,)) for _ in range(MOST_STREAMS)]
    for watch in watches:
        await watch.read()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Check(request, metadata=(token,), timeout=0.2)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    for watch in watches:
        watch.cancel()


@pytest.mark.hostile("call-what-is-not-served")
@pytest.mark.parametrize(
    "method", ["/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "/arena.v1.PlayService/Peek"]
)
async def test_nothing_else_is_served_here(server: PlayServer, client: Client, method: str) -> None:
    call: Any = client.channel.stream_stream(method)
    error = await error_of(call(metadata=(bearer(server.admit().token),)))
    assert error.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_join_is_answered_with_the_games_that_both_know(server: PlayServer, client: Client) -> None:
    admission = server.admit()
    call = client.play(bearer(admission.token))
    await call.write(join_bytes(1, "foreign_king", "checkers"))
    assert await join(await admission.stream) == ("foreign_king", "checkers")
    joined = play_pb2.PlayResponse.FromString(await call.read()).joined  # type: ignore[arg-type]
    game = registry.get("foreign_king")
    (info,) = joined.games
    assert (joined.protocol_major, info.name, info.rules_version) == (1, game.name, game.rules_version)
    assert tuple(info.actions) == game.actions.names
    assert info.observation_type == "arena.games.foreign_king.v1.ForeignKingState"


def test_a_star_means_every_game_that_is_of_no_family() -> None:
    joined = play_pb2.PlayResponse.FromString(encode_joined(["*"])).joined
    assert [info.name for info in joined.games] == sorted(registry.single_names())


@pytest.mark.hostile("other-protocol")
async def test_another_major_version_is_refused_naming_both(server: PlayServer, client: Client) -> None:
    admission = server.admit()
    call = client.play(bearer(admission.token))
    await call.write(join_bytes(2))
    with pytest.raises(JoinError, match=r"speaks protocol 2.4, this arena 1.0"):
        await join(await admission.stream)
    error = await error_of(call)
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert "protocol 2.4, this arena 1.0" in (error.details() or "")
    assert b"PROTOCOL_VERSION" in reason_of(error)


@pytest.mark.hostile("second-stream")
async def test_a_second_stream_is_refused(server: PlayServer, client: Client) -> None:
    admission = server.admit()
    first = client.play(bearer(admission.token))
    await first.write(join_bytes(1))
    stream = await admission.stream
    error = await error_of(client.play(bearer(admission.token)))
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert b"SECOND_STREAM" in reason_of(error)
    assert stream.spoiled == "it opened a second stream"
    first.cancel()


async def test_a_stream_that_ends_before_its_join_is_a_failed_start(server: PlayServer, client: Client) -> None:
    admission = server.admit()
    call = client.play(bearer(admission.token))
    await call.done_writing()
    with pytest.raises(JoinError, match="closed its stream before it joined"):
        await join(await admission.stream)


async def test_a_stream_that_the_arena_closes_ends_in_order(server: PlayServer, client: Client) -> None:
    admission = server.admit()
    call = client.play(bearer(admission.token))
    await call.write(join_bytes(1))
    await join(await admission.stream)
    server.dismiss(admission)
    while await call.read() is not grpc.aio.EOF:
        pass
    assert await call.code() is grpc.StatusCode.OK


async def test_a_stream_that_the_client_cancels_is_closed(server: PlayServer, client: Client) -> None:
    admission = server.admit()
    call = client.play(bearer(admission.token))
    await call.write(join_bytes(1))
    stream = await admission.stream
    call.cancel()
    while not stream.is_closed:
        await asyncio.sleep(0.005)
    assert stream.spoiled


@pytest.mark.hostile("speak-between-matches")
async def test_a_message_while_no_match_is_played_spoils_the_bot(server: PlayServer, client: Client) -> None:
    admission = server.admit()
    call = client.play(bearer(admission.token))
    await call.write(join_bytes(1))
    stream = await admission.stream
    await join(stream)
    await call.write(join_bytes(1))
    while not stream.spoiled:
        await asyncio.sleep(0.005)
    assert stream.spoiled == "it sent a message while no match asked it"
    call.cancel()


@pytest.mark.hostile("come-and-go")
async def test_a_stream_that_ends_while_its_join_is_answered_raises_nothing(
    server: PlayServer, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    async def come_and_go() -> None:
        admission = server.admit()
        call = client.play(bearer(admission.token))
        await call.write(join_bytes(1))
        await call.done_writing()
        with contextlib.suppress(JoinError):
            await join(await admission.stream)
        while await call.read() is not grpc.aio.EOF:
            pass
        server.dismiss(admission)

    for _ in range(20):
        await asyncio.gather(*(come_and_go() for _ in range(10)))
    assert caplog.messages == []


async def test_a_stream_ends_with_its_call_although_a_message_could_not_be_taken(
    server: PlayServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = asyncio.Event()

    def fail(_data: bytes) -> None:
        tried.set()
        raise MemoryError

    admission = server.admit()
    call = client.play(bearer(admission.token))
    await call.write(join_bytes())
    stream = await admission.stream
    await stream.first_message
    monkeypatch.setattr("arena.referee.framing.parse_request", fail)
    await call.write(join_bytes())
    await tried.wait()
    call.cancel()
    async with asyncio.timeout(PATIENCE_S):
        while not stream.is_closed:
            await asyncio.sleep(0.005)


async def serve_the_deaf(directory: Path) -> tuple[QueueServer | AioServer, socket.socket]:
    """Return a server, and the connection of a client that does not take what it is sent."""

    async def serve(call: CallContext) -> None:
        await call.write(MORE_THAN_A_SOCKET_HOLDS)

    loop = asyncio.get_running_loop()
    server = QueueServer(loop, lambda _: serve, ()) if isinstance(loop, QueueLoop) else AioServer(lambda _: serve, ())
    path = str(directory / "door")
    await server.start(f"unix:{path}")
    client = call_and_read_nothing(path, "/any")
    await until(lambda: is_full(client))
    return server, client


def is_freed(server: QueueServer | AioServer) -> bool:
    if isinstance(server, AioServer):
        return server._stopping.done()
    return server._server not in server._loop.queue._servers


@pytest.mark.parametrize("grace_s", [0.1, None])
async def test_a_client_that_takes_nothing_keeps_no_server_from_ending(tmp_path: Path, grace_s: float | None) -> None:
    with mock.patch("arena.referee.queue.cython_api.BROKEN_OFF_S", 0.1):
        server, client = await serve_the_deaf(tmp_path)
        await asyncio.wait_for(server.stop(grace_s), PATIENCE_S)
    assert not is_freed(server)
    client.close()
    await until(lambda: is_freed(server))


async def test_a_server_whose_end_nobody_awaits_any_more_is_freed_all_the_same(tmp_path: Path) -> None:
    server, client = await serve_the_deaf(tmp_path)
    stopping = asyncio.create_task(server.stop(PATIENCE_S))
    await asyncio.sleep(0)
    stopping.cancel()
    await asyncio.wait({stopping})
    assert stopping.cancelled()
    client.close()
    await until(lambda: is_freed(server))


@pytest.mark.parametrize(
    ("road", "stops"),
    [
        ("queue", True),
        pytest.param("queue", False, marks=pytest.mark.needs("minutes")),
        pytest.param("aio", True, marks=pytest.mark.needs("minutes")),
    ],
)
def test_a_process_ends_although_a_client_takes_nothing(
    road: str, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_GRPC", road)
    program = f"STOPS = {stops}\n{_PROGRAM}"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert ended.stdout == "ended\n"
