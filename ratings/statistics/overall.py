"""One table over several pools: a hierarchical model of the bots' strengths, fitted in two stages. No I/O.

The strength of bot b in pool g is

    centre of g + spread of g * (ability of b + deviation of b in g),

where abilities have variance 1 - r and deviations variance r: r is the part of the field's differences that belongs to
single games. Of the deviations of pools that are one game, a part k is common to them. What is told of a bot is the
mean of its ability and deviations over the listed games, each with the same weight, less the mean of the field: its
unit is the standard deviation of a field's strengths in a game.

The first stage is the official model of each pool (`official_table.fit_counts`). Of it only the likelihood is taken,
as a parabola about the fitted point: whoever was drawn towards the middle there would be so twice. The effects of the
seats, ties, and versions that stand for no bot are integrated out, and the information is divided by the dispersion of
the blocks. The second stage is one normal distribution over bots and games (multi-level Gaussian model; A. Gelman, J.
Hill, "Data Analysis Using Regression and Multilevel/Hierarchical Models", 2007, chapters 11 to 13). Centres have a flat
prior. The logarithms of the spreads are integrated by Laplace's method, with the first order of what they move (Kass
and Steffey 1989, as in `fit`), r and k over a grid (Rue, Martino and Chopin, "Approximate Bayesian inference for latent
Gaussian models", 2009): every figure is that of the mixture over the grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product as every_pair
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np

from engine.translatable import Text
from ratings.statistics.algebra import cholesky, inner, inverse, inverse_and_log_determinant, product
from ratings.statistics.circles import meetings, pair_odds, pairs_of
from ratings.statistics.covariance import uncertainty
from ratings.statistics.errors import ResultsError
from ratings.statistics.official_table import error_function, fit_counts
from ratings.statistics.results import Bools, Counts, Floats, Ints

MAX_BOTS = 300
"""Time grows with the cube of the bots, and with the pools: 300 bots in 5 pools take some 20 s."""
LEAST_KNOWN = 0.5
"""Who is known less well is listed apart: the part of the variance of its strength that the results explain."""
_SPREAD_DEVIATION = 2.0
"""The prior deviation of the logarithm of a spread; its median is 1 (174 Elo)."""
_SHARES = tuple((place + 0.5) / 8 for place in range(8))
_COMMON = (0.1, 0.5, 0.9)
_STEPS, _NEAR, _NUDGE = 40, 1e-4, 0.05
_REACH, _FARTHEST, _LEAST_WEIGHT = 1.5, 5, 2e-3


@dataclass(frozen=True, slots=True, eq=False)
class PoolEvidence:
    """What the matches of a pool say of the bots that played in it, whatever the centre of their strengths.

    `bots` are their places in the field, ascending, shape (bots,). The log likelihood of their strengths y is
    linear @ y - y @ information @ y / 2. `met` tells who sat at a table with whom, `matches` how many matches each
    played. `strengths` are those of the pool's own fit, about their mean, and `odds[i, j]` by how much i beats j in
    natural-log units, with what the pair showed beyond its strengths (`circles.pair_odds`).
    """

    game: str
    bots: Ints
    information: Floats
    linear: Floats
    met: Bools
    matches: Ints
    strengths: Floats
    odds: Floats


def evidence_of(game: str, counts: Counts, place_of: Mapping[str, int]) -> PoolEvidence:
    """Return what counted matches say; `place_of` maps versions to the places of the bots for which they stand.

    Versions that are not in it are integrated out, those of one place have one strength. Raises ResultsError.
    """
    fitted = fit_counts(counts, {})
    dispersion = uncertainty(counts, fitted).dispersion
    kept = np.array([place for place, version in enumerate(counts.versions) if version in place_of], np.int64)
    rest = np.setdiff1d(np.arange(fitted.shape.size), kept)
    # The prior of what is integrated out stays, that of the bots goes. The slope of the likelihood at the fitted point
    # is the prior's, so that its linear part is the whole precision times the point.
    information = fitted.likeliest.precision - fitted.likeliest.prior
    information[np.ix_(rest, rest)] += fitted.likeliest.prior[np.ix_(rest, rest)]
    linear = product(fitted.likeliest.precision, fitted.likeliest.point)
    across = information[np.ix_(kept, rest)]
    carried = product(across, inverse(information[np.ix_(rest, rest)]))
    seen = information[np.ix_(kept, kept)] - product(carried, across.T)
    pull = linear[kept] - product(carried, linear[rest])
    bots, where = np.unique([place_of[counts.versions[place]] for place in kept.tolist()], return_inverse=True)
    stands_for = np.zeros((len(kept), len(bots)))
    stands_for[np.arange(len(kept)), where] = 1.0
    seen, pull = product(stands_for.T, product(seen, stands_for)), product(stands_for.T, pull)
    # Where the centre lies is not known.
    ones = np.ones(len(bots))
    toward = product(seen, ones)
    if (whole := inner(ones, toward)) > 1e-9 * float(np.trace(seen)):
        seen, pull = seen - toward[:, None] * toward / whole, pull - toward * (inner(ones, pull) / whole)
    place = np.full(len(counts.versions), -1)
    place[kept] = where
    mean_of = stands_for / stands_for.sum(axis=0)
    strengths = product(mean_of.T, fitted.point[kept])
    shape = fitted.shape
    log_tie = float(fitted.point[shape.first_tie]) if shape.ties > 1 else None
    odds = pair_odds(pairs_of(meetings(counts)), fitted.point[: shape.versions], log_tie)[np.ix_(kept, kept)]
    return PoolEvidence(
        game=game,
        bots=bots.astype(np.int64),
        information=(seen + seen.T) / (2 * dispersion),
        linear=pull / dispersion,
        met=_met(counts, place, len(bots)),
        matches=_matches(counts, place, len(bots)),
        strengths=strengths - strengths.mean(),
        odds=product(mean_of.T, product(odds, mean_of)),
    )


def _met(counts: Counts, place: Ints, bots: int) -> Bools:
    met = np.zeros((bots, bots), np.bool_)
    seats = place[counts.seats]
    for one, other in every_pair(range(seats.shape[1]), repeat=2):
        known = (seats[:, one] >= 0) & (seats[:, other] >= 0) & (seats[:, one] != seats[:, other])
        met[seats[known, one], seats[known, other]] = True
    return met


def _matches(counts: Counts, place: Ints, bots: int) -> Ints:
    """Count the matches in which each bot sat, once each even where several of its seats were its own."""
    found = np.zeros(bots, np.int64)
    seats = np.sort(place[counts.seats], axis=1)
    is_new = np.ones(seats.shape, np.bool_)
    is_new[:, 1:] = seats[:, 1:] != seats[:, :-1]
    of = np.broadcast_to(counts.counts[:, None], seats.shape)
    wanted = is_new & (seats >= 0)
    np.add.at(found, seats[wanted], of[wanted])
    return found


@dataclass(frozen=True, slots=True)
class GameSpread:
    """How far bots are apart in a pool, in natural-log units, with its interval."""

    spread: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class FittedOverall:
    """What is known of each bot, by its place in the field.

    `strengths`, `lows` and `highs` are in spreads of a game about the mean of the bots that are not apart. `ranks`,
    `best_ranks` and `worst_ranks` count from 1 among those, and are 0 for those apart, whom the results explain by
    less than LEAST_KNOWN (`known`). `stronger[i, j]` is P(i stronger than j), NaN where nothing compares the two.
    `met` tells who sat at a table with whom in some pool, `groups` the part of the field of each, the largest first.
    `share` is the part of the differences that belongs to single games, with its interval.
    """

    strengths: Floats
    lows: Floats
    highs: Floats
    known: Floats
    is_apart: Bools
    ranks: Ints
    best_ranks: Ints
    worst_ranks: Ints
    stronger: Floats
    met: Bools
    groups: Ints
    spreads: tuple[GameSpread, ...]
    share: float
    confidence: float

    @property
    def listed(self) -> Ints:
        """Return the places of the bots that are not apart."""
        return np.flatnonzero(~self.is_apart)


def fit_overall(pools: Sequence[PoolEvidence], bots: int, confidence: float = 0.95) -> FittedOverall:
    """Fit the strengths of so many bots over the listed pools, in their order.

    Raises ResultsError for a confidence outside (0, 1), no pool or too many bots.
    """
    if not 0 < confidence < 1:
        raise ResultsError(Text("confidence {value} is not between 0 and 1; 0.95 is usual", value=confidence))
    if bots > MAX_BOTS:
        raise ResultsError(
            Text("{count} bots are too many for one table over games; at most {most}", count=bots, most=MAX_BOTS)
        )
    if not pools or bots < 2:
        raise ResultsError("a table over games needs a pool and two bots")
    met = np.zeros((bots, bots), np.bool_)
    for pool in pools:
        met[np.ix_(pool.bots, pool.bots)] |= pool.met
    return _told(_Model(tuple(pools), bots), met, confidence)


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """Unknowns x below others u, x = u + noise: given u, x is normal with mean spread @ (linear + u / variance)."""

    bots: Ints
    spread: Floats
    linear: Floats
    variance: float
    upward: tuple[Floats, Floats]
    """What it says of u: information and linear part."""
    log_evidence: float

    def below(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Return mean and covariance of its own bots, given those of u for all bots."""
        mine = product(self.spread, self.linear + mean[self.bots] / self.variance)
        carried = product(self.spread, covariance[np.ix_(self.bots, self.bots)] / self.variance)
        return mine, self.spread + product(carried, self.spread) / self.variance

    def of_all(self, bots: int) -> tuple[Floats, Floats, Floats]:
        """Return B, k and N with x = B u + k + noise of covariance N, for all bots: who has no result has the noise."""
        carried, noise, start = np.eye(bots), np.eye(bots) * self.variance, np.zeros(bots)
        square = np.ix_(self.bots, self.bots)
        carried[square], noise[square] = self.spread / self.variance, self.spread
        start[self.bots] = product(self.spread, self.linear)
        return carried, start, noise


