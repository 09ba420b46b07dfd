"""What the matches are counted to: blocks in an order of their own, and how far a fit is trusted at its limits."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.statistics import fit as fitting
from ratings.statistics.covariance import uncertainty
from ratings.statistics.official_table import fit_counts, official_table
from ratings.statistics.results import Results, count, results_of, stages_of
from tests.support.simulations.fields import Field, all_tables, play


def duels(blocks: int, strengths: tuple[float, ...] = (0.5, -0.5), luck: float = 0.0) -> Results:
    """Blocks of two matches of two bots, without ties."""
    field = Field(np.array(strengths), np.zeros(2), np.zeros(0), luck)
    return play(field, all_tables(len(strengths), 2, blocks), np.random.default_rng(8))


def alike(blocks: int, wins: int) -> Results:
    """Blocks of two matches, one from each seat: in the first `wins` blocks the first bot wins both, then it loses."""
    seats = np.array([[0, 1], [1, 0]] * blocks)
    won = np.repeat(np.arange(blocks) < wins, 2)
    ranks = np.where(won[:, None], seats + 1, 2 - seats)
    return Results(("a", "b"), seats, ranks, np.repeat(np.arange(blocks), 2), np.arange(2 * blocks))


def test_a_fit_is_not_judged_by_fewer_than_two_blocks_for_each_of_its_figures() -> None:
    # Two strengths and the effects of two seats: four figures.
    for blocks, is_judged in ((8, False), (9, True)):
        counts = count(alike(blocks, blocks // 2))
        found = uncertainty(counts, fit_counts(counts, {}))
        assert (found.dispersion != 1.0, bool(found.trust.any()), found.seat_trust > 0) == (is_judged,) * 3


def test_blocks_whose_matches_are_alike_count_as_half_as_many() -> None:
    # Both matches of a block end alike, so the scores' variance is twice that of independent matches; the correction
    # is n / (n - 4) for n blocks, and with few blocks the dispersion is drawn towards 1 with weight n / (n + 20).
    for blocks in (20, 60):
        counts = count(alike(blocks, blocks // 2))
        found = uncertainty(counts, fit_counts(counts, {}))
        seen = 2 * blocks / (blocks - 4)
        assert found.dispersion == pytest.approx(1 + (seen - 1) * blocks / (blocks + 20))
        assert found.trust == pytest.approx([(blocks / 2) / (blocks / 2 + 20)] * 2)
        assert found.seat_trust == pytest.approx(blocks / (blocks + 20))


def test_blocks_that_cancel_their_luck_lower_the_dispersion_to_a_quarter_at_most() -> None:
    # Each wins one match of every block, whatever the seat: the blocks do not differ at all.
    seats = np.array([[0, 1], [1, 0]] * 200)
    results = Results(("a", "b"), seats, np.array([[1, 2], [1, 2]] * 200), np.repeat(np.arange(200), 2), np.arange(400))
    counts = count(results)
    assert uncertainty(counts, fit_counts(counts, {})).dispersion == 0.25


def test_the_order_of_blocks_follows_from_what_happened_in_them() -> None:
    results = duels(300, luck=1.0)
    random = np.random.default_rng(1)
    whole = count(results)
    for _ in range(3):
        order = random.permutation(len(results.seats))
        labels = random.permutation(300)
        other = count(
            Results(
                results.versions,
                results.seats[order],
                results.ranks[order],
                labels[results.blocks[order]],
                results.plans[order],
            )
        )
        assert np.array_equal(other.row_of, whole.row_of)
        assert np.array_equal(other.block_of, whole.block_of)


def test_blocks_of_other_rows_with_the_same_sum_are_told_apart() -> None:
    # Four rows (the first bot in seat 0 wins or loses; in seat 1 too): blocks of rows {0, 3} and {1, 2} have one sum.
    seats = np.array([[0, 1], [1, 0], [0, 1], [1, 0]])
    ranks = np.array([[1, 2], [2, 1], [2, 1], [1, 2]])
    rows = count(Results(("a", "b"), seats, ranks, np.arange(4), np.arange(4))).row_of.tolist()
    assert sorted(rows) == [0, 1, 2, 3]
    kinds = ([0, 3], [1, 2])
    found = set()
    for swapped in (False, True):
        pairs = [pair for _ in range(20) for pair in (reversed(kinds) if swapped else kinds)]
        members = [row for pair in pairs for row in pair]
        place = [rows.index(row) for row in members]
        counts = count(
            Results(
                ("a", "b"),
                seats[place],
                ranks[place],
                np.repeat(np.arange(len(pairs)), 2),
                np.arange(2 * len(pairs)),
            )
        )
        found.add(tuple(counts.row_of.tolist()))
    assert len(found) == 1


def test_every_choice_but_that_of_the_last_who_is_left_is_a_stage() -> None:
    # a before b before c, and a tied with b before c: in the second there is no choice among two.
    stages = stages_of(np.array([[0, 1, 2], [0, 1, 2]]), np.array([[0, 1, 2], [0, 0, 2]]), np.array([5, 7]))
    assert [len(stage.seats) for stage in stages] == [3, 2]
    assert [stage.chosen.tolist() for stage in stages] == [[0b001, 0b011], [0b01]]
    assert [stage.counts.tolist() for stage in stages] == [[5, 7], [5]]


def test_a_fit_that_begins_with_few_of_the_matches_ends_at_the_same_top(monkeypatch: pytest.MonkeyPatch) -> None:
    results = duels(150, strengths=(1.0, 0.3, -0.3, -1.0))
    whole = official_table(results)
    monkeypatch.setattr(fitting, "_FEW", 2)
    begun = official_table(results)
    assert [row.version for row in begun.rows] == [row.version for row in whole.rows]
    assert [row.strength for row in begun.rows] == pytest.approx([row.strength for row in whole.rows], abs=1e-8)
    assert [row.low for row in begun.rows] == pytest.approx([row.low for row in whole.rows], abs=1e-6)


def test_matches_given_one_by_one_become_columns() -> None:
    matches = [(7, ("b", "a", "c"), (1, 3, 2)), (7, ("c", "b", "a"), (1, 1, 3))]
    results = results_of(("a", "b", "c"), matches)
    assert results.seats.tolist() == [[1, 0, 2], [2, 1, 0]]
    assert results.ranks.tolist() == [[1, 3, 2], [1, 1, 3]]
    assert results.blocks.tolist() == [7, 7]
    assert results.plans.tolist() == [0, 1]
    none = results_of(("a", "b"), [])
    assert none.seats.shape == none.ranks.shape == (0, 2)
    assert (none.blocks.shape, none.plans.shape) == ((0,), (0,))
