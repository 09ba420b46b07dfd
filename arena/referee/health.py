"""The standard health service for holders of a token, over bytes: the whole server is healthy while it serves."""

from __future__ import annotations

import asyncio

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health_pb2  # type: ignore[import-untyped] # the package has no types

from arena.referee.context import CallContext

SERVICE = "/grpc.health.v1.Health/"


async def check(context: CallContext) -> None:
    """Answer `Check`: the server as a whole serves, and nothing else is known by name."""
    if await _asked_for(context):
        await context.abort(grpc.StatusCode.NOT_FOUND)
    await context.write(_answer(health_pb2.HealthCheckResponse.SERVING))


async def watch(context: CallContext) -> None:
    """Answer `Watch`: what is so now, and nothing more until the stream ends, since it does not change."""
    named = await _asked_for(context)
    status = health_pb2.HealthCheckResponse
    await context.write(_answer(status.SERVICE_UNKNOWN if named else status.SERVING))
    await asyncio.Event().wait()


async def _asked_for(context: CallContext) -> str:
    """Return the name of the service that is asked for. Raises grpc.aio.AbortError."""
    data = await context.read()
    try:
        return str(health_pb2.HealthCheckRequest.FromString(b"" if data is grpc.aio.EOF else data).service)
    except DecodeError:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "this is no HealthCheckRequest")


def _answer(status: int) -> bytes:
    return bytes(health_pb2.HealthCheckResponse(status=status).SerializeToString())