def _level(bots: Ints, information: Floats, linear: Floats, variance: float) -> _Level:
    size = len(bots)
    spread, log_determinant = inverse_and_log_determinant(information + np.eye(size) / variance)
    solved = product(spread, linear)
    upward = (np.eye(size) - spread / variance) / variance, solved / variance
    log_evidence = 0.5 * (inner(linear, solved) - log_determinant - size * log(variance))
    return _Level(bots, spread, linear, variance, upward, log_evidence)


@dataclass(frozen=True, slots=True, eq=False)
class _Posterior:
    """What follows from spreads and variances: the evidence, its slope by the log spreads, and the bots' strengths."""

    log_evidence: float
    slope: Floats
    mean: Floats
    covariance: Floats


class _Model:
    """The second stage: what follows from given log spreads of the pools, share of the games and common part."""

    def __init__(self, pools: tuple[PoolEvidence, ...], bots: int) -> None:
        self.pools, self.bots = pools, bots
        games = sorted({pool.game for pool in pools})
        self.games = [[place for place, pool in enumerate(pools) if pool.game == game] for game in games]
        self.weights = np.zeros(len(pools))
        for members in self.games:
            self.weights[members] = 1 / (len(self.games) * len(members))
        self.has_twins = any(len(members) > 1 for members in self.games)

    def prior_variance(self, share: float, common: float) -> float:
        """Return the variance of the strength of a bot of which nothing is known."""
        within = [common + (1 - common) / len(members) if len(members) > 1 else 1.0 for members in self.games]
        return 1 - share + share * sum(within) / len(self.games) ** 2

    def posterior(self, log_spreads: Floats, share: float, common: float, *, with_table: bool = True) -> _Posterior:
        """Return what follows; without the table mean and covariance are empty."""
        spreads = np.exp(log_spreads)
        levels, below = [], list[list[tuple[int, _Level]]]()
        for members in self.games:
            seen = [self._of_pool(place, float(spreads[place])) for place in members]
            mine = [_level(*one, share * (1 - common)) for one in seen] if len(members) > 1 else []
            below.append(list(zip(members, mine, strict=False)))
            levels.append(_level(*_gathered(mine), share * common) if mine else _level(*seen[0], share))
        _, information, linear = _gathered(levels, np.arange(self.bots))
        root = _level(np.arange(self.bots), information, linear, 1 - share)
        mean, covariance = product(root.spread, linear), root.spread
        slope, evidence = np.zeros(len(self.pools)), root.log_evidence
        for members, level, parts in zip(self.games, levels, below, strict=True):
            evidence += level.log_evidence + sum(part.log_evidence for _, part in parts)
            of_game, known = level.below(mean, covariance)
            if not parts:
                slope[members[0]] = self._slope(members[0], float(spreads[members[0]]), of_game, known)
                continue
            whole, spread = np.zeros(self.bots), np.zeros((self.bots, self.bots))
            whole[level.bots], spread[np.ix_(level.bots, level.bots)] = of_game, known
            for place, part in parts:
                slope[place] = self._slope(place, float(spreads[place]), *part.below(whole, spread))
        if not with_table:
            return _Posterior(evidence, slope, np.zeros(0), np.zeros((0, 0)))
        return _Posterior(evidence, slope, *self._table(mean, covariance, levels, below))

    def _of_pool(self, place: int, spread: float) -> tuple[Ints, Floats, Floats]:
        pool = self.pools[place]
        return pool.bots, spread**2 * pool.information, spread * pool.linear

    def _slope(self, place: int, spread: float, mean: Floats, covariance: Floats) -> float:
        """Return by how much the log evidence grows with the log spread (Fisher's identity)."""
        pool = self.pools[place]
        curved = inner(mean, product(pool.information, mean)) + float((pool.information * covariance).sum())
        return spread * inner(pool.linear, mean) - spread**2 * curved

    def _table(
        self, mean: Floats, covariance: Floats, levels: list[_Level], below: list[list[tuple[int, _Level]]]
    ) -> tuple[Floats, Floats]:
        """Return mean and covariance of the bots' means over the games."""
        carried, start = np.zeros((self.bots, self.bots)), np.zeros(self.bots)
        noise = np.zeros((self.bots, self.bots))
        for level, parts in zip(levels, below, strict=True):
            down, shift, spread = level.of_all(self.bots)
            weight = np.eye(self.bots) / len(self.games)
            if parts:
                weight = np.zeros((self.bots, self.bots))
                for place, part in parts:
                    last, end, around = part.of_all(self.bots)
                    weight += self.weights[place] * last
                    start += self.weights[place] * end
                    noise += self.weights[place] ** 2 * around
            carried += product(weight, down)
            start += product(weight, shift)
            noise += product(product(weight, spread), weight.T)
        return product(carried, mean) + start, product(product(carried, covariance), carried.T) + noise


