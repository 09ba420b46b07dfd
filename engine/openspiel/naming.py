"""How a set of parameters of an OpenSpiel game is written as the name of a game of the arena, and read again. No I/O.

`openspiel_go` is OpenSpiel's `go` with its defaults, `openspiel_go:board_size=9:komi=6.5` the same with two parameters
changed: only those that differ from the default, in the order of their names, each value in one spelling. So one set
of parameters has one name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.core import UnknownGameError
from engine.text import Text

PREFIX: Final = "openspiel_"
Value = bool | int | float | str

_SHORT_NAME: Final = re.compile(r"[a-z0-9_]{1,64}", re.ASCII)
_PARAMETER: Final = re.compile(r"(?P<key>[A-Za-z0-9_]{1,64})=(?P<value>[A-Za-z0-9_.+-]{1,64})", re.ASCII)
_OF_A_FILE: Final = ("_file", "_root")
"""How the names of parameters end that name a file, which nobody is to choose by the name of a game."""
_LONGEST: Final = 200


def split_name(name: str) -> tuple[str, dict[str, str]]:
    """Return OpenSpiel's name of the game and the texts of its parameters. Raises UnknownGameError."""
    short_name, *parts = name.removeprefix(PREFIX).split(":")
    found = [_PARAMETER.fullmatch(part) for part in parts]
    if len(name) > _LONGEST or not name.startswith(PREFIX) or not _SHORT_NAME.fullmatch(short_name) or None in found:
        raise UnknownGameError(
            Text(
                "openspiel.no_name_game_openspiel_they",
                "{name} is no name of a game of OpenSpiel; they are written like openspiel_go:board_size=9",
                name=repr(name[:60]),
            )
        )
    return short_name, {match["key"]: match["value"] for match in found if match}


def read_parameters(name: str, texts: Mapping[str, str], defaults: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values of parameters that were written as texts. Raises UnknownGameError naming the parameter."""
    read: dict[str, Value] = {}
    for key, text in texts.items():
        if key not in defaults or key.endswith(_OF_A_FILE):
            known = ", ".join(sorted(each for each in defaults if not each.endswith(_OF_A_FILE))) or "none"
            raise UnknownGameError(
                Text(
                    "openspiel.game_no_parameter",
                    "{name}: the game has no parameter {key}; it has: {known}",
                    name=name,
                    key=repr(key),
                    known=known,
                )
            )
        read[key] = _read(name, key, text, defaults[key])
    return read


def _read(name: str, key: str, text: str, default: Value) -> Value:
    kind = type(default)
    try:
        return {"true": True, "false": False}[text] if kind is bool else kind(text)
    except (KeyError, ValueError):
        what = {
            bool: Text("service.true_false", "true or false"),
            int: Text("openspiel.whole_number", "a whole number"),
            float: Text("openspiel.number_point", "a number with a point"),
        }[kind]
        raise UnknownGameError(
            Text(
                "openspiel.parameter_takes_not",
                "{name}: parameter {key} takes {what}, not {text}",
                name=name,
                key=key,
                what=what,
                text=repr(text),
            )
        ) from None


def write_name(short_name: str, parameters: Mapping[str, Value], defaults: Mapping[str, Value]) -> str:
    """Return the one name of the game with these parameters; those that are not given have their defaults."""
    changed = {key: value for key, value in sorted(parameters.items()) if value != defaults[key]}
    return ":".join([PREFIX + short_name, *(f"{key}={_written(value)}" for key, value in changed.items())])


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
