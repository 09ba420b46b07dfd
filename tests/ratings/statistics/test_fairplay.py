"""Suspicious pairs: planted collusion is found, honest fields are left in peace."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest

from ratings.statistics.errors import ResultsError
from ratings.statistics.fairplay_null import deviation_of
from ratings.statistics.fairplay_pairs import beyond_usual, comes_back, fair_play
from ratings.statistics.fairplay_questions import PairFlow
from ratings.statistics.results import Results
from tests.support.simulations.fairplay import (
    DISHONEST,
    HONEST,
    STYLES,
    Kind,
    circle,
    is_true,
    kingmaking,
    played,
    support,
    throwing,
    weak_against_one,
)

# Small shares of `python -m benchmarks.simulated_fields fairplay`; the seeds are fixed, so the outcomes are too.


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.needs("minutes"))])
def test_honest_fields_raise_no_alarm(seed: int) -> None:
    assert [kind for kind in HONEST if fair_play(played(kind, seed)).suspicions] == []


def style(name: str) -> Kind:
    (kind,) = [kind for kind in STYLES if kind.name == name]
    return kind


@pytest.mark.parametrize(
    "name",
    [
        "2 seats, 3 styles",
        "2 seats, 3 bots, 200 Elo",
        "2 seats, a ring of 12, 200 Elo",
        pytest.param("4 seats, a ring of 5, 200 Elo", marks=pytest.mark.needs("minutes")),
        pytest.param("4 seats, company changes each, 200 Elo", marks=pytest.mark.needs("minutes")),
    ],
)
def test_styles_go_beyond_chance_and_raise_no_alarm(name: str) -> None:
    report = fair_play(played(style(name), 0))
    assert report.suspicions == ()
    assert report.styles + report.circles > 0


def test_who_copes_badly_with_one_bot_is_not_accused_though_chance_does_not_explain_it() -> None:
    reports = [fair_play(played(Kind("", 2, 6600, styles=weak_against_one(150)), seed)) for seed in range(5)]
    assert [report.suspicions for report in reports] == [()] * 5
    assert sum(report.styles for report in reports) >= 4


@pytest.mark.needs("minutes")
def test_what_one_gains_from_the_weakness_of_another_at_a_table_of_four_is_no_help() -> None:
    reports = [fair_play(played(style("4 seats, weak against one, 200 Elo"), seed)) for seed in range(6)]
    assert sum(bool(report.suspicions) for report in reports) <= 1
    assert sum(report.styles for report in reports) >= 5


@pytest.mark.needs("minutes")
def test_a_pair_that_helps_one_another_among_styles_is_told_from_them() -> None:
    (kind,) = [kind for kind in DISHONEST if kind.name == "4 seats, a pair among styles"]
    (pair,) = fair_play(played(kind, 0)).suspicions
    assert ({pair.first, pair.second}, pair.kind) == ({"bot000", "bot001"}, "together")


@pytest.mark.parametrize(
    "kind",
    [
        Kind("one throws", 2, 3300, throwing, 400),
        pytest.param(Kind("kingmaking", 4, 1250, kingmaking, 260, 4), marks=pytest.mark.needs("minutes")),
    ],
    ids=lambda kind: kind.name,
)
def test_planted_collusion_is_found(kind: Kind) -> None:
    pairs = fair_play(played(kind, 0)).suspicions
    assert pairs
    assert is_true(kind, pairs[0])
    assert pairs[0].z > 4
    assert pairs[0].chance < 0.005
    assert pairs[0].elo > 0


@pytest.mark.needs("minutes")
def test_two_that_do_better_together_are_told_from_one_that_helps() -> None:
    pairs = fair_play(played(Kind("a pair", 4, 1000, support, 208), 1)).suspicions
    assert {pairs[0].first, pairs[0].second} == {"bot000", "bot001"}
    assert pairs[0].kind == "together"
    assert len(pairs) == 1


def test_the_order_of_the_matches_does_not_matter() -> None:
    results = played(Kind("3 seats", 3, 300, support, 139, 4), 4)
    order = np.random.default_rng(1).permutation(len(results.seats))
    turned = Results(
        results.versions, results.seats[order], results.ranks[order], results.blocks[order], results.plans[order]
    )
    assert fair_play(results, 0.5) == fair_play(turned, 0.5)


def test_few_matches_and_none_are_no_ground_for_suspicion() -> None:
    results = played(Kind("4 seats", 4, 5, support, 139, 4), 1)
    assert fair_play(results).suspicions == ()
    assert fair_play(results.where(np.zeros(20, np.bool_))).suspicions == ()


def test_a_chance_that_is_none_is_refused() -> None:
    with pytest.raises(ResultsError, match="chance"):
        fair_play(played(Kind("2 seats", 2, 5), 1), alarm=5)


BOTS = "abcdefghij"


def flows(*strong: tuple[str, float]) -> dict[tuple[str, str], PairFlow]:
    """All flows between the bots are nothing, but these, each a pair of letters with its Elo."""
    found = {(one, other): PairFlow(0.0, 0.0) for one in BOTS for other in BOTS if one != other}
    for pair, elo in strong:
        found[pair[0], pair[1]], found[pair[1], pair[0]] = PairFlow(elo, elo / 20), PairFlow(-elo, -elo / 20)
    return found


@pytest.mark.parametrize(
    ("strong", "is_back"),
    [
        ([("ab", 100), ("bc", 100), ("ca", 100)], True),
        ([("ab", 100), ("bc", 90), ("cd", 80), ("de", 120), ("ea", 70)], True),
        ([("ab", 200), ("bc", 60), ("ca", 100)], False),
        ([("ab", 100)], False),
        ([("ab", 100), ("bc", 100), ("ac", 100)], False),
    ],
    ids=["three", "five", "less than a third comes back", "a gift", "gifts upwards"],
)
def test_what_comes_back(strong: list[tuple[str, float]], *, is_back: bool) -> None:
    assert comes_back(flows(*strong), "a", "b") is is_back


def test_a_small_flow_that_may_be_chance_closes_no_circle() -> None:
    found = flows(("ab", 30), ("bc", 30), ("ca", 30))
    assert not comes_back(found, "a", "b")
    assert not comes_back({}, "a", "b")
    assert not comes_back(flows(("ba", 100)), "a", "b")


def test_what_a_deal_seems_to_give_to_all_others_is_taken_off() -> None:
    shadow = [(f"b{other}", 50.0) for other in "cdefghij"] + [(f"{other}a", 50.0) for other in "cdefghij"]
    found = flows(("ab", 120), *shadow)
    assert comes_back(found, "a", "b")
    left = beyond_usual(found)
    assert not comes_back(left, "a", "b")
    assert left["a", "b"].elo == pytest.approx(220)
    assert left["b", "c"].elo == pytest.approx(0)


def answers(count: int, spread: float, noise: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """So many answers of honest pairs, and the variances of their noise."""
    random = np.random.default_rng(1)
    return random.normal(0, np.hypot(spread, noise), count), np.full(count, noise**2)


def test_a_field_whose_pairs_differ_has_a_wide_null() -> None:
    null = deviation_of(*answers(2000, 0.5, 0.2))
    assert null.variance**0.5 == pytest.approx(0.5, rel=0.05)
    assert null.chance(1.5, 0.04) == pytest.approx(NormalDist().cdf(-1.5 / 0.29**0.5), rel=0.4)


def test_a_field_of_equal_styles_has_that_of_chance_alone() -> None:
    null = deviation_of(*answers(2000, 0.0, 0.2))
    assert null.variance**0.5 < 0.05
    assert null.chance(0.8, 0.04) == pytest.approx(NormalDist().cdf(-4), rel=0.5)


def test_a_field_of_few_pairs_knows_less_of_itself_than_one_of_many() -> None:
    few, many = (deviation_of(*answers(count, 0.0, 0.2)) for count in (10, 200))
    assert few.chance(1.0, 0.04) > 5 * many.chance(1.0, 0.04)


def test_answers_that_count_half_are_worth_half_as_many() -> None:
    gains, variances = answers(100, 0.3, 0.2)
    twice = deviation_of(np.repeat(gains, 2), np.repeat(variances, 2), 0.5)
    once = deviation_of(gains, variances)
    assert twice.deviations == once.deviations
    assert twice.weights == pytest.approx(once.weights)


def test_few_matches_leave_all_questions_unasked_and_say_how_many_are_lacking() -> None:
    report = fair_play(played(Kind("2 seats", 2, 75, bots=6), 5))
    (one,) = report.asked
    assert (report.matches, report.versions, one.asked, one.possible, one.least_elo) == (150, 6, 0, 30, None)
    lacking = report.more_matches
    assert lacking is not None
    assert 100 < lacking < 600
    # With so few matches bots look more equal than they are, and equal ones tell more: hence a third above it.
    (then,) = fair_play(played(Kind("2 seats", 2, int(0.65 * (150 + lacking)), bots=6), 5)).asked
    assert then.asked >= 15


def test_each_kind_of_question_has_its_own_count_and_at_two_seats_there_is_one() -> None:
    report = fair_play(played(Kind("3 seats", 3, 300), 1))
    assert [(one.kind, one.asked, one.possible) for one in report.asked] == [("helps", 132, 132), ("together", 66, 66)]
    assert report.more_matches == 0
    assert [one.kind for one in fair_play(played(Kind("2 seats", 2, 300), 1)).asked] == ["helps"]


@pytest.mark.needs("minutes")
def test_more_matches_see_smaller_deals_and_styles_hide_them() -> None:
    few, many = (fair_play(played(Kind("4 seats", 4, blocks), 1)).asked[1] for blocks in (400, 1600))
    (kind,) = [kind for kind in STYLES if kind.name == "4 seats, each changes each"]
    among_styles = fair_play(played(kind, 1)).asked[1]
    assert few.least_elo is not None
    assert many.least_elo is not None
    assert among_styles.least_elo is not None
    assert 0.4 < many.least_elo / few.least_elo < 0.6
    assert few.spread < 1.1 < 1.5 < among_styles.spread
    assert among_styles.least_elo > 1.2 * many.least_elo


@pytest.mark.needs("minutes")
def test_a_deal_as_large_as_told_is_mostly_found_and_one_of_half_its_size_mostly_not() -> None:
    told = fair_play(played(Kind("4 seats", 4, 400), 99)).asked[1].least_elo
    assert told is not None

    def found(elo: float) -> int:
        deals = (Kind("a pair", 4, 400, support, elo) for _ in range(8))
        return sum(bool(fair_play(played(kind, seed)).suspicions) for seed, kind in enumerate(deals))

    assert found(told) >= 5
    assert found(told / 2) <= 3


@pytest.mark.parametrize("elo", [35, 87])
def test_a_deal_at_two_seats_as_large_as_told_is_mostly_found_among_styles(elo: float) -> None:
    kind, found = Kind("", 2, 3300, styles=circle(12, 12, elo, beats=1)), 0
    for seed in range(8):
        (told,) = [one.least_elo for one in fair_play(played(kind, seed)).asked]
        assert told is not None
        dealt = replace(kind, deal=throwing, elo=told)
        found += any(is_true(dealt, pair) for pair in fair_play(played(dealt, seed)).suspicions)
    assert found >= 5


def test_where_nobody_played_or_all_sit_at_every_table_no_number_of_matches_is_told() -> None:
    none = played(Kind("2 seats", 2, 5), 1).where(np.zeros(10, np.bool_))
    all_at_once = played(Kind("3 seats", 3, 300, bots=3), 1)
    for results, matches in ((none, 0), (all_at_once, 900)):
        report = fair_play(results)
        assert (report.matches, report.more_matches, report.asked[0].asked) == (matches, None, 0)
