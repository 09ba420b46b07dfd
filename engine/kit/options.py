"""Declared options: a frozen dataclass whose fields say what they take gives parsing, JSON and JSON Schema. No I/O.

    @dataclass(frozen=True, slots=True)
    class Options:
        rounds: int = option(IntegerOption(1, 50), "rounds after which the game is scored", 10)
        draws_lots: bool = option(OneOf(False, True), "whether ties are broken by lot")

    OPTIONS: Final = DeclaredOptions("my_game", Options)

The order of the fields is the order in which options are shown. A value may also be a text, as people type it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, Generic, Protocol, TypeVar

from engine.core import OptionsError
from engine.translatable import Text

T = TypeVar("T")

_YES_NO: Final[Mapping[str, bool]] = {"yes": True, "no": False, "true": True, "false": False}
_NONE: Final[Mapping[Any, Any]] = MappingProxyType({})


class OptionKind(Protocol):
    """What an option takes. `path` is the option as people write it: `bank`, `harvest.cap`."""

    @property
    def first(self) -> Any:
        """Return the value that is the default unless the declaration names another."""

    def read(self, path: str, value: Any, default: Any) -> Any:
        """Return the value that JSON or a text stands for. Raises OptionsError naming the path and what it takes.

        `default` is the value that is replaced; a block keeps the parts of it that `value` leaves out.
        """

    def write(self, value: Any) -> Any:
        """Return the value as JSON."""

    def schema(self) -> dict[str, Any]:
        """Return what JSON Schema says of the values."""


class OneOf:
    """One of a few values, the first by default; texts are read without regard to case, booleans as yes and no."""

    def __init__(self, *values: Any, meaning: Mapping[Any, Any] = _NONE, is_exact: bool = False) -> None:
        """Take `values` as they stand in JSON; `meaning` gives what some of them become (`{"unlimited": None}`).

        With `is_exact` texts are taken only as they are spelled.
        """
        self.values = values
        self._is_exact = is_exact
        self._meaning = meaning
        self._written = {meant: value for value, meant in meaning.items()}

    @property
    def first(self) -> Any:
        return self._meaning.get(self.values[0], self.values[0])

    def read(self, path: str, value: Any, default: Any) -> Any:
        del default
        for allowed in self.values:
            is_it = type(value) is type(allowed) and value == allowed
            if not is_it and not self._is_exact and isinstance(value, str):
                text = value.strip().lower()
                is_it = _YES_NO.get(text) is allowed if isinstance(allowed, bool) else text == str(allowed)
            if is_it:
                return self._meaning.get(allowed, allowed)
        raise OptionsError(
            Text(
                "option {path} takes {known}, not {value}",
                path=path,
                known=" or ".join(map(_format, self.values)),
                value=repr(value),
            )
        )

    def write(self, value: Any) -> Any:
        return self._written.get(value, value)

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.values)}


def _format(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


_LONGEST_NUMBER: Final = 6


@dataclass(frozen=True, slots=True)
class IntegerOption:
    """An integer from `low` to `high`, both at least 0, or its decimal text."""

    low: int
    high: int
    tells_bounds: bool = True
    """Whether the schema names the bounds."""

    @property
    def first(self) -> int:
        return self.low

    def read(self, path: str, value: Any, default: Any) -> int:
        del default
        text = str(value).strip()
        is_number = isinstance(value, (int, str)) and not isinstance(value, bool) and text.isascii() and text.isdigit()
        if is_number and len(text) <= _LONGEST_NUMBER and self.low <= int(text) <= self.high:
            return int(text)
        raise OptionsError(
            Text(
                "option {path} takes {least} to {most}, not {value}",
                path=path,
                least=self.low,
                most=self.high,
                value=repr(value),
            )
        )

    def write(self, value: int) -> int:
        return value

    def schema(self) -> dict[str, Any]:
        bounds = {"minimum": self.low, "maximum": self.high} if self.tells_bounds else {}
        return {"type": "integer", **bounds}


class OptionGroup:
    """Named parts, of which any may be given; the value is a tuple of all of them in the declared order."""

    def __init__(self, parts: Mapping[str, OptionKind]) -> None:
        self.parts = parts

    @property
    def first(self) -> tuple[Any, ...]:
        return tuple(kind.first for kind in self.parts.values())

    def read(self, path: str, value: Any, default: Any) -> tuple[Any, ...]:
        value = from_text(path, value, self.write(default))
        if not isinstance(value, Mapping):
            raise OptionsError(
                Text(
                    "option {path} takes an object with any of {parts}, not {value}",
                    path=path,
                    parts=", ".join(self.parts),
                    value=repr(value),
                )
            )
        if (name := _first_unknown(value, self.parts)) is not None:
            raise OptionsError(
                Text("option {path} has no {name}; it has: {known}", path=path, name=name, known=", ".join(self.parts))
            )
        return tuple(
            kind.read(f"{path}.{name}", value[name], old) if name in value else old
            for (name, kind), old in zip(self.parts.items(), default, strict=True)
        )

    def write(self, value: Sequence[Any]) -> dict[str, Any]:
        return {name: kind.write(part) for (name, kind), part in zip(self.parts.items(), value, strict=True)}

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}


class EachOnce:
    """A list that names each of a few things once, in an order of its own; the value is a tuple."""

    def __init__(self, meaning: Mapping[Any, Any]) -> None:
        """Take the keys of `meaning`, lists being tuples, and make of each what `meaning` says."""
        self._meaning = meaning
        self._written = {meant: thing for thing, meant in meaning.items()}

    @property
    def first(self) -> tuple[Any, ...]:
        return tuple(self._meaning.values())

    def read(self, path: str, value: Any, default: Any) -> tuple[Any, ...]:
        value = from_text(path, value, self.write(default))
        things = value if isinstance(value, list) else []
        found = [tuple(thing) if isinstance(thing, list) else thing for thing in things]
        if len(found) != len(self._meaning) or any(thing not in found for thing in self._meaning):
            raise OptionsError(
                Text(
                    "option {path} takes each of {parts} once, not {value}",
                    path=path,
                    parts=json.dumps(list(self._meaning)),
                    value=repr(value),
                )
            )
        return tuple(self._meaning[thing] for thing in found)

    def write(self, value: Sequence[Any]) -> list[Any]:
        things = (self._written[each] for each in value)
        return [list(thing) if isinstance(thing, tuple) else thing for thing in things]

    def schema(self) -> dict[str, Any]:
        return {"type": "array"}


def from_text(path: str, value: Any, example: Any) -> Any:
    """Return the JSON that a text stands for; anything but a text is returned as it is. Raises OptionsError."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise OptionsError(
            Text("option {path} takes JSON, for example {example}", path=path, example=json.dumps(example))
        ) from None


