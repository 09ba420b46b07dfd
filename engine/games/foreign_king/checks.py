"""What tests and benchmarks ask of The Foreign King: its variants and the invariants of its positions."""

from __future__ import annotations

from typing import Final

from engine.abilities import Checks
from engine.games.foreign_king.state import POSITION

CHECKS: Final = Checks(
    variants=(
        {},
        {"rulebook": "de"},
        {"congress_on_empty": True, "virtual_discs": 16, "virtual_can_win": False},
        {"bank": 37, "max_rounds": 40},
    ),
    check_invariants=POSITION.check_invariants,
)
"""The variants are what the editions differ in, and short banks."""
