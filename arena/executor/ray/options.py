"""What a coordinator asks of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.executor.ray.proving import Demands


@dataclass(frozen=True, slots=True)
class RayOptions:
    """Which cluster plays, how much of it, and what its machines must have."""

    address: str = ""
    """HOST:PORT of its head; empty for the one that Ray finds by itself."""
    workers: int = 0
    """At most so many matches at once; 0 for as many as there are cores."""
    cores: int = 1
    """How many cores each worker gets."""
    warm_mb: int | None = None
    """What idle bots may hold on each machine; None for a share of its memory."""
    runtimes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The tables of the runtimes that the organiser defined, by name."""
    demands: Demands = field(default_factory=Demands)
    report: Callable[[str], None] = lambda _: None
    """Is told what people should know of the machines, each thing once."""
