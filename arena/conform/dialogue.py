"""Talks with one process of a bot: serves PlayService at an address of its own, and judges whatever the bot sends.

The server and its streams deliver bytes and judge nothing; a `Dialogue` checks each message against the rules.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import Any

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2_grpc  # type: ignore[import-untyped] # it has no types

from arena.conform.judging import (
    BrokenError,
    PendingAnswer,
    SilentError,
    check_answer,
    check_join,
    check_unasked,
    parse,
    quote,
)
from arena.conform.process import Running, exit_status
from arena.conform.random_match import CheckMatch
from arena.hosting.sandbox.limits import SandboxLimits
from arena.referee.call_context import abort
from arena.v1 import play_pb2
from arena.wire.status import Status
from engine.translatable import Text

_MOST_BYTES = 64 << 20  # a message that is far too long is to be seen and told of, not to break the stream
_OPTIONS = (("grpc.max_receive_message_length", _MOST_BYTES), ("grpc.so_reuseport", 0))
Context = grpc.aio.ServicerContext[Any, bytes]
_MOST_OUTPUT_BYTES = SandboxLimits().output_mb << 20
_ENDING_S = 2.0


class ScriptedStream:
    """One call of Play: what arrives is queued, `None` at its end."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ending: asyncio.Future[Status | None] = asyncio.get_running_loop().create_future()
        self.arrived: asyncio.Queue[bytes | None] = asyncio.Queue()
        metadata = context.invocation_metadata() or ()
        self.authorization = next((value for key, value in metadata if key == "authorization"), None)
        """The metadata of that key as it came, or None."""

    async def serve(self) -> None:
        """Read until either side ends the stream."""
        await self._context.send_initial_metadata(())
        reader = asyncio.get_running_loop().create_task(self._read())
        try:
            error = await asyncio.shield(self._ending)
        finally:
            reader.cancel()
            self.arrived.put_nowait(None)
        if error is not None:
            await abort(self._context, error)

    async def _read(self) -> None:
        with contextlib.suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
            while (data := await self._context.read()) is not grpc.aio.EOF:
                self.arrived.put_nowait(data)
        self.close()

    @property
    def is_over(self) -> bool:
        """Whether either side has ended it."""
        return self._ending.done()

    async def send(self, data: bytes) -> bool:
        """Hand a message to the transport, and return whether that was possible."""
        try:
            await self._context.write(data)
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            return False
        return True

    def close(self, error: Status | None = None) -> None:
        """End the stream from this side, in order or with an error."""
        if not self._ending.done():
            self._ending.set_result(error)


class ScriptedServer:
    """A server for one bot; `start` and `stop` are called once each."""

    def __init__(self, refusal: Status | None = None, *, has_health: bool = True) -> None:
        """With a `refusal` every call is ended by that error before anything is read."""
        self._refusal = refusal
        self._server = grpc.aio.server(options=_OPTIONS)
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("arena.v1.PlayService", {"Play": play}),)
        )
        if has_health:
            servicer = health.aio.HealthServicer()
            health_pb2_grpc.add_HealthServicer_to_server(servicer, self._server)
        self.streams: asyncio.Queue[ScriptedStream] = asyncio.Queue()
        """The calls that have come and that nobody has taken yet."""
        self.refused = asyncio.Event()  # whether a call was refused

    async def start(self, address: str) -> str:
        """Listen at `unix:/path` or `127.0.0.1:0`, and return the address under which a bot finds the server."""
        port = self._server.add_insecure_port(address)
        await self._server.start()
        return address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"

    async def stop(self) -> None:
        """Break off every stream, and close the address."""
        await self._server.stop(None)

    async def _play(self, _requests: object, context: Context) -> None:
        if self._refusal is not None:
            self.refused.set()
            await abort(context, self._refusal)
            return
        stream = ScriptedStream(context)
        self.streams.put_nowait(stream)
        await stream.serve()


