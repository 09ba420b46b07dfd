"""A runtime as the organiser defines it, in tables `[runtimes.NAME]` of a TOML file, and as it is here. Values.

    [runtimes.python-ml]
    kind = "python"
    venv = "/srv/venvs/ml"

    [runtimes.node]
    kind = "node"
    program = "/usr/bin/node"
    modules = "/srv/node_modules"

    [runtimes.blas]
    kind = "native"
    trees = ["/opt/blas"]

Every path is a full one. Reading a definition does not look whether its paths exist. The errors:

RuntimeSettingsError   a definition is not valid
UnknownRuntimeError    a bot names a runtime that this arena does not have (a BotDirectoryError)
RuntimeBrokenError     what a definition names is not on this machine, or does not work (a HostingError)
"""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from arena.hosting.errors import HostingError
from arena.hosting.manifest import ARENA, BUNDLED, BotDirectoryError, ProgramPlaces
from arena.hosting.manifest_fields import format_value, is_name
from engine.os_errors import os_error_text
from engine.translatable import Text, did_you_mean, placed

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where programs of the system lie in a sandbox."""
PREDEFINED = (ARENA, BUNDLED)
_TABLE = "runtimes"
# Places that a sandbox makes itself, or that hold what is no bot's business.
_NOT_SHOWN = frozenset(map(Path, ("/", "/bot", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/tmp")))


@dataclass(frozen=True, slots=True)
class RuntimeLayout:
    """Where the parts of a runtime lie."""

    places: ProgramPlaces
    trees: tuple[str, ...] | None
    """What a sandbox shows besides the system; None for what it shows bots of the arena's own Python."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The variables that its programs need."""
    hashed: Mapping[str, Path] = field(default_factory=dict)
    """The files and directories whose content makes the hash, each by the name under which it counts."""
    facts: tuple[str, ...] = ()
    """What else makes the hash."""


@dataclass(frozen=True, slots=True)
class InstalledRuntime:
    """A runtime whose content was looked at."""

    name: str
    kind: RuntimeKind
    hash: str
    """SHA-256 (hex) of its content: a runtime that changed is another one."""
    places: ProgramPlaces
    trees: tuple[str, ...] | None
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RuntimeDescription:
    """What a runtime consists of, for those who keep it: plain values."""

    name: str
    kind: str
    contents: Mapping[str, Any]
    """The versions of the program and of the packages in it."""


@dataclass(frozen=True, slots=True)
class RuntimeContents:
    """What is in a runtime, for those who write bots for it."""

    version: str
    """The version of its interpreter, or of the C library if it has none."""
    packages: Mapping[str, str]
    """The version of each package, by name."""

    def to_json(self) -> dict[str, Any]:
        """Return the contents as JSON data."""
        return {**asdict(self), "packages": dict(self.packages)}


class RuntimeKind(enum.StrEnum):
    """What a runtime consists of."""

    ARENA = "arena"
    """The arena's own Python with the packages it needs."""
    BUNDLED = "bundled"
    """Nothing but the system: the bot brings its program."""
    PYTHON = "python"
    """A virtual environment."""
    NODE = "node"
    """Node.js, with a directory of modules if there is one."""
    NATIVE = "native"
    """The shared libraries of the system, and further directories."""


_KEYS: Mapping[RuntimeKind, tuple[str, ...]] = {
    RuntimeKind.PYTHON: ("kind", "venv", "trees"),
    RuntimeKind.NODE: ("kind", "program", "modules", "trees"),
    RuntimeKind.NATIVE: ("kind", "trees"),
}
_NEEDED = {RuntimeKind.PYTHON: "venv", RuntimeKind.NODE: "program"}


@dataclass(frozen=True, slots=True)
class RuntimeDefinition:
    """What an organiser says of a runtime."""

    name: str
    kind: RuntimeKind
    venv: Path | None = None
    """The virtual environment of kind `python`."""
    program: Path | None = None
    """The program of kind `node`."""
    modules: Path | None = None
    """The directory that `require` searches, of kind `node`."""
    trees: tuple[Path, ...] = ()
    """Further directories that its bots may read."""

    def table(self) -> dict[str, Any]:
        """Return the table that says so."""
        paths = {"venv": self.venv, "program": self.program, "modules": self.modules}
        given = {key: str(path) for key, path in paths.items() if path is not None}
        trees = {"trees": [str(tree) for tree in self.trees]} if self.trees else {}
        return {"kind": self.kind.value, **given, **trees}


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """All runtimes that an organiser defined, by name; `arena`, `bundled` and what is installed are there besides."""

    definitions: Mapping[str, RuntimeDefinition] = field(default_factory=dict)


