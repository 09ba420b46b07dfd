"""Declared fields: what a position consists of, said once, gives its start, its JSON and the checked reader. No I/O.

    @dataclass(slots=True, init=False, eq=False, repr=False)
    class NimState(PhasedState):
        clone = clones.clone_nim_state

        seats: int = stated(Number(2, 4))
        decider: int | None = stated(Optional(SeatNumber()), key="seat", start=0)
        heap: int = stated(Number(0, 99), start=20)

    POSITION: Final = PositionForm(NimState, "nim", version=1)

JSON has `game`, `version` and then the stated fields in the order of the declaration. `clones` is a module that
`engine.kit.cloning` writes from the same declaration. Two positions are equal if their JSON is (`engine.core.State`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from engine.chance import Chance
from engine.core import InvariantError, PositionError
from engine.kit.field_codecs import FieldForm, read_header, read_object
from engine.kit.phases import PhasedState

S = TypeVar("S", bound=PhasedState)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Keys that stand together in an object under one key, like what is pending in a phase."""

    key: str
    holds: Callable[[Any], bool] | None = None
    """`(state)`: whether there is such an object; null if not. None: there always is one."""


@dataclass(frozen=True, slots=True)
class Stated:
    """How a field stands in JSON."""

    name: str
    key: str
    form: FieldForm
    group: FieldGroup | None
    when: Callable[[Any], bool] | None

    def write(self, holder: Any, state: Any) -> Any:
        """Return the field of `holder` as JSON."""
        return self.form.write(getattr(holder, self.name), state)

    def read(self, holder: Any, data: Any, key: str, state: Any) -> None:
        """Set the field of `holder` from JSON. Raises PositionError naming the key."""
        setattr(holder, self.name, self.form.read(data, key, state))

    def check(self, holder: Any, key: str, state: Any) -> None:
        """Raise PositionError naming the key unless `read` could have set the field to what it holds."""
        self.form.check(getattr(holder, self.name), key, state)


@dataclass(frozen=True, slots=True)
class Declared:
    """What is declared of a field."""

    name: str
    start: Any
    stated: Stated | None
    derived: bool

    def started(self, state: Any) -> Any:
        """Return what the field holds in a new game."""
        return self.start(state) if callable(self.start) else self.start


def stated(
    form: FieldForm,
    *,
    start: Any = None,
    key: str = "",
    group: FieldGroup | None = None,
    when: Callable[[Any], bool] | None = None,
) -> Any:
    """Declare a field that stands in JSON.

    `start` is its value in a new game, or a function of the position in which the fields before it are set; a list
    needs a function, so that no two positions share it. `key` is its key in JSON if that is not its name. A field of a
    `group` stands in the group's object, if `when(state)`, which asks only for fields outside the group, says so; it
    holds `start` otherwise.
    """
    return field(metadata={"start": start, "form": form, "key": key, "group": group, "when": when})


def unstated(start: Any = None, *, derived: bool = True) -> Any:
    """Declare a field that does not stand in JSON: what follows from the others, or (not `derived`) is kept beside."""
    return field(metadata={"start": start, "derived": derived})


def declared(kind: type[Any]) -> tuple[Declared, ...]:
    """Return what is declared of the fields of a dataclass."""
    found = []
    for each in fields(kind):
        name, said, stated = each.name, each.metadata, None
        if "form" in said:
            stated = Stated(name, said["key"] or name, said["form"], said["group"], said["when"])
        found.append(Declared(name, said["start"], stated, stated is None and said["derived"]))
    return tuple(found)


