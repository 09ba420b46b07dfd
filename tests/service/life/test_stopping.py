"""A service ends when it is told to, also when nobody can be told that it does."""

import asyncio
import os
import signal

import pytest

from arena.service.life.stopping import AT_ONCE, stop_signals


def to_nobody(sentence: str) -> None:
    raise OSError(5, f"the terminal is gone, so it does not show: {sentence}")


async def test_a_signal_stops_a_service_whose_terminal_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(os, "_exit", ends.set_result)
    with stop_signals(to_nobody) as wanted:
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(60):
            await wanted.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(60):
            assert await ends == AT_ONCE
