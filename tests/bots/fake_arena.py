"""An arena that says what a test tells it to, served over a real unix socket."""

# ruff: noqa: ARG002 - an interface has more arguments than every implementation needs

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc

from arena.v1 import match_pb2, play_pb2, play_pb2_grpc

JOINED = play_pb2.PlayResponse(
    joined=play_pb2.Joined(
        protocol_major=1,
        protocol_minor=0,
        games=[play_pb2.GameInfo(name="nim", rules_version="1", actions=["TAKE:1", "TAKE:2", "TAKE:3"])],
    )
)


def started(match_id: str, *, seed: int = 1, rules_version: str = "1", game: str = "nim") -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(
        match_started=play_pb2.MatchStarted(
            match_id=match_id, game=game, rules_version=rules_version, seat=0, seats=2, options_json="{}", seed=seed
        )
    )


def decide(match_id: str, ply: int, *, legal: tuple[int, ...] = (0, 1, 2)) -> play_pb2.PlayResponse:
    message = play_pb2.Decide(match_id=match_id, ply=ply, legal_actions=legal)
    message.observation.value = b'{"seats": 2, "heap": 9, "turn": 0}'
    return play_pb2.PlayResponse(decide=message)


def finished(match_id: str) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(
        match_finished=play_pb2.MatchFinished(match_id=match_id, result=match_pb2.Result(ranks=[1, 2], by_rules=True))
    )


class FakeArena(play_pb2_grpc.PlayServiceServicer):
    """One stream's other side: `say` sends, `hear` waits for a message, `close` ends the stream."""

    def __init__(self, script: Callable[[FakeArena], Awaitable[None]]) -> None:
        self._script = script
        self.metadata: dict[str, str | bytes] = {}
        self.heard: list[play_pb2.PlayRequest] = []
        self.context: grpc.aio.ServicerContext[play_pb2.PlayRequest, play_pb2.PlayResponse]
        self.address = ""

    async def Play(  # noqa: N802 - the generated name
        self,
        request_iterator: AsyncIterator[play_pb2.PlayRequest],
        context: grpc.aio.ServicerContext[play_pb2.PlayRequest, play_pb2.PlayResponse],
    ) -> None:
        self.metadata = dict(context.invocation_metadata() or ())
        self.context = context
        await context.send_initial_metadata(())
        await self._script(self)

    async def say(self, *responses: play_pb2.PlayResponse) -> None:
        for response in responses:
            await self.context.write(response)

    async def hear(self) -> play_pb2.PlayRequest:
        request = await self.context.read()
        assert isinstance(request, play_pb2.PlayRequest), "the bot ended the stream"
        self.heard.append(request)
        return request

    async def welcome(self) -> None:
        await self.hear()
        await self.say(JOINED)

    async def play_match(self, match_id: str, decisions: int = 1, *, seed: int = 1) -> list[int]:
        """A match of some decisions; what the bot chose."""
        await self.say(started(match_id, seed=seed))
        chosen: list[int] = []
        for ply in range(decisions):
            await self.say(decide(match_id, ply))
            chosen += (await self.hear()).act.actions
        await self.say(finished(match_id))
        return chosen


@asynccontextmanager
async def serve(directory: Path | None, script: Callable[[FakeArena], Awaitable[None]]) -> AsyncIterator[FakeArena]:
    """An arena at `address` for the time of the block: a unix socket, or a port of this machine without a directory."""
    arena = FakeArena(script)
    server = grpc.aio.server()
    play_pb2_grpc.add_PlayServiceServicer_to_server(arena, server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port(f"unix:{directory}/arena.sock" if directory else "127.0.0.1:0")
    arena.address = f"unix:{directory}/arena.sock" if directory else f"127.0.0.1:{port}"
    await server.start()
    try:
        yield arena
    finally:
        await server.stop(None)
        await asyncio.sleep(0)
