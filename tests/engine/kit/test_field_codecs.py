"""Forms of fields and declared options: what is written is read again, what does not fit is refused by its key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from engine.core import OptionsError, PositionError
from engine.kit import field_codecs as forms
from engine.kit.field_codecs import FieldForm, Flag, ListOf, Name, Number, Numbers, Optional, SeatNumber, seat_count
from engine.kit.keyed_codecs import ByName, Columns, Entries, FewEntries, Mask, PackedCounts
from engine.kit.options import DeclaredOptions, EachOnce, IntegerOption, OneOf, OptionGroup, option


@dataclass
class Table:
    """What bounds refer to."""

    seats: int = 3
    most: int = 9


TABLE = Table()
WINDS = ("north", "south")
FITTING: list[tuple[FieldForm, Any, Any]] = [
    (Number(0, lambda table: table.most), 9, 9),
    (Numbers(seat_count, 5), [1, 2, 5], [1, 2, 5]),
    (Flag(), True, True),
    (SeatNumber(), 2, 2),
    (Name(WINDS), 1, "south"),
    (Name({"LOAN": 8, "REPAY": 9}), 9, "REPAY"),
    (Optional(SeatNumber(), -1), -1, None),
    (Optional(SeatNumber(), -1), 0, 0),
    (ListOf(SeatNumber(), size=seat_count, distinct=True, kind=tuple), (2, 0, 1), [2, 0, 1]),
    (ListOf(Name(WINDS), most=2), [1], ["south"]),
    (ByName(WINDS, SeatNumber()), [2, 0], {"north": 2, "south": 0}),
    (Columns(WINDS, seat_count, 4), [1, 4, 2, 0, 3, 3], {"north": [1, 2, 3], "south": [4, 0, 3]}),
    (PackedCounts("MT", bits=3, most=5), 5 + 8 * 2, {"M": 5, "T": 2}),
]


@pytest.mark.parametrize(("form", "value", "data"), FITTING)
def test_what_is_written_is_read_again(form: FieldForm, value: Any, data: Any) -> None:
    form.check(value, "key", TABLE)
    assert form.write(value, TABLE) == data
    assert form.read(data, "key", TABLE) == value


@pytest.mark.parametrize(
    ("form", "data", "message"),
    [
        (Number(1, lambda table: table.most), 10, "key: expected an integer from 1 to 9, not 10"),
        (Number(0, 9), True, "key: expected an integer"),
        (Numbers(seat_count, 5), [1, 2], "key: expected a list of 3 integers"),
        (Numbers(seat_count, 5), [1, 2, 6], r"key\[2\]: expected an integer from 0 to 5, not 6"),
        (Flag(), 1, "key: expected true or false"),
        (SeatNumber(), 3, "key: expected an integer from 0 to 2, not 3"),
        (Name(WINDS), "west", "key: expected north, south, not 'west'"),
        (Optional(SeatNumber(), -1), -1, "key: expected an integer from 0 to 2, not -1"),
        (ListOf(SeatNumber(), size=2), [0], "key: expected a list of 2"),
        (ListOf(SeatNumber(), most=1), [0, 1], "key: expected a list of at most 1"),
        (ListOf(SeatNumber()), [0, 7], r"key\[1\]: expected an integer from 0 to 2, not 7"),
        (ListOf(SeatNumber(), distinct=True), [1, 1], "key: something is named twice"),
        (ByName(WINDS, SeatNumber()), {"north": 0}, "key: the key 'south' is missing"),
        (ByName(WINDS, SeatNumber()), {"north": 0, "south": 4}, "key.south: expected an integer"),
        (Columns(WINDS, 1, 4), {"north": [5], "south": [0]}, r"key.north\[0\]: expected an integer from 0 to 4"),
        (PackedCounts("MT", bits=3, most=5), {"M": 6, "T": 0}, "key.M: expected an integer from 0 to 5, not 6"),
    ],
)
def test_json_that_does_not_fit_is_refused_with_its_key(form: FieldForm, data: Any, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        form.read(data, "key", TABLE)


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        (Number(1, 9), 10, "key: expected an integer from 1 to 9"),
        (Numbers(seat_count, 5), [1, 2, 3, 4], "key: expected a list of 3 integers"),
        (Numbers(seat_count, 5), [0, -1, 0], r"key\[1\]: expected an integer from 0 to 5, not -1"),
        (Name(WINDS), 2, "key: 2 stands for none of north, south"),
        (Optional(SeatNumber(), -1), -2, "key: expected an integer from 0 to 2, not -2"),
        (ListOf(SeatNumber(), size=2), (0, 1, 2), "key: expected a list of 2"),
        (ListOf(SeatNumber()), [0, 7], r"key\[1\]: expected an integer from 0 to 2, not 7"),
        (ListOf(SeatNumber(), distinct=True), [1, 1], "key: something is named twice"),
        (ByName(WINDS, SeatNumber()), [0], "key: expected 2 values, not 1"),
        (ByName(WINDS, SeatNumber()), [0, 3], "key.south: expected an integer from 0 to 2, not 3"),
        (Columns(WINDS, 1, 4), [0, 5], r"key\[1\]: expected an integer from 0 to 4, not 5"),
        (PackedCounts("MT", bits=3, most=5), 6, "key: 6 holds a count that is not from 0 to 5"),
        (PackedCounts("MT", bits=3, most=5), -1, "key: -1 holds a count"),
    ],
)
def test_values_from_the_wire_are_held_to_the_same_bounds(form: FieldForm, value: Any, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        form.check(value, "key", TABLE)


def test_counts_that_fit_no_packed_integer_are_packed_as_none() -> None:
    packed = PackedCounts("MT", bits=3, most=5)
    assert packed.pack((5, 2)) == 21
    assert packed.counts(21) == {"M": 5, "T": 2}
    assert packed.pack((5,)) == packed.pack((8, 0)) == packed.pack((-1, 0)) == -1


def test_a_list_that_was_read_or_written_is_a_copy() -> None:
    given = [1, 2, 3]
    form = Numbers(seat_count, 5)
    form.read(given, "key", TABLE).append(4)
    form.write(given, TABLE).append(4)
    assert given == [1, 2, 3]


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
def test_tables_from_the_wire_are_held_to_the_same_bounds(form: FieldForm, value: Any) -> None:
    with pytest.raises(PositionError, match=r"^key"):
        form.check(value, "key", STATE)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a game that nobody plays."""

    rounds: int = option(IntegerOption(1, 50), "rounds", 10)
    word: str = option(OneOf("Low", "High", is_exact=True), "exact words")
    draws_lots: bool = option(OneOf(False, True), "lots")
    order: tuple[Any, ...] = option(EachOnce({("att", "foot"): (0, 0), ("def", "foot"): (1, 0)}), "order")
    prices: tuple[int, int] = option(OptionGroup({"land": IntegerOption(0, 9), "house": IntegerOption(2, 9)}), "prices")