class FieldTable:
    """The stated fields of one class: JSON, its checked reader, the check of values that came by the wire.

    `state` is the position to which bounds refer: the holder of the fields itself, or what contains it.
    """

    def __init__(self, kind: type[Any]) -> None:
        self.all: Final = declared(kind)
        self._top: dict[str, Stated | FieldGroup] = {}
        self._in_group: dict[str, list[Stated]] = {}
        for each in (found.stated for found in self.all if found.stated is not None):
            if each.group is None:
                self._top[each.key] = each
            else:
                self._top.setdefault(each.group.key, each.group)
                self._in_group.setdefault(each.group.key, []).append(each)

        self._writers: list[tuple[str, str, Callable[[Any, Any], Any]]] = [
            (key, each.name, each.form.write)
            if isinstance(each, Stated)
            else (key, "", partial(self._write_group, each))
            for key, each in self._top.items()
        ]

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the JSON object, in order."""
        return tuple(self._top)

    def start(self, holder: Any, state: Any) -> None:
        """Give every field that has no value yet its value in a new game."""
        for each in self.all:
            if not hasattr(holder, each.name):
                setattr(holder, each.name, each.started(state))

    def write(self, holder: Any, state: Any, without: Container[str] = ()) -> dict[str, Any]:
        """Return the stated fields as JSON, but for the keys in `without`."""
        data: dict[str, Any] = {}
        for key, name, write in self._writers:
            if not without or key not in without:
                data[key] = write(getattr(holder, name), state) if name else write(holder, state)
        return data

    def _write_group(self, group: FieldGroup, holder: Any, state: Any) -> dict[str, Any] | None:
        if group.holds is not None and not group.holds(holder):
            return None
        return {inner.key: inner.write(holder, state) for inner in self.present(group.key, holder)}

    def present(self, group: str, holder: Any) -> list[Stated]:
        """Return the fields of a group that stand in JSON as things are."""
        return [each for each in self._in_group[group] if each.when is None or each.when(holder)]

    def read(self, holder: Any, data: Mapping[str, Any], state: Any, prefix: str = "") -> None:
        """Set every field from JSON whose keys are those of `keys`; what is not stated starts as in a new game.

        Raises PositionError naming the key.
        """
        for key, each in self._top.items():
            if isinstance(each, Stated):
                each.read(holder, data[key], prefix + key, state)
            elif data[key] is not None or each.holds is None:
                present = self.present(key, holder)
                read_object(data[key], prefix + key, [inner.key for inner in present])
                for inner in present:
                    inner.read(holder, data[key][inner.key], f"{prefix}{key}.{inner.key}", state)
        self.start(holder, state)

    def check(self, holder: Any, state: Any, prefix: str = "") -> None:
        """Raise PositionError unless `read` could have set every stated field to what it holds."""
        for key, each in self._top.items():
            if isinstance(each, Stated):
                each.form.check(getattr(holder, each.name), prefix + key, state)
            elif each.holds is None or each.holds(holder):
                for inner in self.present(key, holder):
                    inner.check(holder, f"{prefix}{key}.{inner.key}", state)


class ObjectForm(Generic[T]):
    """The form of a field that holds an object of its own declared fields, made without arguments."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._table = FieldTable(kind)

    def write(self, value: T, state: Any) -> dict[str, Any]:
        return self._table.write(value, state)

    def read(self, data: Any, key: str, state: Any) -> T:
        read_object(data, key, self._table.keys)
        holder = self._kind.__new__(self._kind)
        self._table.read(holder, data, state, f"{key}.")
        return holder

    def check(self, value: Any, key: str, state: Any) -> None:
        self._table.check(value, state, f"{key}.")


def accept(state: Any) -> None:
    """Accept a position as it is."""
    del state


