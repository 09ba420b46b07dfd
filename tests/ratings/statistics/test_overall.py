"""The table over several games: what it holds in simulated fields, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.statistics.errors import ResultsError
from ratings.statistics.official_table import official_table
from ratings.statistics.overall import FittedOverall, PoolEvidence, evidence_of, fit_overall
from ratings.statistics.results import Floats, Results, count
from tests.support.simulations.fields import Field, drawn_tables, play
from tests.support.simulations.overall import CLONES, KINDS, Kind, World, coverage, moved_by_clones, world_of
from tests.support.simulations.overall import tau as kendall

NO_TIES = np.zeros(0)
HALF = Kind("half of the games missing", plays=0.5)


def kind_of(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


def known(strengths: Floats, game: str = "game", deviation: float = 0.2) -> PoolEvidence:
    """What a pool says of all bots whose strengths were measured with so much error, the mean of which is not known."""
    size = len(strengths)
    information = (np.eye(size) - 1 / size) / deviation**2
    met = ~np.eye(size, dtype=np.bool_)
    nothing = np.zeros((size, size))
    return PoolEvidence(
        game, np.arange(size), information, information @ strengths, met, np.full(size, 9), strengths, nothing
    )


def only(pool: PoolEvidence, bots: list[int]) -> PoolEvidence:
    """The pool as some bots alone played it."""
    square = np.ix_(bots, bots)
    size = len(bots)
    information = (np.eye(size) - 1 / size) * pool.information[0, 0] / (1 - 1 / len(pool.bots))
    strengths = pool.strengths[bots]
    return PoolEvidence(
        pool.game, np.array(bots), information, information @ strengths, pool.met[square], pool.matches[bots],
        strengths, pool.odds[square],
    )  # fmt: skip


FIELD = np.array([-1.6, -1.1, -0.7, -0.3, 0.0, 0.2, 0.6, 0.9, 1.1, 1.6])


@pytest.mark.parametrize("name", ["half of the games missing", "three versions of each bot", "4 seats"])
def test_most_intervals_hold_the_truth(name: str) -> None:
    seen = coverage(kind_of(name), 4, with_order=False)
    assert seen.intervals > 30
    assert seen.share > 0.85
    assert seen.said / seen.pairs == pytest.approx(seen.ahead / seen.pairs, abs=0.08)
    assert seen.rank_hits >= 0.98 * seen.intervals


def test_where_games_are_missing_it_orders_better_than_bradley_and_terry() -> None:
    ours, pooled, equal = coverage(kind_of("games missing, spreads unequal"), 6).order
    assert ours > pooled
    assert ours > equal


def test_one_pool_is_told_in_its_own_order() -> None:
    found = fit_overall([known(FIELD)], len(FIELD))
    assert found.ranks.tolist() == list(range(10, 0, -1))
    assert found.strengths == pytest.approx(FIELD / FIELD.std(), abs=0.35)
    assert (found.lows < found.strengths).all()
    assert (found.strengths < found.highs).all()
    assert found.spreads[0].low < FIELD.std() < found.spreads[0].high


def test_the_unit_of_a_pool_does_not_matter() -> None:
    one = fit_overall([known(FIELD), known(FIELD[::-1])], len(FIELD))
    other = fit_overall([known(FIELD), known(4 * FIELD[::-1], deviation=0.8)], len(FIELD))
    assert other.strengths == pytest.approx(one.strengths, abs=0.05)
    assert other.spreads[1].spread == pytest.approx(4 * other.spreads[0].spread, rel=0.1)


def test_games_have_equal_weight_however_many_pools_they_have() -> None:
    """The second game, whose order is the other way round, has as much weight as the three pools of the first."""
    pools = [known(FIELD, "a"), known(FIELD, "a"), known(FIELD, "a"), known(FIELD[::-1], "b")]
    found = fit_overall(pools, len(FIELD))
    assert np.abs(found.strengths).max() < 0.5  # with a weight for each pool it would be 0.8
    assert found.share > 0.5


def test_a_game_of_luck_leaves_the_order_alone() -> None:
    random = np.random.default_rng(1)
    noise = random.normal(0, 0.2, len(FIELD))
    alone, beside = fit_overall([known(FIELD)], 10), fit_overall([known(FIELD), known(noise, "luck")], 10)
    assert kendall(alone.strengths, beside.strengths) > 0.95
    assert beside.spreads[1].high < beside.spreads[0].low


def test_who_did_not_play_is_apart_and_moves_nobody() -> None:
    found, without = fit_overall([known(FIELD)], len(FIELD) + 1), fit_overall([known(FIELD)], len(FIELD))
    assert found.is_apart.tolist() == [False] * 10 + [True]
    assert found.ranks[-1] == found.best_ranks[-1] == 0
    assert np.isnan(found.stronger[0, -1])
    assert found.strengths[:-1] == pytest.approx(without.strengths, abs=0.02)


def test_parts_that_never_met_are_not_compared() -> None:
    pool = known(FIELD)
    parts = [only(pool, [0, 1, 2, 3, 4, 5]), only(known(FIELD, "other"), [6, 7, 8, 9])]
    found = fit_overall(parts, len(FIELD))
    assert found.groups.tolist() == [0] * 6 + [1] * 4
    assert np.isnan(found.stronger[0, 9])
    assert not np.isnan(found.stronger[0, 5])


def test_versions_that_stand_for_no_bot_are_integrated_out() -> None:
    """What they did is evidence of those whom they met, and they have no line."""
    random = np.random.default_rng(3)
    field = Field(np.array([0.0, 0.4, 0.8, -0.4, -0.8, 0.2]), np.array([0.1, -0.1]), NO_TIES)
    counts = count(play(field, drawn_tables(random, 6, 2, 600), random))
    whole = evidence_of("game", counts, {name: place for place, name in enumerate(field.names)})
    some = evidence_of("game", counts, {name: place for place, name in enumerate(field.names[:4])})
    assert some.bots.tolist() == [0, 1, 2, 3]
    assert some.information @ np.ones(4) == pytest.approx(np.zeros(4), abs=1e-6)
    # Through bots that are not told of it knows nearly as much as with them in the table.
    assert np.diag(np.linalg.pinv(some.information)).sum() < 1.3 * np.diag(np.linalg.pinv(whole.information))[:4].sum()


def test_the_evidence_is_the_likelihood_and_not_the_shrunk_strengths() -> None:
    """Few matches of near bots: the pool's own table draws them together, and the likelihood does not."""
    random = np.random.default_rng(5)
    field = Field(np.linspace(-0.6, 0.6, 8), np.zeros(2), NO_TIES)
    results = play(field, drawn_tables(random, 8, 2, 40), random)
    evidence = evidence_of("game", count(results), {name: place for place, name in enumerate(field.names)})
    likeliest = np.linalg.pinv(evidence.information) @ evidence.linear
    told = {row.version: row.strength for row in official_table(results).rows}
    shrunk = np.array([told[name] for name in field.names])
    assert likeliest.std() > 1.1 * shrunk.std()


