"""The model against its own definition: probabilities sum to 1, derivatives are those of the likelihood."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ratings.statistics import covariance
from ratings.statistics.fit import Shape, evaluate, log_likelihood
from ratings.statistics.official_table import fit_counts
from ratings.statistics.results import Floats, count, pack, stages_of
from tests.support.simulations.official import big_results


def ranks_of(seats: int) -> list[tuple[int, ...]]:
    """Every way to order the seats, as how many were strictly better."""
    orders = {
        tuple(sum(other < mine for other in order) for mine in order) for order in product(range(seats), repeat=seats)
    }
    return sorted(orders)


def point_of(shape: Shape) -> Floats:
    return np.random.default_rng(7).normal(0, 0.7, shape.size)


@pytest.mark.parametrize(("seats", "orders"), [(2, 3), (3, 13), (4, 75)])  # Fubini numbers, OEIS A000670
def test_the_probabilities_of_all_orders_sum_to_one(seats: int, orders: int) -> None:
    shape = Shape(seats, seats, seats)
    point = point_of(shape)
    every = ranks_of(seats)
    assert len(every) == orders
    sitting = np.arange(seats)[None, :]
    chances = [
        np.exp(log_likelihood(stages_of(sitting, np.array([order]), np.ones(1, np.int64)), shape, point))
        for order in every
    ]
    assert sum(chances) == pytest.approx(1)


def test_two_seats_are_davidsons_model() -> None:
    shape = Shape(2, 2, 2)
    point = np.array([0.3, -0.3, 0.1, -0.1, -0.5])
    a, b, tie = np.exp(0.4), np.exp(-0.4), np.exp(-0.5)
    stages = stages_of(np.array([[0, 1]]), np.array([[0, 0]]), np.ones(1, np.int64))
    assert np.exp(log_likelihood(stages, shape, point)) == pytest.approx(tie / (a + b + tie))


def test_gradient_and_information_are_the_derivatives() -> None:
    random = np.random.default_rng(2)
    seats = np.argsort(random.random((40, 6)), axis=1)[:, :4]
    ranks = np.array(ranks_of(4))[random.integers(0, 75, 40)]
    shape = Shape(6, 4, 4)
    tables = stages_of(seats, ranks, random.integers(1, 5, 40))
    point = point_of(shape)
    value = evaluate(tables, shape, point)
    assert value.log_likelihood == pytest.approx(log_likelihood(tables, shape, point))
    for place in range(shape.size):
        step = np.zeros(shape.size)
        step[place] = 1e-5
        up, down = evaluate(tables, shape, point + step), evaluate(tables, shape, point - step)
        assert (up.log_likelihood - down.log_likelihood) / 2e-5 == pytest.approx(value.gradient[place], abs=1e-4)
        assert (down.gradient - up.gradient) / 2e-5 == pytest.approx(value.information[place], abs=1e-4)


def test_packed_rows_are_ordered_as_the_rows_even_where_one_number_is_too_small() -> None:
    random = np.random.default_rng(4)
    rows = random.integers(0, 1000, (300, 12))
    rows[::3, :6] = rows[0, :6]
    keys = pack(rows.T, [1000] * 12)
    assert np.argsort(keys, kind="stable").tolist() == np.lexsort(rows.T[::-1]).tolist()


@pytest.mark.parametrize("seats", [2, 3])
def test_blocks_added_by_what_they_know_give_the_same_sum(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = count(big_results(600, seats))
    fitted = fit_counts(counts, {})
    dense = covariance.uncertainty(counts, fitted)
    monkeypatch.setattr(covariance, "_MANY", 0)
    sparse = covariance.uncertainty(counts, fitted)
    assert np.allclose(sparse.sandwich, dense.sandwich, rtol=1e-9, atol=1e-15)
    assert sparse.dispersion == pytest.approx(dense.dispersion)
