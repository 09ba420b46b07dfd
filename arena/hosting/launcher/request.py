"""What the launcher is asked to start: plain values that cross its pipe as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class WatchedLimits:
    """What a process may use with everything it starts; the launcher looks every 0.2 s and ends it beyond."""

    memory_bytes: int
    processes: int
    """Processes and threads together."""
    disk_bytes: int
    """What its private directories may hold."""
    files: int
    """How many files these may hold."""
    output_bytes: int
    """What it may write at once to stdout and stderr."""
    descriptors: int | None = None
    """Of all its processes together; None: not looked at."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What is put upon or around a process before its program runs."""

    rlimits: Mapping[str, int]
    """Limits of setrlimit(2) by their names in the module `resource`."""
    seccomp: str
    """The filter, in base64."""
    wrapper: Sequence[str] = ()
    """The words of a sandbox in front of the command; `{uid}`, `{seccomp}` and `{status}` are filled in."""
    own_uid: bool = False
    """Whether the process gets a user id that nobody else has."""
    landlock: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The only places it may `read`, `list` and `write`; empty where a wrapper hides the others."""


@dataclass(frozen=True, slots=True)
class StartRequest:
    """A process to start."""

    argv: Sequence[str]
    directory: str
    """Where its files lie; it works there if it has no `scratch`."""
    environment: Mapping[str, str]
    scratch: str | None = None
    """A directory that is made for it, in which it works, and which goes with it."""
    limits: WatchedLimits | None = None
    """None: nobody watches it."""
    confinement: Confinement | None = None
    program: str = ""
    """How messages name the program; empty: as `argv` does."""

    @property
    def named_program(self) -> str:
        """The program as messages name it."""
        return self.program or self.argv[0]

    def to_json(self) -> dict[str, Any]:
        """Return the request as JSON data; `from_json` is the inverse."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StartRequest:
        """Return the request that `to_json` wrote."""
        limits, confinement = data["limits"], data["confinement"]
        nested = {
            "limits": limits and WatchedLimits(**limits),
            "confinement": confinement and Confinement(**confinement),
        }
        return cls(**{**data, **nested})
