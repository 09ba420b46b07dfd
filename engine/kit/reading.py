"""Reads the parts of a position from JSON, checked. Every refusal is a PositionError that names the key. No I/O.

`key` is the place in the position as people write it: `gold[1]`, `pending.last`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from engine.core import PositionError

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
