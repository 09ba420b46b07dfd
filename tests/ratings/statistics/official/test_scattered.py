"""The sum over blocks is the same whether they are taken as wholes or by what they know."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.statistics.official import covariance
from ratings.statistics.official.aggregate import count
from ratings.statistics.official.table import fit_counts
from tests.support.simulations.official import big_results


@pytest.mark.parametrize("seats", [2, 3])
def test_blocks_added_by_what_they_know_give_the_same_sum(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = count(big_results(600, seats))
    fitted = fit_counts(counts, {})
    dense = covariance.uncertainty(counts, fitted)
    monkeypatch.setattr(covariance, "_MANY", 0)
    sparse = covariance.uncertainty(counts, fitted)
    assert np.allclose(sparse.sandwich, dense.sandwich, rtol=1e-9, atol=1e-15)
    assert sparse.dispersion == pytest.approx(dense.dispersion)
