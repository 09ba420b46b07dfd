"""The mixture that none beats: where it is known in closed form, and what copies and the field do to it."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.statistics.official.circles import Pairs
from ratings.statistics.official.mixture import mixture_of, pair_odds, unbeaten
from ratings.statistics.official.results import Floats
from ratings.statistics.official.table import ELO_PER_UNIT, official_table
from tests.support.simulations.circles import Kind, played


def game(*rows: tuple[float, ...]) -> Floats:
    return np.array(rows, np.float64)


def pairs(scores: Floats, blocks: int) -> Pairs:
    """Pairs that scored so in so many blocks."""
    return Pairs(scores, np.full(scores.shape, 0.1 / max(blocks, 1)), np.full(scores.shape, blocks))


def test_three_that_go_round_share_the_mixture_by_how_much_the_others_win_from_each_other() -> None:
    # Of a beats b by 1, b beats c by 3 and c beats a by 2, the shares are 3 : 2 : 1, what the other two play for.
    shares = unbeaten(game((0, 1, -2), (-1, 0, 3), (2, -3, 0)))
    assert shares == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=1e-3)


def test_without_circles_the_best_is_the_mixture_and_the_others_are_as_far_below_as_their_numbers() -> None:
    strengths = np.array([0.2, 1.0, -0.7])
    found = mixture_of(pairs(np.full((3, 3), 0.5), 0), strengths, None, np.zeros(3, np.int64))
    assert found.shares == pytest.approx([0, 1, 0], abs=1e-3)
    assert found.gains == pytest.approx(strengths - 1.0, abs=1e-3)


def test_a_copy_changes_nothing_and_shares_with_its_twin() -> None:
    ring = game((0, 1, -2), (-1, 0, 3), (2, -3, 0))
    place = [0, 1, 2, 1]
    shares = unbeaten(ring[np.ix_(place, place)])
    assert shares[1] == pytest.approx(shares[3])
    assert [shares[0], shares[1] + shares[3], shares[2]] == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=1e-3)


def test_groups_that_never_met_have_mixtures_of_their_own() -> None:
    strengths, groups = np.array([0.5, 0.0, 2.0, 1.0]), np.array([0, 0, 1, 1])
    found = mixture_of(pairs(np.full((4, 4), 0.5), 0), strengths, None, groups)
    assert found.shares == pytest.approx([1, 0, 1, 0], abs=1e-3)
    assert found.gains == pytest.approx([0, -0.5, 0, -1.0], abs=1e-3)


def test_luck_of_pairs_is_drawn_towards_the_numbers_and_many_blocks_are_believed() -> None:
    strengths = np.zeros(6)
    lucky = np.full((6, 6), 0.5)
    lucky[0, 1], lucky[1, 0] = 0.6, 0.4
    few, many = (pair_odds(pairs(lucky, blocks), strengths, None)[0, 1] for blocks in (5, 5000))
    assert few == 0.0
    assert many == pytest.approx(np.log(0.6 / 0.4), abs=0.05)


def test_ties_are_no_reason_to_think_a_pair_nearer_than_it_is() -> None:
    strengths, log_tie = np.array([0.5, -0.5]), 2.0
    tied = np.exp(log_tie)
    share = (np.exp(0.5) + tied / 2) / (np.exp(0.5) + np.exp(-0.5) + tied)
    scores = game((0.5, share), (1 - share, 0.5))
    assert pair_odds(pairs(scores, 4000), strengths, log_tie)[0, 1] == pytest.approx(1.0, abs=0.01)


def test_in_the_table_of_a_circle_its_bots_are_the_mixture_and_equal() -> None:
    # Three equal bots that go round, 200 Elo a step, far above the others.
    kind = Kind("", 2, 6, 1500, deviation=0.1, elo=200.0, near=True, lead=1.0)
    table = official_table(played(kind, 3), with_mixture=True)
    by_name = {row.version: row for row in table.rows}
    inside = [by_name[f"bot00{place}"] for place in range(3)]
    assert sum(row.mixture_share or 0 for row in table.rows) == pytest.approx(1)
    assert all((row.mixture_share or 0) > 0.1 for row in inside)
    assert [row.mixture_elo for row in inside] == pytest.approx([0, 0, 0], abs=1)
    assert all((row.mixture_elo or 0) < 1 for row in table.rows)


def test_without_being_asked_the_table_has_no_mixture() -> None:
    assert official_table(played(Kind("", 2, 4, 60), 1)).rows[0].mixture_share is None


def test_in_a_table_without_circles_the_mixture_says_what_the_numbers_say() -> None:
    rows = official_table(played(Kind("", 2, 6, 900, deviation=1.0), 2), with_mixture=True).rows
    assert rows[0].mixture_share == pytest.approx(1, abs=0.01)
    told = [row.mixture_elo for row in rows]
    assert told == pytest.approx([ELO_PER_UNIT * (row.strength - rows[0].strength) for row in rows], abs=60)
    assert told == sorted(told, key=lambda elo: -(elo or 0))
