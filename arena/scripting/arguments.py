"""Holds what a program gives against the kind of value that is meant, before anything is done with it.

Each function takes arguments by their names, and raises RefusedError, in one line, for the first of another kind. Those
that begin with `optional` pass over None.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from reprlib import Repr
from typing import Any

from arena.model.errors import RefusedError

_EXAMPLES = {"clock": "'100ms'", "format": "'round-robin'", "game": "'foreign_king'", "start_limit": "'10s'"}
_REPR = Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 60
_LONGEST_PART = 255
"""No file system that is in use has longer names of files, in bytes."""


def need_texts(**given: Any) -> None:
    """Refuse what is no text."""
    for name, value in given.items():
        if not isinstance(value, str):
            example = f" such as {_EXAMPLES[name]}" if name in _EXAMPLES else ""
            raise RefusedError(f"{name} is a text{example}, not {_shown(value)}; write it in quotes")
        if not value.isprintable():
            raise RefusedError(f"{name} has a character that cannot be printed: {_shown(value)}; leave it out")


def optional_texts(**given: Any) -> None:
    """Refuse what is neither a text nor None."""
    need_texts(**_there(given))


def need_wholes(**given: Any) -> None:
    """Refuse what is no whole number."""
    for name, value in given.items():
        if type(value) is not int:
            raise RefusedError(f"{name} is a whole number, not {_shown(value)}; write int(...) around it")


def optional_wholes(**given: Any) -> None:
    """Refuse what is neither a whole number nor None."""
    need_wholes(**_there(given))


def need_flags(**given: Any) -> None:
    """Refuse what is neither True nor False."""
    for name, value in given.items():
        if type(value) is not bool:
            raise RefusedError(f"{name} is True or False, not {_shown(value)}; write one of them")


def need_numbers(**given: Any) -> None:
    """Refuse what is no finite number."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
            raise RefusedError(f"{name} is a number, not {_shown(value)}; write for example 0.5")


def optional_mappings(**given: Any) -> None:
    """Refuse what is neither a dict with texts as its keys nor None."""
    for name, value in _there(given).items():
        if not isinstance(value, Mapping):
            raise RefusedError(f"{name} is a dict, not {_shown(value)}; write {{'name': value}}")
        for key in value:
            if not isinstance(key, str):
                raise RefusedError(f"{name} has names as its keys, not {_shown(key)}; write {{'name': value}}")


def need_names(**given: Any) -> None:
    """Refuse what is no list of texts, or a tuple or set of them."""
    for name, value in given.items():
        is_list = isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)
        if not is_list or not all(isinstance(one, str) for one in value):
            raise RefusedError(f"{name} is a list of names, not {_shown(value)}; write it in brackets")


def path_of(name: str, given: Any) -> str:
    """Return a path, or a URL, as text. Raises RefusedError if it can be none."""
    if not isinstance(given, str | os.PathLike) or not isinstance(path := os.fspath(given), str):
        raise RefusedError(f"{name} is a path, not {_shown(given)}; write it in quotes")
    if not can_be_path(path):
        raise RefusedError(f"{name} is a path, and no file can be called {_shown(path)}; name another")
    return path


def can_be_path(text: str) -> bool:
    """Return whether a file could be called so: some texts cannot even be looked for."""
    try:
        parts = [os.fsencode(part) for part in Path(text).expanduser().parts]
    except (UnicodeEncodeError, RuntimeError):  # RuntimeError: it is below the home of a user who is not known here
        return False
    return "\0" not in text and all(len(part) <= _LONGEST_PART for part in parts)


def _there(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


def _shown(value: Any) -> str:
    """Return a value as it is shown in a line, cut short, even if it cannot tell what it is."""
    return " ".join(_REPR.repr(value).split())
