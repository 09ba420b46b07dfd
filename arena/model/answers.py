"""What a tournament that asks a question has found out so far."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import Text
from ratings.statistics.scores import elo_of, expected_score

MOST_ELO = 800.0


@dataclass(frozen=True, slots=True)
class BestKnown:
    """How well an adaptive tournament has answered its question."""

    until: str
    """The question, for example `top 3 known at 95% within 10 Elo`."""
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
    """What speaks for better (above 0) or for not better (below): the logarithm of the capital of a bet on it."""
    bounds: tuple[float, ...]
    """Where that ratio ends the test with not better and with better."""
    mean: float
    """The gain: the mean score of NEW against OLD less one half."""
    error: float
    """The standard error of that mean."""
    pairs: int
    """The steps that were played, each the fewest matches that give NEW and OLD the same places."""
    answered_after: int | None
    games: int
    identical_games: int
    identical_pairs: int
    lower: float = 0.0
    """What was asked: the two gains between which the test decides, and how often it may be wrong about each."""
    upper: float = 0.0
    alpha: float = 0.0
    beta: float = 0.0
    wins: int = 0
    """How often NEW was ahead of OLD, level and behind."""
    ties: int = 0
    losses: int = 0
    new_forfeits: int = 0
    """The matches that each forfeited."""
    old_forfeits: int = 0
    low: float = -0.5
    """The interval of the gain that holds the true one with 95 %."""
    high: float = 0.5
    superiority: float = 0.5
    """The likelihood of superiority: the chance that the gain is above 0."""


def comparison_note(found: ComparisonResult) -> str:
    """Return how it stands: ahead, level and behind, the gain in Elo with its 95 % interval, and the ratio; faults."""
    low, high = found.bounds
    elo, least, most = (elo_text(gain) for gain in (found.mean, found.low, found.high))
    return (
        Text(
            "ratings.wins_ties_losses_forfeits",
            "W/D/L {wins}/{ties}/{losses}, {elo} Elo ({low}..{high}), LOS {chance}%, log ratio {ratio} "
            "({least}..{most}), forfeits NEW {ours}, OLD {theirs}",
            wins=found.wins,
            ties=found.ties,
            losses=found.losses,
            elo=elo,
            low=least,
            high=most,
            chance=f"{100 * found.superiority:.1f}",
            ratio=f"{found.log_ratio:+.2f}",
            least=f"{low:.2f}",
            most=f"{high:.2f}",
            ours=found.new_forfeits,
            theirs=found.old_forfeits,
        )
        if found.new_forfeits or found.old_forfeits
        else Text(
            "ratings.wins_ties_losses",
            "W/D/L {wins}/{ties}/{losses}, {elo} Elo ({low}..{high}), LOS {chance}%, log ratio {ratio} "
            "({least}..{most})",
            wins=found.wins,
            ties=found.ties,
            losses=found.losses,
            elo=elo,
            low=least,
            high=most,
            chance=f"{100 * found.superiority:.1f}",
            ratio=f"{found.log_ratio:+.2f}",
            least=f"{low:.2f}",
            most=f"{high:.2f}",
        )
    )


def elo_text(gain: float) -> str:
    """Return a gain in Elo; beyond MOST_ELO a score says no more than that it is beyond."""
    score = 0.5 + gain
    most = expected_score(MOST_ELO)
    if not 1 - most < score < most:
        return f"{'>' if gain > 0 else '<'}{MOST_ELO if gain > 0 else -MOST_ELO:+.0f}"
    return f"{elo_of(score):+.0f}"
