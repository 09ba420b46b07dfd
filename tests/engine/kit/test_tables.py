"""Forms of whole tables: each reads back what it writes, and refuses the rest by its key."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from engine.core import PositionError
from engine.kit.forms import FieldForm, Number, SeatNumber
from engine.kit.tables import Entries, FewEntries, Mask

STATE = SimpleNamespace(seats=3)
LANDS = {"north": 0, "east": 1, "south": 2}
OWNERS = Entries(LANDS, SeatNumber(), nothing=-1, example="{'north': 0}")
ARMIES = FewEntries(Entries(LANDS, Number(1, 9), nothing=0, example="{'north': 3}"))
REGIONS = Mask(tuple(LANDS))


@pytest.mark.parametrize(
    ("form", "value", "data"),
    [
        (REGIONS, 0b101, ["north", "south"]),
        (OWNERS, [2, -1, 0], {"north": 2, "south": 0}),
        (ARMIES, {0: 3, 2: 9}, {"north": 3, "south": 9}),
    ],
)
def test_a_form_reads_back_what_it_writes(form: FieldForm, value: Any, data: Any) -> None:
    assert form.write(value, STATE) == data
    assert form.read(data, "key", STATE) == value
    form.check(value, "key", STATE)


@pytest.mark.parametrize(
    ("form", "data", "message"),
    [
        (REGIONS, ["west"], "key: expected north, east, south, not 'west'"),
        (REGIONS, ["east", "east"], "key: something is named twice"),
        (OWNERS, ["north"], r"key: expected an object like \{'north': 0\}"),
        (OWNERS, {"north": 3}, "key.north: expected an integer from 0 to 2, not 3"),
        (ARMIES, {"west": 1}, "key: expected north, east, south, not 'west'"),
        (ARMIES, {"east": 0}, "key.east: expected an integer from 1 to 9, not 0"),
    ],
)
def test_what_is_no_such_table_is_refused_by_its_key(form: FieldForm, data: Any, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        form.read(data, "key", STATE)


@pytest.mark.parametrize(
    ("form", "value"),
    [(REGIONS, 0b1000), (REGIONS, -1), (OWNERS, [0, 1]), (OWNERS, [3, 0, 0]), (ARMIES, {3: 1}), (ARMIES, {0: 10})],
)
def test_values_from_the_wire_are_held_to_the_same_bounds(form: FieldForm, value: Any) -> None:
    with pytest.raises(PositionError, match=r"^key"):
        form.check(value, "key", STATE)
