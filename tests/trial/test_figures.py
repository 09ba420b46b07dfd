"""What is summed up of trial matches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.trial.figures import quantile, scores


def test_a_quantile_is_a_value_that_occurred() -> None:
    hundred = list(range(1, 101))
    assert (quantile(hundred, 0.5), quantile(hundred, 0.99), quantile(hundred, 1.0)) == (50, 99, 100)
    assert (quantile([7], 0.5), quantile([7], 0.99)) == (7, 7)
    assert quantile([1, 9], 0.99) == 9


def played(*ranks: int) -> Any:
    """What `scores` looks at of a match of a bot in seat 0 against a sample in all others."""
    seats = [SimpleNamespace(name="sample")] * len(ranks)
    trial = SimpleNamespace(own=(0,), spec=SimpleNamespace(seats=seats))
    return SimpleNamespace(trial=trial, report=SimpleNamespace(result=SimpleNamespace(ranks=ranks)), faults=())


def test_wins_shared_firsts_and_draws_against_a_sample_are_counted_apart() -> None:
    (found,) = scores([played(1, 2), played(1, 1), played(1, 1, 3), played(1, 1, 1), played(2, 1)])
    assert (found.against, found.matches, found.won, found.shared, found.draws) == ("sample", 5, 1, 1, 2)
    assert found.score.mean == pytest.approx((1 + 0.5 + 0.75 + 0.5 + 0) / 5)
