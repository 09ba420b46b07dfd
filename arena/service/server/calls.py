"""Serves the calls that are derived from the interface: lets each in, runs it in a thread, returns its status."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Hashable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from typing import Any, ParamSpec, TypeAlias, TypeVar

import grpc
import structlog
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.model.errors import FellBehindError
from arena.rpc.method_table import PLACES, Rpc, all_rpcs
from arena.service.server.authentication import CALLER, Authenticator, Caller
from arena.service.server.errors import FAILED, CallError, SlowReaderError, status_of
from arena.wire.status import STATUS_DETAILS_KEY, Status, encode_status
from engine.translatable import Text, english
from ratings.errors import InvitationError

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Observe = Callable[[str, str, float], None]
"""Takes note of a call: its path, the name of its code, and how long it took in seconds."""

READ_PATIENCE_S = 60.0
"""How long a client may take nothing of a stream that has more for it, and which holds what it reads from."""
_LOOK_AGAIN_S = 2.0
_CODES = {code.value[0]: code for code in grpc.StatusCode}
_log = structlog.get_logger()
_STOP = object()
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
P = ParamSpec("P")
T = TypeVar("T")
_THREADS = 6
_MOST_KEPT = 1000


class AccessInterceptor(grpc.aio.ServerInterceptor):
    """Lets nobody through whom the authenticator does not know."""

    def __init__(self, authenticator: Authenticator, observe: Observe) -> None:
        self._authenticator = authenticator
        self._observe = observe

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Return the handler of a call, with this interceptor before it; `None` for a call that nobody serves."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        path = handler_call_details.method
        serialization = (handler.request_deserializer, handler.response_serializer)
        if handler.stream_unary is not None:
            return grpc.stream_unary_rpc_method_handler(self._one_answer(path, handler.stream_unary), *serialization)
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(self._one_answer(path, handler.unary_unary), *serialization)
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(self._answers(path, handler.unary_stream), *serialization)
        return grpc.stream_stream_rpc_method_handler(self._answers(path, handler.stream_stream), *serialization)

    def _one_answer(self, path: str, behaviour: Any) -> Any:
        async def answer(request: Any, context: Context) -> Any:
            return await self._pass(path, context, lambda: behaviour(request, context))

        return answer

    def _answers(self, path: str, behaviour: Any) -> Any:
        async def answer(request: Any, context: Context) -> None:
            await self._pass(path, context, lambda: _drain(behaviour(request, context), context))

        return answer

    async def _pass(self, path: str, context: Context, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Do the work of a call for its caller, and end the call with the right status if that fails."""
        begun, code = time.monotonic(), grpc.StatusCode.OK
        try:
            caller = await self._authenticator.admit(path, context)
            CALLER.set(caller)
            return await self._watched(caller, work())
        except asyncio.CancelledError:
            code = grpc.StatusCode.CANCELLED
            raise
        except grpc.aio.AbortError:  # a service that is not ours has said why
            code = grpc.StatusCode.UNKNOWN
            raise
        except Exception as error:
            if isinstance(error, InvitationError):
                self._authenticator.note_failure(context)
            status = _status_for(path, error)
            code = _CODES[status.code]
            await context.abort(code, english(status.message), ((STATUS_DETAILS_KEY, encode_status(status)),))
        finally:
            self._observe(path, code.name, time.monotonic() - begun)

    async def _watched(self, caller: Caller, work: Coroutine[Any, Any, Any]) -> Any:
        """Do the work; when it takes long, look now and then whether its caller may still call."""
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=_LOOK_AGAIN_S))[0]:
                await self._authenticator.look_again(caller)
            return task.result()
        finally:
            task.cancel()


async def _drain(answers: Any, context: Context) -> None:
    """Send what a handler yields; one that sends by itself is only waited for."""
    if isinstance(answers, AsyncGenerator):
        async with aclosing(answers):  # what it holds, such as a place among watchers, is given up at once
            async for message in answers:
                try:
                    async with asyncio.timeout(READ_PATIENCE_S):
                        await context.write(message)
                except TimeoutError:
                    await answers.athrow(SlowReaderError())
    else:
        await answers


