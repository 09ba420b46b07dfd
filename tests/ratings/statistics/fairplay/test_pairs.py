"""Suspicious pairs: planted collusion is found, honest fields are left in peace."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.statistics.errors import ResultsError
from ratings.statistics.fairplay.pairs import fair_play
from ratings.statistics.official.results import Results
from tests.support.simulations.fairplay import DISHONEST, HONEST, STYLES, Kind, is_true, played, support

# Small shares of `python -m benchmarks.simulated_fields fairplay`; the seeds are fixed, so the outcomes are too.


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.needs("minutes"))])
def test_honest_fields_raise_no_alarm(seed: int) -> None:
    assert [kind for kind in HONEST if fair_play(played(kind, seed)).suspicions] == []


@pytest.mark.parametrize(
    "name",
    [
        "2 seats, 3 styles",
        "2 seats, 3 bots, 200 Elo",
        pytest.param("4 seats, a ring of 5, 200 Elo", marks=pytest.mark.needs("minutes")),
    ],
)
def test_styles_go_beyond_chance_and_raise_no_alarm(name: str) -> None:
    (kind,) = [kind for kind in STYLES if kind.name == name]
    report = fair_play(played(kind, 0))
    assert report.suspicions == ()
    assert report.styles + report.circles > 0


@pytest.mark.needs("minutes")
def test_a_pair_that_helps_one_another_among_styles_is_told_from_them() -> None:
    (kind,) = [kind for kind in DISHONEST if kind.name == "4 seats, a pair among styles"]
    (pair,) = fair_play(played(kind, 0)).suspicions
    assert ({pair.first, pair.second}, pair.kind) == ({"bot000", "bot001"}, "together")


@pytest.mark.parametrize(
    "kind",
    [DISHONEST[0], pytest.param(DISHONEST[3], marks=pytest.mark.needs("minutes"))],
    ids=lambda kind: kind.name,
)
def test_planted_collusion_is_found(kind: Kind) -> None:
    pairs = fair_play(played(kind, 0)).suspicions
    assert pairs
    assert is_true(pairs[0])
    assert pairs[0].z > 4
    assert pairs[0].chance < 0.005
    assert pairs[0].elo > 0


@pytest.mark.needs("minutes")
def test_two_that_do_better_together_are_told_from_one_that_helps() -> None:
    def bonus(seats: np.typing.NDArray[np.int64]) -> np.typing.NDArray[np.float64]:
        inside = seats < 2
        return np.where(inside & (inside.sum(axis=1, keepdims=True) == 2), 1.2, 0.0)

    pairs = fair_play(played(Kind("a pair", 4, 1000, bonus), 1)).suspicions
    assert {pairs[0].first, pairs[0].second} == {"bot000", "bot001"}
    assert pairs[0].kind == "together"
    assert len(pairs) == 1


def test_the_order_of_the_matches_does_not_matter() -> None:
    results = played(Kind("3 seats", 3, 300, support), 4)
    order = np.random.default_rng(1).permutation(len(results.seats))
    turned = Results(
        results.versions, results.seats[order], results.ranks[order], results.blocks[order], results.plans[order]
    )
    assert fair_play(results, 0.5) == fair_play(turned, 0.5)


def test_few_matches_and_none_are_no_ground_for_suspicion() -> None:
    results = played(Kind("4 seats", 4, 5, support), 1)
    assert fair_play(results).suspicions == ()
    assert fair_play(results.where(np.zeros(20, np.bool_))).suspicions == ()


def test_a_chance_that_is_none_is_refused() -> None:
    with pytest.raises(ResultsError, match="chance"):
        fair_play(played(Kind("2 seats", 2, 5, None), 1), alarm=5)
