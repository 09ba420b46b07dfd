"""TrueSkill and OpenSkill with explicit constants: repeatable to the last digit, without state.

The formulas are those of Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006), as the
`trueskill` package computes them: with three seats and more, and with ties, they are approximations (expectation
propagation, iterated until it stands). The floats are those of the package, to the last bit, at a small part of its
time; `rate_by_package` is the package itself, and tests and `benchmarks.large_database` hold one against the other.

OpenSkill is the Plackett-Luce model of the package `openskill` (R. Weng, C.-J. Lin, "A Bayesian approximation method
for online ranking", 2011, algorithm 4), which has to be installed where a pool is rated by it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from engine.translatable import Text
from ratings.statistics.errors import SkillError
from ratings.statistics.factor_graph import Constants, constants_of, rate_many_seats, rate_two_seats
from ratings.values.pools import RatingMethod

_MAX_HALVINGS = 64


@dataclass(frozen=True, slots=True)
class SkillSettings:
    """How one pool is rated. Raises SkillError for constants that cannot be worked with."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.10
    """Of TrueSkill alone."""
    rating_method: RatingMethod = RatingMethod.TRUESKILL

    def __post_init__(self) -> None:
        if not all(math.isfinite(value) for value in (self.mu, self.sigma, self.beta, self.tau)):
            raise SkillError("the constants of a pool are finite numbers")
        if self.sigma <= 0 or self.beta <= 0 or self.tau < 0:
            raise SkillError("sigma and beta are above 0, tau is 0 or more")
        # With 0 the first tie would raise every sigma instead of lowering it.
        if not 0 < self.draw_probability < 1:
            raise SkillError(f"a draw probability of {self.draw_probability} is not between 0 and 1, both excluded")


class Skill(NamedTuple):
    """What is believed of the strength of one version: a normal distribution."""

    mu: float
    sigma: float


def newcomer(settings: SkillSettings) -> Skill:
    """Return what is believed of a version of which nothing is known."""
    return Skill(settings.mu, settings.sigma)


def successor(settings: SkillSettings, predecessor: Skill) -> Skill:
    """Return the skill with which a new version of a bot starts.

    It has its predecessor's mu and a sigma wider by half a newcomer's (in quadrature), but never wider than a
    newcomer's own.
    """
    return Skill(predecessor.mu, min(settings.sigma, math.hypot(predecessor.sigma, settings.sigma / 2)))


def exposure(skill: Skill) -> float:
    """Return the figure that is shown and sorted by: mu - 3 sigma, which the true skill exceeds with 99.9 %."""
    return skill.mu - 3 * skill.sigma


class _Ranking(NamedTuple):
    """The ranks of a match as messages are passed along them."""

    seats: tuple[int, ...]
    """The seats from the best to the worst, those that tie in their own order."""
    ties: tuple[bool, ...]
    """Whether each of these seats ties with the next."""


@lru_cache(maxsize=1 << 12)
def _ranking_of(ranks: tuple[int, ...]) -> _Ranking:
    """Return who comes before whom. Raises SkillError unless every rank is 1 + the number of strictly better seats."""
    for rank in ranks:
        if rank != 1 + sum(other < rank for other in ranks):
            raise SkillError(f"{ranks} are no ranks: each is 1 + the number of strictly better seats")
    seats = sorted(range(len(ranks)), key=ranks.__getitem__)
    return _Ranking(tuple(seats), tuple(ranks[better] == ranks[worse] for better, worse in pairwise(seats)))


def check_ranks(ranks: Sequence[int]) -> None:
    """Raise SkillError unless every rank is 1 + the number of strictly better seats."""
    _ranking_of(tuple(ranks))


def rate(settings: SkillSettings, ratings: Sequence[Skill], ranks: Sequence[int]) -> tuple[Skill, ...]:
    """Return the skills after one match; `ranks[i]` belongs to `ratings[i]`, 1 is best, and ties share a rank.

    Equal arguments give equal floats, and they are those of the method's package. Where TrueSkill's skills are further
    apart than double precision can bear (hundreds of mu), the mus are drawn together around their mean, halving the
    distances until it can; the differences found there are applied to the true ones. Raises SkillError.
    """
    if len(ratings) != len(ranks) or len(ranks) < 2:
        raise SkillError(f"{len(ratings)} ratings and {len(ranks)} ranks; a match has two seats or more")
    ranking = _ranking_of(tuple(ranks))
    if settings.rating_method == RatingMethod.OPENSKILL:
        return _rate_by_openskill(settings, ratings, ranks)
    if after := _try_rate(settings, ratings, ranking):
        return after
    centre = math.fsum(skill.mu for skill in ratings) / len(ratings)
    for halvings in range(1, _MAX_HALVINGS):
        near = [Skill(centre + (mu - centre) * 0.5**halvings, sigma) for mu, sigma in ratings]
        if after := _try_rate(settings, near, ranking):
            moved = zip(ratings, near, after, strict=True)
            return tuple(Skill(old.mu + (new.mu - start.mu), new.sigma) for old, start, new in moved)
    raise SkillError(f"no rating can be computed from {[tuple(skill) for skill in ratings]}")


