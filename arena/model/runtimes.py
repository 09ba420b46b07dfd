"""The runtimes that a service offers to bots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a runtime consists of, by the hash of its content."""

    name: str
    kind: str
    hash: str
    """Empty if it does not work."""
    contents: Mapping[str, Any]
    """The versions of the program and of the packages in it: `version`, `packages`; or the `problem`, if it has one."""
    seen_at_us: int | None = None
    """When it was first used; `None` if no match was played in it yet."""
