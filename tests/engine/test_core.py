"""The contract's own small parts: the action table, errors, defaults."""

from __future__ import annotations

import json

import pytest

from engine.abilities import need_playable
from engine.core import (
    AbilityError,
    ActionTable,
    EngineError,
    GameOverError,
    IllegalActionError,
    NotationError,
    OptionsError,
    PositionError,
    SeatsError,
    UnknownGameError,
)
from tests.support.script_game import GAME, ScriptOptions


def test_an_action_table_numbers_its_names() -> None:
    table = ActionTable(["STOP", "GO:LIE"])
    assert len(table) == 2
    assert table.format(1) == "GO:LIE"
    assert table.parse("GO:LIE") == 1


@pytest.mark.parametrize("names", [["A", "A"], [""], ["É"], ["A\n"]])
def test_a_table_refuses_names_that_cannot_be_told_or_sent(names: list[str]) -> None:
    with pytest.raises(ValueError, match="notation"):
        ActionTable(names)


def test_ids_and_texts_that_name_no_action() -> None:
    table = ActionTable(["STOP", "GO"])
    for action in (-1, 2):
        with pytest.raises(NotationError, match=r"ids are 0\.\.1"):
            table.format(action)
    with pytest.raises(NotationError, match="'go'"):
        table.parse("go")
    with pytest.raises(NotationError, match=r"'x{40}\.\.\.'"):
        table.parse("x" * 1000)


def test_every_error_of_the_engine_is_an_engine_error() -> None:
    errors = (IllegalActionError, GameOverError, NotationError, OptionsError, PositionError, SeatsError)
    assert all(issubclass(error, EngineError) and issubclass(error, ValueError) for error in errors)
    assert issubclass(UnknownGameError, LookupError)


def test_a_checked_action_names_what_was_legal() -> None:
    state = GAME.new_state(1, ScriptOptions("0:2"))
    with pytest.raises(IllegalActionError, match=r"action 5 is not legal here; legal are \[0, 1\]"):
        state.apply(5)
    state.apply(0)
    with pytest.raises(GameOverError, match="after the end"):
        state.apply(1)


def test_a_game_cannot_be_searched_unless_it_says_how() -> None:
    assert GAME.playable is None
    with pytest.raises(AbilityError, match="script cannot be searched: it gives no evaluation"):
        need_playable(GAME)


def test_a_game_is_shown_by_its_json_and_notation_unless_it_knows_better() -> None:
    state = GAME.new_state(2)
    assert json.loads(GAME.shown.text(state, None, "en")) == state.to_json()
    assert GAME.shown.labels("xx") == {name: name for name in GAME.actions.names}
    assert GAME.shown.languages == ("en",)
    with pytest.raises(AbilityError, match="no picture"):
        GAME.shown.svg(state)


def test_a_wrong_number_of_seats_names_the_right_ones() -> None:
    with pytest.raises(SeatsError, match="script is played by 1 to 8 seats, not 9"):
        GAME.check_seats(9)


def test_a_game_has_no_extra_commands_unless_it_says_so() -> None:
    assert GAME.tools == {}
