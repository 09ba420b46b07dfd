"""Reading positions: what is refused is told with its place and what was expected there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.core import PositionError
from engine.kit import forms

NAMES = ("north", "south")
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: forms.read_int(True, "gold", 0, 9), "gold: expected an integer from 0 to 9, not True"),
    (lambda: forms.read_int(10, "gold", 0, 9), "gold: expected an integer from 0 to 9, not 10"),
    (lambda: forms.read_ints((1, 2), "gold", 2, 9), "gold: expected a list of 2 integers, not (1, 2)"),
    (lambda: forms.read_ints([1, -2], "gold", 2, 9), "gold[1]: expected an integer from 0 to 9, not -2"),
    (lambda: forms.read_flag(1, "final"), "final: expected true or false, not 1"),
    (lambda: forms.read_name([], "wind", NAMES), "wind: expected north, south, not []"),
    (lambda: forms.read_name("x", "n", [str(n) for n in range(50)]), "n: expected a name like 0, not 'x'"),
    (lambda: forms.read_list({}, "asked"), "asked: expected a list, not {}"),
    (lambda: forms.read_object(3, "there", NAMES), "there: expected an object, not 3"),
    (lambda: forms.read_object({"north": 1}, "there", NAMES), "there: the key 'south' is missing"),
    (lambda: forms.read_object(dict.fromkeys((*NAMES, 1)), "there", NAMES), "there: there is no key 1"),
    (
        lambda: forms.read_int("x" * 99, "gold", 0, 9),
        "not 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...",
    ),
    (
        lambda: forms.read_header({"game": "a", "version": 2}, "a", 1, ("game", "version")),
        "positions of a, version 1",
    ),
]


@pytest.mark.parametrize(("read", "message"), REFUSED)
def test_a_refusal_names_the_place_and_what_it_takes(read: Callable[[], Any], message: str) -> None:
    with pytest.raises(PositionError) as refusal:
        read()
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_what_fits_is_read() -> None:
    assert forms.read_ints([0, 9], "gold", 2, 9) == [0, 9]
    assert forms.read_name("south", "wind", NAMES) == 1
    assert forms.read_name("south", "wind", {"south": 7}) == 7


def test_a_list_that_was_read_is_a_copy() -> None:
    given = [1, 2]
    forms.read_ints(given, "gold", 2, 9).append(3)
    assert given == [1, 2]
