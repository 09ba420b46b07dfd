"""The other ways to judge: on examples of the papers, and equal to the implementations of OpenSpiel and polarix."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy as np
import pytest

from ratings.statistics.errors import SkillError
from ratings.statistics.evaluation import (
    alpha_rank,
    in_sequence,
    judge,
    maximal_lotteries,
    mean_odds,
    mean_ranks,
    nash_averaging,
    preferred,
    ranks_of,
    soft_condorcet,
    unbeaten_shares,
)
from ratings.statistics.results import Floats, count
from ratings.values.statistics import Method
from tests.support.simulations.overall import Kind, world_of

RING = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
PENTATHLON = ["ABC", "ACB", "CAB", "CAB", "BCA"]
"""Meeple pentathlon, of the paper on voting as evaluation."""
TABLES = 100


def scores_of(votes: list[str]) -> Floats:
    """Votes as scores, shape (alternatives, votes)."""
    names = sorted(votes[0])
    return np.array([[-vote.index(name) for vote in votes] for name in names], np.float64)


def preferences_of(votes: list[str]) -> Floats:
    return preferred(scores_of(votes), np.ones(len(votes)))


def antisymmetric(random: np.random.Generator, size: int, *, whole: bool) -> Floats:
    drawn = random.integers(-3, 4, (size, size)).astype(np.float64) if whole else random.normal(size=(size, size))
    upper = np.triu(drawn, 1)
    return np.asarray(upper - upper.T)


def test_the_mean_rank_of_some_is_stretched_to_all() -> None:
    scores = np.array([[3.0, np.nan], [2.0, 1.0], [1.0, 5.0], [0.0, np.nan]])
    assert mean_ranks(scores, np.ones(2)).tolist() == [1.0, 3.0, 2.0, 4.0]
    assert mean_ranks(np.full((3, 1), np.nan), np.ones(1)).tolist() == [2.0, 2.0, 2.0]


def test_equal_values_share_a_rank() -> None:
    assert ranks_of(np.array([0.5, 0.2, 0.5, 0.2 + 1e-12])).tolist() == [1, 3, 1, 3]


def test_whoever_beats_all_has_the_lottery_for_itself() -> None:
    margins = preferences_of(["abc", "acb", "bac"]) - preferences_of(["abc", "acb", "bac"]).T
    assert margins.tolist() == [[0, 1, 3], [-1, 0, 1], [-3, -1, 0]]
    assert maximal_lotteries(margins) == pytest.approx([3.0, 2.0, 1.0])


def test_a_ring_shares_the_lottery() -> None:
    assert unbeaten_shares(RING) == pytest.approx([1 / 3] * 3)
    assert maximal_lotteries(preferences_of(["abc", "bca", "cab"]) - preferences_of(["abc", "bca", "cab"]).T) == (
        pytest.approx([1 / 3] * 3)
    )


@pytest.mark.parametrize("seed", range(20))
def test_nothing_gains_on_the_mixture(seed: int) -> None:
    random = np.random.default_rng(seed)
    game = antisymmetric(random, int(random.integers(2, 25)), whole=seed % 2 == 0)
    shares = unbeaten_shares(game)
    assert shares.sum() == pytest.approx(1)
    assert (shares >= 0).all()
    assert (game @ shares).max() < 1e-8


def test_a_copy_changes_nothing_for_the_others_in_nash_averaging() -> None:
    random = np.random.default_rng(2)
    game = antisymmetric(random, 7, whole=False)
    best = int(np.argmax(unbeaten_shares(game)))
    where = [*range(7), best]
    gains = nash_averaging(game)[1]
    copied, gains_then = nash_averaging(game[np.ix_(where, where)])
    assert gains_then[:7] == pytest.approx(gains, abs=1e-8)
    assert copied[best] == pytest.approx(copied[7], abs=1e-8)


def test_of_several_mixtures_it_is_the_most_even_one() -> None:
    """Nobody gains on anybody but the last, on which all gain alike."""
    game = np.zeros((4, 4))
    game[:3, 3], game[3, :3] = 1.0, -1.0
    assert unbeaten_shares(game) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0])
    # Of the first two only the second may be played more often: else the third gains.
    bound = np.array([[0.0, 0.0, -2.0], [0.0, 0.0, 1.0], [2.0, -1.0, 0.0]])
    shares = unbeaten_shares(bound)
    assert (bound @ shares).max() < 1e-9
    assert shares == pytest.approx([1 / 3, 2 / 3, 0.0], abs=1e-6)


def test_soft_condorcet_orders_the_pentathlon_as_the_paper_does() -> None:
    ratings = soft_condorcet(preferences_of(PENTATHLON))
    assert ratings[2] > ratings[0] > ratings[1]


def test_alpha_rank_of_the_paper_on_collective_action() -> None:
    """Rock, paper and scissors are played equally often; who beats all is played nearly always."""
    assert alpha_rank(RING) == pytest.approx([1 / 3] * 3)
    better = 0.5 + 0.3 * np.sign(np.subtract.outer([3.0, 2.0, 1.0], [3.0, 2.0, 1.0]))
    found = alpha_rank(better)
    assert found[0] > 0.99
    assert found[1] > found[2] > 0


def test_alpha_rank_bears_what_cannot_be_written_as_a_number() -> None:
    found = alpha_rank(np.array([[0.5, 1.0], [0.0, 0.5]]), 50, 1000.0)
    assert found == pytest.approx([1.0, 0.0])
    assert np.isfinite(found).all()


def test_judging_a_world() -> None:
    world = world_of(Kind("", bots=8, games=3, least=30, most=60), 4)
    pools = world.evidence()
    listed = np.arange(8)
    matches = [(count(results), world.place_of) for results in world.results]
    for method in Method:
        if method is Method.OPENSKILL and importlib.util.find_spec("openskill") is None:
            continue
        values = judge(method, pools, matches, listed, world.truth)
        assert values.shape == (8,)
        assert ranks_of(values)[np.argmax(world.truth)] <= 3, method
    odds = mean_odds(pools, listed, world.truth)
    assert (odds == -odds.T).all()


def test_openskill_that_is_missing_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openskill.models", None)
    world = world_of(Kind("", bots=4, games=1), 0)
    with pytest.raises(SkillError, match="pip install 'kingmaker-arena\\[openskill\\]'"):
        judge(
            Method.OPENSKILL, world.evidence(), [(count(world.results[0]), world.place_of)], np.arange(4), world.truth
        )


def test_matches_of_all_pools_are_interwoven_and_thinned_evenly() -> None:
    world = world_of(Kind("", bots=5, games=2, versions=2), 1)
    matches = [(count(results), world.place_of) for results in world.results]
    whole = list(in_sequence(matches))
    assert len(whole) == sum(counts.matches for counts, _ in matches)
    assert any(isinstance(who, str) for seats, _ in whole for who in seats)
    assert len(list(in_sequence(matches, 10))) == 10


needs_peers = pytest.mark.needs("evaluation")


@needs_peers
def test_lotteries_are_those_of_openspiel() -> None:
    from open_spiel.python.voting import base
    from open_spiel.python.voting import maximal_lotteries as peer

    random = np.random.default_rng(0)
    for _ in range(TABLES):
        size, voters = int(random.integers(3, 9)), int(random.choice([3, 5, 7, 9, 11]))
        votes = ["".join(random.permutation(list("abcdefgh"[:size]))) for _ in range(voters)]
        profile = base.PreferenceProfile(votes=[list(vote) for vote in votes], alternatives=list("abcdefgh"[:size]))
        preferences = preferences_of(votes)
        margins = preferences - preferences.T
        assert margins.tolist() == profile.margin_matrix().tolist()
        outcome = peer.MaximalLotteriesVoting().run_election(profile)
        theirs = dict(zip(outcome.ranking, outcome.scores, strict=True))
        assert maximal_lotteries(margins) == pytest.approx([theirs[name] for name in "abcdefgh"[:size]], abs=1e-6)


@needs_peers
def test_nash_averaging_is_that_of_openspiel() -> None:
    import pyspiel
    from open_spiel.python.algorithms.nash_averaging import nash_averaging as peer

    random = np.random.default_rng(1)
    for table in range(TABLES):
        game = antisymmetric(random, int(random.integers(3, 12)), whole=table % 2 == 0)
        theirs, gains = peer(pyspiel.create_matrix_game(game.tolist(), (-game).tolist()))
        ours, ours_gain = nash_averaging(game)
        assert ours == pytest.approx(theirs.ravel(), abs=2e-3)  # they stop at about so much
        assert ours_gain == pytest.approx(gains.ravel(), abs=2e-3)
        entropy = [-float((one[one > 1e-9] * np.log(one[one > 1e-9])).sum()) for one in (ours, theirs.ravel())]
        assert entropy[0] >= entropy[1] - 1e-4


@needs_peers
def test_alpha_rank_is_that_of_openspiel() -> None:
    from open_spiel.python.egt import alpharank as peer

    random = np.random.default_rng(2)
    for table in range(TABLES):
        size = int(random.integers(2, 9))
        payoffs = random.random((size, size))
        if table % 2:
            payoffs = np.triu(payoffs, 1) + np.tril(1 - payoffs.T, -1) + np.eye(size) / 2
        population, selection = [(50, 1.0), (20, 0.1), (50, 10.0)][table % 3]
        theirs = peer.compute([payoffs], m=population, alpha=selection)[2]
        assert alpha_rank(payoffs, population, selection) == pytest.approx(theirs, abs=1e-9)


@needs_peers
def test_soft_condorcet_is_that_of_openspiel() -> None:
    from open_spiel.python.voting import base
    from open_spiel.python.voting import soft_condorcet_optimization as peer

    random = np.random.default_rng(3)
    examples = [["abc"], PENTATHLON]
    drawn = [["".join(random.permutation(list("abcdef"[:size]))) for _ in range(5)] for size in (3, 4, 5, 6) * 25]
    for votes in examples + drawn:
        names = sorted(votes[0])
        profile = base.PreferenceProfile(votes=[list(vote) for vote in votes], alternatives=names)
        solver = peer.SoftCondorcetOptimizer(profile, rating_lower_bound=-100.0, rating_upper_bound=100.0)
        theirs, _ = solver.run_solver(300, learning_rate=0.01)
        assert soft_condorcet(preferences_of(votes), steps=300) == pytest.approx(np.array(theirs), abs=1e-4)


@pytest.mark.needs("polarix")
def test_nash_averaging_is_the_most_even_equilibrium_of_polarix() -> None:
    """Of a game of two with nothing to gain, the correlated equilibrium of the largest entropy is the mixture twice."""
    import polarix

    random = np.random.default_rng(4)
    example = np.array([[6.0, 4.0, 3.0], [3.0, 5.0, 2.0], [1.0, 3.0, 7.0], [3.0, 4.0, 3.0], [5.0, 4.0, 5.0]])
    beats = np.sign(example[:, None, :] - example[None, :, :]).mean(axis=2)
    games = [RING, beats, *(antisymmetric(random, 3 + table % 3, whole=False) for table in range(8))]
    for game in games:
        solved: Any = polarix.solve(
            polarix.Game(payoffs=np.stack([game, -game]), actions=(tuple(range(len(game))),) * 2,
                         players=("row", "column")),
            polarix.ce_maxent, disable_progress_bar=True,
        )  # fmt: skip
        theirs = np.asarray(solved.joint).sum(axis=1)
        assert unbeaten_shares(game) == pytest.approx(theirs, abs=0.02)


@pytest.mark.needs("openskill")
def test_openskill_rates_as_its_package_does() -> None:
    from openskill.models import PlackettLuce

    world = world_of(Kind("", bots=3, games=1, seats=3), 2)
    matches = [(count(world.results[0]), world.place_of)]
    model = PlackettLuce()
    skills = {bot: model.rating() for bot in range(3)}
    for who, ranks in in_sequence(matches):
        after = model.rate([[skills[int(one)]] for one in who], ranks=[float(rank) for rank in ranks])
        skills |= {int(one): team[0] for one, team in zip(who, after, strict=True)}
    values = judge(Method.OPENSKILL, world.evidence(), matches, np.arange(3), world.truth)
    assert values.tolist() == [skill.ordinal() for _, skill in sorted(skills.items())]
    assert all(math.isfinite(value) for value in values)
