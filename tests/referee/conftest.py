"""What serves bots is tested on both roads to them."""

from collections.abc import Mapping

from tests.support.loops import BOTH_ROADS, LoopFactory


def pytest_asyncio_loop_factories() -> Mapping[str, LoopFactory]:
    return BOTH_ROADS
