"""An arena that says what a test tells it to: by gRPC over a real unix socket, or over one end of a pair of sockets."""

# ruff: noqa: ARG002 - an interface has more arguments than every implementation needs

from __future__ import annotations

import asyncio
import fcntl
import socket
import sys
import termios
from abc import ABC, abstractmethod
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


class Dialogue(ABC):
    """The arena's side of a stream: `say` sends, `hear` waits for a message."""

    def __init__(self) -> None:
        self.heard: list[play_pb2.PlayRequest] = []

    @abstractmethod
    async def say(self, *responses: play_pb2.PlayResponse) -> None: ...

    @abstractmethod
    async def next_request(self) -> object:
        """The bot's next message, or something else if it has ended the stream."""

    async def hear(self) -> play_pb2.PlayRequest:
        request = await self.next_request()
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


class FakeArena(Dialogue, play_pb2_grpc.PlayServiceServicer):
    """One stream over gRPC, which ends with the script."""

    def __init__(self, script: Callable[[FakeArena], Awaitable[None]]) -> None:
        super().__init__()
        self._script = script
        self.metadata: dict[str, str | bytes] = {}
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

    async def next_request(self) -> object:
        return await self.context.read()


class SocketArena(Dialogue):
    """One stream over a pair of sockets: `theirs` is the bot's end, each message stands behind its length."""

    def __init__(self) -> None:
        super().__init__()
        self.ours, self.theirs = socket.socketpair()
        self.ours.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self.is_slow = False
        """Whether each byte is sent when the bot has taken the one before it."""

    async def say(self, *responses: play_pb2.PlayResponse) -> None:
        await self.say_bytes(b"".join(map(frame, responses)))

    async def say_bytes(self, data: bytes) -> None:
        for piece in [data[i : i + 1] for i in range(len(data))] if self.is_slow else [data]:
            await self._loop.sock_sendall(self.ours, piece)
            while self.is_slow and self._untaken():
                await asyncio.sleep(0)

    def _untaken(self) -> int:
        """How much of what was said lies in the socket still."""
        return int.from_bytes(fcntl.ioctl(self.ours, termios.TIOCOUTQ, bytes(4)), sys.byteorder)

    async def next_request(self) -> object:
        header = await self._read(4)
        if not header:
            return None
        return play_pb2.PlayRequest.FromString(await self._read(int.from_bytes(header, "little")))

    async def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count and (piece := await self._loop.sock_recv(self.ours, count - len(data))):
            data += piece
        return data


def frame(response: play_pb2.PlayResponse) -> bytes:
    """A message as it travels over a socket."""
    data = response.SerializeToString()
    return len(data).to_bytes(4, "little") + data


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
