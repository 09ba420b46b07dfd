"""The games of the tests are whole games: they keep the contract that every game keeps."""

import pytest

from engine.conformance import Case, cases
from tests.support import script_game
from tests.support.nim import LUCKY_NIM, NIM

GAMES = (script_game.GAME, NIM, LUCKY_NIM)


@pytest.mark.parametrize("case", [case for game in GAMES for case in cases(game)], ids=str)
def test_a_game_of_the_tests_keeps_the_contract(case: Case) -> None:
    case()
