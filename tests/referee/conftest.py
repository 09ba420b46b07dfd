"""What serves bots is tested on both roads to them."""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from arena.referee import descriptor_stream
from arena.referee.descriptor_stream import DescriptorStream
from arena.referee.framing import PROTOBUF, Framing
from tests.referee.wired import Wired
from tests.support.loops import BOTH_ROADS, LoopFactory


def pytest_asyncio_loop_factories() -> Mapping[str, LoopFactory]:
    return BOTH_ROADS


@pytest.fixture
async def wire() -> Any:
    """Makes streams, and closes what is left of them."""
    wired: list[Wired] = []

    def make(
        framing: Framing = PROTOBUF, make: Callable[[int, int, Framing], DescriptorStream] = DescriptorStream
    ) -> Wired:
        wired.append(Wired(framing, make))
        return wired[-1]

    yield make
    for one in wired:
        one.stream.close()
        one.close()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often was read from each descriptor."""
    counted: Counter[int] = Counter()
    read = os.read

    def counting(number: int, size: int) -> bytes:
        counted[number] += 1
        return read(number, size)

    monkeypatch.setattr(os, "read", counting)
    return counted


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptor_stream, "PAUSE_S", 0)