class PositionForm(Generic[S]):
    """The whole position of a game as JSON, and the one road by which a position comes in from outside."""

    def __init__(
        self,
        kind: type[S],
        game: str,
        version: int,
        derive: Callable[[S], None] = accept,
        check: Callable[[S], None] = accept,
    ) -> None:
        """Describe the positions of class `kind`.

        `derive(state)` sets the unstated fields that follow from the others; every stated one is within its bounds
        then. `check(state)` raises PositionError unless the table adds up; whether the phase fits it is asked later.
        """
        self.version = version
        self._kind, self._game, self._derive, self._check = kind, game, derive, check
        self._fields = FieldTable(kind)
        self._by_name = {each.name: each for each in self._fields.all}
        self._keys = ("game", "version", *self._fields.keys)
        self._started = lru_cache(maxsize=64)(self._start)

    def start(self, seats: int, options: Any = None, chance: Chance | None = None) -> S:
        """Return the position before a game starts; PositionError if there is none for so many seats."""
        return self._started(seats, options).clone(chance)

    def _start(self, seats: int, options: Any) -> S:
        """Make what `start` copies, once for each number of seats and set of options."""
        state = self._kind.__new__(self._kind)
        for name, value in (("seats", seats), ("options", options)):
            each = self._by_name.get(name)
            if each is not None:
                if each.stated is not None:
                    each.stated.form.check(value, name, state)
                setattr(state, name, value)
        self._fields.start(state, state)
        return state

    def write(self, state: S, without: Container[str] = ()) -> dict[str, Any]:
        """Return the position as JSON, but for the keys in `without`."""
        return {"game": self._game, "version": self.version, **self._fields.write(state, state, without)}

    def read(self, data: Any, chance: Chance | None = None) -> S:
        """Return the position that `write` made JSON of. Raises PositionError naming the key that is wrong."""
        read_header(data, self._game, self.version, self._keys)
        state = self._kind.__new__(self._kind)
        if "chance" in self._by_name:
            state.chance = chance  # type: ignore[attr-defined]
        self._fields.read(state, data, state)
        return self._settle(state)

    def present(self, group: str, state: S) -> list[Stated]:
        """Return the fields of a group that stand in JSON as the position is."""
        return self._fields.present(group, state)

    def check_invariants(self, state: S) -> None:
        """Raise InvariantError unless the reader would take the position, and what follows from it is in step with it.

        Slow: the position becomes JSON and is read again, and everything is counted once more.
        """
        try:
            again = self.read(self.write(state))
        except PositionError as error:
            raise InvariantError(str(error)) from error
        for each in self._fields.all:
            name = each.name
            if each.derived and getattr(state, name) != getattr(again, name):
                raise InvariantError(f"{name} is {getattr(state, name)}, but {getattr(again, name)} follows")

    def settle(self, state: S) -> S:
        """Return a position made of values from outside that stand in its fields already, once it is checked.

        Raises PositionError naming the key that is wrong.
        """
        self._fields.check(state, state)
        return self._settle(state)

    def _settle(self, state: S) -> S:
        self._derive(state)
        self._check(state)
        state.check_phase()
        return state


def container(each: Field[Any]) -> str:
    """Return `list`, `dict`, `tuple`, `Sequence` or the name of another type, without what is in it.

    An annotation is a text, but for a class that was compiled, which has the type itself there.
    """
    kind: Any = each.type
    return str(getattr(kind, "__name__", kind)).partition("[")[0]


class SameFields:
    """The fields that a position and its message have under one name: integers, lists and tuples of integers."""

    def __init__(self, kind: type[Any], names: Sequence[str]) -> None:
        """Take `names` of the declared fields of the class `kind`."""
        types = {each.name: container(each) for each in fields(kind)}
        self._names = tuple(names)
        self._values = attrgetter(*names)
        # A slice of a repeated field is a list, and quicker than list().
        copiers: dict[str, Callable[[Any], Any]] = {
            "list": lambda it: it[:],
            "tuple": lambda it: tuple(it[:]),
            "Sequence": lambda it: tuple(it[:]),
        }
        self._readers = tuple((name, copiers.get(types[name])) for name in names)

    def values(self, state: Any) -> dict[str, Any]:
        """Return the fields by name, to make a message of."""
        return dict(zip(self._names, self._values(state)))  # noqa: B905 - as many, and half as quick if it looked

    def set(self, state: Any, message: Any) -> None:
        """Set the fields of the position to those of the message, unchecked."""
        for name, read in self._readers:
            value = getattr(message, name)
            setattr(state, name, read(value) if read else value)
