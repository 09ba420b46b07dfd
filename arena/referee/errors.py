"""How a call ends with an error: the status that travels, made of a code of gRPC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

import grpc

from arena.referee.context import AbortableCall
from arena.wire.status import STATUS_DETAILS_KEY, Status, encode_status
from engine.text import english

_CODES = {code.value[0]: code for code in grpc.StatusCode}


def stream_error(code: grpc.StatusCode, reason: str, message: str, metadata: Mapping[str, str] | None = None) -> Status:
    """Return why a stream is refused. `reason` is stable, UPPER_SNAKE_CASE; the message names the remedy."""
    return Status(code.value[0], reason, message, metadata or {})


def code_of(error: Status) -> grpc.StatusCode:
    """Return the code of an error as gRPC has it."""
    return _CODES[error.code]


async def abort(context: AbortableCall, error: Status) -> NoReturn:
    """End the call with the error. Always raises (grpc.aio.AbortError)."""
    await context.abort(code_of(error), english(error.message), ((STATUS_DETAILS_KEY, encode_status(error)),))
