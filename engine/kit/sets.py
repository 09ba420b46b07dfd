"""Forms of bit sets and of tables in which most entries are nothing. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.core import PositionError
from engine.kit.forms import Form, ListOf, Name
from engine.kit.reading import read_int, read_name, shown


class Mask:
    """A list of different names in JSON, in the order of `names`; a bit set of their indices in the position."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = ListOf(Name(names), distinct=True)
        self._bits = tuple((1 << index, name) for index, name in enumerate(names))

    def write(self, value: int, state: Any) -> list[str]:
        del state
        return [name for bit, name in self._bits if value & bit]

    def read(self, data: Any, key: str, state: Any) -> int:
        return sum(1 << index for index in self._names.read(data, key, state))

    def check(self, value: int, key: str, state: Any) -> None:
        del state
        read_int(value, key, 0, (1 << len(self._bits)) - 1)


@dataclass(frozen=True, slots=True)
class Entries:
    """An object in JSON with some of `names` as keys; in the position a list of all, of `nothing` where no key is."""

    names: Mapping[str, int]
    """Name to index, in the order of the indices."""
    form: Form
    nothing: Any
    example: str
    """An object as it may be, for the message."""

    def write(self, value: Sequence[Any], state: Any) -> dict[str, Any]:
        entries = zip(self.names, value, strict=True)
        return {name: self.form.write(entry, state) for name, entry in entries if entry != self.nothing}

    def pairs(self, data: Any, key: str, state: Any) -> Iterator[tuple[int, Any]]:
        """Yield index and value of what stands in the object. Raises PositionError naming the key."""
        if not isinstance(data, Mapping):
            raise PositionError(f"{key}: expected an object like {self.example}, not {shown(data)}")
        for name, entry in data.items():
            yield read_name(name, key, self.names), self.form.read(entry, f"{key}.{name}", state)

    def read(self, data: Any, key: str, state: Any) -> list[Any]:
        found = [self.nothing] * len(self.names)
        for index, entry in self.pairs(data, key, state):
            found[index] = entry
        return found

    def check(self, value: Any, key: str, state: Any) -> None:
        if len(value) != len(self.names):
            raise PositionError(f"{key}: expected {len(self.names)} values, not {len(value)}")
        for name, entry in zip(self.names, value, strict=True):
            if entry != self.nothing:
                self.form.check(entry, f"{key}.{name}", state)


@dataclass(frozen=True, slots=True)
class FewEntries:
    """The same object in JSON; in the position a dict from index to what differs from nothing."""

    entries: Entries

    def write(self, value: Mapping[int, Any], state: Any) -> dict[str, Any]:
        names = tuple(self.entries.names)
        return {names[index]: self.entries.form.write(value[index], state) for index in sorted(value)}

    def read(self, data: Any, key: str, state: Any) -> dict[int, Any]:
        return dict(self.entries.pairs(data, key, state))

    def check(self, value: Mapping[int, Any], key: str, state: Any) -> None:
        names = tuple(self.entries.names)
        for index, entry in value.items():
            read_int(index, key, 0, len(names) - 1)
            self.entries.form.check(entry, f"{key}.{names[index]}", state)
