"""A coordinator is in one cluster after the other, whatever takes longer than anybody waits for it."""

import asyncio
import threading
from types import SimpleNamespace

import pytest

from arena.executor.ray import session
from arena.executor.ray.address import Head
from tests.support.patience import PATIENCE_S


@pytest.mark.asyncio
async def test_who_is_still_leaving_joins_when_that_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A head that is gone makes leaving slow."""
    told: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def shut_down() -> None:
        begun.set()
        go_on.wait(PATIENCE_S)
        told.append("left")

    async def yes(_address: str) -> bool:
        return True

    async def find(address: str) -> Head:
        return Head(address, is_closed=False)

    ray = SimpleNamespace(shutdown=shut_down, init=lambda **_: told.append("joined"))
    monkeypatch.setattr(session, "load_ray", lambda: ray)
    monkeypatch.setattr(session, "LEAVE_S", 0.01)
    monkeypatch.setattr(session, "find_head", find)
    monkeypatch.setattr(session, "_is_joined", yes)
    monkeypatch.setattr(session, "_keep_quiet", lambda: None)
    await session.leave()
    assert begun.wait(PATIENCE_S)
    joining = asyncio.create_task(session.join("a:1"))
    await asyncio.sleep(0.3)
    assert told == []
    go_on.set()
    await joining
    assert told == ["left", "joined"]
