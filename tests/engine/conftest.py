from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from engine import registry
from engine.build_info import look


@pytest.fixture(scope="session", autouse=True)
def engine_asked_for() -> None:
    """Run no test on the sources where the compiled engine is to be tested (`make test-compiled`)."""
    if os.environ.get("ARENA_TEST_ENGINE") == "compiled":
        assert look().modules, "the sources of the engine run"


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """The installed plug-in games, as a list to add to."""
    points: list[EntryPoint] = []

    def installed(*, group: str) -> EntryPoints:
        return EntryPoints(point for point in points if point.group == group)

    def forget() -> None:
        registry._plugins.cache_clear()
        registry._families.cache_clear()
        registry.get.cache_clear()

    monkeypatch.setattr(registry, "entry_points", installed)
    forget()
    yield points
    monkeypatch.undo()
    forget()


@pytest.fixture
def script_game(plugins: list[EntryPoint]) -> None:
    """Install the game `script` as a plug-in."""
    plugins.append(EntryPoint("script", "tests.support.script_game", registry.ENTRY_POINT_GROUP))
