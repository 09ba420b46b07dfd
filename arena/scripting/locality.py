"""Tells what another process of this Python can import from what exists only in the program that runs now."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

OURS = ("arena", "bots", "engine", "ratings")
"""The arena's own packages, which bots find wherever they lie."""
MAIN = "__main__"


def is_local(module: str) -> bool:
    """Return whether a module exists only here: the program itself, a notebook's cells, files beside the program.

    What is installed, the standard library and what PYTHONPATH names are found by a bot's process, too.
    """
    if module.partition(".")[0] in OURS:
        return False
    found = sys.modules.get(module)
    if module == MAIN or found is None:
        return True
    file = getattr(found, "__file__", None)
    if file is None:  # built in, or a package without an __init__.py
        return not _is_found_elsewhere(found)
    return not _is_below_installed(Path(file))


def is_only_here(obj: type | FunctionType) -> bool:
    """Return whether a class or function cannot be imported by its name in another process."""
    return is_local(obj.__module__ or "") or "<" in obj.__qualname__


def local_modules() -> Iterator[ModuleType]:
    """Yield the modules that exist only here and were imported by a name."""
    for name, module in list(sys.modules.items()):
        if name != MAIN and isinstance(module, ModuleType) and getattr(module, "__file__", None) and is_local(name):
            yield module


def _is_found_elsewhere(module: ModuleType) -> bool:
    places = list(getattr(module, "__path__", ()))
    return all(_is_below_installed(Path(place)) for place in places)


def _is_below_installed(file: Path) -> bool:
    return _is_below(file, os.environ.get("PYTHONPATH", ""))


@cache
def _is_below(file: Path, python_path: str) -> bool:
    """Return whether a file is installed; kept, as it is asked of every module for every callable."""
    place = file.resolve()
    return any(place.is_relative_to(root) for root in _installed_roots(python_path))


@cache
def _installed_roots(python_path: str) -> tuple[Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    places = [sysconfig.get_path(name) for name in names] + [place for place in python_path.split(os.pathsep) if place]
    return tuple(dict.fromkeys(Path(place).resolve() for place in places))
