"""What the kernel allows a group. Plain values that cross the launcher's pipe."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupLimits:
    """The limits of one bot's group, its sandbox included."""

    memory_bytes: int
    """Everything: pages of processes, shared and cached ones, files in memory, and what the kernel keeps for them."""
    processes: int
    """Processes and threads together."""