def _gathered(levels: Sequence[_Level], bots: Ints | None = None) -> tuple[Ints, Floats, Floats]:
    """Return what several levels say of the bots above them, added up; of all that are in any, or of these."""
    if bots is None:
        bots = np.unique(np.concatenate([level.bots for level in levels]), return_counts=True)[0]
    information, linear = np.zeros((len(bots), len(bots))), np.zeros(len(bots))
    for level in levels:
        where = np.searchsorted(bots, level.bots)
        information[np.ix_(where, where)] += level.upward[0]
        linear[where] += level.upward[1]
    return bots, information, linear


@dataclass(frozen=True, slots=True, eq=False)
class _Mixture:
    """Weighted normal distributions of the strengths: means (parts, bots), covariances (parts, bots, bots)."""

    weights: Floats
    means: Floats
    covariances: Floats
    shares: Floats
    prior_variances: Floats
    log_spreads: Floats
    spread_variances: Floats


def _mixture(model: _Model) -> _Mixture:
    """Return the distribution of the strengths, spreads, share and common part integrated out."""
    start, curved = np.zeros(len(model.pools)), np.eye(len(model.pools)) / 4
    grid = [(share, common) for common in (_COMMON if model.has_twins else (0.0,)) for share in _SHARES]
    tops, heights = [], []
    for share, common in grid:
        start, curved, height = _top(model, start, curved, share, common)
        tops.append(start)
        heights.append(height)
    best = int(np.argmax(heights))
    weights = np.exp(np.array(heights) - heights[best])
    doubt = _doubt(model, tops[best], grid[best])
    found = [model.posterior(top, *point) for top, point in zip(tops, grid, strict=True)]
    return _Mixture(
        weights=weights / weights.sum(),
        means=np.array([one.mean + doubt.shift for one in found]),
        covariances=np.array([one.covariance + doubt.covariance for one in found]),
        shares=np.array([share for share, _ in grid]),
        prior_variances=np.array([model.prior_variance(*point) for point in grid]),
        log_spreads=np.array(tops),
        spread_variances=doubt.variances,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Doubt:
    """What it adds to means and covariances that the log spreads are not known, and their own variances."""

    shift: Floats
    covariance: Floats
    variances: Floats


def _doubt(model: _Model, top: Floats, point: tuple[float, float]) -> _Doubt:
    """Return what follows from the doubt about the log spreads, around the most probable ones.

    Along each column of the root of their covariance, one by one, the strengths are weighed by the evidence at evenly
    spaced points, as far as it reaches: the spread of a game of luck may be next to nothing, but is surely not large.
    """
    size, unit = len(top), np.eye(len(top))
    slopes = [
        model.posterior(top + side * _NUDGE * unit[place], *point, with_table=False).slope
        for place in range(size)
        for side in (-1, 1)
    ]
    precision = (np.array(slopes[::2]) - np.array(slopes[1::2])) / (2 * _NUDGE) + unit / _SPREAD_DEVIATION**2
    spread = inverse(_positive((precision + precision.T) / 2))
    here = model.posterior(top, *point)
    shift, added = np.zeros(model.bots), np.zeros((model.bots, model.bots))
    for step in cholesky(spread).T:
        moves, changes, weights = [np.zeros(model.bots)], [np.zeros_like(added)], [1.0]
        for side in (_REACH, -_REACH):
            for far in range(1, _FARTHEST + 1):
                where = top + side * far * step
                there = model.posterior(where, *point)
                weights.append(exp(min(_height(there, where) - _height(here, top), 0.0)))
                moves.append(there.mean - here.mean)
                changes.append(there.covariance - here.covariance)
                if weights[-1] < _LEAST_WEIGHT:
                    break
        parts, moved = np.array(weights) / sum(weights), np.array(moves)
        mean = product(moved.T, parts)
        shift += mean
        added += product(moved.T * parts, moved) - mean[:, None] * mean
        added += np.einsum("k,kij->ij", parts, np.array(changes))
    return _Doubt(shift, added, np.diag(spread).copy())


def _height(found: _Posterior, log_spreads: Floats) -> float:
    """Return the log probability of log spreads, up to a constant."""
    return found.log_evidence - inner(log_spreads, log_spreads) / (2 * _SPREAD_DEVIATION**2)


def _positive(matrix: Floats) -> Floats:
    """Return the matrix, or with its diagonal raised above the rest of its rows if it may not be positive."""
    try:
        inverse(matrix)
    except ResultsError:
        rest = np.abs(matrix).sum(axis=1) - np.abs(np.diag(matrix))
        return np.asarray(matrix + np.diag(np.maximum(rest - np.diag(matrix), 0.0) + 0.1))
    return matrix


def _top(model: _Model, start: Floats, curved: Floats, share: float, common: float) -> tuple[Floats, Floats, float]:
    """Return the most probable log spreads, the inverse curvature by BFGS's formula, and the height there."""

    def height(point: Floats) -> tuple[float, Floats]:
        found = model.posterior(point, share, common, with_table=False)
        pull = point / _SPREAD_DEVIATION**2
        return _height(found, point), found.slope - pull

    point, (here, slope) = start, height(start)
    for _ in range(_STEPS):
        step = product(curved, slope)
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-12))
        if inner(step, slope) < _NEAR**2 or float(np.abs(step).max()) < _NEAR:
            break
        length = 1.0
        while length > 1e-3:
            there, next_slope = height(point + length * step)
            if there >= here + 1e-4 * length * inner(step, slope):
                break
            length /= 2
        else:
            break
        moved, turned = length * step, slope - next_slope
        if (along := inner(moved, turned)) > 1e-12:
            left = np.eye(len(moved)) - moved[:, None] * turned / along
            curved = product(product(left, curved), left.T) + moved[:, None] * moved / along
        point, here, slope = point + moved, there, next_slope
    return point, curved, here


