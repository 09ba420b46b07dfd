"""Carries a session over gRPC's completion queue in one thread: the cheap road beside `bots.stream`.

This is the one file of the kit that touches grpcio's private layer; `arena.wire.completion_queue` decides whether it is
used. The thread that decides does gRPC's I/O too, while it waits for the next message: there is no event loop.
"""

from __future__ import annotations

import gc
import os
import time
from typing import Any

# Before grpc is imported: a bot that starts children must not wait for handlers it does not need.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined] # it has no types

from arena.v1 import play_pb2
from bots.errors import ArenaError
from bots.session import Session
from bots.stream import ENDED, OPTIONS, explain

_METHOD = b"/arena.v1.PlayService/Play"
_CODES = {code.value[0]: code for code in grpc.StatusCode}
_NO_FLAGS = 0


def play(session: Session, address: str, token: str) -> None:
    """Play until the arena closes the stream.

    Raises ArenaError if it cannot be reached or refuses the bot, and whatever the session raises.
    """
    channel = cygrpc.Channel(address.encode(), OPTIONS, None)
    try:
        stream = _Stream(channel, token)
        try:
            _converse(session, stream)
            code, details = stream.status()
        finally:
            stream.close()
        if code is not grpc.StatusCode.OK and not (session.has_joined and code in ENDED):
            raise ArenaError(explain(code, details, address))
    finally:
        channel.close(cygrpc.StatusCode.cancelled, "the bot has ended")


def _converse(session: Session, stream: _Stream) -> None:
    join = session.join()
    # What is loaded by now stays: a garbage collection in the middle of a decision need not look through it.
    gc.freeze()
    data = stream.exchange(join.SerializeToString())
    while data is not None:
        answer = session.receive(play_pb2.PlayResponse.FromString(data), time.monotonic())
        data = stream.exchange(None if answer is None else answer.SerializeToString())


class _Stream:
    """The call of one stream: a message is sent and the next one received, in turns."""

    def __init__(self, channel: Any, token: str) -> None:
        metadata = (("authorization", f"Bearer {token}"),)
        self._status = cygrpc.ReceiveStatusOnClientOperation(_NO_FLAGS)
        begun = (
            ((cygrpc.SendInitialMetadataOperation(metadata, _NO_FLAGS),), "begun"),
            ((cygrpc.ReceiveInitialMetadataOperation(_NO_FLAGS),), "metadata"),
            ((self._status,), "status"),
        )
        self._due = {tag for _, tag in begun}
        """The operations whose events have not come yet; the call is freed with the last one."""
        self._call = channel.segregated_call(0, _METHOD, None, None, metadata, None, begun, None)

    def exchange(self, message: bytes | None) -> bytes | None:
        """Send a message if there is one, and return the next that arrives; None when the stream has ended."""
        if "status" not in self._due:
            return None
        receive = cygrpc.ReceiveMessageOperation(_NO_FLAGS)
        operations = (receive,) if message is None else (cygrpc.SendMessageOperation(message, _NO_FLAGS), receive)
        if not self._call.operate(operations, "received"):
            return None
        self._due.add("received")
        while "received" in self._due:
            self._await_event()
        data: bytes | None = receive.message()
        return data

    def status(self) -> tuple[grpc.StatusCode, str]:
        """Return how the stream ended, after its last message."""
        while "status" in self._due:
            self._await_event()
        return _CODES.get(self._status.code(), grpc.StatusCode.UNKNOWN), self._status.details() or ""

    def close(self) -> None:
        """End the stream from this side if it has not ended."""
        if self._due:
            self._call.cancel(cygrpc.StatusCode.cancelled, "the bot has ended")
        while self._due:
            self._await_event()

    def _await_event(self) -> None:
        self._due.discard(self._call.next_event().tag)
