"""What `wire.py` of a game says once: fields that a message has under the names of the position. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from engine.kit.held import container


class SameFields:
    """The fields that stand in a position and in its message under one name: integers, lists and tuples of integers."""

    def __init__(self, kind: type[Any], names: Sequence[str]) -> None:
        """Take `names` of the declared fields of the class `kind`."""
        types = {each.name: container(each) for each in fields(kind)}
        self._names = tuple(names)
        self._readers = tuple((name, _reader(types[name])) for name in names)

    def values(self, state: Any) -> dict[str, Any]:
        """Return the fields by name, to make a message of."""
        return {name: getattr(state, name) for name in self._names}

    def set(self, state: Any, message: Any) -> None:
        """Set the fields of the position to those of the message, unchecked."""
        for name, read in self._readers:
            value = getattr(message, name)
            setattr(state, name, read(value) if read else value)


def _reader(kind: str) -> Callable[[Any], Any] | None:
    if kind == "list":
        return lambda repeated: repeated[:]  # a slice of a repeated field is a list, and quicker than list()
    return (lambda repeated: tuple(repeated[:])) if kind in ("tuple", "Sequence") else None
