"""The levels of this machine, and a place for bots at them."""

from collections.abc import AsyncIterator

import pytest

from tests.support.sandboxes import REDUCED, STANDARD, Place, need
from tests.support.sandboxes import place as open_place


@pytest.fixture(params=[STANDARD, REDUCED, "none"])
def level(request: pytest.FixtureRequest) -> str:
    return need(str(request.param))


@pytest.fixture(params=[STANDARD, REDUCED])
def sandbox(request: pytest.FixtureRequest) -> str:
    return need(str(request.param))


@pytest.fixture(params=[STANDARD])
def standard(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with open_place() as place:
        yield place
