"""Other ways to judge bots over several games, from the same facts as the hierarchical table (`overall`). No I/O.

- **Mean rank**: the mean over games of a bot's rank, stretched to the whole field where only some played.
- **VasE**: each game votes by the order of its bots, and maximal lotteries decide, level by level (M. Lanctot, K.
  Larson and others, "Evaluating agents using social choice theory", 2023; P. Fishburn, "Probabilistic social choice
  based on simple voting comparisons", 1984).
- **Soft Condorcet**: ratings that contradict the fewest pairs of these votes, a step made smooth (M. Lanctot and
  others, "Soft Condorcet optimization for ranking of general agents", 2024).
- **Nash averaging**: the payoff against the mixture of bots that none beats, of several the one of the largest entropy
  (D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation", 2018).
- **alpha-rank**: how long a population that imitates success stays with each bot (S. Omidshafiei and others,
  "alpha-rank: multi-agent evaluation by evolution", 2019).
- **TrueSkill** and **OpenSkill** (Plackett-Luce; R. Weng, C.-J. Lin, "A Bayesian approximation method for online
  ranking", 2011): one rating for each bot over all matches, in an order that follows from the matches themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ratings.statistics.algebra import product
from ratings.statistics.errors import ResultsError
from ratings.statistics.overall import PoolEvidence
from ratings.statistics.results import Bools, Counts, Floats, Ints
from ratings.statistics.skill import Skill, SkillSettings, exposure, newcomer, rate
from ratings.values.pools import RatingMethod
from ratings.values.statistics import Method

POPULATION, SELECTION = 50, 10.0
"""alpha-rank's population and its strength of selection, for payoffs between 0 and 1."""
MOST_MATCHES = 20_000
"""So many matches are rated one by one, evenly spread over the pools, which takes some seconds."""
_LEAST_GAP, _CLOSING, _STEPS = 1e-13, 0.3, 30
_SUPPORT = 1e-6
_EQUAL = 1e-6
_LEAST_CHANCE = 1e-250


def judge(
    method: Method,
    pools: Sequence[PoolEvidence],
    matches: Sequence[tuple[Counts, Mapping[str, int]]],
    listed: Ints,
    strengths: Floats,
) -> Floats:
    """Return the values of the listed bots by a method, the more the better, shape (listed,).

    `matches` are those of the pools, each with the bots' places by version. `strengths` are those over all games, shape
    (bots,): they stand in where two bots share no game. Raises ResultsError, and SkillError if a package is missing.
    """
    if method in (Method.TRUESKILL, Method.OPENSKILL):
        found = _rate_in_sequence(matches, RatingMethod(method.value))
        return np.array([found[place] for place in listed.tolist()])
    scores, weights = votes(pools, listed)
    if method is Method.MEAN_RANK:
        return -mean_ranks(scores, weights)
    if method is Method.VASE:
        preferences = preferred(scores, weights)
        return maximal_lotteries(preferences - preferences.T)
    if method is Method.SOFT_CONDORCET:
        return soft_condorcet(preferred(scores, weights))
    payoffs = mean_odds(pools, listed, strengths)
    if method is Method.NASH:
        return nash_averaging(payoffs)[1]
    return alpha_rank(1 / (1 + np.exp(-payoffs)))


def ranks_of(values: Floats) -> Ints:
    """Return the rank of each value, the largest first; those that differ by rounding alone share one."""
    near = _EQUAL * max(1.0, float(np.abs(values).max(initial=0.0)))
    return np.asarray(1 + (values[:, None] < values[None, :] - near).sum(axis=1))


def votes(pools: Sequence[PoolEvidence], listed: Ints) -> tuple[Floats, Floats]:
    """Return the strengths of the listed bots in each pool, NaN where they did not play, and the weights of the pools.

    Shapes (listed, pools) and (pools,). Pools of one game share its weight.
    """
    scores = np.full((len(listed), len(pools)), np.nan)
    for column, pool in enumerate(pools):
        _, mine, theirs = np.intersect1d(listed, pool.bots, assume_unique=True, return_indices=True)
        scores[mine, column] = pool.strengths[theirs]
    games = [pool.game for pool in pools]
    return scores, np.array([1 / games.count(game) for game in games])


