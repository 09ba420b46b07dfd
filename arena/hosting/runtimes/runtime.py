"""A runtime as it is on this machine: what the sandbox shows of it, what is in it, and what makes its hash. Values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arena.hosting.manifest import ProgramPlaces
from arena.hosting.runtimes.settings import RuntimeKind

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where programs of the system lie in a sandbox."""


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
