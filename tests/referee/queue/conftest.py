"""These tests are of one road alone."""

from collections.abc import Mapping

from arena.referee.queue.loop import make_queue_loop
from tests.support.loops import LoopFactory


def pytest_asyncio_loop_factories() -> Mapping[str, LoopFactory]:
    return {"queue": make_queue_loop}