def mean_ranks(scores: Floats, weights: Floats) -> Floats:
    """Return the weighted mean of the ranks of each row, among those that have a score, as ranks of the whole field.

    `scores` has shape (bots, games), NaN where there is none; a row without any is in the middle.
    """
    size = len(scores)
    total, seen = np.zeros(size), np.zeros(size)
    for column, weight in zip(scores.T, weights.tolist(), strict=True):
        there = np.flatnonzero(~np.isnan(column))
        if len(there) < 2:
            continue
        mine = column[there]
        above, level = (mine[:, None] < mine[None, :]).sum(axis=1), (mine[:, None] == mine[None, :]).sum(axis=1)
        total[there] += weight * (above + (level - 1) / 2) * (size - 1) / (len(there) - 1)
        seen[there] += weight
    return np.where(seen > 0, 1 + total / np.maximum(seen, 1e-300), (size + 1) / 2)


def preferred(scores: Floats, weights: Floats) -> Floats:
    """Return how much weight of the games puts each bot (row) above each other, shape (bots, bots)."""
    found = np.zeros((len(scores), len(scores)))
    for column, weight in zip(scores.T, weights.tolist(), strict=True):
        found += weight * (column[:, None] > column[None, :])  # never with NaN
    return found


def maximal_lotteries(margins: Floats) -> Floats:
    """Return the score of each alternative, given by how much it is preferred to each other (antisymmetric).

    The lottery that no other beats gives the first level its shares, then that of the rest the second, and so on. The
    score is the number of levels below plus the share, as in OpenSpiel's `MaximalLotteriesVoting`.
    """
    left, levels = np.arange(len(margins)), list[tuple[Ints, Floats]]()
    while len(left):
        shares = unbeaten_shares(margins[np.ix_(left, left)])
        is_first = shares > _SUPPORT
        levels.append((left[is_first], shares[is_first]))
        left = left[~is_first]
    found = np.zeros(len(margins))
    for below, (places, shares) in enumerate(reversed(levels)):
        found[places] = below + shares
    return found


def unbeaten_shares(game: Floats) -> Floats:
    """Return the mixed strategy of the largest entropy against which nothing gains in an antisymmetric game.

    An interior point method finds who is in any such strategy, Newton's method on the dual the one of them.
    """
    size, largest = len(game), float(np.abs(game).max(initial=0.0))
    if size == 1 or largest == 0:
        return np.full(size, 1 / size)
    scaled = game / largest
    shares = _centre(scaled)
    # At the end share times loss is the same tiny number for all: one of the two is far larger.
    is_in = shares > -product(scaled, shares)
    found = np.where(is_in, shares, 0.0)
    found[is_in] = _evenest(scaled[:, is_in], is_in, shares[is_in])
    return np.asarray(found / found.sum())


def _centre(game: Floats) -> Floats:
    """Return about the analytic centre of the strategies against which nothing gains: all that can be in them are.

    Follows share * (bots * m - gain) = m for all down to a tiny m (the central path of the self-dual linear programme;
    S. Wright, "Primal-dual interior-point methods", 1997). The shares add up to 1 all along it.
    """
    size = len(game)
    shares, m = np.full(size, 1 / size), 1.0
    slack = size * m - product(game, shares)
    while m > _LEAST_GAP:
        m *= _CLOSING
        for _ in range(_STEPS):
            apart = size * m - product(game, shares) - slack
            wrong = m - shares * slack
            if max(float(np.abs(wrong).max()) / m, float(np.abs(apart).max()) / (size * m)) < 0.1:
                break
            change = solve_any(np.diag(slack) - shares[:, None] * game, wrong - shares * apart)
            slower = apart - product(game, change)
            length = 1.0
            for now, step in ((shares, change), (slack, slower)):
                falling = step < 0
                length = min(length, float((0.95 * now[falling] / -step[falling]).min(initial=1.0)))
            shares, slack = shares + length * change, slack + length * slower
    return np.asarray(shares / shares.sum())


