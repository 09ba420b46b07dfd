"""A class that lacks a method which a base demands makes no objects, whichever engine runs."""

from __future__ import annotations

from types import BuiltinFunctionType

import pytest

from engine.chance import Chance, SeededChance
from engine.core import State
from engine.kit.phases import PhasedState
from engine.native import DEMANDED, is_native
from tests.support.script_game import GAME, ScriptState


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