def _told(model: _Model, met: Bools, confidence: float) -> FittedOverall:
    """Return the table of a model."""
    bots, mixture = model.bots, _mixture(model)
    everybody = np.ones(bots, np.bool_)
    means, covariances = _about(mixture, everybody)
    prior = inner(mixture.weights, mixture.prior_variances) * (1 - 1 / bots)
    known = 1 - _variances(mixture.weights, means, covariances) / prior
    has_played = met.any(axis=1)
    is_apart = ~(has_played & (known >= LEAST_KNOWN))
    if (~is_apart).sum() >= 2:
        means, covariances = _about(mixture, ~is_apart)
    strengths = product(means.T, mixture.weights)
    deviations = np.sqrt(np.maximum(np.einsum("kii->ki", covariances), 1e-18))
    lows, highs = (_quantile(mixture.weights, means, deviations, part) for part in _tails(confidence))
    groups = _groups(met)
    stronger = _stronger(mixture.weights, means, covariances)
    stronger[groups[:, None] != groups[None, :]] = np.nan
    ranks, best, worst = _ranks(strengths, stronger, is_apart, confidence)
    spreads = _spreads(mixture, confidence)
    share = inner(mixture.weights, mixture.shares)
    return FittedOverall(
        strengths, lows, highs, np.clip(known, 0.0, 1.0), is_apart, ranks, best, worst, stronger, met, groups, spreads,
        share, confidence,
    )  # fmt: skip


