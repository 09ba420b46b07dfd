"""The games of the tests are whole games: they keep the contract that every game keeps."""

from engine.conformance import check_game
from tests.support import script_game
from tests.support.nim import LUCKY_NIM, NIM


def test_a_game_of_the_tests_keeps_the_contract() -> None:
    for game in (script_game.GAME, NIM, LUCKY_NIM):
        check_game(game)