def _first_unknown(values: Mapping[str, Any], known: Mapping[str, Any]) -> str | None:
    """Return the first name that is not known, in quotation marks."""
    return next((repr(name) for name in sorted(str(name) for name in values if name not in known)), None)


def option(kind: OptionKind, description: str, default: Any = MISSING) -> Any:
    """Return the field of an options dataclass: what it takes, what it means, and its default (`kind.first`)."""
    value = kind.first if default is MISSING else default
    return field(default=value, metadata={"kind": kind, "description": description})


def remade(options: Any) -> tuple[Any, ...]:
    """Return what `__reduce__` of an options dataclass returns, by which it is copied and pickled: it is made anew.

    A class that is compiled and frozen needs it, as its fields cannot be set one by one.
    """
    return type(options), tuple(getattr(options, each.name) for each in fields(options) if each.init)


class DeclaredOptions(Generic[T]):
    """The options of a game, made from a frozen dataclass whose fields are made by `option`."""

    def __init__(
        self,
        game: str,
        declared: type[T],
        presets: Mapping[str, Mapping[Any, Mapping[str, Any]]] = _NONE,
        *,
        word: str = "option ",
    ) -> None:
        """Declare the options of `game`.

        `presets["rulebook"]["de"]` are the defaults of other options when option `rulebook` is `de`. `word` is what
        the message about an unknown option calls it.
        """
        self._game = game
        self._word = word
        self._declared = declared
        self._presets = presets
        found = fields(declared)  # type: ignore[arg-type] # T is a dataclass
        self._kinds: dict[str, OptionKind] = {each.name: each.metadata["kind"] for each in found if each.init}
        self._descriptions = {each.name: each.metadata["description"] for each in found if each.init}
        self.default = declared()

    def parse(self, values: Mapping[str, Any]) -> T:
        """Return options from values or texts. Raises OptionsError naming the option and what it takes."""
        if (name := _first_unknown(values, self._kinds)) is not None:
            raise OptionsError(self._has_no(name, ", ".join(self._kinds)))
        read = {name: self._kinds[name].read(name, value, self._of_default(name)) for name, value in values.items()}
        chosen: dict[str, Any] = {}
        for name, presets in self._presets.items():
            chosen.update(presets.get(read.get(name, self._of_default(name)), {}))
        return self._declared(**{**chosen, **read})

    def _has_no(self, name: str, known: str) -> str:
        if self._word != "option ":
            return f"{self._game} has no {self._word}{name}; it has: {known}"
        return Text("{game} has no option {name}; it has: {known}", game=self._game, name=name, known=known)

    def _of_default(self, name: str) -> Any:
        return getattr(self.default, name)

    def to_json(self, options: T) -> dict[str, Any]:
        """Return every option with its value; `parse` is the inverse."""
        return {name: kind.write(getattr(options, name)) for name, kind in self._kinds.items()}

    def changes(self, options: T) -> dict[str, Any]:
        """Return the options that differ from the defaults: as much as `parse` needs."""
        changed = (name for name in self._kinds if getattr(options, name) != self._of_default(name))
        return {name: self._kinds[name].write(getattr(options, name)) for name in changed}

    def schema(self) -> dict[str, Any]:
        """Return a JSON Schema of what `to_json` returns."""
        default = self.to_json(self.default)
        properties = {
            name: {**kind.schema(), "default": default[name], "description": self._descriptions[name]}
            for name, kind in self._kinds.items()
        }
        return {"type": "object", "properties": properties, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class NoChoice:
    """The options of a game that has none."""


def no_options(game: str) -> DeclaredOptions[NoChoice]:
    """Return the option table of a game without options."""
    return DeclaredOptions(game, NoChoice)