def _evenest(game: Floats, is_in: Bools, start: Floats) -> Floats:
    """Return the strategy of the largest entropy against which nothing gains, of those that can be in one.

    `game` has a row for everybody and a column for each of those, who gain nothing from it; of the others those are
    held at 0 that would gain (an active set method). `start` is returned where that is not found.
    """
    held = list[int]()
    mine, others = np.flatnonzero(is_in), np.flatnonzero(~is_in)
    for _ in range(2 * len(is_in) + 10):
        shares, prices = _evenest_of(game[np.append(mine, held).astype(np.int64)])
        if float(np.abs(product(game[mine], shares)).max()) > 1e-9:
            return start
        gains, costs = product(game[others], shares), prices[len(mine) :]
        if len(gains) and float(gains.max()) > 1e-9:
            held.append(int(others[np.argmax(gains)]))
        elif len(costs) and float(costs.min()) < -1e-6:
            held.pop(int(np.argmin(costs)))
        else:
            return shares
    return start


def _evenest_of(rows: Floats) -> tuple[Floats, Floats]:
    """Return the positive strategy of the largest entropy with rows @ strategy = 0, and the prices of the rows.

    It is softmax(-prices @ rows) for the prices at which the logarithm of the sum of those exponentials is least.
    """

    def height(at: Floats) -> tuple[float, Floats]:
        logs = -product(rows.T, at)
        top = float(logs.max())
        shares = np.exp(logs - top)
        return top + float(np.log(shares.sum())), shares / shares.sum()

    prices = np.zeros(len(rows))
    here, shares = height(prices)
    for _ in range(100):
        gains = product(rows, shares)
        if float(np.abs(gains).max()) < 1e-13:
            break
        curved = product(rows * shares, rows.T) - gains[:, None] * gains
        step = solve_any(curved + 1e-13 * np.eye(len(rows)), gains)
        length = 1.0
        while length > 1e-6:
            there, nearer = height(prices + length * step)
            if there <= here - 1e-4 * length * float((gains * step).sum()) + 1e-15:
                break
            length /= 2
        else:
            break
        prices, here, shares = prices + length * step, there, nearer
    return shares, prices


def solve_any(matrix: Floats, right: Floats) -> Floats:
    """Return the x with matrix @ x = right, by elimination with row pivots. Raises ResultsError if there is none."""
    work = np.concatenate([matrix, right[:, None]], axis=1)
    size = len(matrix)
    for column in range(size):
        pivot = column + int(np.argmax(np.abs(work[column:, column])))
        if not abs(work[pivot, column]) > 0:
            raise ResultsError("the equilibrium cannot be computed; are the payoffs finite numbers?")
        if pivot != column:
            work[[column, pivot]] = work[[pivot, column]]
        factors = work[column + 1 :, column] / work[column, column]
        work[column + 1 :, column:] -= factors[:, None] * work[column, column:]
    x = np.zeros(size)
    for row in reversed(range(size)):
        x[row] = (work[row, size] - float((work[row, row + 1 : size] * x[row + 1 :]).sum())) / work[row, row]
    return x


def nash_averaging(payoffs: Floats) -> tuple[Floats, Floats]:
    """Return the shares of the mixture that none beats, and what each gains on it, for antisymmetric payoffs."""
    shares = unbeaten_shares(payoffs)
    gains = product(payoffs, shares)
    return shares, np.where(shares > _SUPPORT, 0.0, np.minimum(gains, 0.0))


def soft_condorcet(
    preferences: Floats, *, temperature: float = 1.0, steps: int = 10_000, rate_of_learning: float = 0.01
) -> Floats:
    """Return ratings about 0, given the weight of the votes that put each (row) above each other.

    Descends on the sum over pairs of weight * sigmoid((rating of the lower - rating of the upper) / temperature), as
    OpenSpiel's `SoftCondorcetOptimizer` does with all votes at once, divided by the mean weight of a pair.
    """
    ratings = np.zeros(len(preferences))
    heaviest = float((preferences + preferences.T).max(initial=0.0))
    if heaviest == 0:
        return ratings
    weights = preferences / heaviest
    for _ in range(steps):
        wrong = 1 / (1 + np.exp((ratings[:, None] - ratings[None, :]) / temperature))
        pull = weights * wrong * (1 - wrong) / temperature
        ratings = np.clip(ratings + rate_of_learning * (pull.sum(axis=1) - pull.sum(axis=0)), -100.0, 100.0)
    return ratings


