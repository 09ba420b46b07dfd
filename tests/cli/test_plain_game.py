"""A game that gives its rules and nothing else: no picture, no names, no tools, no evaluation."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from tests.cli.support import Arena
from tests.support.specs import installed_script_game

MATCH = ["match", "run", "--game", "script", "--bots", "ada,bob", "--seed", "3", "--opening-plies", "0"]


@pytest.fixture(autouse=True)
def _only_a_plain_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with installed_script_game():
        for names in ("names", "single_names"):
            monkeypatch.setattr(registry, names, lambda: ("script",))
        yield


@pytest.fixture
def played(table: Arena) -> dict[str, Any]:
    match: dict[str, Any] = table(*MATCH, "--json").json
    return match


def test_it_is_listed_and_shown_as_text(arena: Arena) -> None:
    assert arena("game", "list").code == 0
    assert '"scores": [' in arena("game", "show", "script").out
    assert arena("game", "show", "script", "--json").json["languages"] == ["en"]


def test_in_a_language_that_it_lacks_its_names_are_english(arena: Arena) -> None:
    assert '"scores": [' in arena("game", "show", "script", "--lang", "de").out


def test_a_picture_and_a_tool_that_it_has_not_are_refused_in_one_line(arena: Arena) -> None:
    assert "no picture" in arena.refusal("game", "show", "script", "--svg", "start.svg")
    assert not Path("start.svg").exists()
    assert "the game has none" in arena.refusal("game", "tool", "script", "odds")


def test_a_match_of_it_is_played_and_shown(table: Arena, played: dict[str, Any]) -> None:
    match = played["match_id"]
    assert played["state"] == "finished"
    assert table("replay", "show", match).code == 0
    assert table("replay", "show", match, "--ply", "1").code == 0
    assert "no picture" in table.refusal("replay", "show", match, "--svg", "ply.svg")
    assert table("replay", "verify", match).code == 0


def test_the_demo_says_that_no_bot_can_search_it(arena: Arena) -> None:
    assert "cannot be searched" in arena.refusal("demo", "--game", "script")
    assert "no installed game evaluates its positions" in arena.refusal("demo", code=1)
