"""How the fields of a position stand in JSON, within which bounds, and the checked reading of parts. No I/O.

A form turns a field's value into JSON and back, and checks a value that came by another road (the wire) by the same
bounds. Every refusal is a PositionError that names the key: the place in the position as people write it, `gold[1]` or
`pending.last`. A bound may depend on the position that is being read, of which the fields declared before are known:
`Numbers(seat_count, 16)` is a list of as many numbers as there are seats.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from engine.core import OptionTable, PositionError

L = TypeVar("L", bound=Sequence[Any])

_LONGEST_SHOWN = 60
_MOST_NAMED = 20
"""Of more names than these one is given as an example."""


def format_value(value: Any) -> str:
    """Return a value for a message, cut when it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def read_int(value: Any, key: str, lowest: int, highest: int) -> int:
    """Return an integer within the bounds; true and false are none."""
    if type(value) is not int or not lowest <= value <= highest:
        raise PositionError(f"{key}: expected an integer from {lowest} to {highest}, not {format_value(value)}")
    return value


def read_ints(value: Any, key: str, size: int, highest: int) -> list[int]:
    """Return a copy of a list of `size` integers from 0 to `highest`."""
    if not isinstance(value, list) or len(value) != size:
        raise PositionError(f"{key}: expected a list of {size} integers, not {format_value(value)}")
    for index, item in enumerate(value):
        if type(item) is not int or not 0 <= item <= highest:
            read_int(item, f"{key}[{index}]", 0, highest)
    return value[:]