OPTIONS = DeclaredOptions("nothing", Options)


def test_options_that_are_written_read_back_and_the_defaults_are_the_declared() -> None:
    values: dict[str, Any] = {
        "rounds": 3,
        "word": "High",
        "draws_lots": True,
        "order": [["def", "foot"], ["att", "foot"]],
        "prices": {"land": 4, "house": 5},
    }
    read = OPTIONS.parse(values)
    assert (read.order, read.prices) == (((1, 0), (0, 0)), (4, 5))
    assert OPTIONS.to_json(read) == values
    assert list(OPTIONS.schema()["properties"]) == list(values)
    assert OPTIONS.parse({}) == Options() == OPTIONS.default


def test_only_what_differs_from_the_defaults_is_a_change() -> None:
    assert OPTIONS.changes(OPTIONS.parse({"rounds": 10})) == {}
    assert OPTIONS.changes(OPTIONS.parse({"prices": {"land": 1}})) == {"prices": {"land": 1, "house": 2}}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"speed": 1}, "nothing has no option 'speed'; it has: rounds, word"),
        ({"word": "high"}, "option word takes Low or High, not 'high'"),
        ({"order": [["att", "foot"]]}, "option order takes each of"),
        ({"order": [["att", "foot"], ["att", "foot"]]}, "option order takes each of"),
        ({"prices": {"house": 1}}, "option prices.house takes 2 to 9, not 1"),
        ({"prices": "{"}, "option prices takes JSON, for example"),
    ],
)
def test_what_an_option_does_not_take_is_refused_by_its_name(values: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        OPTIONS.parse(values)
