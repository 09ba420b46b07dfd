"""How good a score is, as one of nine steps of a diverging scale, which the style sheet colours for both themes."""

from __future__ import annotations

STEPS = 9


def heat_of(score: float) -> int:
    """Return the step of a score from 0 (lost all) to 1 (won all); the middle one stands for an equal result."""
    return min(STEPS - 1, max(0, int(score * STEPS)))
