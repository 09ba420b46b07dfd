"""What tests and benchmarks ask of Rex Romanorum: its variants, its invariants, and what its play consists of."""

from __future__ import annotations

from typing import Final

from engine.abilities import Checks
from engine.games.rex_romanorum.invariants import check
from engine.games.rex_romanorum.measures import measures

CHECKS: Final = Checks(variants=({}, {"variant": "short"}), check_invariants=check, measures=measures)
"""The variants are both decks (A9)."""
