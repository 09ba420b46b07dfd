"""Lets a bot join: judges its first message and answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import grpc

from arena.match.decisions import Malformed, ProtocolViolation
from arena.match.result import FaultCause
from arena.referee.errors import stream_error
from arena.referee.stream import BotStream, StreamClosedError
from arena.v1 import play_pb2
from arena.wire.messages import PROTOCOL_MAJOR, PROTOCOL_MINOR, encode_joined, parse_join
from engine.text import Text

Welcome = Callable[[BotStream], Awaitable[Sequence[str]]]
"""Waits for the `Join` of a stream and returns the games the bot plays. Raises JoinError."""


class JoinError(Exception):
    """The bot did not join as it must; cause and explanation are those of the fault it gets."""

    def __init__(self, cause: FaultCause, explanation: str, evidence: Mapping[str, Any] | None = None) -> None:
        super().__init__(explanation)
        self.cause = cause
        self.explanation = explanation
        self.evidence = dict(evidence or {})


async def join(stream: BotStream) -> Sequence[str]:
    """Wait for the `Join`, answer it, and return the games the bot plays. The caller limits the time.

    Raises JoinError.
    """
    games = await receive_join(stream)
    try:
        await stream.send(encode_joined(games))
    except StreamClosedError as error:
        raise JoinError(FaultCause.START_FAILED, str(error)) from error
    return games


async def receive_join(stream: BotStream) -> Sequence[str]:
    """Wait for the `Join` and return the games the bot plays; the caller answers it later, and limits the time.

    Raises JoinError.
    """
    data = await asyncio.shield(stream.first_message)
    if stream.flood:
        raise JoinError(FaultCause.FLOOD, stream.flood.why, stream.flood.evidence)
    if data is None:
        raise JoinError(
            FaultCause.START_FAILED,
            Text("referee.closed_stream_before_joined", "It closed its stream before it joined."),
        )
    request = parse_join(data)
    if isinstance(request, Malformed):
        raise JoinError(FaultCause.MALFORMED, Text("matches.it_sent", "It sent {what}.", what=request.why))
    if isinstance(request, ProtocolViolation):
        raise JoinError(FaultCause.PROTOCOL, Text("matches.it_sent", "It sent {what}.", what=request.why))
    _check_version(stream, request)
    return tuple(request.games)


def _check_version(stream: BotStream, request: play_pb2.Join) -> None:
    if request.protocol_major == PROTOCOL_MAJOR:
        return
    theirs, ours = f"{request.protocol_major}.{request.protocol_minor}", f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"
    message = Text(
        "referee.bot_speaks_protocol_arena_use",
        "the bot speaks protocol {theirs}, this arena {ours}; use a kit of major version {major}",
        theirs=theirs,
        ours=ours,
        major=PROTOCOL_MAJOR,
    )
    stream.close(
        stream_error(grpc.StatusCode.FAILED_PRECONDITION, "PROTOCOL_VERSION", message, {"bot": theirs, "arena": ours})
    )
    raise JoinError(
        FaultCause.PROTOCOL,
        Text("referee.protocol_versions_do_not_fit", "The protocol versions do not fit: {why}.", why=message),
    )
