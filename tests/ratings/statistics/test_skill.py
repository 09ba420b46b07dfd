"""The published figures are those of Jeff Moser's TrueSkill calculators (github.com/moserware/Skills, its tests)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.statistics.errors import SkillError
from ratings.statistics.skill import Skill, SkillSettings, exposure, newcomer, rate, successor

SETTINGS = SkillSettings()
NEW = newcomer(SETTINGS)
skills = st.builds(Skill, st.floats(-1e4, 1e4), st.floats(1e-3, 20))


def ranks_of(strengths: list[int]) -> tuple[int, ...]:
    return tuple(1 + sum(other > mine for other in strengths) for mine in strengths)


@pytest.mark.parametrize(
    ("ranks", "published"),
    [
        ((1, 2), [(29.39583201999924, 7.171475587326186), (20.60416798000076, 7.171475587326186)]),
        ((1, 1), [(25.0, 6.4575196623173081), (25.0, 6.4575196623173081)]),
        (
            (1, 2, 3),
            [
                (31.675352419172107, 6.6559853776206905),
                (25.000000000003912, 6.2078966412243233),
                (18.324647580823971, 6.6559853776218318),
            ],
        ),
    ],
)
def test_newcomers_get_the_published_ratings(ranks: tuple[int, ...], published: list[tuple[float, float]]) -> None:
    rated = rate(SETTINGS, [NEW] * len(ranks), ranks)
    assert [pytest.approx(tuple(skill), abs=1e-3) for skill in rated] == published


def test_what_is_shown_is_mu_minus_three_sigma() -> None:
    assert exposure(NEW) == 0
    assert exposure(Skill(30, 2)) == 24


@given(st.lists(st.tuples(skills, st.integers(0, 3)), min_size=2, max_size=5))
def test_any_skills_however_far_apart_can_be_rated_and_equal_input_gives_equal_floats(
    seats: list[tuple[Skill, int]],
) -> None:
    before = [skill for skill, _ in seats]
    ranks = ranks_of([strength for _, strength in seats])
    rated = rate(SETTINGS, before, ranks)
    assert all(math.isfinite(skill.mu) and 0 < skill.sigma < math.inf for skill in rated)
    if ranks.count(1) == 1:
        first = ranks.index(1)
        assert rated[first].mu >= before[first].mu - 1e-6
    assert rate(SETTINGS, before, ranks) == rated


@pytest.mark.parametrize("gap", [100, 500, 1e4, 1e6])
def test_an_upset_beyond_double_precision_still_moves_both_the_right_way(gap: float) -> None:
    strong, weak = rate(SETTINGS, [Skill(25 + gap, 1), Skill(25, 1)], (2, 1))
    assert strong.mu < 25 + gap
    assert weak.mu > 25


def test_an_expected_win_beyond_double_precision_changes_next_to_nothing() -> None:
    strong, weak = rate(SETTINGS, [Skill(1025, 1), Skill(25, 1)], (1, 2))
    assert strong == pytest.approx((1025, 1), abs=0.05)
    assert weak == pytest.approx((25, 1), abs=0.05)


def test_a_draw_lowers_every_sigma() -> None:
    assert all(skill.sigma < NEW.sigma for skill in rate(SETTINGS, [NEW] * 4, (1, 1, 1, 1)))


@pytest.mark.parametrize("draw_probability", [0.0, 1.0, -0.1, math.nan])
def test_a_draw_probability_of_zero_or_beyond_is_refused(draw_probability: float) -> None:
    with pytest.raises(SkillError, match="draw probability"):
        SkillSettings(draw_probability=draw_probability)


@pytest.mark.parametrize("changes", [{"sigma": 0.0}, {"beta": -1.0}, {"tau": -0.1}, {"mu": math.inf}])
def test_constants_that_trueskill_cannot_work_with_are_refused(changes: dict[str, float]) -> None:
    with pytest.raises(SkillError):
        SkillSettings(**changes)


@pytest.mark.parametrize("ranks", [(0, 1), (2, 3), (1, 3), (1, 2, 2, 3), (1,), (1, 2, 3)])
def test_ranks_that_are_none_are_refused(ranks: tuple[int, ...]) -> None:
    with pytest.raises(SkillError):
        rate(SETTINGS, [NEW] * (2 if len(ranks) != 4 else 4), ranks)


@given(skills)
def test_a_successor_starts_at_its_predecessors_mu_with_a_wider_sigma_never_wider_than_a_newcomers(old: Skill) -> None:
    new = successor(SETTINGS, old)
    assert new.mu == old.mu
    assert new.sigma <= NEW.sigma
    assert new.sigma > old.sigma or new.sigma == NEW.sigma
