"""What the end of a game is worth to each seat, as those who learn count it."""

from __future__ import annotations

from collections.abc import Sequence


def utilities(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return a number for each seat from 1 (first alone) to -1 (last alone), evenly spaced; their sum is 0.

    Seats that tie share what their places are worth: ranks 1, 1, 3 are 0.5, 0.5, -1. It needs two seats at least.
    """
    step = 1 / (len(ranks) - 1)
    return tuple((len(ranks) - 2 * rank + 1 - (ranks.count(rank) - 1)) * step for rank in ranks)
