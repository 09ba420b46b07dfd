"""The contract's own small parts: the action table, errors, defaults, and classes that lack a method."""

from __future__ import annotations

import json
from types import BuiltinFunctionType

import pytest

from engine.abilities import need_playable
from engine.chance import Chance, SeededChance
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
    State,
    UnknownGameError,
)
from engine.kit.phases import PhasedState
from engine.mypyc_support import DEMANDED, is_native
from tests.support.script_game import GAME, ScriptOptions, ScriptState


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


class Whole(ScriptState):
    """Adds nothing, lacks nothing."""

    __slots__ = ()


class Half(State):
    __slots__ = ()

    def seat(self) -> int | None:
        return None


class HalfPhased(PhasedState):
    __slots__ = ()

    def to_json(self) -> dict[str, object]:
        return {}


class Finished(HalfPhased):
    __slots__ = ()

    def clone(self, chance: Chance | None = None) -> Finished:
        del chance
        return Finished()


class HalfChance(Chance):
    def d6(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        (Half, ["apply_unchecked", "caretaker_action", "clone", "is_legal", "legal_actions", "outcome", "to_json"]),
        (HalfPhased, ["clone"]),
        (HalfChance, ["draw", "permutation"]),
    ],
)
def test_a_class_that_lacks_a_method_makes_no_objects_and_the_methods_are_named(
    kind: type[object], lacks: list[str]
) -> None:
    for make in (kind, lambda: kind.__new__(kind)):
        with pytest.raises(TypeError, match=f"abstract class {kind.__name__} .*{'.*'.join(lacks)}") as refused:
            make()
        assert all(name not in str(refused.value) for name in ("seat", "d6"))


def test_a_class_below_that_lacks_nothing_makes_objects() -> None:
    state = Finished()
    assert isinstance(state.clone(), Finished)
    assert state.to_json() == {}


def test_what_lacks_nothing_is_made_as_ever() -> None:
    assert all("__new__" not in vars(kind) for kind in (Whole, ScriptState, Finished))
    assert GAME.new_state(2, chance=SeededChance(1)).seat() == 0


@pytest.mark.skipif(is_native(State), reason="a compiled class does not know which of its methods are abstract")
def test_what_is_demanded_is_abstract() -> None:
    assert State.__abstractmethods__ == set(DEMANDED["State"])
    assert Chance.__abstractmethods__ == set(DEMANDED["Chance"])


def test_a_base_makes_the_objects_of_classes_below_as_ever() -> None:
    for base in (State, Chance, PhasedState):
        new = vars(base).get("__new__")
        assert new is None or type(new) is BuiltinFunctionType
