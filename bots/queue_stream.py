"""Carries a session over gRPC's completion queue in one thread, which costs less than `bots.stream`.

Only this file of the kit touches grpcio's private API; `arena.wire.completion_queue_check` decides whether it is used.
The thread that decides does gRPC's I/O too, while it waits for the next message: there is no event loop.
"""

from __future__ import annotations

import gc
import os
import time

# Before grpc is imported: a bot that starts children must not wait for handlers it does not need.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined] # it has no types

from arena.v1 import play_pb2
from bots.errors import ArenaError
from bots.session import PlaySession
from bots.stream import ENDED, OPTIONS, explain

_METHOD = b"/arena.v1.PlayService/Play"
_CODES = {code.value[0]: code for code in grpc.StatusCode}
_NO_FLAGS = 0
# Looked up before a stream begins: a grpcio without them is noticed while there is another road.
_Send, _Receive = cygrpc.SendMessageOperation, cygrpc.ReceiveMessageOperation


class QueueStream:
    """The call of one stream: a message is sent and the next one received, in turns.

    It is begun when it is made, which raises OSError, RuntimeError, AttributeError, TypeError or ValueError if gRPC
    does not work as it did when this was written.
    """

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        metadata = (("authorization", f"Bearer {token}"),)
        self._status = cygrpc.ReceiveStatusOnClientOperation(_NO_FLAGS)
        begun = (
            ((cygrpc.SendInitialMetadataOperation(metadata, _NO_FLAGS),), "begun"),
            ((cygrpc.ReceiveInitialMetadataOperation(_NO_FLAGS),), "metadata"),
            ((self._status,), "status"),
        )
        self._due = {tag for _, tag in begun}
        """The operations whose events have not come yet; the call is freed with the last one."""
        self._channel = cygrpc.Channel(address.encode(), OPTIONS, None)
        self._call = self._channel.segregated_call(0, _METHOD, None, None, metadata, None, begun, None)

    def play(self, session: PlaySession) -> None:
        """Play until the arena closes the stream; to be called once.

        Raises ArenaError if it cannot be reached or refuses the bot, and whatever the session raises.
        """
        try:
            try:
                join = session.join()
                # What is loaded by now stays: a garbage collection during a decision need not look through it.
                gc.freeze()
                data = self._exchange(join.SerializeToString())
                while data is not None:
                    answer = session.receive(play_pb2.PlayResponse.FromString(data), time.monotonic())
                    data = self._exchange(None if answer is None else answer.SerializeToString())
                while "status" in self._due:
                    self._await_event()
                code, details = _CODES.get(self._status.code(), grpc.StatusCode.UNKNOWN), self._status.details() or ""
            finally:
                if self._due:
                    self._call.cancel(cygrpc.StatusCode.cancelled, "the bot has ended")
                while self._due:
                    self._await_event()
        finally:
            self._channel.close(cygrpc.StatusCode.cancelled, "the bot has ended")
        if code is not grpc.StatusCode.OK and not (session.has_joined and code in ENDED):
            raise ArenaError(explain(code, details, self._address))

    def _exchange(self, message: bytes | None) -> bytes | None:
        """Send a message if there is one, and return the next that arrives; None when the stream has ended."""
        if "status" not in self._due:
            return None
        receive = _Receive(_NO_FLAGS)
        operations = (receive,) if message is None else (_Send(message, _NO_FLAGS), receive)
        if not self._call.operate(operations, "received"):
            return None
        self._due.add("received")
        while "received" in self._due:
            self._await_event()
        data: bytes | None = receive.message()
        return data

    def _await_event(self) -> None:
        self._due.discard(self._call.next_event().tag)
