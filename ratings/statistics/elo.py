"""Elo and the score that is expected of it. No I/O.

Source: A. E. Elo, The Rating of Chessplayers, Past and Present (1978), with the logistic curve: who is `elo` stronger
is expected to score 1 / (1 + 10^(-elo / 400)).
"""

from __future__ import annotations

from math import log10

POINTS_PER_TENFOLD = 400.0


def expected_score(elo: float) -> float:
    """Return the score, 0 to 1, that is expected of somebody so many Elo stronger."""
    return float(1 / (1 + 10 ** (-elo / POINTS_PER_TENFOLD)))


def elo_of(score: float) -> float:
    """Return by how many Elo somebody with that expected score, above 0 and below 1, is stronger."""
    return POINTS_PER_TENFOLD * log10(score / (1 - score))
