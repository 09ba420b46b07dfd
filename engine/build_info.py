"""Tells which engine runs: the sources, or what mypyc compiled of them. Looks at files, and imports nothing compiled.

    python -m engine.build_info           # which engine runs here
    python -m engine.build_info remove    # delete what is compiled, so that the sources run

A wheel with a compiled engine (`make wheel`) has the sources beside the compiled modules, of which Python runs the
latter, and a stamp that tells which Python those are for and of which sources they were made.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, Final

from engine.errors import EngineError
from engine.translatable import Text

STAMP: Final = "compiled.json"
LIBRARY: Final = "native__mypyc"
"""The module that holds all that is compiled; the others lead to it."""
_FOLDER: Final = Path(__file__).parent
# The one Python that has this engine: another one, such as the one on PATH, would find none, or another.
_REMEDY: Final = Text(
    "`{python} -m engine.build_info remove` goes back to the sources, or install the wheel anew",
    python=sys.executable or "python",
)


class HalfBuiltError(EngineError):
    """What is compiled of the engine is not whole, or was not made of the sources that are there."""

    kind = "unavailable"


@dataclass(frozen=True, slots=True)
class Build:
    """How the engine runs."""

    modules: int = 0
    """How many of its modules are compiled; 0 if the sources run."""
    compiler: str = ""
    other_python: str = ""
    """For which other Python something is compiled that does not run in this one; empty if nothing is."""


def stamp(folder: Path, sources: Iterable[str], compiler: str) -> dict[str, Any]:
    """Return the stamp of an engine of which the modules with these sources, named from its folder, are compiled."""
    digests = {name: _digest(folder / name) for name in sorted(sources)}
    sizes = {str(path.relative_to(folder)): path.stat().st_size for path in sorted(_compiled_files(folder))}
    return {"compiler": compiler, "suffix": EXTENSION_SUFFIXES[0], "sources": digests, "bytes": sizes}


def look(folder: Path = _FOLDER) -> Build:
    """Return how the engine in a folder runs in this Python. Raises HalfBuiltError if that cannot be relied on."""
    suffix, compiler, sources, sizes = _read_stamp(folder)
    there = {str(path.relative_to(folder)): path.stat().st_size for path in _compiled_files(folder)}
    if not there:
        return Build(other_python=suffix.strip(".").removesuffix(".so") if suffix not in EXTENSION_SUFFIXES else "")
    expected = {name.removesuffix(".py") + suffix for name in (*sources, LIBRARY)} if sources else set()
    for name in sorted(expected - there.keys()):
        raise HalfBuiltError(
            Text("the compiled engine is half built: {name} is missing; {remedy}", name=name, remedy=_REMEDY)
        )
    # A library that is cut short ends the process where it is loaded, so its size is looked at before.
    for name in sorted(name for name, size in there.items() if name not in expected or size != sizes.get(name)):
        raise HalfBuiltError(
            Text("the compiled engine is half built: {name} is of another build; {remedy}", name=name, remedy=_REMEDY)
        )
    for name, digest in sources.items():
        if not (folder / name).is_file() or _digest(folder / name) != digest:
            raise HalfBuiltError(
                Text(
                    "the compiled engine is of other sources: {name} has changed since; {remedy}",
                    name=name,
                    remedy=_REMEDY,
                )
            )
    return Build(len(sources), compiler)


@cache
def need_whole() -> None:
    """Raise HalfBuiltError if what is compiled cannot be relied on; it costs next to nothing if nothing is compiled."""
    there = {path.name for path in _FOLDER.iterdir()}
    # A build that was interrupted has no stamp; its first modules lie in the engine's own folder.
    if STAMP in there or any(name.endswith(EXTENSION_SUFFIXES[0]) for name in there):
        look()


def _read_stamp(folder: Path) -> tuple[str, str, dict[str, str], dict[str, int]]:
    """Return for which Python, by what and of which sources the engine is compiled, and the sizes of its modules.

    Without a stamp it is of no sources.
    """
    try:
        read = json.loads((folder / STAMP).read_text(encoding="utf-8"))
        return str(read["suffix"]), str(read["compiler"]), dict(read["sources"]), dict(read["bytes"])
    except FileNotFoundError:
        return EXTENSION_SUFFIXES[0], "", {}, {}
    except (OSError, ValueError, KeyError, TypeError):
        raise HalfBuiltError(
            Text("the compiled engine is half built: {name} cannot be read; {remedy}", name=STAMP, remedy=_REMEDY)
        ) from None


def _digest(path: Path) -> str:
    from hashlib import sha256  # only who has something compiled pays for it

    return sha256(path.read_bytes()).hexdigest()


def _compiled_files(folder: Path) -> Iterator[Path]:
    """Yield the compiled modules that this Python would run."""
    for path in folder.rglob("*.so"):
        if path.name.removeprefix(path.name.partition(".")[0]) in EXTENSION_SUFFIXES:
            yield path


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; 0, or 1 if the engine cannot be relied on."""
    if list(arguments) == ["remove"]:
        found = list(_FOLDER.rglob("*.so"))
        for path in found:
            path.unlink()
        (_FOLDER / STAMP).unlink(missing_ok=True)
        sys.stdout.write(f"deleted {len(found)} compiled modules; the sources run\n")
        return 0
    try:
        build = look()
    except HalfBuiltError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    said = f"compiled by {build.compiler}, {build.modules} modules" if build.modules else "the sources run"
    sys.stdout.write(f"{said}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
