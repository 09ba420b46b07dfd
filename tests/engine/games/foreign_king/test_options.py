"""The options of section 8 and the presets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.core import OptionsError
from engine.games.foreign_king import GAME
from engine.games.foreign_king.options import Options


def test_the_defaults_are_the_canonical_rules() -> None:
    assert GAME.options_json(GAME.parse_options({})) == {
        "rulebook": "canonical",
        "queen_scope": "any",
        "congress_on_empty": False,
        "virtual_discs": 15,
        "virtual_can_win": True,
        "bank": "unlimited",
        "max_rounds": 100,
    }


@pytest.mark.parametrize("edition", ["en", "it", "fr"])
def test_editions_that_play_like_the_canonical_rules(edition: str) -> None:
    assert replace(GAME.parse_options({"rulebook": edition}), rulebook="canonical") == Options()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("congress_on_empty", "yes", True),
        ("congress_on_empty", "No", False),
        ("congress_on_empty", True, True),
        ("virtual_can_win", "no", False),
        ("virtual_can_win", "false", False),
        ("virtual_discs", "16", 16),
        ("virtual_discs", 16, 16),
        ("bank", "37", 37),
        ("bank", 41, 41),
        ("bank", "unlimited", None),
        ("max_rounds", "12", 12),
        ("max_rounds", 1, 1),
        ("queen_scope", "occupied_by_others", "occupied_by_others"),
        ("rulebook", "DE", "de"),
    ],
)
def test_values_and_their_texts(name: str, value: Any, expected: Any) -> None:
    assert getattr(GAME.parse_options({name: value}), name) == expected


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("rulebook", "es", "canonical or en or de or it or fr"),
        ("queen_scope", "all", "any or occupied_by_others"),
        ("congress_on_empty", "maybe", "no or yes"),
        ("congress_on_empty", 1, "no or yes"),
        ("virtual_discs", 14, "15 or 16"),
        ("virtual_discs", 15.0, "15 or 16"),
        ("bank", 40, "unlimited or 37 or 41"),
        ("bank", None, "unlimited or 37 or 41"),
        ("max_rounds", 0, "1 to 1000"),
        ("max_rounds", "1001", "1 to 1000"),
        ("max_rounds", -1, "1 to 1000"),
        ("max_rounds", True, "1 to 1000"),
        ("max_rounds", "٣", "1 to 1000"),
        ("max_rounds", 2.0, "1 to 1000"),
    ],
)
def test_other_values_are_refused_with_those_there_are(name: str, value: Any, takes: str) -> None:
    with pytest.raises(OptionsError, match=f"option {name} takes {takes}"):
        GAME.parse_options({name: value})


def test_an_unknown_option_is_refused_with_those_there_are() -> None:
    with pytest.raises(OptionsError, match="no option 'queen'; it has: rulebook, queen_scope"):
        GAME.parse_options({"queen": "any"})


@pytest.mark.parametrize("discs", [15, 16])
def test_the_virtual_player_has_its_discs(discs: int) -> None:
    state = GAME.new_state(2, GAME.parse_options({"virtual_discs": discs}))
    assert state.to_json()["hand"] == [15, 15, discs]
