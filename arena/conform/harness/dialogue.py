"""Talks with one process of a bot over its stream, and judges whatever it says."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from google.protobuf.message import Message

from arena.conform.harness.check_match import CheckMatch
from arena.conform.harness.findings import BrokenError, SilentError
from arena.conform.harness.judging import PendingAnswer, check_answer, check_join, check_unasked, parse, quote
from arena.conform.harness.patience import Patience
from arena.conform.harness.process import Running, exit_status
from arena.conform.harness.server import ScriptedServer, ScriptedStream
from arena.hosting.sandbox.limits import SandboxLimits
from arena.v1 import play_pb2
from arena.wire.status import Status
from engine.text import Text

_MOST_OUTPUT_BYTES = SandboxLimits().output_mb << 20
_ENDING_S = 2.0


class Dialogue:
    """One process of a bot: `meet` and `receive_join` come first, `say` and `ask` as the scenario wants."""

    def __init__(self, server: ScriptedServer, process: Running, token: str, patience: Patience) -> None:
        self._server = server
        self._token = token
        self._answered: set[tuple[str, int]] = set()
        self._patience = patience
        self._stream: ScriptedStream | None = None
        self._late: PendingAnswer | None = None
        self.process = process
        self.games: tuple[str, ...] = ()
        """What its Join named."""
        self.matches = 0
        """How many matches it has been told of."""

    # The beginning.

    async def meet(self) -> None:
        """Wait for the stream and check its token. Raises SilentError, BrokenError."""
        stream = await self._first_stream()
        if stream is None:
            raise SilentError(self._missing(Text("conform.no_stream", "no stream"), self._patience.start_s))
        if stream.authorization != f"Bearer {self._token}":
            raise BrokenError("token", _authorization(stream.authorization, self._token))
        self._stream = stream

    async def _first_stream(self) -> ScriptedStream | None:
        """Return the stream of the process, or None if none comes in time or the process ends before."""
        coming = asyncio.ensure_future(_next(self._server.streams, self._patience.start_s))
        news: set[asyncio.Future[Any]] = {coming, self.process.ended}
        await asyncio.wait(news, return_when=asyncio.FIRST_COMPLETED)
        stream: ScriptedStream | None = coming.result() if coming.done() else None
        coming.cancel()
        return stream

    async def receive_join(self, installed: tuple[str, ...]) -> None:
        """Wait for Join and check it. Raises BrokenError."""
        data = await self._arrival(self._patience.start_s)
        if data is None:
            raise BrokenError(
                "join-first", self._missing(Text("conform.no_message", "no message"), self._patience.start_s)
            )
        request = parse(data)
        check_join(request, installed)
        self.games = tuple(request.join.games)

    # What is said and heard.

    async def send(self, *responses: Message) -> None:
        """Send messages. Raises SilentError if the stream has ended."""
        for response in responses:
            if not await self.stream.send(response.SerializeToString()):
                await self._let_it_end()
                raise SilentError(
                    self.with_how_it_is(
                        Text(
                            "conform.stream_ended_before_everything_sent",
                            "the stream ended before everything was sent",
                        )
                    )
                )

    async def ask(self, match: CheckMatch, decide: play_pb2.PlayResponse) -> play_pb2.PlayRequest:
        """Send `decide`, which asks what is pending on the match, and play the answer.

        Raises SilentError if none comes, BrokenError if it breaks a rule.
        """
        question = match.question()
        self._check_nothing_came(Text("conform.before_ply_asked", "before ply {ply} was asked", ply=question.ply))
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
                raise SilentError(
                    self._missing(Text("conform.no_answer_ply", "no answer to ply {ply}", ply=question.ply), patience_s)
                )
            request = parse(data)
        if request.WhichOneof("message") == "leave":
            raise SilentError(
                Text("conform.leave_place_answer_ply", "Leave in place of an answer to ply {ply}", ply=question.ply)
            )
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
            raise BrokenError(
                "one-stream",
                Text(
                    "conform.another_stream_opened_while_first",
                    "another stream was opened while the first one was open",
                ),
            )
        if self.process.written_bytes > _MOST_OUTPUT_BYTES:
            raise BrokenError(
                "output",
                Text("conform.mb_written", "{megabytes} MB written", megabytes=self.process.written_bytes >> 20),
            )

    async def exit_status(self) -> int | None:
        """Wait for the end of the process, and return its status, or None if it lives on."""
        return await exit_status(self.process, self._patience.exit_s)

    def _check_nothing_came(self, when: str) -> None:
        self.check_behaviour()
        while not self.stream.arrived.empty():
            data = self.stream.arrived.get_nowait()
            if data is None:
                raise SilentError(self._stream_ended(when))
            self._judge_unasked(data, when)

    def _judge_unasked(self, data: bytes, when: str) -> None:
        request = parse(data)
        if self._is_late_answer(request):
            return
        if request.WhichOneof("message") == "leave":
            raise SilentError(Text("conform.leave", "Leave {what}", what=when))
        check_unasked(request, self._answered, when)

    def _is_late_answer(self, request: play_pb2.PlayRequest) -> bool:
        """Return whether that is the one answer which is tolerated; it must be well made all the same."""
        late = self._late
        if late is None or _named_match(request) != late.match_id:
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
            else Text("conform.within_s", "{what} within {seconds} s", what=what, seconds=f"{patience_s:g}")
        )

    def _stream_ended(self, when: str) -> str:
        return self.with_how_it_is(Text("conform.stream_ended", "the stream ended {what}", what=when))

    def with_how_it_is(self, what: str) -> str:
        """Return a sentence with its end: whether the process ended, how, and what it wrote last."""
        lines = self.process.stderr.strip().splitlines()
        if self.process.ended.done():
            how = _status(self.process.ended.result())
            if not lines:
                return Text(
                    "conform.process_ended_nothing_stderr",
                    "{what}; its process ended with {how}; nothing on stderr",
                    what=what,
                    how=how,
                )
            return Text(
                "conform.process_ended_last_line_stderr",
                "{what}; its process ended with {how}; the last line on stderr is {line}",
                what=what,
                how=how,
                line=quote(lines[-1]),
            )
        if not self.has_ended:
            return what
        if not lines:
            return Text(
                "conform.ended_stream_nothing_stderr", "{what}; it ended its stream; nothing on stderr", what=what
            )
        return Text(
            "conform.ended_stream_last_line_stderr",
            "{what}; it ended its stream; the last line on stderr is {line}",
            what=what,
            line=quote(lines[-1]),
        )


def _named_match(request: play_pb2.PlayRequest) -> str:
    return request.act.match_id or request.resign.match_id


def _status(status: int) -> str:
    return Text("conform.status", "status {status}", status=status) if status >= 0 else f"signal {-status}"


def _authorization(authorization: str | bytes | None, token: str) -> str:
    """Tell how the metadata differs from what it should be, without the token."""
    if authorization is None:
        return Text("conform.no_metadata_key_authorization", "no metadata of the key authorization")
    text = str(authorization)
    if text == token:
        return Text("conform.token_without_bearer_front", "the token without `Bearer ` in front")
    return (
        Text("conform.another_token", "another token")
        if text.startswith("Bearer ")
        else Text("conform.something_does_not_begin_bearer", "something that does not begin with `Bearer `")
    )


async def _next(queue: asyncio.Queue[Any], patience_s: float) -> Any:
    """Return what comes next in a queue, or None if nothing comes in time."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            return await queue.get()
    return None
