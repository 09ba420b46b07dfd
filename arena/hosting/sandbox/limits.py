"""The level and the limits of a bot process, as one plain value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STANDARD, REDUCED, NONE = "standard", "reduced", "none"
LEVELS = (STANDARD, REDUCED, NONE)
"""The strongest first; `strict` (with cgroup v2) is not built."""
DEFAULT_MEMORY_MB = 512


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one bot process with everything it starts. MB are MiB.

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
    """What its private directories may hold."""
    files: int = 20_000
    """How many files these may hold."""
    open_files: int = 256
    """Descriptors of one process; not at `none`."""
    descriptors: int = 512
    """Of all processes together, because connections cost the referee as many; not at `none`."""
    output_mb: int = 64
    """What it may write to stdout and stderr at once; a sixteenth of it more every second."""
    cpu_s: int = 86_400
    """Processor time of one process. A backstop for what no clock of a match sees; not at `none`."""

    def __post_init__(self) -> None:
        """Raises ValueError for a level that does not exist."""
        if self.level not in LEVELS:
            raise ValueError(f"sandbox level {self.level!r}; there are {', '.join(LEVELS)}")
