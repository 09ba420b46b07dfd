"""What a tournament that asks a question has found out so far."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BestKnown:
    """How well an adaptive tournament has answered its question."""

    until: str
    """The question, for example `top 3 known at 95%`."""
    is_known: bool
    confidence: float
    leaders: tuple[str, ...]
    """The ids of the best versions so far, best first."""
    contenders: tuple[str, ...]
    """The ids of the others that may belong among them, likeliest first."""
    leader_names: tuple[str, ...] = ()
    """What people call the leaders, in their order."""
    contender_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfidencePoint:
    """How sure an adaptive tournament was of its answer after so many whole blocks."""

    blocks: int
    confidence: float
    leaders: tuple[str, ...]
    """What people call those who led then, the best first, MOST_LIMIT at most."""


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What a comparison of NEW with OLD says so far."""

    answer: str | None
    """`better`, `not better`, `undecided`, or `None` while it goes on."""
    log_ratio: float
    bounds: tuple[float, ...]
    """The lower and the upper bound of the log likelihood ratio."""
    mean: float
    """The mean of the paired difference of normalised rank."""
    error: float
    """The standard error of that mean."""
    pairs: int
    answered_after: int | None
    games: int
    identical_games: int
    identical_pairs: int
    lower: float = 0.0
    """What was asked: the two gains between which the test decides, and how often it may be wrong about each."""
    upper: float = 0.0
    alpha: float = 0.0
    beta: float = 0.0


def comparison_note(found: ComparisonResult) -> str:
    """Return the log likelihood ratio between its bounds, and the mean difference with its 95 % interval."""
    low, high = found.bounds
    difference = f"NEW {found.mean:+.4f} +- {1.96 * found.error:.4f} of a rank"
    return f"log ratio {found.log_ratio:+.2f} ({low:.2f}..{high:.2f}), {difference}"
