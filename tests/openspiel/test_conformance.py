"""Every game of OpenSpiel that is listed keeps the contract of the arena's games."""

from __future__ import annotations

import pytest

from engine.conformance import check_game
from engine.folder import read_json
from engine.openspiel import family
from engine.openspiel.facts import find_out

NAMES = [entry["name"] for entry in read_json(family.__file__, "catalogue.json")]


def test_many_games_are_listed() -> None:
    assert len(NAMES) >= 90
    assert {"openspiel_chess", "openspiel_go", "openspiel_go:board_size=9", "openspiel_hearts"} <= set(NAMES)
    assert sorted(set(NAMES)) == NAMES


@pytest.mark.usefixtures("spiel")
@pytest.mark.parametrize("name", NAMES)
def test_a_game_keeps_the_contract(name: str) -> None:
    check_game(family.get(name))


@pytest.mark.usefixtures("spiel")
@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_says_what_openspiel_says(name: str) -> None:
    assert family._catalogue()[name] == find_out(name), "run `python -m engine.openspiel.catalogue`"
