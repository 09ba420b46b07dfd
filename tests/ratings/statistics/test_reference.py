"""The flat implementation against the `trueskill` package: the largest difference is nothing, to the last bit."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from random import Random

import pytest
import trueskill
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ratings.statistics.message_passing.constants import constants_of
from ratings.statistics.message_passing.many_seats import rate_many_seats
from ratings.statistics.message_passing.truncation import draw_margin
from ratings.statistics.message_passing.two_seats import rate_two_seats
from ratings.statistics.reference import rate_by_package
from ratings.statistics.skill import Skill, SkillSettings, rate

SETTINGS = SkillSettings()
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


def ranks_of(strengths: Sequence[int]) -> tuple[int, ...]:
    return tuple(1 + sum(other > mine for other in strengths) for mine in strengths)


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
