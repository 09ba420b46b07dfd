"""Remote bots over TLS: one on a connection of its own, and many in a thread that connect again and again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import grpc

from arena.v1 import play_pb2
from arena.v1.play_pb2_grpc import PlayServiceStub
from arena.wire.status import STATUS_DETAILS_KEY, Status, decode_status
from tests.support.patience import PATIENCE_S

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


class Crowd:
    """Bots of one owner; while they are held, they answer nothing."""

    def __init__(self, port: int, certificate: Path, token: str, names: Sequence[str], room: int = 4) -> None:
        self.port = port
        """Where they connect, also the next time."""
        self._certificate = certificate
        self._token = token
        self._names = names
        self._room = room
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._free = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._answers: set[asyncio.Task[None]] = set()
        self.asked: set[str] = set()
        """The matches in which one of them was asked for a decision."""
        self.resumed: set[str] = set()
        self.reasons: list[str] = []
        """How streams ended."""

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self._start())
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    def hold(self) -> None:
        """Let them answer nothing until `release`."""
        self._loop.call_soon_threadsafe(self._free.clear)

    def release(self) -> None:
        """Let them answer."""
        self._loop.call_soon_threadsafe(self._free.set)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _start(self) -> None:
        self._tasks = [asyncio.create_task(self._stay(name)) for name in self._names]

    async def _stop(self) -> None:
        for task in (*self._tasks, *self._answers):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._answers, return_exceptions=True)

    async def _stay(self, name: str) -> None:
        while True:
            options = {"token": self._token, "room": self._room, "on_decide": self._decide}
            with suppress(grpc.aio.AioRpcError):
                async with RemoteBot(self.port, self._certificate, name, **options) as bot:  # type: ignore[arg-type]
                    await bot.ended.wait()
                    self.reasons.append(bot.status.reason if bot.status else "")
            await asyncio.sleep(0.05)

    async def _decide(self, bot: RemoteBot, decide: play_pb2.Decide) -> None:
        self.asked.add(decide.match_id)
        self.resumed |= {one.match_started.match_id for one in bot.of("match_started") if one.match_started.resumed}
        answer = asyncio.create_task(self._answer(bot, decide))  # it reads on: another match may ask meanwhile
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)

    async def _answer(self, bot: RemoteBot, decide: play_pb2.Decide) -> None:
        await self._free.wait()
        await bot.act(decide)
