"""Sums up what trial matches showed of a bot: its times, its memory, its scores, the matches that it lost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from arena.trial.lineup import opponent_in
from arena.trial.trials import PlayedTrial
from ratings.statistics.scores import Firsts, MeanScore, match_firsts, mean_score, most_points, seat_points


@dataclass(frozen=True, slots=True)
class DecisionTimes:
    """What the decisions of a bot were charged on one setup."""

    game: str
    seats: int
    decisions: int
    median_us: int
    p99_us: int
    longest_us: int
    limit_us: int
    """The limit of one decision; 0 if the clock has none."""


@dataclass(frozen=True, slots=True)
class Score:
    """How a bot did against one sample: 1 for a match won, 0 for one that it came last in, ranks between in between."""

    against: str
    matches: int
    won: int
    """In how many it was first alone."""
    shared: int
    """In how many it was first together with some of the others."""
    draws: int
    """In how many all were level."""
    faults: int
    """In how many of the matches it made a fault, and so forfeited."""
    score: MeanScore


def score_of(played: PlayedTrial) -> Fraction:
    """Return the normalised rank of the bot in a match of a lineup, where it has one seat."""
    ranks, (own,) = played.report.result.ranks, played.trial.own
    return Fraction(seat_points(ranks, own), most_points(len(ranks)))


def is_lost(played: PlayedTrial) -> bool:
    """Return whether another bot won, and this one made no fault."""
    (own,) = played.trial.own
    return not played.faults and played.report.result.ranks[own] > 1


def decision_times(matches: Sequence[PlayedTrial]) -> list[DecisionTimes]:
    """Return the times on each setup on which it decided anything."""
    found = []
    for (game, seats), played in _by_ground(matches).items():
        charges = sorted(charge for one in played for charge in one.charges_us())
        if charges:
            limit_us = played[0].trial.spec.clock.decision_limit_us
            found.append(_times(game, seats, charges, limit_us))
    return found


def scores(matches: Sequence[PlayedTrial]) -> list[Score]:
    """Return how it did against each sample, over all setups."""
    return [_score(against, played) for against, played in _by_sample(matches).items()]


def _score(against: str, played: Sequence[PlayedTrial]) -> Score:
    kinds = Counter(match_firsts(one.report.result.ranks)[one.trial.own[0]] for one in played)
    return Score(
        against=against,
        matches=len(played),
        won=kinds[Firsts(wins=1)],
        shared=kinds[Firsts(shared=1)],
        draws=kinds[Firsts(draws=1)],
        faults=sum(bool(one.faults) for one in played),
        score=mean_score([score_of(one) for one in played]),
    )


def peak_memory_bytes(matches: Sequence[PlayedTrial]) -> int | None:
    """Return the most memory that a process of it used with its descendants, or None if nobody could measure it."""
    peaks = [process.peak_memory_bytes for played in matches for process in played.processes]
    return max((peak for peak in peaks if peak is not None), default=None)


def _times(game: str, seats: int, charges: Sequence[int], limit_us: int) -> DecisionTimes:
    median_us, p99_us = (quantile(charges, part) for part in (0.5, 0.99))
    return DecisionTimes(game, seats, len(charges), median_us, p99_us, charges[-1], limit_us)


def quantile(ascending: Sequence[int], part: float) -> int:
    """Return the value that occurred which so large a part does not exceed."""
    return ascending[max(ceil(part * len(ascending)) - 1, 0)]


def _by_ground(matches: Iterable[PlayedTrial]) -> Mapping[tuple[str, int], list[PlayedTrial]]:
    found: dict[tuple[str, int], list[PlayedTrial]] = {}
    for played in matches:
        found.setdefault((played.trial.setup.game, played.trial.setup.seats), []).append(played)
    return found


def _by_sample(matches: Iterable[PlayedTrial]) -> Mapping[str, list[PlayedTrial]]:
    found: dict[str, list[PlayedTrial]] = {}
    for played in matches:
        found.setdefault(opponent_in(played.trial), []).append(played)
    return found
