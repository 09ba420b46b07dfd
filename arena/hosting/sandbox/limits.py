"""The level and the limits of a bot process, as one plain value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STRICT, STANDARD, REDUCED, NONE = "strict", "standard", "reduced", "none"
LEVELS = (STRICT, STANDARD, REDUCED, NONE)
"""All levels, the strongest first."""
WRAPPED_LEVELS = (STRICT, STANDARD)
"""The levels with a sandbox of its own around each bot; `strict` has a control group besides."""
DEFAULT_MEMORY_MB = 512


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of one bot process with everything it starts. MB are MiB.

    `none` is a plain process of the arena's own user: the limits are watched, nothing is hidden from it.
    """

    level: str = NONE
    memory_mb: int = DEFAULT_MEMORY_MB
    """Resident memory of the whole tree, shared pages counted once."""
    socket: Path | None = None
    """The referee's socket, the only one that a sandboxed process reaches."""
    processes: int = 128
    """Processes and threads together."""
    disk_mb: int = 64
    """How much its private directories may hold."""
    files: int = 20_000
    """How many files these may hold."""
    open_files: int = 256
    """Descriptors of one process; not at `none`."""
    descriptors: int = 512
    """Descriptors of all its processes together, since a connection costs the referee one as well; not at `none`."""
    output_mb: int = 64
    """How much it may write to stdout and stderr at once; a sixteenth of that is added every second."""
    cpu_s: int = 86_400
    """Processor time of one process, a backstop for what no clock of a match sees; not at `none`."""

    def __post_init__(self) -> None:
        """Check the level. Raises ValueError for one that does not exist."""
        if self.level not in LEVELS:
            raise ValueError(f"sandbox level {self.level!r}; there are {', '.join(LEVELS)}")
