"""Stands before every call of every service: lets it in or refuses it, and turns whatever it raises into its status."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeAlias

import grpc
import structlog

from arena.service.server.authentication import CALLER, Authenticator, Caller
from arena.service.server.errors import FAILED, SlowReaderError, status_of
from arena.wire.status import STATUS_DETAILS_KEY, Status, encode_status
from engine.text import english
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
