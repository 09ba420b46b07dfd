"""The errors of a stream, and how a call ends with one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import grpc

from arena.referee.context import AbortableCall
from arena.wire.status import STATUS_DETAILS_KEY, Status, encode_status
from engine.text import english


@dataclass(frozen=True, slots=True)
class StreamError:
    """Why a stream is refused. `reason` is stable, UPPER_SNAKE_CASE; the message names the remedy."""

    code: grpc.StatusCode
    reason: str
    message: str
    metadata: Mapping[str, str] = field(default_factory=dict)


async def abort(context: AbortableCall, error: StreamError) -> NoReturn:
    """End the call with the error. Always raises (grpc.aio.AbortError)."""
    status = Status(error.code.value[0], error.reason, error.message, error.metadata)
    await context.abort(error.code, english(error.message), ((STATUS_DETAILS_KEY, encode_status(status)),))
