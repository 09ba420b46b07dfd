"""What a ladder believes of its entrants: TrueSkill over its whole blocks, in schedule order. Pure, no I/O."""

from __future__ import annotations

import math
from functools import lru_cache

from arena.tournament.formats.ladder_memory import memory_of
from arena.tournament.formats.situation import PlayedBlock, Situation
from ratings.statistics.skill import Skill, SkillSettings, newcomer, rate

SETTINGS = SkillSettings()


def match_quality(settings: SkillSettings, one: Skill, other: Skill) -> float:
    """Return how open a match of two would be, 0 to 1: its chance of a draw relative to that of two known equals.

    Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006), formula 4.1.
    """
    spread = 2 * settings.beta**2
    total = spread + one.sigma**2 + other.sigma**2
    return math.sqrt(spread / total) * math.exp(-((one.mu - other.mu) ** 2) / (2 * total))


def strengths(situation: Situation) -> dict[str, Skill]:
    """Return the skill of every entrant, from nothing but the whole blocks of this tournament."""
    known = memory_of(situation.past).skills
    skills = {entrant.id: known.get(entrant.id) or newcomer(SETTINGS) for entrant in situation.entrants}
    for block in situation.blocks:
        if block.is_whole:
            _rate_block(skills, block)
    return skills


def _rate_block(skills: dict[str, Skill], block: PlayedBlock) -> None:
    for seating, ranks in zip(block.rotations(), block.ranks, strict=True):
        after = _rate(tuple(skills[entrant] for entrant in seating), ranks)
        skills.update(zip(seating, after, strict=True))


# Cached because the waves behind the memory are rated for the plan, for the memory and for the table. That is a few
# waves, and the rest would only be kept: over a kilobyte for each match that a service plays.
@lru_cache(maxsize=1 << 12)
def _rate(skills: tuple[Skill, ...], ranks: tuple[int, ...]) -> tuple[Skill, ...]:
    return rate(SETTINGS, skills, ranks)
