"""Forms of fields that stand in JSON as objects with known keys, or as sets of names. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.core import PositionError
from engine.kit.field_codecs import (
    Bound,
    FieldForm,
    ListOf,
    Name,
    Numbers,
    at,
    check_each,
    format_value,
    read_int,
    read_name,
    read_object,
)


@dataclass(frozen=True, slots=True)
class ByName:
    """An object with these names as keys; the position holds a list of the values in the order of the names."""

    names: Sequence[str]
    form: FieldForm

    def write(self, value: Sequence[Any], state: Any) -> dict[str, Any]:
        write = self.form.write
        return {name: write(item, state) for name, item in zip(self.names, value, strict=True)}

    def read(self, data: Any, key: str, state: Any) -> list[Any]:
        read_object(data, key, self.names)
        return [self.form.read(data[name], f"{key}.{name}", state) for name in self.names]

    def check(self, value: Any, key: str, state: Any) -> None:
        if len(value) != len(self.names):
            raise PositionError(f"{key}: expected {len(self.names)} values, not {len(value)}")
        check_each(self.form, value, key, (f".{name}" for name in self.names), state)


@dataclass(frozen=True, slots=True)
class Columns:
    """An object with these names as keys, each a list of `rows` numbers from 0 to `high`.

    The position holds one flat list of all rows: `value[row * len(names) + index of the name]`.
    """

    names: Sequence[str]
    rows: Bound
    high: Bound

    def write(self, value: list[int], state: Any) -> dict[str, list[int]]:
        del state
        width = len(self.names)
        return {name: value[index::width] for index, name in enumerate(self.names)}

    def read(self, data: Any, key: str, state: Any) -> list[int]:
        read_object(data, key, self.names)
        column = Numbers(at(self.rows, state), self.high)
        columns = [column.read(data[name], f"{key}.{name}", state) for name in self.names]
        return [number for row in zip(*columns, strict=True) for number in row]

    def check(self, value: Any, key: str, state: Any) -> None:
        Numbers(len(self.names) * at(self.rows, state), self.high).check(value, key, state)


class PackedCounts:
    """An object of small counts; the position holds them in one integer, `bits` bits each, the first key lowest."""

    def __init__(self, keys: Sequence[str], bits: int, most: int) -> None:
        self._shifts = {key: bits * place for place, key in enumerate(keys)}
        self._mask, self._most, self._end = (1 << bits) - 1, most, 1 << bits * len(keys)
        self._known: dict[int, dict[str, int]] = {}
        """The counts in the integers met so far that are valid."""

    def counts(self, value: int) -> dict[str, int]:
        """Return the count of each key."""
        return (self._known.get(value) or self._unpack(value)).copy()

    def _unpack(self, value: int) -> dict[str, int]:
        found = {key: value >> shift & self._mask for key, shift in self._shifts.items()}
        if 0 <= value < self._end and max(found.values()) <= self._most:
            self._known[value] = found
        return found

    def pack(self, counts: Iterable[int]) -> int:
        """Return the integer that holds the counts, given in the order of the keys; -1 if none does."""
        found = tuple(counts)
        if len(found) != len(self._shifts) or any(not 0 <= count <= self._mask for count in found):
            return -1
        return sum(count << shift for count, shift in zip(found, self._shifts.values(), strict=True))

    def write(self, value: int, state: Any) -> dict[str, int]:
        del state
        return self.counts(value)

    def read(self, data: Any, key: str, state: Any) -> int:
        del state
        read_object(data, key, self._shifts)
        return sum(read_int(data[k], f"{key}.{k}", 0, self._most) << shift for k, shift in self._shifts.items())

    def check(self, value: Any, key: str, state: Any) -> None:
        del state
        if value not in self._known and self._unpack(value) and value not in self._known:
            raise PositionError(f"{key}: {format_value(value)} holds a count that is not from 0 to {self._most}")


class Mask:
    """A list of different names in JSON, in the order of `names`; a bit set of their indices in the position."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = ListOf(Name(names), distinct=True)
        self._in_order = tuple(names)

    def write(self, value: int, state: Any) -> list[str]:
        del state
        found, names = [], self._in_order
        while value:
            low = value & -value
            found.append(names[low.bit_length() - 1])
            value ^= low
        return found

    def read(self, data: Any, key: str, state: Any) -> int:
        return sum(1 << index for index in self._names.read(data, key, state))

    def check(self, value: int, key: str, state: Any) -> None:
        del state
        read_int(value, key, 0, (1 << len(self._in_order)) - 1)


@dataclass(frozen=True, slots=True)
class Entries:
    """An object in JSON with some of `names` as keys; in the position a list of all, of `nothing` where no key is."""

    names: Mapping[str, int]
    """Name to index, in the order of the indices."""
    form: FieldForm
    nothing: Any
    example: str
    """An object as it may be, for the message."""

    def write(self, value: Sequence[Any], state: Any) -> dict[str, Any]:
        write, nothing = self.form.write, self.nothing
        return {name: write(entry, state) for name, entry in zip(self.names, value, strict=True) if entry != nothing}

    def pairs(self, data: Any, key: str, state: Any) -> Iterator[tuple[int, Any]]:
        """Yield index and value of what stands in the object. Raises PositionError naming the key."""
        if not isinstance(data, Mapping):
            raise PositionError(f"{key}: expected an object like {self.example}, not {format_value(data)}")
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


class FewEntries:
    """The same object in JSON; in the position a dict from index to what differs from nothing."""

    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self._names = tuple(entries.names)

    def write(self, value: Mapping[int, Any], state: Any) -> dict[str, Any]:
        names, write = self._names, self.entries.form.write
        return {names[index]: write(value[index], state) for index in sorted(value)}

    def read(self, data: Any, key: str, state: Any) -> dict[int, Any]:
        return dict(self.entries.pairs(data, key, state))

    def check(self, value: Mapping[int, Any], key: str, state: Any) -> None:
        names = self._names
        for index, entry in value.items():
            read_int(index, key, 0, len(names) - 1)
            self.entries.form.check(entry, f"{key}.{names[index]}", state)
