"""One stream to PlayService of a service: opened, written to, read until it ends, and what its end means for a bot.

After the end the bot tries again at once, waits and tries again, or ends with a line that names the remedy. The stream
knows nothing of matches.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import grpc

from arena.model.errors import ClientError, ForbiddenError, RefusedError
from arena.rpc.backoff import Backoff
from arena.rpc.channel import Endpoint
from arena.rpc.errors import (
    CertificateError,
    LoginError,
    ProtocolError,
    ServiceError,
    UnreachableError,
    error_of,
    status_of,
)
from arena.v1 import play_pb2
from arena.wire.messages import PROTOCOL_MAJOR, parse_response
from engine.translatable import Text, joined

MOST_MESSAGE_BYTES = 16 << 20
"""How long a message of a service may be; ours lets a bot wait for 4 MB in all."""
_ACCEPT_PATIENCE_S = 2.0
_ENDED = (grpc.aio.AioRpcError, grpc.aio.BaseError, asyncio.InvalidStateError)
"""What writing to a stream raises that has ended."""

_Call = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, bytes]
_WAITS = {
    "VERSION_IN_PLAY": Text("it is tried again until that match is over; Ctrl-C ends this"),
    "STOPPING": Text("it is tried again until the service is back"),
    "FLOOD": Text("it is tried again in a while"),
}
_LOST_REASON = "Internal error from Core"
"""What gRPC says of a stream that ended while something was written to it."""
_TOO_LONG = "CLIENT: Received message larger than max"
"""What gRPC says of a message that this side does not take."""
_KINDS: dict[str, type[ClientError]] = {
    "SUPERSEDED": ServiceError,
    "TOKEN_UNKNOWN": LoginError,
    "PROTOCOL_VERSION": ProtocolError,
    "SCOPE": ForbiddenError,
    "BOTS": ServiceError,
}


class ServiceStream:
    """An open stream; `open_stream` makes it."""

    def __init__(self, call: _Call) -> None:
        self._call = call
        self._writing = asyncio.Lock()

    async def wait_until_taken(self) -> None:
        """Wait until the service has taken the stream, if it says so; nothing may be sent before.

        What is written to a stream that is being refused at that moment makes gRPC forget the reason.
        """
        answered = asyncio.create_task(self._call.initial_metadata())
        await asyncio.wait({answered}, timeout=_ACCEPT_PATIENCE_S)
        answered.cancel()

    async def send(self, request: play_pb2.PlayRequest) -> None:
        """Hand a message to the transport. Nothing happens if the stream has ended: its reader learns of that."""
        async with self._writing:
            with suppress(*_ENDED):
                await self._call.write(request)

    async def read(self) -> play_pb2.PlayResponse | None:
        """Return the next message, or None if the service has ended the stream in order.

        Raises AioRpcError; ProtocolError for what is no message.
        """
        try:
            data = await self._call.read()
        except asyncio.CancelledError:
            # The service cancelled the call, as when it is stopped; a cancelled task of ours goes on unwinding instead.
            task = asyncio.current_task()
            if task is None or task.cancelling() or not self._call.cancelled():
                raise
            return None
        if not isinstance(data, bytes):
            return None
        response = parse_response(data)
        if response is None:
            raise ProtocolError(
                Text(
                    "the service sent {count} bytes that are no message of the protocol; tell its organiser",
                    count=len(data),
                )
            )
        return response

    async def leave(self) -> None:
        """Tell the service that the bot wants no new match; it ends the stream when those that run are over."""
        await self.send(play_pb2.PlayRequest(leave=play_pb2.Leave()))

    async def finish(self) -> None:
        """Send nothing more, and wait until the service has read everything and ended the stream."""
        with suppress(*_ENDED):
            await self._call.done_writing()
        await self._call.code()

    async def has_ended_in_order(self) -> bool:
        """Return whether the service ended the stream without an error. The stream must have ended."""
        return await self._call.code() is grpc.StatusCode.OK


@asynccontextmanager
async def open_stream(endpoint: Endpoint, token: str | None) -> AsyncIterator[ServiceStream]:
    """Open a stream, which is closed at the end. Nobody need answer yet. A program on the same machine has no token."""
    async with endpoint.open_in_loop(MOST_MESSAGE_BYTES) as channel:
        # Bytes come out: gRPC would pass over what is no message with a traceback on stderr.
        play: grpc.aio.StreamStreamMultiCallable[play_pb2.PlayRequest, bytes] = channel.stream_stream(
            "/arena.v1.PlayService/Play", play_pb2.PlayRequest.SerializeToString, bytes
        )
        call = play(metadata=() if token is None else (("authorization", f"Bearer {token}"),))
        try:
            yield ServiceStream(call)
        finally:
            call.cancel()


Code = grpc.StatusCode


class RetryDecision(enum.Enum):
    """What to do after a stream has ended."""

    AGAIN = enum.auto()
    """The connection is lost; it is tried again soon."""
    WAIT = enum.auto()
    """The service asks to wait; it is tried again later."""
    END = enum.auto()
    """Trying again would change nothing."""


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """Why a stream has ended."""

    turn: RetryDecision
    error: ClientError
    is_vague: bool = False
    """Whether the reason was lost, so that only another try tells it."""

    @property
    def may_be_cured(self) -> bool:
        """Whether it may be over in a moment although it looks final, as while a service is being restarted."""
        return isinstance(self.error, UnreachableError | CertificateError)


_PASSING = (Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED)
"""Codes that stand for something that passes, unless the reason is known to be one that stays."""


def end_of(error: grpc.aio.AioRpcError, endpoint: Endpoint) -> StreamEnd:
    """Return what an error of the stream means. It blocks, since it may ask the service for its certificate."""
    status = status_of(error.trailing_metadata() or ())
    if status is not None:
        text = status.message.rstrip(".") if status.message.endswith(".") else status.message
        if status.reason in _WAITS:
            return StreamEnd(RetryDecision.WAIT, ServiceError(joined(text, _WAITS[status.reason])))
        if error.code() in _PASSING and status.reason not in _KINDS:
            return StreamEnd(RetryDecision.WAIT, ServiceError(text))
        kind = _KINDS.get(status.reason, RefusedError)
        return StreamEnd(RetryDecision.END, kind(_with_remedy(text, status.reason, endpoint)))
    if error.code() is Code.UNIMPLEMENTED:
        return StreamEnd(
            RetryDecision.END,
            ProtocolError(
                Text(
                    "what answers at {address} takes no remote bots; check --play-address, or ask the organiser "
                    "for the address",
                    address=endpoint.address,
                )
            ),
        )
    if error.code() is Code.RESOURCE_EXHAUSTED and _TOO_LONG in (error.details() or ""):
        return StreamEnd(
            RetryDecision.END,
            ProtocolError(
                Text(
                    "the service at {address} sent a message of more than {megabytes} MB; tell its organiser",
                    address=endpoint.address,
                    megabytes=MOST_MESSAGE_BYTES >> 20,
                )
            ),
        )
    if error.code() is Code.INTERNAL and _LOST_REASON in (error.details() or ""):
        return StreamEnd(RetryDecision.AGAIN, UnreachableError(Text("the connection broke")), is_vague=True)
    meaning = error_of(error, endpoint.address, endpoint.diagnose)
    is_over = isinstance(meaning, CertificateError | RefusedError | LoginError | ProtocolError)
    return StreamEnd(RetryDecision.END if is_over else RetryDecision.AGAIN, meaning)


def _with_remedy(text: str, reason: str, endpoint: Endpoint) -> str:
    """Return the service's own words, followed by the command to type where this side knows it."""
    login = "" if endpoint.login is None else f" --name {endpoint.login}"
    match reason:
        case "TOKEN_UNKNOWN":
            return Text(
                "{why}; with a new token from the organiser, `{command}` logs in again",
                why=text,
                command=f"arena login ADDRESS{login} --token-stdin",
            )
        case "SUPERSEDED":
            return Text(
                "{why}; this one ends here. One connection of a bot plays at a time: --name gives this one a name of "
                "its own",
                why=text,
            )
        case "PROTOCOL_VERSION":
            return Text(
                "{why}; this arena speaks protocol {version}: install the arena of the service's version",
                why=text,
                version=PROTOCOL_MAJOR,
            )
    return text


def reconnect_backoff() -> Backoff:
    """Return the pauses between tries to reach a service again."""
    return Backoff(first_s=0.5, most_s=30.0, jitter=0.5)
