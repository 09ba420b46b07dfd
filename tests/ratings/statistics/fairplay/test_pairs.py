"""Suspicious pairs: planted collusion is found, honest fields are left in peace."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.statistics.errors import ResultsError
from ratings.statistics.fairplay.pairs import suspicious_pairs
from ratings.statistics.official.results import Results
from tests.support.simulations.fairplay import DISHONEST, HONEST, Kind, is_true, played, support

# Small shares of `python -m benchmarks.fairplay`; the seeds are fixed, so the outcomes are too.


@pytest.mark.parametrize("kind", HONEST, ids=lambda kind: kind.name)
def test_honest_fields_raise_no_alarm(kind: Kind) -> None:
    for seed in range(2):
        assert suspicious_pairs(played(kind, seed)) == ()


@pytest.mark.parametrize("kind", [DISHONEST[0], DISHONEST[3]], ids=lambda kind: kind.name)
def test_planted_collusion_is_found(kind: Kind) -> None:
    pairs = suspicious_pairs(played(kind, 0))
    assert pairs
    assert is_true(pairs[0])
    assert pairs[0].z > 4
    assert pairs[0].chance < 0.005
    assert pairs[0].elo > 0


def test_two_that_do_better_together_are_told_from_one_that_helps() -> None:
    def bonus(seats: np.typing.NDArray[np.int64]) -> np.typing.NDArray[np.float64]:
        inside = seats < 2
        return np.where(inside & (inside.sum(axis=1, keepdims=True) == 2), 1.2, 0.0)

    pairs = suspicious_pairs(played(Kind("a pair", 4, 1000, bonus), 1))
    assert {pairs[0].first, pairs[0].second} == {"bot000", "bot001"}
    assert pairs[0].kind == "together"
    assert len(pairs) == 1


def test_the_order_of_the_matches_does_not_matter() -> None:
    results = played(Kind("3 seats", 3, 300, support), 4)
    order = np.random.default_rng(1).permutation(len(results.seats))
    turned = Results(
        results.versions, results.seats[order], results.ranks[order], results.blocks[order], results.plans[order]
    )
    assert suspicious_pairs(results, 0.5) == suspicious_pairs(turned, 0.5)


def test_few_matches_and_none_are_no_ground_for_suspicion() -> None:
    results = played(Kind("4 seats", 4, 5, support), 1)
    assert suspicious_pairs(results) == ()
    assert suspicious_pairs(results.where(np.zeros(20, np.bool_))) == ()


def test_a_chance_that_is_none_is_refused() -> None:
    with pytest.raises(ResultsError, match="chance"):
        suspicious_pairs(played(Kind("2 seats", 2, 5, None), 1), alarm=5)
