"""Reads what compiled programs find on this system: the C library and the runtime libraries of the compiler."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from arena.hosting.manifest import BUNDLED_PLACES, ProgramPlaces
from arena.hosting.runtimes.errors import RuntimeBrokenError
from arena.hosting.runtimes.runtime import SYSTEM_PATH, RuntimeContents, RuntimeLayout
from arena.hosting.runtimes.settings import RuntimeDefinition, RuntimeKind
from engine.text import Text, placed

_LIBRARIES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libgomp.so.1")
_COMPILER = re.compile(rb"GCC: \([^)\0]*\) (\d+(?:\.\d+)*)")
_SONAME_VERSION = re.compile(r"\.so\.(\d+(?:\.\d+)+)$")


def lay_out(definition: RuntimeDefinition) -> RuntimeLayout:
    """Return where the libraries of the system lie, and further directories. Raises RuntimeBrokenError."""
    for tree in definition.trees:
        if not tree.is_dir():
            raise RuntimeBrokenError(
                placed(
                    f"runtime {definition.name!r}",
                    Text(
                        "hosting.no_directory_make_name_right",
                        "there is no directory {path}; make it, or name it right",
                        path=tree,
                    ),
                )
            )
    is_bundled = definition.kind is RuntimeKind.BUNDLED
    return RuntimeLayout(
        places=BUNDLED_PLACES if is_bundled else ProgramPlaces(definition.name),
        trees=None if is_bundled else tuple(map(str, definition.trees)),
        environment={} if is_bundled else {"PATH": SYSTEM_PATH},
        hashed={**_libraries(), **{str(tree): tree for tree in definition.trees}},
        facts=(platform.machine(),),
    )


def contents(definition: RuntimeDefinition) -> RuntimeContents:
    """Return the versions of the system's own libraries."""
    del definition
    libraries = _libraries()
    found = {name: version for name, path in libraries.items() if (version := _version(path))}
    return RuntimeContents(" ".join(platform.libc_ver()).strip() or "unknown", found)


def _libraries() -> Mapping[str, Path]:
    """Return the libraries that are installed, by the name under which programs ask for them."""
    found: dict[str, Path] = {}
    for directory in _directories():
        for name in _LIBRARIES:
            if name not in found and (directory / name).is_file():
                found[name] = (directory / name).resolve()
    return found


def _directories() -> Iterator[Path]:
    """Return the directories of libraries, those of this machine's processor first."""
    machine = platform.machine()
    for base in ("/usr/lib", "/lib"):
        yield Path(base, f"{machine}-linux-gnu")
    yield from map(Path, ("/usr/lib64", "/lib64", "/usr/lib", "/lib"))


def _version(path: Path) -> str | None:
    """Return the version in the name of a library, or that of the compiler it was made by."""
    if found := _SONAME_VERSION.search(path.name):
        return found[1]
    with suppress(OSError):
        compiler = _COMPILER.search(path.read_bytes())
        return f"of gcc {os.fsdecode(compiler[1])}" if compiler else None
    return None
