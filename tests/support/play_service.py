"""A service's PlayService that says what a test tells it to: a real gRPC server over TLS, for remote bots."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import grpc

from arena.referee.call_context import abort, stream_error
from arena.rpc.channel import Endpoint
from arena.service.server.self_signed import TlsFiles
from arena.v1 import match_pb2, play_pb2, play_pb2_grpc
from arena.wire.status import Status
from tests.support.patience import PATIENCE_S

GAMES = [play_pb2.GameInfo(name="nim", rules_version="1", actions=["TAKE:1", "TAKE:2", "TAKE:3"])]

Context = grpc.aio.ServicerContext[play_pb2.PlayRequest, play_pb2.PlayResponse]


def event(ply: int, seat: int = 1, action: int = 0) -> match_pb2.Event:
    return match_pb2.Event(ply=ply, seat=seat, action=action)


def started(match_id: str, *events: match_pb2.Event, resumed: bool = False, seat: int = 0) -> play_pb2.PlayResponse:
    message = play_pb2.MatchStarted(
        match_id=match_id, game="nim", rules_version="1", seat=seat, seats=2, options_json="{}", seed=1
    )
    message.resumed = resumed
    message.events.extend(events)
    return play_pb2.PlayResponse(match_started=message)


def decide(match_id: str, ply: int, *events: match_pb2.Event, limit_us: int = 0) -> play_pb2.PlayResponse:
    message = play_pb2.Decide(match_id=match_id, ply=ply, legal_actions=[0, 1, 2], time_limit_us=limit_us)
    message.events.extend(events)
    return play_pb2.PlayResponse(decide=message)


def finished(match_id: str, *faults: match_pb2.Fault) -> play_pb2.PlayResponse:
    result = match_pb2.Result(ranks=[1, 2], by_rules=not faults)
    return play_pb2.PlayResponse(match_finished=play_pb2.MatchFinished(match_id=match_id, result=result, faults=faults))


class Visit:
    """One stream of a remote bot, seen by the service: `say`, `hear`, and `end` or `break_off`."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.metadata = dict(context.invocation_metadata() or ())
        self.heard: asyncio.Queue[play_pb2.PlayRequest | None] = asyncio.Queue()
        self.over: asyncio.Future[Status | None] = asyncio.get_running_loop().create_future()
        self.is_in_order = False

    async def say(self, *responses: play_pb2.PlayResponse) -> None:
        for response in responses:
            await self.context.write(response)

    async def hear(self) -> play_pb2.PlayRequest:
        """The next message; the bot must not end the stream before."""
        async with asyncio.timeout(PATIENCE_S):
            request = await self.heard.get()
        assert request is not None, "the bot ended the stream"
        return request

    async def hear_act(self) -> play_pb2.Act:
        request = await self.hear()
        assert request.HasField("act"), request
        return request.act

    async def hear_end(self) -> None:
        """Wait until the bot has ended the stream, which it does only after Leave or by breaking it off."""
        async with asyncio.timeout(PATIENCE_S):
            while await self.heard.get() is not None:
                pass

    async def hear_leave(self) -> None:
        """Wait until the bot wants no new match; `part` is what the service does when it has none that runs."""
        request = await self.hear()
        assert request.HasField("leave"), request

    async def welcome(self, *games: play_pb2.GameInfo, major: int = 1) -> play_pb2.Join:
        join = (await self.hear()).join
        joined = play_pb2.Joined(protocol_major=major, protocol_minor=0, games=games or GAMES)
        await self.say(play_pb2.PlayResponse(joined=joined))
        return join

    def end(self, code: grpc.StatusCode, reason: str, message: str = "the service says why") -> None:
        """End the stream with an error of the arena."""
        self.over.set_result(stream_error(code, reason, message))

    def part(self) -> None:
        """End the stream in order."""
        self.is_in_order = True
        self.over.set_result(None)

    def break_off(self) -> None:
        """End the stream as a connection that is lost ends."""
        self.over.set_result(None)


class FakeService(play_pb2_grpc.PlayServiceServicer):
    """Hands each stream to the test as a Visit, in their order."""

    def __init__(self, tls: TlsFiles) -> None:
        self.visits: asyncio.Queue[Visit] = asyncio.Queue()
        self.tls = tls
        self.address = ""

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(self.address, self.tls.certificate.read_text(encoding="ascii"), "localhost", login="club")

    async def visit(self) -> Visit:
        async with asyncio.timeout(PATIENCE_S):
            return await self.visits.get()

    async def first_question(self) -> Visit:
        """The visit of a bot that was let in, and asked in the match m1 what it plays first."""
        visit = await self.visit()
        await visit.welcome()
        await visit.say(started("m1"), decide("m1", 0))
        return visit

    async def Play(self, _requests: object, context: Context) -> None:  # noqa: N802 - the generated name
        visit = Visit(context)
        await context.send_initial_metadata(())
        self.visits.put_nowait(visit)
        reader = asyncio.create_task(self._read(visit))
        try:
            error = await asyncio.shield(visit.over)
        except asyncio.CancelledError:  # the bot has gone, which gRPC may say here before the reader has heard of it
            if not visit.over.done():
                visit.heard.put_nowait(None)
            raise
        finally:
            reader.cancel()
        if error is not None:
            await abort(context, error)
        if visit.is_in_order:
            return
        await context.abort(grpc.StatusCode.UNAVAILABLE, "the line is dead")

    async def _read(self, visit: Visit) -> None:
        with suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
            while isinstance(request := await visit.context.read(), play_pb2.PlayRequest):
                visit.heard.put_nowait(request)
        visit.heard.put_nowait(None)
        if not visit.over.done():
            visit.over.set_result(None)


@asynccontextmanager
async def play_service(tls: TlsFiles, *, takes_bots: bool = True) -> AsyncIterator[FakeService]:
    """A service that takes remote bots, for the time of the block; or one that has no PlayService."""
    service = FakeService(tls)
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    if takes_bots:
        play_pb2_grpc.add_PlayServiceServicer_to_server(service, server)  # type: ignore[no-untyped-call]
    async with listening(service, server):
        yield service


@asynccontextmanager
async def listening(service: FakeService, server: grpc.aio.Server) -> AsyncIterator[None]:
    """Serve under the certificate of the fake service, which knows its address then, for the time of the block."""
    pair = (service.tls.key.read_bytes(), service.tls.certificate.read_bytes())
    service.address = f"127.0.0.1:{server.add_secure_port('127.0.0.1:0', grpc.ssl_server_credentials([pair]))}"
    await server.start()
    try:
        yield
    finally:
        await server.stop(None)
        await asyncio.sleep(0)
