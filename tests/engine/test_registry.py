"""Finding games: folders of the engine, and plug-ins."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from engine import registry
from engine.core import UnknownGameError


def test_the_games_of_the_engine_are_found() -> None:
    assert "foreign_king" in registry.names()
    assert registry.get("foreign_king").title == "The Foreign King"


def test_a_game_is_made_once() -> None:
    assert registry.get("foreign_king") is registry.get("foreign_king")


def test_an_unknown_game_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownGameError, match=r"no game 'chess'; installed are: .*foreign_king"):
        registry.get("chess")


@pytest.mark.usefixtures("script_game")
def test_a_plugin_is_a_game_like_the_others() -> None:
    assert "script" in registry.names()
    assert registry.names() == tuple(sorted(registry.names()))
    assert registry.get("script").title == "Script"


def test_a_plugin_cannot_take_the_name_of_a_game_of_ours(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("foreign_king", "tests.support.script_game", registry.ENTRY_POINT_GROUP))
    assert registry.names().count("foreign_king") == 1
    assert registry.get("foreign_king").title == "The Foreign King"


def test_a_plugin_under_a_wrong_name_fails_loudly(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("rally", "tests.support.script_game", registry.ENTRY_POINT_GROUP))
    with pytest.raises(ValueError, match="calls itself 'script'"):
        registry.get("rally")


def test_other_entry_points_are_no_games(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("script", "tests.support.script_game", "console_scripts"))
    assert "script" not in registry.names()