def _try_rate(settings: SkillSettings, ratings: Sequence[Skill], ranking: _Ranking) -> tuple[Skill, ...] | None:
    constants = constants_of(settings.beta, settings.tau, settings.draw_probability)
    after = _try_two(constants, ratings, ranking) if len(ratings) == 2 else None
    return after or _try_several(constants, ratings, ranking)


def _try_two(constants: Constants, ratings: Sequence[Skill], ranking: _Ranking) -> tuple[Skill, Skill] | None:
    """Return the skills of two seats, unless they are beyond what is written out for two."""
    (one, other), (is_tie,) = ranking
    (mu, sigma), (other_mu, other_sigma) = ratings[one], ratings[other]
    try:
        mu, sigma, other_mu, other_sigma = rate_two_seats(constants, mu, sigma, other_mu, other_sigma, is_tie)
    except (ArithmeticError, ValueError):
        return None
    # Whatever is not finite makes the sum so; a sigma is the root of a quotient of one.
    if not math.isfinite(mu + other_mu + sigma + other_sigma):
        return None
    after, other_after = Skill(mu, sigma), Skill(other_mu, other_sigma)
    return (after, other_after) if one == 0 else (other_after, after)


def _try_several(constants: Constants, ratings: Sequence[Skill], ranking: _Ranking) -> tuple[Skill, ...] | None:
    try:
        passed = rate_many_seats(constants, [ratings[seat] for seat in ranking.seats], ranking.ties)
    except (ArithmeticError, ValueError):  # a vanished probability, the root of a variance that rounding made negative
        return None
    skills = dict(zip(ranking.seats, passed, strict=True))
    after = tuple(Skill(*skills[seat]) for seat in range(len(ratings)))
    sound = all(math.isfinite(skill.mu) and 0 < skill.sigma < math.inf for skill in after)
    return after if sound else None


def match_quality(settings: SkillSettings, one: Skill, other: Skill) -> float:
    """Return how open a match of two would be, 0 to 1: by TrueSkill its chance of a draw relative to known equals.

    Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006), formula 4.1. By OpenSkill it is the
    chance of a draw as its package foretells it. Raises SkillError.
    """
    if settings.rating_method == RatingMethod.OPENSKILL:
        model = openskill_model(settings)
        return float(model.predict_draw([[model.rating(mu=skill.mu, sigma=skill.sigma)] for skill in (one, other)]))
    spread = 2 * settings.beta**2
    total = spread + one.sigma**2 + other.sigma**2
    return math.sqrt(spread / total) * math.exp(-((one.mu - other.mu) ** 2) / (2 * total))


def _rate_by_openskill(settings: SkillSettings, ratings: Sequence[Skill], ranks: Sequence[int]) -> tuple[Skill, ...]:
    model = openskill_model(settings)
    teams = [[model.rating(mu=skill.mu, sigma=skill.sigma)] for skill in ratings]
    try:
        rated = model.rate(teams, ranks=[float(rank) for rank in ranks])
    except ArithmeticError:  # a power of e beyond double precision
        rated = []
    after = tuple(Skill(float(one.mu), float(one.sigma)) for (one,) in rated)
    if not after or not all(math.isfinite(skill.mu) and 0 < skill.sigma < math.inf for skill in after):
        raise SkillError(f"no rating can be computed from {[tuple(skill) for skill in ratings]}")
    return after


def check_rating_method(method: RatingMethod) -> None:
    """Raise SkillError if this arena lacks what it takes to rate by that method."""
    if method == RatingMethod.OPENSKILL:
        openskill_model(SkillSettings(rating_method=method))


def openskill_model(settings: SkillSettings) -> Any:
    """Return the Plackett-Luce model of the package `openskill` with these constants. Raises SkillError without it."""
    try:
        from openskill.models import PlackettLuce
    except ImportError as error:
        raise SkillError(
            Text(
                "{package} is not installed; install it with: pip install {remedy}",
                package="openskill",
                remedy="'kingmaker-arena[openskill]'",
            )
        ) from error
    return _model(PlackettLuce, settings)


@lru_cache(maxsize=64)
def _model(kind: Any, settings: SkillSettings) -> Any:
    return kind(mu=settings.mu, sigma=settings.sigma, beta=settings.beta, tau=settings.tau)


def rate_by_package(settings: SkillSettings, skills: Sequence[Skill], ranks: Sequence[int]) -> list[Skill]:
    """Return the skills after one match, as `skill.rate` does, but for what is beyond double precision.

    Raises ArithmeticError or ValueError there.
    """
    environment = _environment(settings)
    groups = [(environment.create_rating(skill.mu, skill.sigma),) for skill in skills]
    return [Skill(rating.mu, rating.sigma) for (rating,) in environment.rate(groups, ranks=list(ranks))]


@lru_cache(maxsize=64)
def _environment(settings: SkillSettings) -> Any:
    """Return the package with these constants; its global environment is never used."""
    import trueskill  # nothing but tests and benchmarks needs the package

    return trueskill.TrueSkill(
        mu=settings.mu,
        sigma=settings.sigma,
        beta=settings.beta,
        tau=settings.tau,
        draw_probability=settings.draw_probability,
    )
