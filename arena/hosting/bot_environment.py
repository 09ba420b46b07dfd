"""What the process of a bot finds, wherever it runs: the directories that a sandbox shows it, and its environment.

The directories are the system, the arena's own Python, and what a bot may import. Only packages that bots use are shown
to them: the folder in which they lie may hold the database. Beside the kit lie the samples and, in a checkout, whatever
bots somebody is working on; so of that package single files are shown.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path

KIT_PACKAGE = "bots"
KIT_FILES = (
    *("__init__.py", "algorithms/__init__.py", "algorithms/greedy.py", "algorithms/mcts.py"),
    *("algorithms/move_sequences.py", "algorithms/rollouts.py", "algorithms/search.py", "algorithms/uniform.py"),
    *("decision.py", "errors.py", "kit.py", "offline.py", "preload.py", "py.typed", "queue_stream.py"),
    *("session.py", "socket_stream.py", "stream.py", "uci/__init__.py", "uci/__main__.py", "uci/bot.py"),
    *("uci/bot.toml", "uci/engine.py"),
)
"""What a bot imports of the package that holds its kit."""
_PREFIX_PARTS = ("bin", "lib", "lib64", "libexec", "include", "share", "etc", "ssl", "pyvenv.cfg")
BOT_PACKAGES = ("bots", "engine", "arena.v1", "arena.games", "arena.match", "arena.wire")
FOREIGN_PACKAGE = "grpc"
"""The packages from the registry lie where this one does."""
INHERITED = ("PATH", "HOME", "LANG", "PYTHONPATH", "ARENA_GRPC")
# Nothing is written to the files of a version, and output before a crash must not be lost.
SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
USR_PARTS = ("bin", "sbin", "games", "include", "lib", "lib32", "lib64", "libx32", "libexec", "share", "local")
"""The parts of /usr that programs need or lie in, Debian's chess engines among its games. An arena that is installed in
/usr/src is not among them."""


def system_trees() -> list[Path]:
    """Return the parts of /usr that exist here."""
    return [Path("/usr", name) for name in USR_PARTS if Path("/usr", name).is_dir()]


def system_settings() -> list[Path]:
    """Return what programs of the system need of /etc: libraries, Debian's alternatives, the settings of its Java."""
    java = sorted(Path("/etc").glob("java-*-openjdk"))
    return [path for path in (Path("/etc/ld.so.cache"), Path("/etc/alternatives"), *java) if path.exists()]


@functools.cache
def python_trees() -> tuple[Path, ...]:
    """Return the directories and files without which `sys.executable` and the packages for bots do not work.

    The interpreter is bound at its own prefix: at another place it would take a library of the system, and be another
    Python.
    """
    prefixes = {Path(sys.prefix), Path(sys.base_prefix)}
    prefixes |= {path.resolve() for path in prefixes} | prefixes_of(Path(sys.executable))
    wanted = bot_trees().union(*(parts_of(prefix, package_roots()) for prefix in prefixes))
    wanted |= {place.parent for place in _places(FOREIGN_PACKAGE)}
    return tuple(sorted(_without_all(wanted)))


def bot_trees() -> set[Path]:
    """Return the directories and files of the packages for bots, without any interpreter and package of others."""
    wanted = {root / "arena" / "__init__.py" for root in package_roots()}
    for name in BOT_PACKAGES:
        if name != KIT_PACKAGE:
            wanted |= _places(name)
    files = [place / name for place in kit_places() for name in KIT_FILES]
    # The compiled form of a module, too, so that it is not compiled at every start.
    compiled = (Path(importlib.util.cache_from_source(str(file))) for file in files if file.suffix == ".py")
    wanted.update(files, compiled)
    return {path for path in wanted if path.exists()}


def kit_places() -> set[Path]:
    """Return the directories of the package that holds the kit among other things."""
    return _places(KIT_PACKAGE)


def parts_of(prefix: Path, roots: Iterable[Path]) -> set[Path]:
    """Return what to show of a Python's prefix: all of it, or its own folders if one of `roots` lies beside them.

    The prefix of a virtual environment made in the checkout itself also holds the bots and the database.
    """
    inside = (root for root in roots if root.is_relative_to(prefix))
    if all(root.relative_to(prefix).parts[:1] in (("lib",), ("lib64",)) for root in inside):
        return {prefix}
    return {prefix / name for name in _PREFIX_PARTS}


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
    """Return whether a directory to import from also holds packages from the registry."""
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


def bot_environment(directory: str, scratch: Path, address: str, token: str, game: str | None = None) -> dict[str, str]:
    """Return the environment of a bot whose files lie in `directory` and which works in `scratch`.

    It connects to `address`, if that is not empty, and `token` is a secret for its process alone. `game` is that of its
    first match, if it is known: the kit loads it before the clock runs.
    """
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    # Its working directory is another one, so `python -m` would not find its modules.
    path = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = f"{directory}{os.pathsep}{path}" if path else directory
    return {
        **environment,
        **SETTINGS,
        "TMPDIR": str(scratch),
        **({"ARENA_ADDRESS": address} if address else {}),
        "ARENA_TOKEN": token,
        "ARENA_BOT_DIR": directory,
        **({} if game is None else {"ARENA_GAME": game}),
    }


SYSTEM_PLACES = (*(Path("/usr", name) for name in USR_PARTS), *map(Path, ("/bin", "/sbin", "/lib", "/lib64")))
"""Where the programs of a system lie."""


def write_kit_cache(trees: Iterable[Path] | None = None) -> None:
    """Compile every module in these files and directories that is not compiled, or has changed since.

    By default in those that a sandbox shows to every bot. Where nothing may be written, nothing happens.
    """
    if sys.dont_write_bytecode:
        return
    for tree in bot_trees() if trees is None else trees:
        for path in [tree] if tree.is_file() else tree.rglob("*.py"):
            if path.suffix == ".py" and _is_stale(path):
                with suppress(OSError, SyntaxError, ValueError):  # who imports it is told
                    SourceFileLoader(path.stem, str(path)).get_code(path.stem)


def _is_stale(path: Path) -> bool:
    try:
        return Path(importlib.util.cache_from_source(str(path))).stat().st_mtime < path.stat().st_mtime
    except FileNotFoundError:
        return True
    except OSError:
        return False
