"""Answers the calls that are derived from the interface: reads the request, asks the interface, writes the response."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.model.admissions import Admission
from arena.model.errors import FellBehindError
from arena.model.operations import Operation, OperationState
from arena.rpc.calls import PLACES, Rpc, all_rpcs
from arena.service.server.authentication import CALLER, Caller
from arena.service.server.errors import CallError, SlowReaderError
from arena.service.server.threads import Threads
from engine.text import Text
from ratings.values.states import AdmissionState

Nouns = Callable[[Caller, str], Any]
"""Returns what answers for a noun of the interface, for that caller."""
Stream = Callable[..., AsyncGenerator[Any, None]]
"""Yields the items of a call, given its caller and its arguments."""

_FIRST_LOOK_S, _LAST_LOOK_S = 0.25, 2.0
_STOP = object()


@dataclass(frozen=True, slots=True)
class _Watch:
    """How something is watched: what is looked at again and again, and when it is over."""

    look: str
    is_over: Callable[[Any], bool]


def _is_admission_over(admission: Admission) -> bool:
    return admission.state not in {AdmissionState.QUEUED, AdmissionState.RUNNING}


def _is_operation_over(operation: Operation) -> bool:
    return operation.state not in {OperationState.QUEUED, OperationState.RUNNING}


# A watcher holds no thread: the interface is asked again and again, and watchers of one thing share the answers.
_WATCHES: Mapping[str, _Watch] = {
    "watch_admission": _Watch("get_admission", _is_admission_over),
    "watch_operation": _Watch("get_operation", _is_operation_over),
    "watch_tournament": _Watch("get_progress", _is_operation_over),
}
WRITES = frozenset(
    {
        "add_owner", "announce_freeze", "annul_match", "annul_version", "begin_upload", "cancel_tournament",
        "challenge_bot", "close_ladder", "close_season", "create_tournament", "freeze_season", "invite_owner",
        "join_tournament", "new_own_token", "new_token", "open_ladder", "open_season", "open_table", "promote_version",
        "redeem_invitation", "remove_bot", "rename_bot", "request_admission", "revoke_own_token", "revoke_token",
        "roll_back", "set_disabled",
        "set_owner_disabled", "submit_version", "withdraw_bot", "withdraw_version",
    }
)  # fmt: skip
"""The methods after which there may be something to do for the scheduler."""


class Servicer:
    """Answers every derived call.

    `nouns` gives the interface for a caller, `wake` is called after each write, and `streams` answer by themselves for
    the methods that they are named by.
    """

    def __init__(
        self, threads: Threads, nouns: Nouns, wake: Callable[[], None], streams: Mapping[str, Stream] | None = None
    ) -> None:
        self._threads = threads
        self._nouns = nouns
        self._wake = wake
        self._streams = streams or {}

    def handlers(self) -> dict[str, dict[str, grpc.RpcMethodHandler[Any, Any]]]:
        """Return the handlers of all derived calls, by service and name."""
        found: dict[str, dict[str, grpc.RpcMethodHandler[Any, Any]]] = {}
        for path, rpc in all_rpcs().items():
            service, name = path[1:].split("/")
            found.setdefault(service, {})[name] = self._handler(rpc)
        return found

    def _handler(self, rpc: Rpc) -> grpc.RpcMethodHandler[Any, Any]:
        parse, write = GetMessageClass(rpc.request).FromString, GetMessageClass(rpc.response).SerializeToString
        if not rpc.is_stream:
            return grpc.unary_unary_rpc_method_handler(self._one_answer(rpc), parse, write)
        return grpc.unary_stream_rpc_method_handler(self._many_answers(rpc), parse, write)

    def _many_answers(self, rpc: Rpc) -> Any:
        if rpc.method in self._streams:
            return self._stream(rpc, self._streams[rpc.method])
        watch = _WATCHES.get(rpc.method)
        return self._watcher(rpc, watch) if watch else self._items(rpc)

    def _stream(self, rpc: Rpc, begin: Stream) -> Any:
        async def answer(request: Message, _context: object) -> AsyncIterator[Message]:
            async with aclosing(begin(CALLER.get(), **_arguments(rpc, request))) as items:
                async for item in items:
                    try:
                        yield rpc.encode_response(item)
                    except SlowReaderError as error:
                        raise FellBehindError(PLACES[rpc.method](item)) from error

        return answer

    def _one_answer(self, rpc: Rpc) -> Any:
        def ask(caller: Caller, request: Message) -> Message:
            method = getattr(self._nouns(caller, rpc.noun), rpc.method)
            return rpc.encode_response(method(**_arguments(rpc, request)))

        async def answer(request: Message, _context: object) -> Message:
            response = await self._threads.run(ask, CALLER.get(), request)
            if rpc.method in WRITES:
                self._wake()
            return response

        return answer

    def _watcher(self, rpc: Rpc, watch: _Watch) -> Any:
        async def answer(request: Message, _context: object) -> AsyncIterator[Message]:
            caller, arguments = CALLER.get(), _arguments(rpc, request)
            key = (rpc.path, tuple(arguments.items()), caller.viewer.scope, caller.viewer.owner_id)
            last, wait_s = None, _FIRST_LOOK_S
            while True:
                found = await self._threads.share(key, lambda: self._look(caller, rpc, watch, arguments), wait_s / 2)
                if found != last:
                    yield rpc.encode_response(found)
                    last, wait_s = found, _FIRST_LOOK_S
                if watch.is_over(found):
                    return
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, _LAST_LOOK_S)

        return answer

    def _look(self, caller: Caller, rpc: Rpc, watch: _Watch, arguments: Mapping[str, Any]) -> Any:
        return getattr(self._nouns(caller, rpc.noun), watch.look)(**arguments)

    def _items(self, rpc: Rpc) -> Any:
        def begin(caller: Caller, request: Message) -> Iterator[Any]:
            items: Iterator[Any] = getattr(self._nouns(caller, rpc.noun), rpc.method)(**_arguments(rpc, request))
            return items

        async def answer(request: Message, _context: object) -> AsyncIterator[Message]:
            items = await self._threads.run(begin, CALLER.get(), request)
            while (item := await self._threads.run(next, items, _STOP)) is not _STOP:
                yield rpc.encode_response(item)

        return answer


def _arguments(rpc: Rpc, request: Message) -> dict[str, Any]:
    try:
        return rpc.decode_request(request)
    except ValueError as error:
        raise CallError(
            grpc.StatusCode.INVALID_ARGUMENT,
            "REQUEST",
            Text(
                "service.request_cannot_read", "the request of {call} cannot be read: {why}", call=rpc.path, why=error
            ),
        ) from error