def _about(mixture: _Mixture, references: Bools) -> tuple[Floats, Floats]:
    """Return means and covariances of the strengths less the mean of some."""
    size = len(references)
    contrast = np.eye(size) - np.where(references, 1 / references.sum(), 0.0)[None, :]
    means = product(mixture.means, contrast.T)
    return means, np.array([product(product(contrast, one), contrast.T) for one in mixture.covariances])


def _variances(weights: Floats, means: Floats, covariances: Floats) -> Floats:
    centre = product(means.T, weights)
    return np.asarray(product(np.einsum("kii->ik", covariances) + (means.T - centre[:, None]) ** 2, weights))


def _tails(confidence: float) -> tuple[float, float]:
    return (1 - confidence) / 2, (1 + confidence) / 2


def _cumulative(values: Floats) -> Floats:
    """Return the normal probability below each value."""
    return 0.5 * (1 + error_function(values / sqrt(2)))


def _quantile(weights: Floats, means: Floats, deviations: Floats, part: float) -> Floats:
    """Return below what each of several mixtures of normal distributions has a part, shape (bots,), by halving."""
    reach = abs(NormalDist().inv_cdf(part)) + 1
    low, high = (means - reach * deviations).min(axis=0), (means + reach * deviations).max(axis=0)
    for _ in range(50):
        middle = (low + high) / 2
        below = product(_cumulative((middle - means) / deviations).T, weights)
        low, high = np.where(below < part, middle, low), np.where(below < part, high, middle)
    return np.asarray((low + high) / 2)


