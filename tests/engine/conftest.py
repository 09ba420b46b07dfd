from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from engine import registry


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
