"""Reads a runtime of each kind from this machine: where its parts lie, and what is in it.

Kind `arena` is the interpreter that runs the arena itself, with the packages that it needs; `python` is a virtual
environment, which is not run; `node` is a program, and a directory of modules if the organiser names one; `native` and
`bundled` are the C library and the runtime libraries of the compiler, which compiled programs find on this system.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import re
import site
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

from arena.hosting.bot_environment import bot_trees, links_of, package_roots, prefixes_of
from arena.hosting.manifest import BUNDLED_PLACES, ProgramPlaces, arena_places
from arena.hosting.runtimes.runtime import (
    SYSTEM_PATH,
    RuntimeBrokenError,
    RuntimeContents,
    RuntimeDefinition,
    RuntimeKind,
    RuntimeLayout,
)
from arena.hosting.safe_open import decode_text, open_regular
from engine.translatable import Text, placed

_OURS = "kingmaker-arena"
# What bots.kit needs, where the arena runs from a checkout that was not installed.
_LEAST = ("grpcio", "protobuf")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_METADATA_VERSION = re.compile(r"^Version:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_REQUIRES = re.compile(r"^Requires-Dist:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,99})\s*(?:[\[<>=!~@]|$)")
_NODE_NAME = re.compile(r"[@\w./-]{1,100}", re.ASCII)
_PYTHON_LIST, _NODE_LIST = "requirements.txt", "package.json"
INSTALL_COMMANDS: Mapping[str, str] = {
    _PYTHON_LIST: "pip install --target . -r requirements.txt",
    _NODE_LIST: "npm install",
}
"""The files that list what a bot needs, and what puts that beside them."""
_MOST_LIST_BYTES = 1 << 16
_LIBRARY_DIRECTORIES = ("lib", "lib64")
_PYTHON_VERSION = re.compile(r"\d+\.\d+(\.\w+)*", re.ASCII)
_ASK_S = 20
_LIBRARIES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libgomp.so.1")
_COMPILER = re.compile(rb"GCC: \([^)\0]*\) (\d+(?:\.\d+)*)")
_SONAME_VERSION = re.compile(r"\.so\.(\d+(?:\.\d+)+)$")


def lay_out_arena(definition: RuntimeDefinition) -> RuntimeLayout:
    """Return where the arena's interpreter lies. Its packages count with the hashes that they were installed with."""
    del definition
    packages = (f"{name}=={version_of(one)} {_record_hash(one)}" for name, one in sorted(_packages().items()))
    return RuntimeLayout(
        places=arena_places(),
        trees=None,
        hashed={"interpreter": Path(sys.executable).resolve()},
        facts=(sys.version, *packages),
    )


def arena_contents(definition: RuntimeDefinition) -> RuntimeContents:
    """Return the versions of the arena's interpreter and packages."""
    del definition
    return RuntimeContents(sys.version.split()[0], {name: version_of(one) for name, one in sorted(_packages().items())})


def _packages() -> dict[str, Distribution]:
    """Return the arena's own distribution and all that it requires, directly or not, by normal name."""
    found: dict[str, Distribution] = {}
    # Where the interpreter finds packages by itself; a process may have added to its path what no bot sees.
    user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    places = [*map(str, package_roots()), *site.getsitepackages(), *user]
    wanted = [_OURS, *_LEAST]
    while wanted:
        name = _normal(wanted.pop())
        if name in found:
            continue
        one = next(iter(Distribution.discover(name=name, path=places)), None)
        if one is not None:
            found[name] = one
            for line in requirements_of(one):
                requirement, _, marker = line.partition(";")
                # What only its extras need does not count.
                if "extra" not in marker and (required := _NAME.match(requirement.strip())):
                    wanted.append(required[0])
    return found


def version_of(distribution: Distribution) -> str:
    """Return the version of a distribution, as its own `version` does."""
    found = _METADATA_VERSION.search(_head(distribution))
    return found[1] if found else distribution.version


def requirements_of(distribution: Distribution) -> Sequence[str]:
    """Return what a distribution requires, extras included, as its own `requires` does."""
    head = _head(distribution)
    return _REQUIRES.findall(head) if head else distribution.requires or ()


def _head(distribution: Distribution) -> str:
    """Return the fields of its METADATA; an empty text if it was installed without that file.

    The standard library parses the file as a mail, for each question anew and with the README that hangs on it, which
    took a tenth of the time of a command.
    """
    return (distribution.read_text("METADATA") or "").partition("\n\n")[0]


