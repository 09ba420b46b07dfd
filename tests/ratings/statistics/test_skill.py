"""TrueSkill gives the published figures, and like OpenSkill to the last bit those of its package.

The published figures are those of Jeff Moser's TrueSkill calculators (github.com/moserware/Skills, its tests).
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest
import trueskill
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ratings.statistics.blocks import rotations
from ratings.statistics.errors import SkillError
from ratings.statistics.factor_graph import constants_of, draw_margin, rate_many_seats, rate_two_seats
from ratings.statistics.skill import (
    Skill,
    SkillSettings,
    check_rating_method,
    exposure,
    match_quality,
    newcomer,
    rate,
    rate_by_package,
    successor,
)
from ratings.values.pools import RatingMethod

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


def test_equals_that_tie_move_apart_by_their_seats_as_in_the_package_and_a_block_evens_it_out() -> None:
    ranks = (5, 2, 2, 2, 1)
    rated = rate(SETTINGS, [NEW] * 5, ranks)
    assert [skill.mu for skill in rated[1:4]] == pytest.approx([24.986, 25.000, 25.014], abs=1e-3)
    assert bits(rated) == bits(rate_by_package(SETTINGS, [NEW] * 5, ranks))
    apart = [
        max(same) - min(same)
        for size in (3, 4, 5)
        for ranks in sorted({ranks_of(list(drawn)) for drawn in product(range(size), repeat=size)})
        for same in [
            [skill.mu for skill, rank in zip(rate(SETTINGS, [NEW] * size, ranks), ranks, strict=True) if rank == shared]
            for shared in set(ranks)
        ]
    ]
    assert 0.027 < max(apart) < 0.028
    of_bots = dict.fromkeys("abcde", NEW)
    for sitting in rotations(tuple("abcde")):  # the first is ahead of all others, which tie
        after = rate(SETTINGS, [of_bots[bot] for bot in sitting], [1 if bot == "a" else 2 for bot in sitting])
        of_bots |= dict(zip(sitting, after, strict=True))
    tied = [of_bots[bot].mu for bot in "bcde"]
    assert 0.002 < max(tied) - min(tied) < 0.003


@pytest.mark.parametrize("draw_probability", [0.0, 1.0, -0.1, math.nan])
def test_a_draw_probability_of_zero_or_beyond_is_refused(draw_probability: float) -> None:
    with pytest.raises(SkillError, match="draw probability"):
        SkillSettings(draw_probability=draw_probability)


@pytest.mark.parametrize("changes", [{"sigma": 0.0}, {"beta": -1.0}, {"tau": -0.1}, {"mu": math.inf}])
def test_constants_that_trueskill_cannot_work_with_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(SkillError):
        replace(SETTINGS, **changes)


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


environments = st.builds(
    SkillSettings,
    mu=st.sampled_from([0.0, 25.0, 1500.0, -40.5]),
    sigma=st.floats(1e-3, 1e4),
    beta=st.floats(1e-3, 1e4),
    tau=st.just(0.0) | st.floats(1e-6, 1e3),
    draw_probability=st.floats(1e-12, 1 - 1e-12) | st.sampled_from([1e-300, 0.1, math.nextafter(1, 0)]),
)
seat = st.tuples(
    st.builds(Skill, st.floats(-1e4, 1e4) | st.sampled_from([0.0, -0.0, 25.0]), st.floats(1e-4, 1e4)),
    st.integers(0, 8),
)


def bits(skills: Sequence[tuple[float, float]]) -> list[bytes]:
    return [struct.pack("<dd", *skill) for skill in skills]


def by_package(constants: SkillSettings, skills: Sequence[Skill], ranks: Sequence[int]) -> list[Skill] | None:
    """What the package makes of a match, or `None` where it cannot, or tells what is no rating."""
    try:
        after = rate_by_package(constants, skills, ranks)
    except (ArithmeticError, ValueError):
        return None
    return after if all(math.isfinite(skill.mu) and 0 < skill.sigma < math.inf for skill in after) else None


@settings(max_examples=100)
@given(environments, st.lists(seat, min_size=2, max_size=8))
@example(SETTINGS, [(Skill(-0.0, 1.0), 1), (Skill(-0.0, 1.0), 1)])
@example(SETTINGS, [(Skill(100.0, 1.0), 2), (Skill(0.0, 1.0), 1)])  # told nothing: the precision of the news is 0
def test_every_match_that_the_package_can_rate_gets_its_very_bits(
    constants: SkillSettings, seats: list[tuple[Skill, int]]
) -> None:
    before, ranks = [skill for skill, _ in seats], ranks_of([strength for _, strength in seats])
    expected = by_package(constants, before, ranks)
    if expected is not None:
        assert bits(rate(constants, before, ranks)) == bits(expected)


@pytest.mark.parametrize("rows", [150, pytest.param(2000, marks=pytest.mark.needs("minutes"))])
def test_the_largest_difference_over_thousands_of_likely_matches_is_nothing(rows: int) -> None:
    for seats in range(2, 9):
        random, rated = Random(seats), 0
        for _ in range(rows // seats):
            before = [Skill(random.gauss(25, 8), random.uniform(0.5, 25 / 3)) for _ in range(seats)]
            ranks = ranks_of([random.randrange(random.choice((1, 2, seats, 100))) for _ in range(seats)])
            expected = by_package(SETTINGS, before, ranks)
            if expected is not None:
                rated += 1
                assert bits(rate(SETTINGS, before, ranks)) == bits(expected)
        assert rated > rows * 5 // 6 // seats


def test_a_long_history_stays_equal() -> None:
    """Whatever differed in a last bit would grow: each match begins where the one before ended."""
    random = Random(11)
    ours = theirs = [Skill(SETTINGS.mu, SETTINGS.sigma)] * 6
    for _ in range(700):
        pair, ranks = random.sample(range(6), 2), random.choice(((1, 2), (2, 1), (1, 1)))
        new = rate(SETTINGS, [ours[place] for place in pair], ranks)
        package = rate_by_package(SETTINGS, [theirs[place] for place in pair], ranks)
        ours, theirs = list(ours), list(theirs)
        for place, mine, its in zip(pair, new, package, strict=True):
            ours[place], theirs[place] = mine, its
    assert bits(ours) == bits(theirs)


@given(seat, seat, st.booleans())
def test_what_is_written_out_for_two_seats_equals_what_is_done_for_several(
    one: tuple[Skill, int], other: tuple[Skill, int], is_tie: bool
) -> None:
    constants = constants_of(SETTINGS.beta, SETTINGS.tau, SETTINGS.draw_probability)
    try:
        written_out = rate_two_seats(constants, *one[0], *other[0], is_tie)
    except (ArithmeticError, ValueError):
        return
    if all(map(math.isfinite, written_out)):
        assert bits([written_out[:2], written_out[2:]]) == bits(
            rate_many_seats(constants, [one[0], other[0]], [is_tie])
        )


@given(st.floats(1e-300, math.nextafter(1, 0)), st.floats(1e-3, 1e4))
def test_the_margin_of_a_tie_is_the_packages(draw_probability: float, beta: float) -> None:
    environment = trueskill.TrueSkill(beta=beta)
    assert draw_margin(draw_probability, beta) == trueskill.calc_draw_margin(draw_probability, 2, environment)


def test_the_global_environment_of_the_package_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden() -> None:
        raise AssertionError("the global environment was used")

    monkeypatch.setattr(trueskill, "global_env", forbidden)
    constants = SkillSettings(mu=1000, sigma=300, beta=150, tau=3, draw_probability=0.2)
    winner, _, _ = rate_by_package(constants, [Skill(1000, 300)] * 3, (1, 2, 2))
    assert winner.mu > 1000


def test_match_quality_is_that_of_the_trueskill_package() -> None:
    # trueskill 0.4.5: quality_1vs1(Rating(25, 25/3), Rating(25, 25/3)) and (Rating(30, 3), Rating(22, 1)).
    assert round(match_quality(SETTINGS, Skill(25, 25 / 3), Skill(25, 25 / 3)), 12) == round(0.4472135954999579, 12)
    assert match_quality(SETTINGS, Skill(30, 3), Skill(22, 1)) == match_quality(SETTINGS, Skill(22, 1), Skill(30, 3))
    assert 0 < match_quality(SETTINGS, Skill(30, 3), Skill(22, 1)) < 0.6


OPEN = SkillSettings(rating_method=RatingMethod.OPENSKILL)


@pytest.mark.needs("openskill")
@given(st.lists(st.tuples(st.builds(Skill, st.floats(-50, 100), st.floats(0.1, 20)), st.integers(0, 3)), min_size=2))
def test_openskill_rates_as_its_package_does(seats: list[tuple[Skill, int]]) -> None:
    from openskill.models import PlackettLuce

    before, ranks = [skill for skill, _ in seats], ranks_of([strength for _, strength in seats])
    model = PlackettLuce()
    teams = [[model.rating(mu=skill.mu, sigma=skill.sigma)] for skill in before]
    theirs = [Skill(one.mu, one.sigma) for (one,) in model.rate(teams, ranks=[float(rank) for rank in ranks])]
    assert bits(rate(OPEN, before, ranks)) == bits(theirs) == bits(rate(OPEN, before, ranks))


@pytest.mark.needs("openskill")
def test_openskill_rates_newcomers_by_the_published_algorithm_with_the_constants_of_the_pool() -> None:
    # Weng and Lin (2011), algorithm 4, for two: p = 1/2, c^2 = 2 (sigma^2 + beta^2), and gamma = sigma / c.
    settings = replace(OPEN, mu=100.0, sigma=20.0, beta=10.0, tau=0.0)
    c = math.sqrt(2 * (20**2 + 10**2))
    won = 20**2 / c / 2
    sigma = 20 * math.sqrt(1 - 20 / c * 20**2 / c**2 / 4)
    winner, loser = rate(settings, [newcomer(settings)] * 2, (1, 2))
    assert (winner.mu, loser.mu, winner.sigma) == pytest.approx((100 + won, 100 - won, sigma))
    assert rate(settings, [newcomer(settings)] * 2, (1, 1))[0].mu == 100


@pytest.mark.needs("openskill")
def test_openskill_foretells_draws_best_between_known_equals() -> None:
    near, far, new = Skill(25, 1), Skill(30, 1), newcomer(OPEN)
    assert 1 > match_quality(OPEN, near, near) > match_quality(OPEN, near, far) > 0
    assert match_quality(OPEN, near, near) > match_quality(OPEN, near, new)
    assert match_quality(OPEN, near, far) == pytest.approx(match_quality(OPEN, far, near))


@pytest.mark.needs("openskill")
@pytest.mark.parametrize("ranks", [(0, 1), (1, 3), (1,)])
def test_openskill_refuses_ranks_that_are_none(ranks: tuple[int, ...]) -> None:
    with pytest.raises(SkillError):
        rate(OPEN, [NEW] * 2, ranks)


@pytest.mark.needs("openskill")
def test_openskill_refuses_skills_beyond_double_precision() -> None:
    with pytest.raises(SkillError, match="no rating can be computed"):
        rate(OPEN, [Skill(1e6, 1), Skill(-1e6, 1)], (1, 2))


def test_without_openskill_the_remedy_is_told_and_trueskill_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    for deed in (lambda: check_rating_method(RatingMethod.OPENSKILL), lambda: rate(OPEN, [NEW] * 2, (1, 2))):
        with pytest.raises(SkillError, match="pip install 'kingmaker-arena\\[openskill\\]'"):
            deed()
    check_rating_method(RatingMethod.TRUESKILL)
    rate(SETTINGS, [NEW] * 2, (1, 2))
