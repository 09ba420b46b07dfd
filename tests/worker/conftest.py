"""Every test here starts real processes."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from arena.worker.match_host import MatchHost
from tests.support.keeper import copy_zoo
from tests.support.loops import THE_ROAD, LoopFactory
from tests.support.processes import mark, script_game
from tests.worker.hosted import host

__all__ = ["host", "mark", "script_game"]


def pytest_asyncio_loop_factories() -> Mapping[str, LoopFactory]:
    return THE_ROAD


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_zoo(tmp_path_factory.mktemp("zoo"))


@pytest.fixture
async def fresh_host(mark: str) -> AsyncIterator[MatchHost]:
    async with MatchHost() as host:
        yield host
