"""What owners are told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that one owner, or everybody, is told."""

    id: str
    at_us: int
    subject: str
    sentence: str
    for_everybody: bool
