"""Reads a virtual environment (kind `python`) without running it: its interpreter, its packages, what belongs to it."""

from __future__ import annotations

import importlib.metadata
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.bot_environment import bot_trees, package_roots, prefixes_of
from arena.hosting.manifest import ProgramPlaces
from arena.hosting.runtimes.errors import RuntimeBrokenError
from arena.hosting.runtimes.runtime import SYSTEM_PATH, RuntimeContents, RuntimeLayout
from arena.hosting.runtimes.settings import RuntimeDefinition
from engine.text import Text, placed

_LIBRARY_DIRECTORIES = ("lib", "lib64")
_VERSION = re.compile(r"\d+\.\d+(\.\w+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Venv:
    """A virtual environment that looks sound."""

    directory: Path
    interpreter: Path
    """Its program `python`, mostly a link."""
    version: str
    packages: Path
    """Its `site-packages`."""
    stdlib: Path
    """The standard library of the interpreter it was made from."""


def find_venv(definition: RuntimeDefinition) -> Venv:
    """Return the virtual environment of a runtime. Raises RuntimeBrokenError."""
    directory = definition.venv
    assert directory is not None
    here = f"runtime {definition.name!r}: {directory}"
    config = _config(directory, here)
    interpreter = directory / "bin" / "python"
    if not os.access(interpreter, os.X_OK):
        raise RuntimeBrokenError(
            placed(
                here,
                Text(
                    "hosting.no_program_bin_python_can",
                    "has no program bin/python that can be run; make it again: python -m venv",
                ),
            )
        )
    if config.get("include-system-site-packages", "false").lower() == "true":
        raise RuntimeBrokenError(
            placed(
                here,
                Text(
                    "hosting.uses_packages_system_which_change",
                    "uses the packages of the system, which change with it; make it without --system-site-packages",
                ),
            )
        )
    packages = sorted((directory / "lib").glob("python3.*/site-packages"))
    if len(packages) != 1:
        raise RuntimeBrokenError(
            placed(
                here,
                Text(
                    "hosting.directories_lib_python3_site_packages",
                    "has {count} directories lib/python3.*/site-packages, not one",
                    count=len(packages),
                ),
            )
        )
    version = config.get("version") or config.get("version_info") or ""
    if not _VERSION.match(version):
        raise RuntimeBrokenError(
            placed(
                here,
                Text(
                    "hosting.pyvenv_cfg_tells_no_version",
                    "its pyvenv.cfg tells no version; make it again: python -m venv",
                ),
            )
        )
    stdlib = _stdlib(interpreter, packages[0].parent.name, here)
    return Venv(directory, interpreter, version, packages[0], stdlib)


def lay_out(definition: RuntimeDefinition) -> RuntimeLayout:
    """Return where the parts of a runtime of kind `python` lie. Raises RuntimeBrokenError."""
    venv = find_venv(definition)
    path = f"{venv.directory / 'bin'}:{SYSTEM_PATH}"
    program = str(venv.interpreter)
    shown = {venv.directory, *prefixes_of(venv.interpreter), *bot_trees(), *definition.trees}
    return RuntimeLayout(
        places=ProgramPlaces(definition.name, {"python": program, "python3": program}, path),
        trees=tuple(sorted(map(str, shown))),
        environment={"PATH": path, "PYTHONPATH": os.pathsep.join(map(str, package_roots()))},
        hashed={
            "venv": venv.directory,
            "interpreter": venv.interpreter.resolve(),
            **_stdlib_places(venv.stdlib),
            **{str(tree): tree for tree in definition.trees},
        },
    )


def contents(definition: RuntimeDefinition) -> RuntimeContents:
    """Return what is in a runtime of kind `python`, as its metadata say. Raises RuntimeBrokenError."""
    venv = find_venv(definition)
    return RuntimeContents(venv.version, versions_in(venv.packages))


def versions_in(packages: Path) -> dict[str, str]:
    """Return the version of each package that is installed in a directory, sorted by name."""
    found = {
        _normal(name): distribution.version
        for distribution in importlib.metadata.distributions(path=[str(packages)])
        if isinstance(name := distribution.metadata["Name"], str)
    }
    return dict(sorted(found.items()))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _config(directory: Path, here: str) -> Mapping[str, str]:
    try:
        lines = (directory / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RuntimeBrokenError(
            placed(
                here,
                Text(
                    "hosting.no_virtual_environment_no_pyvenv",
                    "is no virtual environment (it has no pyvenv.cfg); make one: python -m venv {path}",
                    path=directory,
                ),
            )
        ) from error
    pairs = (line.partition("=") for line in lines)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _stdlib(interpreter: Path, name: str, here: str) -> Path:
    """Return the directory of the standard library, `name` being `python3.11` or the like."""
    prefix = interpreter.resolve().parent.parent
    for library in _LIBRARY_DIRECTORIES:
        if (prefix / library / name / "os.py").is_file():
            return prefix / library / name
    raise RuntimeBrokenError(
        placed(
            here,
            Text(
                "hosting.no_make_again_interpreter",
                "there is no {path}; make it again with an interpreter that is there",
                path=f"{prefix}/lib/{name}",
            ),
        )
    )


def _stdlib_places(stdlib: Path) -> dict[str, Path]:
    """Return what makes up the standard library, without what is installed into it and its tests."""
    left_out = {"site-packages", "dist-packages", "test", "__pycache__"}
    places = {f"stdlib/{path.name}": path for path in stdlib.iterdir() if path.name not in left_out}
    libraries = (path for path in stdlib.parent.glob(f"lib{stdlib.name}*.so*") if path.is_file())
    return {**places, **{path.name: path for path in libraries}}