def mean_odds(pools: Sequence[PoolEvidence], listed: Ints, strengths: Floats) -> Floats:
    """Return by how much each listed bot beats each other, in natural-log units: the mean over the games they share.

    Shape (listed, listed), antisymmetric. Where two share no game it is the difference of their `strengths` times the
    mean spread of the strengths in the pools.
    """
    _, weights = votes(pools, listed)
    total, seen = np.zeros((len(listed), len(listed))), np.zeros((len(listed), len(listed)))
    for pool, weight in zip(pools, weights.tolist(), strict=True):
        _, mine, theirs = np.intersect1d(listed, pool.bots, assume_unique=True, return_indices=True)
        total[np.ix_(mine, mine)] += weight * pool.odds[np.ix_(theirs, theirs)]
        seen[np.ix_(mine, mine)] += weight
    unit = float(np.mean([pool.strengths.std() for pool in pools]))
    apart = unit * (strengths[listed][:, None] - strengths[listed][None, :])
    mean = np.where(seen > 0, total / np.maximum(seen, 1e-300), apart)
    return np.asarray((mean - mean.T) / 2)


def alpha_rank(payoffs: Floats, population: int = POPULATION, selection: float = SELECTION) -> Floats:
    """Return the part of the time for which a population plays each bot; `payoffs` are of the row against the column.

    One population of a symmetric game, selection by the payoff against the current opponent, as in OpenSpiel's
    `alpharank.compute` with its local selection model.
    """
    size = len(payoffs)
    if size == 1:
        return np.ones(1)
    # Row s: the chance that a lone mutant r takes a population of s over.
    better = selection * (payoffs.T - payoffs)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        rising = -np.expm1(-np.abs(better)) / -np.expm1(-population * np.abs(better))
        falling = rising * np.exp(-(population - 1) * np.abs(better))
    chance = np.where(np.abs(better) < 1e-14, 1 / population, np.where(better > 0, rising, falling))
    moves = np.maximum(chance, _LEAST_CHANCE) / (size - 1)
    return _stationary(moves)


def _stationary(moves: Floats) -> Floats:
    """Return the stationary distribution of a chain, given its moves off the diagonal.

    By elimination without subtraction (W. Grassmann, M. Taksar, D. Heyman, "Regenerative analysis and steady state
    distributions for Markov chains", 1985).
    """
    work, size = moves.copy(), len(moves)
    np.fill_diagonal(work, 0.0)
    for last in reversed(range(1, size)):
        work[:last, last] /= work[last, :last].sum()
        work[:last, :last] += work[:last, last][:, None] * work[last, :last]
        np.fill_diagonal(work, 0.0)
    found = np.ones(size)
    for place in range(1, size):
        found[place] = float((found[:place] * work[:place, place]).sum())
        found[: place + 1] /= found[: place + 1].sum()
    return found


def in_sequence(
    matches: Sequence[tuple[Counts, Mapping[str, int]]], most: int = MOST_MATCHES
) -> Iterator[tuple[tuple[int | str, ...], tuple[int, ...]]]:
    """Yield who sat where and the ranks, all pools interwoven, `most` matches at most, evenly spread.

    The order follows from what happened in the matches, and not from when. A bot is its place, a version that stands
    for none its id.
    """
    keys, rows = [], []
    for pool, (counts, _) in enumerate(matches):
        keys.append((np.arange(counts.matches) + 0.5) / max(counts.matches, 1))
        rows.append(np.stack([np.full(counts.matches, pool), counts.row_of], axis=1))
    joined, when = np.concatenate(rows), np.concatenate(keys)
    order = np.lexsort((joined[:, 0], when))
    if len(order) > most:
        order = order[np.linspace(0, len(order) - 1, most).astype(np.int64)]
    for pool, row in joined[order].tolist():
        counts, place_of = matches[pool]
        ids = [counts.versions[version] for version in counts.seats[row].tolist()]
        ranks = tuple(1 + rank for rank in counts.ranks[row].tolist())
        yield tuple(place_of.get(id_, id_) for id_ in ids), ranks


def _rate_in_sequence(
    matches: Sequence[tuple[Counts, Mapping[str, int]]], rating_method: RatingMethod
) -> dict[int | str, float]:
    settings = SkillSettings(rating_method=rating_method)
    skills = dict[int | str, Skill]()
    for who, ranks in in_sequence(matches):
        before = [skills.setdefault(one, newcomer(settings)) for one in who]
        if len(set(who)) == len(who):
            skills.update(zip(who, rate(settings, before, ranks), strict=True))
    return {who: exposure(skill) for who, skill in skills.items()}
