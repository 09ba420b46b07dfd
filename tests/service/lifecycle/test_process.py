"""A service ends when it is told to, also when nobody can be told that it does."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from arena.service.lifecycle.process import EXIT_AT_ONCE, stop_signals
from tests.support.patience import PATIENCE_S


def to_nobody(sentence: str) -> None:
    raise OSError(5, f"the terminal is gone, so it does not show: {sentence}")


async def test_a_signal_stops_a_service_whose_terminal_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(os, "_exit", ends.set_result)
    with stop_signals(to_nobody) as wanted:
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            await wanted.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            assert await ends == EXIT_AT_ONCE


@pytest.fixture
def hangup() -> Iterator[None]:
    """Be told of SIGHUP even where the tests run under nohup, and leave it as it was."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangup")
async def test_a_closed_terminal_stops_a_service_in_good_order_however_often_it_tells_so() -> None:
    said: list[str] = []
    with stop_signals(said.append) as wanted:
        os.kill(os.getpid(), signal.SIGHUP)
        async with asyncio.timeout(PATIENCE_S):
            await wanted.wait()
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0)
    assert len(said) == 1


@pytest.mark.usefixtures("hangup")
async def test_a_service_under_nohup_goes_on_when_the_terminal_is_closed() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with stop_signals(to_nobody) as wanted:
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0)
    assert not wanted.is_set()
