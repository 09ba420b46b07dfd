"""Finds the directories that a sandbox must show: the system, the arena's own Python, what a bot may import.

Only packages that bots use are shown to them: the folder in which they lie may hold the database.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from pathlib import Path

from arena.hosting.system_places import USR_PARTS

BOT_PACKAGES = ("bots", "engine", "arena.v1", "arena.games", "arena.match", "arena.wire")
FOREIGN_PACKAGE = "grpc"
"""The packages from the registry lie where this one does."""


def system_trees() -> list[Path]:
    """Return the parts of /usr that exist here."""
    return [Path("/usr", name) for name in USR_PARTS if Path("/usr", name).is_dir()]


@functools.cache
def python_trees() -> tuple[Path, ...]:
    """Return the directories and files without which `sys.executable` and the packages for bots do not work.

    The interpreter is bound at its own prefix: at another place it would take a library of the system, and be another
    Python.
    """
    wanted = {Path(sys.prefix), Path(sys.base_prefix)}
    wanted |= {path.resolve() for path in wanted} | prefixes_of(Path(sys.executable)) | bot_trees()
    wanted |= {place.parent for place in _places(FOREIGN_PACKAGE)}
    return tuple(sorted(_without_all(wanted)))


def bot_trees() -> set[Path]:
    """Return the directories and files of the packages for bots, without any interpreter and package of others."""
    wanted = {root / "arena" / "__init__.py" for root in package_roots()}
    for name in BOT_PACKAGES:
        wanted |= _places(name)
    return {path for path in wanted if path.exists()}


def prefixes_of(interpreter: Path) -> set[Path]:
    """Return the prefix of an interpreter, and that of each program it is a link to."""
    found = {program.parent.parent for program in links_of(interpreter)}
    return _without_all(found | {path.resolve() for path in found})


def links_of(program: Path) -> list[Path]:
    """Return a program, and each that it is a link to."""
    found = [program]
    while program.is_symlink() and len(found) < 16:
        program = Path(os.path.normpath(program.parent / program.readlink()))
        found.append(program)
    return found


def import_roots() -> list[Path]:
    """Return the directories to import from that the interpreter does not search by default."""
    sites = [place.parent for place in _places(FOREIGN_PACKAGE)]
    return [root for root in [*package_roots(), *sites] if not root.is_relative_to(sys.prefix)]


def package_roots() -> list[Path]:
    """Return the directories from which the arena's packages are imported."""
    return [place.parent for place in _places("arena")]


def holds_foreign_packages(root: str) -> bool:
    """Return whether a directory to import from holds packages from the registry beside ours."""
    return Path(root, FOREIGN_PACKAGE).is_dir()


def _without_all(paths: set[Path]) -> set[Path]:
    """Return those that exist, without / and /usr, which as a whole may hold more than the system."""
    return {path for path in paths if path.exists() and path not in (Path("/"), Path("/usr"))}


def _places(name: str) -> set[Path]:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return set()
    return {Path(place) for place in (spec.submodule_search_locations if spec else None) or ()}