def _stronger(weights: Floats, means: Floats, covariances: Floats) -> Floats:
    chance = np.zeros(covariances.shape[1:])
    for weight, mean, covariance in zip(weights.tolist(), means, covariances, strict=True):
        variances = np.diag(covariance)
        spread = np.sqrt(np.maximum(variances[:, None] + variances[None, :] - 2 * covariance, 1e-18))
        chance += weight * _cumulative((mean[:, None] - mean[None, :]) / spread)
    np.fill_diagonal(chance, 0.5)
    return chance


def _ranks(strengths: Floats, stronger: Floats, is_apart: Bools, confidence: float) -> tuple[Ints, Ints, Ints]:
    """Return the rank of each, and the best and worst that are possible (Bonferroni over the others); 0 for apart."""
    listed = np.flatnonzero(~is_apart)
    ranks, best, worst = (np.zeros(len(strengths), np.int64) for _ in range(3))
    doubt = (1 - confidence) / 2 / max(len(listed) - 1, 1)
    among = stronger[np.ix_(listed, listed)]
    ranks[listed[np.lexsort((listed, -strengths[listed]))]] = np.arange(1, len(listed) + 1)
    with np.errstate(invalid="ignore"):
        best[listed] = 1 + (among < doubt).sum(axis=1)
        worst[listed] = len(listed) - (among > 1 - doubt).sum(axis=1)
    return ranks, best, worst


def _spreads(mixture: _Mixture, confidence: float) -> tuple[GameSpread, ...]:
    centre = product(mixture.log_spreads.T, mixture.weights)
    between = product(((mixture.log_spreads - centre) ** 2).T, mixture.weights)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(between + mixture.spread_variances)
    return tuple(
        GameSpread(exp(middle), exp(middle - far), exp(middle + far))
        for middle, far in zip(centre.tolist(), reach.tolist(), strict=True)
    )


def _groups(met: Bools) -> Ints:
    """Return the group of each bot, counted from 0: the largest first, equal ones by their first bot."""
    label = np.arange(len(met))
    for _ in range(len(met)):
        least = np.where(met, label[None, :], len(met)).min(axis=1, initial=len(met))
        new = np.minimum(label, least)
        if (new == label).all():
            break
        label = new
    names, where, sizes = np.unique(label, return_inverse=True, return_counts=True)
    place = np.empty(len(names), np.int64)
    place[np.lexsort((names, -sizes))] = np.arange(len(names))
    found: Ints = place[where]
    return found
