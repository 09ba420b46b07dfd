"""Reads the parts of a position from JSON, checked. Every refusal is a PositionError that names the key. No I/O.

`key` is the place in the position as people write it: `gold[1]`, `pending.last`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from engine.core import OptionsError, PositionError

T = TypeVar("T")

_LONGEST_SHOWN = 60
_MOST_NAMED = 20
"""Of more names than these one is given as an example."""


def shown(value: Any) -> str:
    """A value for a message, cut when it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def read_int(value: Any, key: str, lowest: int, highest: int) -> int:
    """An integer within bounds; true and false are none."""
    if type(value) is not int or not lowest <= value <= highest:
        raise PositionError(f"{key}: expected an integer from {lowest} to {highest}, not {shown(value)}")
    return value


def read_ints(value: Any, key: str, size: int, highest: int) -> list[int]:
    """A list of `size` integers from 0 to `highest`."""
    if not isinstance(value, list) or len(value) != size:
        raise PositionError(f"{key}: expected a list of {size} integers, not {shown(value)}")
    for index, item in enumerate(value):
        if type(item) is not int or not 0 <= item <= highest:
            read_int(item, f"{key}[{index}]", 0, highest)
    return value[:]


def read_flag(value: Any, key: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise PositionError(f"{key}: expected true or false, not {shown(value)}")
    return value


def read_optional_seat(value: Any, key: str, seats: int) -> int:
    """A seat; -1 for null."""
    return -1 if value is None else read_int(value, key, 0, seats - 1)


def read_name(value: Any, key: str, names: Mapping[str, int] | Sequence[str]) -> int:
    """What a name stands for: its value in a mapping, its index in a sequence."""
    if not isinstance(value, str) or value not in names:
        known = ", ".join(names) if len(names) < _MOST_NAMED else f"a name like {next(iter(names))}"
        raise PositionError(f"{key}: expected {known}, not {shown(value)}")
    return names[value] if isinstance(names, Mapping) else names.index(value)


def read_optional_name(value: Any, key: str, names: Mapping[str, int] | Sequence[str]) -> int:
    """What a name stands for; -1 for null."""
    return -1 if value is None else read_name(value, key, names)


def read_list(value: Any, key: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise PositionError(f"{key}: expected a list, not {shown(value)}")
    return value


def read_seats(value: Any, key: str, seats: int) -> list[int]:
    """A list of seats, none of them twice."""
    return distinct([read_int(seat, key, 0, seats - 1) for seat in read_list(value, key)], key)


def read_names(value: Any, key: str, names: Mapping[str, int] | Sequence[str]) -> list[int]:
    """What a list of names stands for, none of them twice."""
    return distinct([read_name(name, key, names) for name in read_list(value, key)], key)


def distinct(found: list[int], key: str) -> list[int]:
    """The list itself, in which nothing stands twice."""
    if len(set(found)) != len(found):
        raise PositionError(f"{key}: something is named twice")
    return found


def read_object(value: Any, key: str, names: Collection[str]) -> Mapping[str, Any]:
    """An object with exactly these keys."""
    if not isinstance(value, Mapping):
        raise PositionError(f"{key}: expected an object, not {shown(value)}")
    if len(value) != len(names) or any(name not in value for name in names):
        for name in sorted(set(names) - set(value)):
            raise PositionError(f"{key}: the key {name!r} is missing")
        for name in sorted(set(value) - set(names), key=str):
            raise PositionError(f"{key}: there is no key {name!r}")
    return value


def read_header(data: Any, game: str, version: int, names: Collection[str]) -> Mapping[str, Any]:
    """A whole position: an object with these keys whose `game` and `version` are those of its reader."""
    read_object(data, "the position", names)
    if data["game"] != game or data["version"] != version:
        raise PositionError(f"this reads positions of {game}, version {version}")
    position: Mapping[str, Any] = data
    return position


def read_options(value: Any, parse: Callable[[str], T]) -> T:
    """What `parse` makes of the text of the options' JSON; it may keep what it made, for searches read it often."""
    if not isinstance(value, Mapping):
        raise PositionError(f"options: expected an object, not {shown(value)}")
    try:
        return parse(json.dumps(value))
    except (OptionsError, TypeError) as error:
        raise PositionError(f"options: {error}") from error


def need(fact: object, message: str) -> None:
    """Raise PositionError with the message unless the fact holds."""
    if not fact:
        raise PositionError(message)
