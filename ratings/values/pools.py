"""A pool: matches that are rated together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pool:
    """What all matches of a pool have in common."""

    pool_id: str
    game: str
    rules_version: str
    seats: int
    options: Mapping[str, Any]
    time_control: str
    cores: int
    remote: bool = False
    """Whether bots play in it that their authors run elsewhere: nobody vouches for their code or their clock."""
