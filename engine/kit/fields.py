"""Declared fields: what a position consists of, said once, gives its start, its JSON and the checked reader. No I/O.

    @dataclass(slots=True, init=False, eq=False, repr=False)
    class NimState(PhasedState):
        clone = clones.clone_nim_state

        seats: int = stated(Number(2, 4))
        options: Options = stated(OptionsForm(OPTIONS), start=None)
        phase: int = stated(Name(PHASES), start=0)
        decider: int | None = stated(Optional(Seat()), key="seat", start=0)
        heap: int = stated(Number(0, 99), start=lambda state: state.options.heap)
        legal: Sequence[int] | None = unstated(None)

    POSITION: Final = PositionForm(NimState, "nim", version=1)

JSON has `game`, `version` and then the stated fields in the order of the declaration. `clones` is a module that
`engine.kit.cloning` writes from the same declaration. Two positions are equal if their JSON is (`engine.core.State`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from engine.chance import Chance
from engine.core import InvariantError, PositionError
from engine.kit.forms import Form
from engine.kit.phases import PhasedState
from engine.kit.reading import read_header, read_object

S = TypeVar("S", bound=PhasedState)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Group:
    """Keys that stand together in an object under one key, like what is pending in a phase."""

    key: str
    holds: Callable[[Any], bool] | None = None
    """`(state)`: whether there is such an object; null if not. None: there always is one."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What is declared of a field."""

    name: str
    key: str
    form: Form | None
    start: Any
    group: Group | None
    when: Callable[[Any], bool] | None
    derived: bool

    def started(self, state: Any) -> Any:
        """Return what the field holds in a new game."""
        return self.start(state) if callable(self.start) else self.start


def stated(
    form: Form,
    *,
    start: Any = None,
    key: str = "",
    group: Group | None = None,
    when: Callable[[Any], bool] | None = None,
) -> Any:
    """Declare a field that stands in JSON.

    `start` is its value in a new game, or a function of the position in which the fields before it are set; a list
    needs a function, so that no two positions share it. `key` is its key in JSON if that is not its name. A field of a
    `group` stands in the group's object, and only `when(state)` says so if that is given; it holds `start` otherwise.
    """
    return field(metadata={"form": form, "start": start, "key": key, "group": group, "when": when, "derived": False})


def unstated(start: Any = None, *, derived: bool = True) -> Any:
    """Declare a field that does not stand in JSON: what follows from the others, or (not `derived`) is kept beside."""
    return field(metadata={"form": None, "start": start, "key": "", "group": None, "when": None, "derived": derived})


def declared(kind: type[Any]) -> tuple[Stated, ...]:
    """Return what is declared of the fields of a dataclass."""
    found = [(each.name, dict(each.metadata)) for each in fields(kind)]
    return tuple(Stated(name=name, **{**said, "key": said["key"] or name}) for name, said in found)


class FieldTable:
    """The stated fields of one class: JSON, its checked reader, the check of values that came by the wire.

    `state` is the position to which bounds refer: the holder of the fields itself, or what contains it.
    """

    def __init__(self, kind: type[Any]) -> None:
        self.all: Final = declared(kind)
        self._stated = [each for each in self.all if each.form is not None]
        self._groups: dict[str, list[Stated]] = {}
        self._top: list[tuple[str, Stated | None, Group | None]] = []
        for each in self._stated:
            if each.group is None:
                self._top.append((each.key, each, None))
            elif each.group.key not in self._groups:
                self._top.append((each.group.key, None, each.group))
            if each.group is not None:
                self._groups.setdefault(each.group.key, []).append(each)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the JSON object, in order."""
        return tuple(key for key, _, _ in self._top)

    def start(self, holder: Any, state: Any) -> None:
        """Give every field that has no value yet its value in a new game."""
        for each in self.all:
            if not hasattr(holder, each.name):
                setattr(holder, each.name, each.started(state))

    def write(self, holder: Any, state: Any, without: Container[str] = ()) -> dict[str, Any]:
        """Return the stated fields as JSON, but for the keys in `without`."""
        data: dict[str, Any] = {}
        for key, each, group in self._top:
            if key in without:
                continue
            if each is not None:
                data[key] = each.form.write(getattr(holder, each.name), state)  # type: ignore[union-attr]
            elif group is not None:
                data[key] = self._write_group(group, holder, state)
        return data

    def _write_group(self, group: Group, holder: Any, state: Any) -> dict[str, Any] | None:
        if group.holds is not None and not group.holds(holder):
            return None
        return {
            each.key: each.form.write(getattr(holder, each.name), state)  # type: ignore[union-attr]
            for each in self.present(group.key, holder)
        }

    def present(self, group: str, holder: Any) -> list[Stated]:
        """Return the fields of a group that stand in JSON as things are."""
        return [each for each in self._groups[group] if each.when is None or each.when(holder)]

    def read(self, holder: Any, data: Mapping[str, Any], state: Any, prefix: str = "") -> None:
        """Set every field from JSON whose keys are those of `keys`; what is not stated starts as in a new game.

        Raises PositionError naming the key.
        """
        for key, each, group in self._top:
            if each is not None:
                setattr(holder, each.name, each.form.read(data[key], prefix + key, state))  # type: ignore[union-attr]
            elif group is not None and not (data[key] is None and group.holds is not None):
                self._read_group(group, holder, data[key], state, prefix + key)
        self.start(holder, state)

    def _read_group(self, group: Group, holder: Any, data: Any, state: Any, key: str) -> None:
        present = self.present(group.key, holder)
        read_object(data, key, [each.key for each in present])
        for each in present:
            value = each.form.read(data[each.key], f"{key}.{each.key}", state)  # type: ignore[union-attr]
            setattr(holder, each.name, value)

    def check(self, holder: Any, state: Any, prefix: str = "") -> None:
        """Raise PositionError unless `read` could have set every stated field to what it holds."""
        for each in self._stated:
            group = each.group
            if group is not None and group.holds is not None and not group.holds(holder):
                continue
            if each.when is None or each.when(holder):
                key = each.key if group is None else f"{group.key}.{each.key}"
                each.form.check(getattr(holder, each.name), prefix + key, state)  # type: ignore[union-attr]


class Record(Generic[T]):
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
                if each.form is not None:
                    each.form.check(value, name, state)
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
            if each.form is None and each.derived and getattr(state, name) != getattr(again, name):
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