def read_flag(value: Any, key: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise PositionError(f"{key}: expected true or false, not {format_value(value)}")
    return value


def read_name(value: Any, key: str, names: Mapping[str, int] | Sequence[str]) -> int:
    """Return what a name stands for: its value in a mapping, its index in a sequence."""
    if not isinstance(value, str) or value not in names:
        known = ", ".join(names) if len(names) < _MOST_NAMED else f"a name like {next(iter(names))}"
        raise PositionError(f"{key}: expected {known}, not {format_value(value)}")
    return names[value] if isinstance(names, Mapping) else names.index(value)


def read_list(value: Any, key: str) -> list[Any]:
    """Return a list, whatever is in it."""
    if not isinstance(value, list):
        raise PositionError(f"{key}: expected a list, not {format_value(value)}")
    return value


def read_object(value: Any, key: str, names: Collection[str]) -> Mapping[str, Any]:
    """Return an object that has exactly these keys."""
    if not isinstance(value, Mapping):
        raise PositionError(f"{key}: expected an object, not {format_value(value)}")
    if len(value) != len(names) or any(name not in value for name in names):
        for name in sorted(set(names) - set(value)):
            raise PositionError(f"{key}: the key {name!r} is missing")
        for name in sorted(set(value) - set(names), key=str):
            raise PositionError(f"{key}: there is no key {name!r}")
    return value


def read_header(data: Any, game: str, version: int, names: Collection[str]) -> Mapping[str, Any]:
    """Return a whole position: an object with these keys whose `game` and `version` are those of its reader."""
    read_object(data, "the position", names)
    if data["game"] != game or data["version"] != version:
        raise PositionError(f"this reads positions of {game}, version {version}")
    position: Mapping[str, Any] = data
    return position


def need(fact: object, message: str) -> None:
    """Raise PositionError with the message unless the fact holds."""
    if not fact:
        raise PositionError(message)


def distinct(found: L, key: str) -> L:
    """Return the list itself, in which nothing may stand twice."""
    need(len(set(found)) == len(found), f"{key}: something is named twice")
    return found


Bound = int | Callable[[Any], int]
"""A number, or a function of the position that gives it."""


def seat_count(state: Any) -> int:
    """Return how many seats the position has: the usual size of a list."""
    count: int = state.seats
    return count


def at(bound: Bound, state: Any) -> int:
    """Return the bound in this position."""
    return bound if isinstance(bound, int) else bound(state)


class FieldForm(Protocol):
    """How one field stands in JSON. `key` is its place as people write it: `gold[1]`, `pending.last`."""

    def write(self, value: Any, state: Any) -> Any:
        """Return the value as JSON."""

    def read(self, data: Any, key: str, state: Any) -> Any:
        """Return the value that `write` made JSON of. Raises PositionError naming the key."""

    def check(self, value: Any, key: str, state: Any) -> None:
        """Raise PositionError naming the key unless `read` could have returned the value.

        Its type is right already: what a message carries is typed.
        """


@dataclass(frozen=True, slots=True)
class Number:
    """An integer from `low` to `high`."""

    low: Bound
    high: Bound

    def write(self, value: int, state: Any) -> int:
        del state
        return value

    def read(self, data: Any, key: str, state: Any) -> int:
        return read_int(data, key, at(self.low, state), at(self.high, state))

    def check(self, value: Any, key: str, state: Any) -> None:
        read_int(value, key, at(self.low, state), at(self.high, state))


@dataclass(frozen=True, slots=True)
class Numbers:
    """A list of `size` integers from 0 to `high`."""

    size: Bound
    high: Bound

    def write(self, value: list[int], state: Any) -> list[int]:
        del state
        return value[:]

    def read(self, data: Any, key: str, state: Any) -> list[int]:
        return read_ints(data, key, at(self.size, state), at(self.high, state))

    def check(self, value: Any, key: str, state: Any) -> None:
        size, high = at(self.size, state), at(self.high, state)
        if len(value) != size or (value and (min(value) < 0 or max(value) > high)):
            read_ints(value, key, size, high)


class Flag:
    """True or false."""

    def write(self, value: bool, state: Any) -> bool:
        del state
        return value

    def read(self, data: Any, key: str, state: Any) -> bool:
        del state
        return read_flag(data, key)

    def check(self, value: Any, key: str, state: Any) -> None:
        del state
        read_flag(value, key)


@dataclass(frozen=True, slots=True)
class SeatNumber:
    """A seat of the position."""

    def write(self, value: int, state: Any) -> int:
        del state
        return value

    def read(self, data: Any, key: str, state: Any) -> int:
        return read_int(data, key, 0, state.seats - 1)

    def check(self, value: Any, key: str, state: Any) -> None:
        read_int(value, key, 0, state.seats - 1)


class Name:
    """A name in JSON, a small integer in the position: the name's index, or what a mapping says it stands for."""

    def __init__(self, names: Sequence[str] | Mapping[str, int]) -> None:
        self._values = dict(names) if isinstance(names, Mapping) else {name: i for i, name in enumerate(names)}
        self._names = {value: name for name, value in self._values.items()}

    def write(self, value: int, state: Any) -> str:
        del state
        return self._names[value]

    def read(self, data: Any, key: str, state: Any) -> int:
        del state
        return read_name(data, key, self._values)

    def check(self, value: Any, key: str, state: Any) -> None:
        del state
        if value not in self._names:
            raise PositionError(f"{key}: {format_value(value)} stands for none of {', '.join(list(self._values)[:20])}")


@dataclass(frozen=True, slots=True)
class Optional:
    """Another form, or null, which stands for `nothing`."""

    form: FieldForm
    nothing: Any = None

    def write(self, value: Any, state: Any) -> Any:
        return None if value == self.nothing else self.form.write(value, state)

    def read(self, data: Any, key: str, state: Any) -> Any:
        return self.nothing if data is None else self.form.read(data, key, state)

    def check(self, value: Any, key: str, state: Any) -> None:
        if value != self.nothing:
            self.form.check(value, key, state)


def check_each(form: FieldForm, values: Sequence[Any], key: str, places: Iterable[str], state: Any) -> None:
    """Check every value; keys are made only for the message."""
    check = form.check
    try:
        for value in values:
            check(value, key, state)
    except PositionError:
        for value, place in zip(values, places, strict=True):
            check(value, key + place, state)
        raise


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list whose items have one form: `size` of them if given, else any number up to `most`."""

    form: FieldForm
    size: Bound | None = None
    most: Bound | None = None
    distinct: bool = False
    """Whether nothing may stand in it twice."""
    kind: Callable[[list[Any]], Any] = list
    """What holds the items in the position: `list`, or `tuple` where it is replaced and never changed."""

    def write(self, value: Sequence[Any], state: Any) -> list[Any]:
        write = self.form.write
        return [write(item, state) for item in value]

    def read(self, data: Any, key: str, state: Any) -> Any:
        self._check_length(read_list(data, key), key, state)
        read = self.form.read
        found = [read(item, self._place(key, index), state) for index, item in enumerate(data)]
        self._check_distinct(found, key)
        return self.kind(found)

    def check(self, value: Any, key: str, state: Any) -> None:
        self._check_length(value, key, state)
        check_each(self.form, value, key, (self._place("", index) for index in range(len(value))), state)
        self._check_distinct(value, key)

    def _place(self, key: str, index: int) -> str:
        """Return where an item stands; one of different items is found by what it is."""
        return key if self.distinct else f"{key}[{index}]"

    def _check_length(self, value: Sequence[Any], key: str, state: Any) -> None:
        if self.size is not None and len(value) != at(self.size, state):
            raise PositionError(f"{key}: expected a list of {at(self.size, state)}, not {format_value(value)}")
        if self.most is not None and len(value) > at(self.most, state):
            raise PositionError(f"{key}: expected a list of at most {at(self.most, state)}, not {format_value(value)}")

    def _check_distinct(self, value: Sequence[Any], key: str) -> None:
        if self.distinct:
            distinct(value, key)


class OptionsForm:
    """The options of the match."""

    def __init__(self, table: OptionTable) -> None:
        self._parse_text = lru_cache(maxsize=64)(lambda text: table.parse(json.loads(text)))
        self._written = lru_cache(maxsize=64)(lambda options: marshal.dumps(table.to_json(options)))

    def write(self, value: Any, state: Any) -> Any:
        del state
        return marshal.loads(self._written(value))  # the quickest copy of a nested value

    def read(self, data: Any, key: str, state: Any) -> Any:
        del state
        if not isinstance(data, Mapping):
            raise PositionError(f"{key}: expected an object, not {format_value(data)}")
        try:
            return self._parse_text(json.dumps(data))
        except (ValueError, TypeError) as error:  # OptionsError is a ValueError
            raise PositionError(f"{key}: {error}") from error

    def check(self, value: Any, key: str, state: Any) -> None:
        """Accept it: options are validated when they are made."""
        del value, key, state
