"""Which kind of first a seat was in a match: first alone, first with some of the others, or level with all. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Firsts(NamedTuple):
    """How often a seat, or whoever sat in it, ended with rank 1; a match counts in one of the three, or in none."""

    wins: int = 0
    """In how many matches it was first alone."""
    shared: int = 0
    """In how many it was first together with some of the others, but not with all."""
    draws: int = 0
    """In how many all were level."""


_NONE, _WIN, _SHARED, _DRAW = Firsts(), Firsts(wins=1), Firsts(shared=1), Firsts(draws=1)


def match_firsts(ranks: Sequence[int]) -> list[Firsts]:
    """Return which kind of first each seat of a match was; index = seat. Ranks are 1 for the best; ties share one."""
    at_the_top = sum(rank == 1 for rank in ranks)
    first = _WIN if at_the_top == 1 else _DRAW if at_the_top == len(ranks) else _SHARED
    return [first if rank == 1 else _NONE for rank in ranks]