def read_runtimes(path: Path) -> RuntimeSettings:
    """Return the runtimes that a file defines. Raises RuntimeSettingsError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        why = Text("cannot be read ({why}); name a file of runtimes", why=os_error_text(error))
        raise RuntimeSettingsError(placed(path, why)) from error
    except UnicodeDecodeError as error:
        why = Text("is not UTF-8 text (byte {place}); save it as UTF-8", place=error.start)
        raise RuntimeSettingsError(placed(path, why)) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RuntimeSettingsError(
            placed(path, Text("is not valid TOML: {why}", why=" ".join(str(error).split())))
        ) from error
    _check_keys(data, (_TABLE,), str(path))
    return parse_runtimes(data.get(_TABLE, {}), place=str(path))


def parse_runtimes(tables: Any, *, place: str) -> RuntimeSettings:
    """Return the runtimes that the tables define, a table by name. Raises RuntimeSettingsError, which names `place`."""
    if not isinstance(tables, Mapping):
        why = Text(
            "{table} is {value}; write a table [{table_2}.NAME] for each",
            table=_TABLE,
            value=format_value(tables),
            table_2=_TABLE,
        )
        raise RuntimeSettingsError(placed(place, why))
    return RuntimeSettings({name: _definition(name, table, place) for name, table in tables.items()})


def _definition(name: str, table: Any, place: str) -> RuntimeDefinition:
    here = f"{place}: [{_TABLE}.{name}]"
    if not is_name(name):
        why = Text("a runtime is called 1 to 40 of a-z, 0-9, '-' and '_', like python-ml")
        raise RuntimeSettingsError(placed(here, why))
    if name in PREDEFINED:
        why = Text("{name} is always there and cannot be defined anew; choose another name", name=repr(name))
        raise RuntimeSettingsError(placed(here, why))
    if not isinstance(table, Mapping):
        why = Text("is {value} and no table; write kind = ... below that line", value=format_value(table))
        raise RuntimeSettingsError(placed(here, why))
    known = [kind.value for kind in _KEYS]
    if table.get("kind") not in known:
        found = format_value(table["kind"]) if "kind" in table else "missing"
        why = Text("kind is {value}; {remedy}", value=found, remedy=_remedy(table.get("kind"), known, "kinds"))
        raise RuntimeSettingsError(placed(here, why))
    kind = RuntimeKind(table["kind"])
    _check_keys(table, _KEYS[kind], here)
    needed = _NEEDED.get(kind)
    if needed is not None and needed not in table:
        why = Text("a runtime of kind {kind} needs the key {key}", kind=repr(kind.value), key=repr(needed))
        raise RuntimeSettingsError(placed(here, why))
    paths = {key: _path(table[key], f"{here} {key}") for key in ("venv", "program", "modules") if key in table}
    trees, here = table.get("trees", []), f"{here} trees"
    if not isinstance(trees, list):
        message = Text(
            '{key} is {value}; write a list of directories, like ["/opt/blas"]', key=here, value=format_value(trees)
        )
        raise RuntimeSettingsError(message)
    return RuntimeDefinition(name, kind, **paths, trees=tuple(_path(path, here) for path in trees))


def _check_keys(table: Mapping[str, Any], known: Iterable[str], here: str) -> None:
    for key in table:
        if key not in known:
            why = Text("unknown key {key}; {remedy}", key=format_value(key), remedy=_remedy(key, known, "keys"))
            raise RuntimeSettingsError(placed(here, why))


def _remedy(text: object, known: Iterable[str], what: str) -> str:
    if guess := did_you_mean(str(text), known):
        return guess
    names = ", ".join(known)
    if what == "keys":
        return Text("the keys are {known}", known=names)
    return Text("the kinds are {known}", known=names)


def _path(value: object, here: str) -> Path:
    if not isinstance(value, str) or not value.startswith("/") or "\0" in value:
        why = Text("{key} is {value}; write a full path, like /srv/venvs/ml", key=here, value=format_value(value))
        raise RuntimeSettingsError(why)
    path = Path(value)
    if ".." in path.parts or path in _NOT_SHOWN:
        why = Text(
            "{key} is {value}, which bots may not see; name a directory for this alone",
            key=here,
            value=format_value(value),
        )
        raise RuntimeSettingsError(why)
    return path


class RuntimeSettingsError(ValueError):
    """The definition of a runtime is not valid; the message names place, key and remedy."""

    kind: ClassVar[str] = "misuse"
    reason: ClassVar[str] = "RUNTIME"


class UnknownRuntimeError(BotDirectoryError):
    """A bot names a runtime that this arena does not have; the message names those it has."""


class RuntimeBrokenError(HostingError):
    """A runtime is not on this machine as it was defined; the message names the remedy."""
