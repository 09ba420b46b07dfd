"""A remote bot on a connection of its own, over TLS, that plays the first legal action unless it is told otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

import grpc

from arena.v1 import play_pb2
from arena.v1.play_pb2_grpc import PlayServiceStub
from arena.wire.status import STATUS_DETAILS_KEY, Status, decode_status

Decide = Callable[["RemoteBot", play_pb2.Decide], Awaitable[None]]


async def play_first(bot: RemoteBot, decide: play_pb2.Decide) -> None:
    """Answer with the first legal action."""
    await bot.act(decide)


class RemoteBot:
    """One stream; `async with` connects, joins and plays in the background until the stream ends."""

    def __init__(
        self,
        port: int,
        certificate: Path,
        name: str = "fox",
        *,
        token: str = "ada",
        version: str = "1",
        room: int = 0,
        games: tuple[str, ...] = ("*",),
        on_decide: Decide = play_first,
        channel_options: Mapping[str, int] | None = None,
    ) -> None:
        self.join = play_pb2.Join(
            name=name, protocol_major=1, games=games, version=version, max_concurrent_matches=room
        )
        credentials = grpc.ssl_channel_credentials(certificate.read_bytes())
        options = list((channel_options or {}).items())
        self._channel = grpc.aio.secure_channel(f"localhost:{port}", credentials, options)
        self._token = token
        self._on_decide = on_decide
        self._writing = asyncio.Lock()
        self._playing: asyncio.Task[None] | None = None
        self.heard: list[play_pb2.PlayResponse] = []
        self.news = asyncio.Event()
        self.status: Status | None = None
        """How the stream ended, once it did."""
        self.ended = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self.open()
        await self.write(play_pb2.PlayRequest(join=self.join))
        self._playing = asyncio.create_task(self._play())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.leave()

    async def open(self) -> None:
        stub = PlayServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self.stream = stub.Play(metadata=(("authorization", f"Bearer {self._token}"),))

    async def leave(self) -> None:
        """Break the connection off."""
        if self._playing is not None:
            self._playing.cancel()
            with suppress(asyncio.CancelledError):
                await self._playing
        await self._channel.close()

    async def write(self, request: play_pb2.PlayRequest) -> None:
        # One at a time: gRPC ends a stream on which two tasks write at once, with INTERNAL.
        async with self._writing:
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self.stream.write(request)

    async def act(self, decide: play_pb2.Decide, *actions: int) -> None:
        act = play_pb2.Act(match_id=decide.match_id, ply=decide.ply, actions=actions or decide.legal_actions[:1])
        await self.write(play_pb2.PlayRequest(act=act))

    async def _play(self) -> None:
        try:
            while (response := await self.stream.read()) is not grpc.aio.EOF:
                self.heard.append(response)
                self.news.set()
                if response.WhichOneof("event") == "decide":
                    await self._on_decide(self, response.decide)
        except grpc.aio.AioRpcError:
            pass
        except asyncio.InvalidStateError:
            pass
        await self._note_end()

    async def _note_end(self) -> None:
        code = await self.stream.code()
        details = dict((await self.stream.trailing_metadata()) or ())
        data = details.get(STATUS_DETAILS_KEY)
        self.status = (
            decode_status(data)
            if isinstance(data, bytes)
            else Status(code.value[0], "", await self.stream.details() or "")
        )
        self.ended.set()

    def of(self, event: str) -> list[play_pb2.PlayResponse]:
        """What was heard of one kind."""
        return [response for response in self.heard if response.WhichOneof("event") == event]
