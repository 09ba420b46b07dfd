"""The games of the tests are whole games: they keep the contract that every game keeps."""

import pytest

from engine.conformance import Case, cases
from tests.support import script_game

@pytest.mark.parametrize("case", cases(script_game.GAME), ids=str)
def test_a_game_of_the_tests_keeps_the_contract(case: Case) -> None:
    case()
