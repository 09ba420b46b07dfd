"""What whoever serves a call needs of it, and how the call ends with an error.

It came by grpc.aio, by the queue, or from another process; the status that travels is made of a code of gRPC.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NoReturn, Protocol

import grpc

from arena.wire.status import STATUS_DETAILS_KEY, Status, encode_status
from engine.translatable import english

_CODES = {code.value[0]: code for code in grpc.StatusCode}


class AbortableCall(Protocol):
    """A call that can be ended with an error."""

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()) -> NoReturn:
        """End the call with an error. Always raises."""


class CallContext(AbortableCall, Protocol):
    """One call, as it is served; what breaks it off raises `grpc.aio.BaseError` here and cancels who serves it."""

    def invocation_metadata(self) -> Any:
        """Return the metadata of the client, pairs of a key and a text or bytes, or None."""

    async def send_initial_metadata(self, initial_metadata: Any, /) -> None:
        """Begin the answer."""

    async def read(self) -> Any:
        """Return the next message, or `grpc.aio.EOF`."""

    async def write(self, message: bytes, /) -> None:
        """Send a message, and return when the transport has taken it."""


Handler = Callable[[CallContext], Awaitable[None]]
"""Serves one call to its end. When it returns, the call ends in order."""


Find = Callable[[str], Handler | None]
"""Returns who serves a method, or None for a method that there is not. It is asked once for each call that comes."""


def stream_error(code: grpc.StatusCode, reason: str, message: str, metadata: Mapping[str, str] | None = None) -> Status:
    """Return why a stream is refused. `reason` is stable, UPPER_SNAKE_CASE; the message names the remedy."""
    return Status(code.value[0], reason, message, metadata or {})


def code_of(error: Status) -> grpc.StatusCode:
    """Return the code of an error as gRPC has it."""
    return _CODES[error.code]


async def abort(context: AbortableCall, error: Status) -> NoReturn:
    """End the call with the error. Always raises (grpc.aio.AbortError)."""
    await context.abort(code_of(error), english(error.message), ((STATUS_DETAILS_KEY, encode_status(error)),))
