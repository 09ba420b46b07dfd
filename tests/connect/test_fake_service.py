"""The service that the tests of this folder speak to: it tells of a bot's end in whichever order gRPC does."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from arena.service.server.tls import TlsFiles
from tests.support.play_service import FakeService


class Context:
    """A call on which nothing comes."""

    def __init__(self) -> None:
        self.is_read = asyncio.Event()

    def invocation_metadata(self) -> None:
        return None

    async def send_initial_metadata(self, _metadata: object) -> None:
        await asyncio.sleep(0)

    async def read(self) -> None:
        self.is_read.set()
        await asyncio.Event().wait()


async def test_the_end_of_a_bot_is_heard_also_where_grpc_cancels_its_call_first(tls: TlsFiles) -> None:
    service, context = FakeService(tls), Context()
    serving = asyncio.create_task(service.Play(None, cast("Any", context)))
    await context.is_read.wait()
    visit = await service.visit()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert visit.heard.get_nowait() is None
