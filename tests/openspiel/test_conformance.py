"""Every game of OpenSpiel that is listed keeps the contract of the arena's games."""

from __future__ import annotations

import pytest

from engine.conformance import check_game
from engine.openspiel import family
from engine.openspiel.facts import find_out

NAMES = family.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_game_keeps_the_contract(name: str) -> None:
    check_game(family.get(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_says_what_openspiel_says(name: str) -> None:
    assert family._catalogue()[name] == find_out(name), "run `python -m engine.openspiel.catalogue`"