def _status_for(path: str, error: Exception) -> Status:
    """Return what the caller is told of an exception. One that nobody foresaw is logged, and told without its text.

    So is one whose text names places on this machine.
    """
    status = status_of(error)
    if status is None:
        _log.error("a call failed", call=path, exc_info=error)
        return FAILED
    if status.message != str(error):
        _log.warning("a call was refused", call=path, why=str(error), told=status.message)
    return status


Nouns = Callable[[Caller, str], Any]
"""Returns what answers for a noun of the interface, for that caller."""
Stream = Callable[..., AsyncGenerator[Any, None]]
"""Yields the items of a call, given its caller and its arguments."""

_FIRST_LOOK_S, _LAST_LOOK_S = 0.25, 2.0


# A watcher holds no thread: the interface is asked again and again, and watchers of one thing share the answers.
_WATCHES: Mapping[str, str] = {
    "watch_admission": "get_admission",
    "watch_operation": "get_operation",
    "watch_tournament": "get_progress",
}
"""What is asked, by the method that watches, until it is over."""
_UNDER_WAY = ("queued", "running")
"""The states of an admission, and of any other long job, that is not over."""


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
            parse, write = GetMessageClass(rpc.request).FromString, GetMessageClass(rpc.response).SerializeToString
            found.setdefault(service, {})[name] = (
                grpc.unary_stream_rpc_method_handler(self._many_answers(rpc), parse, write)
                if rpc.is_stream
                else grpc.unary_unary_rpc_method_handler(self._one_answer(rpc), parse, write)
            )
        return found

    def _many_answers(self, rpc: Rpc) -> Any:
        if rpc.method in self._streams:
            return self._stream(rpc, self._streams[rpc.method])
        look = _WATCHES.get(rpc.method)
        return self._watcher(rpc, look) if look else self._items(rpc)

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

    def _watcher(self, rpc: Rpc, look: str) -> Any:
        async def answer(request: Message, _context: object) -> AsyncIterator[Message]:
            caller, arguments = CALLER.get(), _arguments(rpc, request)
            key = (rpc.path, tuple(arguments.items()), caller.viewer.scope, caller.viewer.owner_id)
            last, wait_s = None, _FIRST_LOOK_S
            while True:
                found = await self._threads.share(
                    key, lambda: getattr(self._nouns(caller, rpc.noun), look)(**arguments), wait_s / 2
                )
                if found != last:
                    yield rpc.encode_response(found)
                    last, wait_s = found, _FIRST_LOOK_S
                if found.state not in _UNDER_WAY:
                    return
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, _LAST_LOOK_S)

        return answer

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
            Text("the request of {call} cannot be read: {why}", call=rpc.path, why=error),
        ) from error


class Threads:
    """The threads in which calls are worked on. `close` is called once."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="owners")
        self._shared: dict[Hashable, tuple[float, asyncio.Future[Any]]] = {}

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns; it runs to its end even if nobody waits for it any more."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(function, *args, **kwargs))

    async def share(self, key: Hashable, function: Callable[[], T], fresh_s: float) -> T:
        """Return what the function returns, or what it returned to another one with this key a moment ago."""
        loop = asyncio.get_running_loop()
        asked_at, answer = self._shared.get(key, (float("-inf"), None))
        if answer is None or loop.time() - asked_at >= fresh_s:
            answer = loop.run_in_executor(self._pool, function)
            if len(self._shared) >= _MOST_KEPT:
                self._shared.clear()
            self._shared[key] = loop.time(), answer
        # One watcher that leaves must not end what the others wait for.
        result: T = await asyncio.shield(answer)
        return result

    def close(self) -> None:
        """Let what runs come to its end, and start nothing more."""
        self._pool.shutdown(wait=True, cancel_futures=True)
