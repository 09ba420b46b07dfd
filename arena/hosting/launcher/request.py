"""Requests to the launcher to start a process: plain values that cross its pipe as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.hosting.cgroups.hierarchy import GroupLimits


@dataclass(frozen=True, slots=True)
class WatchedLimits:
    """What a process and its descendants may use. The launcher checks it every 0.2 s, and kills them beyond it."""

    memory_bytes: int
    processes: int
    """Processes and threads together."""
    disk_bytes: int
    """How much its private directories may hold."""
    files: int
    """How many files these may hold."""
    output_bytes: int
    """How much it may write to stdout and stderr at once."""
    descriptors: int | None = None
    """Open descriptors of all its processes together; None if they are not limited."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """How a process is confined before its program runs."""

    rlimits: Mapping[str, int]
    """Limits for setrlimit(2), by their names in the module `resource`."""
    seccomp: str
    """The filter program, in base64."""
    wrapper: Sequence[str] = ()
    """The command of a sandbox, put in front of `argv`; the launcher fills in `{uid}`, `{seccomp}` and `{status}`."""
    own_uid: bool = False
    """Whether the process gets a user id of its own."""
    landlock: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The only places it may `read`, `list` and `write`; empty if a wrapper hides all others."""
    group: GroupLimits | None = None
    """The limits of its control group; None if it gets none."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Confinement:
        """Return the confinement that `StartRequest.to_json` wrote."""
        return cls(**{**data, "group": data["group"] and GroupLimits(**data["group"])})


@dataclass(frozen=True, slots=True)
class StartRequest:
    """A process to start."""

    argv: Sequence[str]
    directory: str
    """Where its files lie; its working directory if it has no `scratch`."""
    environment: Mapping[str, str]
    scratch: str | None = None
    """A working directory that is created for it and removed after its end."""
    limits: WatchedLimits | None = None
    """None if it is not watched."""
    confinement: Confinement | None = None
    program: str = ""
    """The name of the program in messages; `argv[0]` if empty."""
    writable: str | None = None
    """A directory that it may change and that stays after its end; what is in it counts with its private ones."""

    @property
    def named_program(self) -> str:
        """The name of the program in messages."""
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
            "confinement": confinement and Confinement.from_json(confinement),
        }
        return cls(**{**data, **nested})
