"""What one side of the comparison did, and the figures that follow from it. Values only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Playing:
    """One match: how many moves engines were asked for, and when it began and ended, by `time.time()`."""

    plies: int
    """All of them, those of the opening and those that the arena played by itself included."""
    moves: int
    began_s: float
    ended_s: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What a side did for each move that an engine was asked for, while all its slots were busy."""

    moves_a_second: float
    cpu_us: float
    """Of all processes together."""
    engine_us: float
    """Of the engines alone."""
    lost_us: float
    """How long a match took for a move beyond what the engine computed for it."""
    lengths: Counter[int]
    """How many of its matches had so many plies."""


def steady_span(playings: Sequence[Playing], slots: int) -> tuple[float, float]:
    """Return the moments between which every slot was busy with engines that had played before.

    It begins when as many matches have ended as there are slots, and ends when the last one begins. Raises ValueError
    if that leaves nothing.
    """
    ends = sorted(one.ended_s for one in playings)
    began_s, ended_s = ends[min(slots, len(ends)) - 1], max(one.began_s for one in playings)
    if ended_s <= began_s:
        raise ValueError(f"{len(playings)} matches in {slots} slots are too few to measure; play more")
    return began_s, ended_s


def moves_within(playings: Sequence[Playing], began_s: float, ended_s: float) -> float:
    """Return how many moves were asked for between two moments; those of one match are spread evenly over it."""
    shares = (
        max(min(one.ended_s, ended_s) - max(one.began_s, began_s), 0.0) / (one.ended_s - one.began_s) * one.moves
        for one in playings
    )
    return sum(shares)


def figures(playings: Sequence[Playing], slots: int, span: tuple[float, float], cpu_s: tuple[float, float]) -> Figures:
    """Return the figures of a side; `cpu_s` is what engines and others computed in the span, in seconds."""
    seconds, moves = span[1] - span[0], moves_within(playings, *span)
    engines_us, others_us = (1e6 * part_s / moves for part_s in cpu_s)
    return Figures(
        moves_a_second=moves / seconds,
        cpu_us=engines_us + others_us,
        engine_us=engines_us,
        lost_us=1e6 * slots * seconds / moves - engines_us,
        lengths=Counter(one.plies for one in playings),
    )