def _record_hash(distribution: Distribution) -> str:
    """Return the hash of the list of the files and their hashes with which a distribution was installed."""
    return hashlib.sha256((distribution.read_text("RECORD") or "").encode()).hexdigest()


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
    try:
        lines = (directory / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = Text("is no virtual environment (it has no pyvenv.cfg); make one: python -m venv {path}", path=directory)
        raise RuntimeBrokenError(placed(here, why)) from error
    config = {key.strip().lower(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    interpreter = directory / "bin" / "python"
    if not os.access(interpreter, os.X_OK):
        why = Text("has no program bin/python that can be run; make it again: python -m venv")
        raise RuntimeBrokenError(placed(here, why))
    if config.get("include-system-site-packages", "false").lower() == "true":
        why = Text("uses the packages of the system, which change with it; make it without --system-site-packages")
        raise RuntimeBrokenError(placed(here, why))
    packages = sorted((directory / "lib").glob("python3.*/site-packages"))
    if len(packages) != 1:
        why = Text("has {count} directories lib/python3.*/site-packages, not one", count=len(packages))
        raise RuntimeBrokenError(placed(here, why))
    version = config.get("version") or config.get("version_info") or ""
    if not _PYTHON_VERSION.match(version):
        raise RuntimeBrokenError(placed(here, Text("its pyvenv.cfg tells no version; make it again: python -m venv")))
    return Venv(directory, interpreter, version, packages[0], _stdlib(interpreter, packages[0].parent.name, here))


def lay_out_venv(definition: RuntimeDefinition) -> RuntimeLayout:
    """Return where the parts of a runtime of kind `python` lie. Raises RuntimeBrokenError."""
    venv = find_venv(definition)
    path = f"{venv.directory / 'bin'}:{SYSTEM_PATH}"
    program = str(venv.interpreter)
    shown = {venv.directory, *prefixes_of(venv.interpreter), *bot_trees(), *definition.trees}
    left_out = {"site-packages", "dist-packages", "test", "__pycache__"}
    stdlib = {f"stdlib/{path.name}": path for path in venv.stdlib.iterdir() if path.name not in left_out}
    libraries = venv.stdlib.parent.glob(f"lib{venv.stdlib.name}*.so*")
    return RuntimeLayout(
        places=ProgramPlaces(definition.name, {"python": program, "python3": program}, path),
        trees=tuple(sorted(map(str, shown))),
        environment={"PATH": path, "PYTHONPATH": os.pathsep.join(map(str, package_roots()))},
        hashed={
            "venv": venv.directory,
            "interpreter": venv.interpreter.resolve(),
            **stdlib,
            **{path.name: path for path in libraries if path.is_file()},
            **{str(tree): tree for tree in definition.trees},
        },
    )


def venv_contents(definition: RuntimeDefinition) -> RuntimeContents:
    """Return what is in a runtime of kind `python`, as its metadata say. Raises RuntimeBrokenError."""
    venv = find_venv(definition)
    found = {
        _normal(name): distribution.version
        for distribution in importlib.metadata.distributions(path=[str(venv.packages)])
        if isinstance(name := distribution.metadata["Name"], str)
    }
    return RuntimeContents(venv.version, dict(sorted(found.items())))


def _normal(name: str) -> str:
    """Return the normal name of a package, under which all its spellings are the same."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _stdlib(interpreter: Path, name: str, here: str) -> Path:
    """Return the directory of the standard library, `name` being `python3.11` or the like."""
    prefix = interpreter.resolve().parent.parent
    for library in _LIBRARY_DIRECTORIES:
        if (prefix / library / name / "os.py").is_file():
            return prefix / library / name
    why = Text("there is no {path}; make it again with an interpreter that is there", path=f"{prefix}/lib/{name}")
    raise RuntimeBrokenError(placed(here, why))


def lay_out_node(definition: RuntimeDefinition) -> RuntimeLayout:
    """Return where the parts of a runtime of kind `node` lie. Raises RuntimeBrokenError."""
    program = _program(definition)
    modules = definition.modules
    if modules is not None and not modules.is_dir():
        why = Text("there is no directory {path}; make it, or name it right", path=modules)
        raise RuntimeBrokenError(placed(f"runtime {definition.name!r}", why))
    extra = [*definition.trees, *([modules] if modules else [])]
    path = f"{program.parent}:{SYSTEM_PATH}"
    return RuntimeLayout(
        places=ProgramPlaces(definition.name, {"node": str(program), "nodejs": str(program)}, path),
        trees=tuple(sorted({str(place) for place in (*links_of(program), *extra)})),
        environment={"PATH": path, **({"NODE_PATH": str(modules)} if modules else {})},
        hashed={"node": program.resolve(), **{str(tree): tree for tree in extra}},
    )


def node_contents(definition: RuntimeDefinition) -> RuntimeContents:
    """Return what is in a runtime of kind `node`; the program is asked for its version. Raises RuntimeBrokenError."""
    program = _program(definition)
    command = [str(program), "--version"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_ASK_S, env={}).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        why = Text("{program} --version does not work ({why})", program=program, why=error)
        raise RuntimeBrokenError(placed(f"runtime {definition.name!r}", why)) from error
    return RuntimeContents(output.strip().removeprefix("v")[:40], dict(sorted(_module_versions(definition.modules))))


def _program(definition: RuntimeDefinition) -> Path:
    program = definition.program
    assert program is not None
    if not program.is_file() or not os.access(program, os.X_OK):
        why = Text("{program} is no program that can be run; install it", program=program)
        raise RuntimeBrokenError(placed(f"runtime {definition.name!r}", why))
    return program


def _module_versions(modules: Path | None) -> Iterator[tuple[str, str]]:
    if modules is None:
        return
    for file in sorted((*modules.glob("*/package.json"), *modules.glob("@*/*/package.json"))):
        with suppress(OSError, ValueError):
            data = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(data, dict):
                yield str(file.parent.relative_to(modules)), str(data.get("version", "unknown"))


def packages_missing(contents: RuntimeContents, directory: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each list of packages in a bot's directory, and which of them neither a runtime nor the directory has."""
    listed = {_PYTHON_LIST: _listed_for_python(directory), _NODE_LIST: _listed_for_node(directory)}
    own = {_OURS} | {_normal(path.name.split("-")[0]) for path in directory.glob("*.dist-info")}
    for file, names in listed.items():
        missing = [
            name
            for name in names
            if not {name, _normal(name)} & (own | contents.packages.keys())
            and not any((directory / place).exists() for place in _places_of(name))
        ]
        if missing:
            yield file, missing


def _places_of(name: str) -> Sequence[str]:
    """Return where a package lies in a directory to which it was copied."""
    module = name.replace("-", "_").lower()
    return (f"node_modules/{name}", module, f"{module}.py")


def _listed_for_python(directory: Path) -> list[str]:
    # What has a marker may be for another system; what begins with a dash is an option of pip.
    lines = (line.partition("#")[0].strip() for line in _read_list(directory, _PYTHON_LIST).splitlines())
    return [found[1] for line in lines if ";" not in line and (found := _REQUIREMENT.match(line))]


def _listed_for_node(directory: Path) -> list[str]:
    with suppress(ValueError, RecursionError):
        data = json.loads(_read_list(directory, _NODE_LIST))
        if isinstance(data, dict) and isinstance(names := data.get("dependencies"), dict):
            return [name for name in names if _NODE_NAME.fullmatch(name)]
    return []


def _read_list(directory: Path, name: str) -> str:
    """Return the text of a file of a bot, nothing if that is none."""
    with suppress(OSError), os.fdopen(open_regular(directory, name), "rb") as file:
        return decode_text(file.read(_MOST_LIST_BYTES))
    return ""


def lay_out_native(definition: RuntimeDefinition) -> RuntimeLayout:
    """Return where the libraries of the system lie, and further directories. Raises RuntimeBrokenError."""
    for tree in definition.trees:
        if not tree.is_dir():
            why = Text("there is no directory {path}; make it, or name it right", path=tree)
            raise RuntimeBrokenError(placed(f"runtime {definition.name!r}", why))
    is_bundled = definition.kind is RuntimeKind.BUNDLED
    return RuntimeLayout(
        places=BUNDLED_PLACES if is_bundled else ProgramPlaces(definition.name),
        trees=None if is_bundled else tuple(map(str, definition.trees)),
        environment={} if is_bundled else {"PATH": SYSTEM_PATH},
        hashed={**_libraries(), **{str(tree): tree for tree in definition.trees}},
        facts=(platform.machine(),),
    )


def native_contents(definition: RuntimeDefinition) -> RuntimeContents:
    """Return the versions of the system's own libraries."""
    del definition
    libraries = _libraries()
    found = {name: version for name, path in libraries.items() if (version := _library_version(path))}
    return RuntimeContents(" ".join(platform.libc_ver()).strip() or "unknown", found)


def _libraries() -> Mapping[str, Path]:
    """Return the libraries that are installed, by the name under which programs ask for them."""
    found: dict[str, Path] = {}
    own = [Path(base, f"{platform.machine()}-linux-gnu") for base in ("/usr/lib", "/lib")]
    for directory in (*own, *map(Path, ("/usr/lib64", "/lib64", "/usr/lib", "/lib"))):
        for name in _LIBRARIES:
            if name not in found and (directory / name).is_file():
                found[name] = (directory / name).resolve()
    return found


def _library_version(path: Path) -> str | None:
    """Return the version in the name of a library, or that of the compiler it was made by."""
    if found := _SONAME_VERSION.search(path.name):
        return found[1]
    with suppress(OSError):
        compiler = _COMPILER.search(path.read_bytes())
        return f"of gcc {os.fsdecode(compiler[1])}" if compiler else None
    return None
