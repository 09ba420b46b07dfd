"""The toys are found by name as if they were installed, so that bots meet them as they meet any game."""

import pytest

from engine import registry
from engine.core import Game
from tests.support import nim, script_game


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed_get = registry.get

    def get(name: str) -> Game:
        return {"nim": nim.GAME, "script": script_game.GAME}.get(name) or installed_get(name)

    monkeypatch.setattr(registry, "get", get)
