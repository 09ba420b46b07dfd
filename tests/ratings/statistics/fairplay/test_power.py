"""What a look at fair play says of itself: what could be asked, how small a deal it would have seen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from ratings.statistics.fairplay.pairs import fair_play
from tests.support.simulations.fairplay import STYLES, Kind, played


def test_few_matches_leave_all_questions_unasked_and_say_how_many_are_lacking() -> None:
    report = fair_play(played(Kind("2 seats", 2, 75, None, bots=6), 5))
    (one,) = report.asked
    assert (report.matches, report.versions, one.asked, one.possible, one.least_elo) == (150, 6, 0, 30, None)
    lacking = report.more_matches
    assert lacking is not None
    assert 100 < lacking < 600
    # With so few matches bots look more equal than they are, and equal ones tell more: hence a third above it.
    (then,) = fair_play(played(Kind("2 seats", 2, int(0.65 * (150 + lacking)), None, bots=6), 5)).asked
    assert then.asked >= 15


def test_each_kind_of_question_has_its_own_count_and_at_two_seats_there_is_one() -> None:
    report = fair_play(played(Kind("3 seats", 3, 300, None), 1))
    assert [(one.kind, one.asked, one.possible) for one in report.asked] == [("helps", 132, 132), ("together", 66, 66)]
    assert report.more_matches == 0
    assert [one.kind for one in fair_play(played(Kind("2 seats", 2, 300, None), 1)).asked] == ["helps"]


@pytest.mark.needs("minutes")
def test_more_matches_see_smaller_deals_and_styles_hide_them() -> None:
    few, many = (fair_play(played(Kind("4 seats", 4, blocks, None), 1)).asked[1] for blocks in (400, 1600))
    (kind,) = [kind for kind in STYLES if kind.name == "4 seats, each changes each"]
    among_styles = fair_play(played(kind, 1)).asked[1]
    assert few.least_elo is not None
    assert many.least_elo is not None
    assert among_styles.least_elo is not None
    assert 0.4 < many.least_elo / few.least_elo < 0.6
    assert (few.spread, among_styles.spread > 1.5) == (1.0, True)
    assert among_styles.least_elo > 1.2 * many.least_elo


@pytest.mark.needs("minutes")
def test_a_deal_as_large_as_told_is_mostly_found_and_one_of_half_its_size_mostly_not() -> None:
    told = fair_play(played(Kind("4 seats", 4, 400, None), 99)).asked[1].least_elo
    assert told is not None

    def found(elo: float) -> int:
        def bonus(seats: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
            inside = seats < 2
            return np.where(inside & (inside.sum(axis=1, keepdims=True) == 2), elo * np.log(10) / 400, 0.0)

        return sum(bool(fair_play(played(Kind("a pair", 4, 400, bonus), seed)).suspicions) for seed in range(8))

    assert found(told) >= 5
    assert found(told / 2) <= 3


def test_where_nobody_played_or_all_sit_at_every_table_no_number_of_matches_is_told() -> None:
    none = played(Kind("2 seats", 2, 5, None), 1).where(np.zeros(10, np.bool_))
    all_at_once = played(Kind("3 seats", 3, 300, None, bots=3), 1)
    for results, matches in ((none, 0), (all_at_once, 900)):
        report = fair_play(results)
        assert (report.matches, report.more_matches, report.asked[0].asked) == (matches, None, 0)