@dataclass(frozen=True, slots=True)
class Patience:
    """Durations in seconds."""

    start_s: float = 10.0
    """From the start of the process to its stream and to its Join: the arena's own start limit."""
    answer_s: float = 15.0
    """For an answer, whatever the clock of the match says; only the rules of clocks look at that."""
    quiet_s: float = 0.2
    """How long it is watched that nothing comes."""
    exit_s: float = 5.0
    """From the end of a stream to the end of the process."""
    limit_s: float = 0.25
    """The limit of a decision where little time is left."""

    def times(self, factor: float) -> Patience:
        """Return a patience that waits so many times as long for what must come; what must not come is as usual."""
        names = ("start_s", "answer_s", "exit_s", "limit_s")
        return replace(self, **{name: getattr(self, name) * factor for name in names})


class Dialogue:
    """The stream of one bot process: `meet` and `receive_join` come first, `send` and `ask` as the scenario wants."""

    def __init__(self, server: ScriptedServer, process: Running, token: str, patience: Patience) -> None:
        self._server = server
        self._token = token
        self._answered: set[tuple[str, int]] = set()
        self._patience = patience
        self._stream: ScriptedStream | None = None
        self._late: PendingAnswer | None = None
        self.process = process
        self.games: tuple[str, ...] = ()  # what its Join named
        self.matches = 0  # how many matches it has been told of

    # The beginning.

    async def meet(self) -> None:
        """Wait for the stream and check its token. Raises SilentError, BrokenError."""
        coming = asyncio.ensure_future(_next(self._server.streams, self._patience.start_s))
        news: set[asyncio.Future[Any]] = {coming, self.process.ended}
        await asyncio.wait(news, return_when=asyncio.FIRST_COMPLETED)
        stream: ScriptedStream | None = coming.result() if coming.done() else None
        coming.cancel()
        if stream is None:
            raise SilentError(self._missing(Text("no stream"), self._patience.start_s))
        if stream.authorization != f"Bearer {self._token}":
            text = str(stream.authorization)
            if stream.authorization is None:
                why = Text("no metadata of the key authorization")
            elif text == self._token:
                why = Text("the token without `Bearer ` in front")
            elif text.startswith("Bearer "):
                why = Text("another token")
            else:
                why = Text("something that does not begin with `Bearer `")
            raise BrokenError("token", why)
        self._stream = stream

    async def receive_join(self, installed: tuple[str, ...]) -> None:
        """Wait for Join and check it. Raises BrokenError."""
        data = await self._arrival(self._patience.start_s)
        if data is None:
            raise BrokenError("join-first", self._missing(Text("no message"), self._patience.start_s))
        request = parse(data)
        check_join(request, installed)
        self.games = tuple(request.join.games)

    # What is sent and received.

    async def send(self, *responses: Message) -> None:
        """Send messages. Raises SilentError if the stream has ended."""
        for response in responses:
            if not await self.stream.send(response.SerializeToString()):
                await self._let_it_end()
                why = Text("the stream ended before everything was sent")
                raise SilentError(self.with_how_it_is(why))

    async def ask(self, match: CheckMatch, decide: play_pb2.PlayResponse) -> play_pb2.PlayRequest:
        """Send `decide`, which asks what is pending on the match, and play the answer.

        Raises SilentError if none comes, BrokenError if it breaks a rule.
        """
        question = match.question()
        when = Text("before ply {ply} was asked", ply=question.ply)
        self.check_behaviour()
        while not self.stream.arrived.empty():
            data = self.stream.arrived.get_nowait()
            if data is None:
                raise SilentError(self._stream_ended(when))
            self._judge_unasked(data, when)
        await self.send(decide)
        request = await self.receive_answer(question)
        match.take(request)
        return request

    async def receive_answer(self, question: PendingAnswer, patience_s: float | None = None) -> play_pb2.PlayRequest:
        """Wait for the answer to a question and check it. Raises SilentError, BrokenError."""
        patience_s = patience_s or self._patience.answer_s
        request = None
        while request is None or self._is_late_answer(request):
            data = await self._arrival(patience_s)
            if data is None:
                raise SilentError(self._missing(Text("no answer to ply {ply}", ply=question.ply), patience_s))
            request = parse(data)
        if request.WhichOneof("message") == "leave":
            raise SilentError(Text("Leave in place of an answer to ply {ply}", ply=question.ply))
        check_answer(request, question, self._answered)
        self._answered.add(question.key)
        return request

    async def stay_quiet(self, when: str) -> None:
        """Watch for a while that nothing comes. Raises BrokenError, or SilentError if the stream ends."""
        data: bytes | None = await _next(self.stream.arrived, self._patience.quiet_s)
        self.check_behaviour()
        if data is not None:
            self._judge_unasked(data, when)
        if self.has_ended:
            await self._let_it_end()
            raise SilentError(self._stream_ended(when))

    def tolerate(self, question: PendingAnswer) -> None:
        """Let one answer to that question come at any time: its match has ended before the answer could be sent."""
        self._late = question

    def close(self, error: Status | None = None) -> None:
        """End the stream from the arena's side."""
        self.stream.close(error)

    # How it is.

    @property
    def stream(self) -> ScriptedStream:
        """The stream; there is one after `meet`."""
        assert self._stream is not None, "nobody has met the bot"
        return self._stream

    @property
    def has_ended(self) -> bool:
        """Whether its process or its stream has ended."""
        return self.process.ended.done() or (self._stream is not None and self._stream.is_over)

    def check_behaviour(self) -> None:
        """Check what can be seen at any time: further streams, too much output. Raises BrokenError."""
        if not self._server.streams.empty():
            why = Text("another stream was opened while the first one was open")
            raise BrokenError("one-stream", why)
        if self.process.written_bytes > _MOST_OUTPUT_BYTES:
            raise BrokenError("output", Text("{megabytes} MB written", megabytes=self.process.written_bytes >> 20))

    async def exit_status(self) -> int | None:
        """Wait for the end of the process, and return its status, or None if it lives on."""
        return await exit_status(self.process, self._patience.exit_s)

    def _judge_unasked(self, data: bytes, when: str) -> None:
        request = parse(data)
        if self._is_late_answer(request):
            return
        if request.WhichOneof("message") == "leave":
            raise SilentError(Text("Leave {what}", what=when))
        check_unasked(request, self._answered, when)

    def _is_late_answer(self, request: play_pb2.PlayRequest) -> bool:
        """Return whether that is the one answer which is tolerated; it must be well made all the same."""
        late = self._late
        if late is None or (request.act.match_id or request.resign.match_id) != late.match_id:
            return False
        check_answer(request, late, self._answered)
        self._answered.add(late.key)
        self._late = None
        return True

    async def _arrival(self, patience_s: float) -> bytes | None:
        """Return the next message, or None if there is none in time or the bot has ended."""
        data: bytes | None = await _next(self.stream.arrived, patience_s)
        if data is None and self.has_ended:
            await self._let_it_end()
        self.check_behaviour()
        return data

    async def _let_it_end(self) -> None:
        """Give a process whose stream has ended a moment, so that its status can be told."""
        await asyncio.wait({self.process.ended}, timeout=_ENDING_S)

    def _missing(self, what: str, patience_s: float) -> str:
        return (
            self.with_how_it_is(what)
            if self.has_ended
            else Text("{what} within {seconds} s", what=what, seconds=f"{patience_s:g}")
        )

    def _stream_ended(self, when: str) -> str:
        return self.with_how_it_is(Text("the stream ended {what}", what=when))

    def with_how_it_is(self, what: str) -> str:
        """Return a sentence with its end: whether the process ended, how, and what it wrote last."""
        lines = self.process.stderr.strip().splitlines()
        if self.process.ended.done():
            status = self.process.ended.result()
            how = Text("status {status}", status=status) if status >= 0 else f"signal {-status}"
            if not lines:
                return Text("{what}; its process ended with {how}; nothing on stderr", what=what, how=how)
            return Text(
                "{what}; its process ended with {how}; the last line on stderr is {line}",
                what=what,
                how=how,
                line=quote(lines[-1]),
            )
        if not self.has_ended:
            return what
        if not lines:
            return Text("{what}; it ended its stream; nothing on stderr", what=what)
        return Text("{what}; it ended its stream; the last line on stderr is {line}", what=what, line=quote(lines[-1]))


async def _next(queue: asyncio.Queue[Any], patience_s: float) -> Any:
    """Return what comes next in a queue, or None if nothing comes in time."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            return await queue.get()
    return None
