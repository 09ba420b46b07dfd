"""A service that means harm: the bridge ends or goes on in good order, and its author's machine comes to no harm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import grpc
import pytest

from arena.connect.bridged_match import MOST_EVENTS, BridgedMatch
from arena.connect.news import Connected as LetIn
from arena.connect.news import MatchBegan, MatchEnded, Note
from arena.connect.stream import MOST_MESSAGE_BYTES
from arena.rpc.errors import ProtocolError
from arena.service.server.tls import TlsFiles
from arena.v1 import play_pb2
from tests.connect.bridging import connected, write_bot
from tests.support.play_service import GAMES, FakeService, decide, finished, listening, play_service, started

pytestmark = pytest.mark.usefixtures("inside")

JOINED = play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=1, games=GAMES))


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
