"""The empirical null: wider than chance where a field is, never narrower, and hardly moved by a few unusual pairs."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.statistics.fairplay.null import Null, empirical_null


def normal(count: int, centre: float, spread: float) -> list[float]:
    """The quantiles of a normal distribution."""
    drawn = np.random.default_rng(1).standard_normal(count)
    return list(centre + spread * (drawn - drawn.mean()) / drawn.std())


def test_a_wide_field_has_a_wide_null() -> None:
    null = empirical_null(normal(2000, 0.5, 3.0))
    assert null.centre == pytest.approx(0.5, abs=0.2)
    assert null.spread == pytest.approx(3.0, rel=0.05)
    assert null.judge(null.least(4.0)) == pytest.approx(4.0)


@pytest.mark.parametrize(
    "answers", [[], [7.0], [0.0] * 50, normal(200, -2.0, 0.3)], ids=["none", "one", "equal", "low"]
)
def test_it_is_never_narrower_nor_lower_than_chance(answers: list[float]) -> None:
    assert empirical_null(answers) == Null(0.0, 1.0)


def test_a_tenth_of_unusual_answers_moves_it_little() -> None:
    plain, spoilt = empirical_null(normal(900, 0, 2.0)), empirical_null([*normal(900, 0, 2.0), *[40.0] * 100])
    assert spoilt.spread < 1.2 * plain.spread
