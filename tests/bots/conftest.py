"""Nim is found by name as if it were installed, so that bots meet it as they meet any game."""

import pytest

from engine import registry
from engine.core import Game
from tests.support.nim import LUCKY_NIM, NIM


@pytest.fixture(autouse=True)
def _nim_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed_get = registry.get

    def get(name: str) -> Game:
        return {"nim": NIM, "lucky_nim": LUCKY_NIM}.get(name) or installed_get(name)

    monkeypatch.setattr(registry, "get", get)
