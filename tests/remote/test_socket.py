"""The socket for programs on this machine: they join for people, without a token, and nobody else does."""

from __future__ import annotations

import grpc
import pytest

from arena.connect.stream import ServiceStream, open_stream
from arena.rpc.channel import Endpoint
from arena.v1 import play_pb2
from tests.remote.running import RunningProcess, remote_seat, version_of
from tests.support.patience import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

JOIN = play_pb2.PlayRequest(join=play_pb2.Join(name="guest-1", version="1", protocol_major=1, games=("*",)))


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
