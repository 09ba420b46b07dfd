"""Talks with one process of a bot, and judges each message that it sends by the rules (`judging`)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.conform.judging import (
    BrokenError,
    PendingAnswer,
    SilentError,
    check_answer,
    check_join,
    check_unasked,
    quote,
)
from arena.conform.process import Running, exit_status
from arena.conform.random_match import CheckMatch
from arena.conform.rules import FLUSHES, Transport
from arena.conform.streams import Arrived, ScriptedLines, ScriptedStream
from arena.hosting.sandbox.limits import SandboxLimits
from arena.v1 import play_pb2
from arena.wire.status import Status
from engine.translatable import Text

_MOST_OUTPUT_BYTES = SandboxLimits().output_mb << 20
_ENDING_S = 2.0
_LAST_LINES = 4
"""How many lines of stderr are quoted: an exception of PHP stands three lines above the last."""
_MOST_QUOTED = 200


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

    def __init__(
        self, streams: asyncio.Queue[ScriptedStream], process: Running, token: str, patience: Patience
    ) -> None:
        """`streams` has the streams that the bot opens, however it does."""
        self._streams = streams
        self._token = token
        self._answered: set[tuple[str, int]] = set()
        self._patience = patience
        self._stream: ScriptedStream | None = None
        self._late: PendingAnswer | None = None
        self.process = process
        self.games: Sequence[str] = ()  # what its Join named
        self.matches = 0  # how many matches it has been told of

    # The beginning.

    async def meet(self) -> None:
        """Wait for the stream and check its token. Raises SilentError, BrokenError."""
        coming = asyncio.ensure_future(_next(self._streams, self._patience.start_s))
        news: set[asyncio.Future[Any]] = {coming, self.process.ended}
        await asyncio.wait(news, return_when=asyncio.FIRST_COMPLETED)
        stream: ScriptedStream | None = coming.result() if coming.done() else None
        coming.cancel()
        if stream is None:
            raise SilentError(self._missing(Text("no stream"), self._patience.start_s))
        if stream.transport is Transport.GRPC and stream.authorization != f"Bearer {self._token}":
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
        request = self.stream.parse(data)
        check_join(request, installed)
        self.games = tuple(request.join.games)

    async def wait_until_read(self) -> None:
        """Wait until the bot has read what it was sent, if it speaks lines. Raises SilentError."""
        if not isinstance(self.stream, ScriptedLines):
            return
        reading = asyncio.ensure_future(self.stream.wait_until_read())
        news: set[asyncio.Future[Any]] = {reading, self.process.ended}
        await asyncio.wait(news, timeout=self._patience.start_s, return_when=asyncio.FIRST_COMPLETED)
        if not reading.done() or self.process.ended.done():
            reading.cancel()
            raise SilentError(self._missing(Text("its standard input was not read"), self._patience.start_s))

    # What is sent and received.

    async def send(self, *responses: play_pb2.PlayResponse) -> None:
        """Send messages. Raises SilentError if the stream has ended."""
        for response in responses:
            if not await self.stream.send(response):
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
                missing = self._missing(Text("no answer to ply {ply}", ply=question.ply), patience_s)
                await self._look_for_unflushed()
                raise SilentError(missing)
            request = self.stream.parse(data)
        if request.WhichOneof("message") == "leave":
            raise SilentError(Text("Leave in place of an answer to ply {ply}", ply=question.ply))
        check_answer(request, question, self._answered)
        self._answered.add(question.key)
        return request

    async def stay_quiet(self, when: str) -> None:
        """Watch for a while that nothing comes. Raises BrokenError, or SilentError if the stream ends."""
        data: Arrived | None = await _next(self.stream.arrived, self._patience.quiet_s)
        self.check_behaviour()
        if data is not None:
            self._judge_unasked(data, when)
        if self.has_ended:
            await self._let_it_end()
            raise SilentError(self._stream_ended(when))

    async def _look_for_unflushed(self) -> None:
        """See whether an answer comes when there is nothing more to read. Raises BrokenError.

        A program writes out what it has kept when it ends.
        """
        if not isinstance(self.stream, ScriptedLines) or self.has_ended:
            return
        if line := self.stream.unfinished_line:
            why = Text("{line} came without the end of a line", line=quote(line.decode(errors="replace")))
            raise BrokenError("stdout-answers", why)
        self.close()
        data: Arrived | None = await _next(self.stream.arrived, self._patience.exit_s)
        if isinstance(data, bytes):
            why = Text("{line} came only when standard input had ended", line=quote(data.decode(errors="replace")))
            raise BrokenError(FLUSHES, why)

    def tolerate(self, question: PendingAnswer) -> None:
        """Let one answer to that question come at any time: its match has ended before the answer could be sent."""
        self._late = question

    async def take_late_answer(self) -> None:
        """Wait for the answer that is tolerated, if it is a line: it need not name its question. Raises BrokenError."""
        if self.stream.transport is Transport.LINES and (data := await self._arrival(self._patience.answer_s)):
            self._judge_unasked(data, Text("after MatchFinished"))

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
        if not self._streams.empty():
            why = Text("another stream was opened while the first one was open")
            raise BrokenError("one-stream", why)
        if self.process.written_bytes > _MOST_OUTPUT_BYTES:
            raise BrokenError("output", Text("{megabytes} MB written", megabytes=self.process.written_bytes >> 20))

    async def exit_status(self) -> int | None:
        """Wait for the end of the process, and return its status, or None if it lives on."""
        return await exit_status(self.process, self._patience.exit_s)

    def _judge_unasked(self, data: Arrived, when: str) -> None:
        request = self.stream.parse(data)
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

    async def _arrival(self, patience_s: float) -> Arrived | None:
        """Return the next message, or None if there is none in time or the bot has ended."""
        data: Arrived | None = await _next(self.stream.arrived, patience_s)
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
        lines = " / ".join(
            quote(line, _MOST_QUOTED) for line in self.process.stderr.strip().splitlines()[-_LAST_LINES:]
        )
        if self.process.ended.done():
            status = self.process.ended.result()
            how = Text("status {status}", status=status) if status >= 0 else f"signal {-status}"
            if not lines:
                return Text("{what}; its process ended with {how}; nothing on stderr", what=what, how=how)
            return Text(
                "{what}; its process ended with {how}; stderr ends with {lines}", what=what, how=how, lines=lines
            )
        if not self.has_ended:
            return what
        if not lines:
            return Text("{what}; it ended its stream; nothing on stderr", what=what)
        return Text("{what}; it ended its stream; stderr ends with {lines}", what=what, lines=lines)


async def _next(queue: asyncio.Queue[Any], patience_s: float) -> Any:
    """Return what comes next in a queue, or None if nothing comes in time."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            return await queue.get()
    return None