def test_copies_that_are_known_to_be_one_are_one_bot() -> None:
    moved = moved_by_clones(CLONES[0], range(3))
    assert np.mean(np.array(moved) < 1) > 0.95


def table_of(world: World, results: tuple[Results, ...]) -> FittedOverall:
    return World(world.relative, world.names, results, world.place_of, world.truth).table()


def test_the_order_of_matches_changes_no_digit() -> None:
    world = world_of(HALF, 1)
    shuffled = []
    for seed, results in enumerate(world.results):
        order = np.random.default_rng(seed).permutation(len(results.seats))
        shuffled.append(
            Results(
                results.versions, results.seats[order], results.ranks[order], results.blocks[order] + 7,
                results.plans[order],
            )
        )  # fmt: skip
    one, other = world.table(), table_of(world, tuple(shuffled))
    assert one.strengths.tolist() == other.strengths.tolist()
    assert one.lows.tolist() == other.lows.tolist()


def test_bad_input_is_refused() -> None:
    with pytest.raises(ResultsError, match="confidence 1"):
        fit_overall([known(FIELD)], 10, confidence=1.0)
    with pytest.raises(ResultsError, match="at most 300"):
        fit_overall([known(FIELD)], 301)
    with pytest.raises(ResultsError, match="a pool and two bots"):
        fit_overall([], 5)
