"""What whoever serves a call needs of it, however it came: by grpc.aio, by the queue, or from another process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, Protocol

import grpc


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
