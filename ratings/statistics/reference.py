"""TrueSkill by the `trueskill` package itself: slow, and what `skill` must equal to the last bit.

The package's global environment is never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import trueskill

from ratings.statistics.skill import Skill, SkillSettings


def rate_by_package(settings: SkillSettings, skills: Sequence[Skill], ranks: Sequence[int]) -> list[Skill]:
    """Return the skills after one match, as `skill.rate` does, but for what is beyond double precision.

    Raises ArithmeticError or ValueError there.
    """
    environment = _environment(settings)
    groups = [(environment.create_rating(skill.mu, skill.sigma),) for skill in skills]
    return [Skill(rating.mu, rating.sigma) for (rating,) in environment.rate(groups, ranks=list(ranks))]


@lru_cache(maxsize=64)
def _environment(settings: SkillSettings) -> Any:
    return trueskill.TrueSkill(
        mu=settings.mu,
        sigma=settings.sigma,
        beta=settings.beta,
        tau=settings.tau,
        draw_probability=settings.draw_probability,
    )
