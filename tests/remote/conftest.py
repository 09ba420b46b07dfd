"""One process of remote bots for all tests: it is what they are about that none disturbs another."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.remote.running import RunningProcess, running_process


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningProcess]:
    async with running_process(tmp_path_factory.mktemp("tls")) as house:
        yield house
