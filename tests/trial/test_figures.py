"""What is summed up of trial matches."""

from __future__ import annotations

from arena.trial.figures import quantile


def test_a_quantile_is_a_value_that_occurred() -> None:
    hundred = list(range(1, 101))
    assert (quantile(hundred, 0.5), quantile(hundred, 0.99), quantile(hundred, 1.0)) == (50, 99, 100)
    assert (quantile([7], 0.5), quantile([7], 0.99)) == (7, 7)
    assert quantile([1, 9], 0.99) == 9
