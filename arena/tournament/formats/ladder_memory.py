"""What a ladder remembers of waves that are over: skills, and what late entrants were given for being late. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.tournament.formats.past import Past
from ratings.statistics.skill import Skill


@dataclass(frozen=True, slots=True)
class LadderMemory:
    """Entrants by id; whoever came later is not there."""

    skills: Mapping[str, Skill] = field(default_factory=dict)
    starts: Mapping[str, int] = field(default_factory=dict)
    """What is added to the share of an entrant, as if it had played from the start."""


def memory_of(past: Past) -> LadderMemory:
    """Return what the ladder remembers of a past, which may be empty."""
    return past.own if isinstance(past.own, LadderMemory) else LadderMemory()


def write(memory: LadderMemory, places: Mapping[str, int]) -> dict[str, Any]:
    """Return the memory for JSON, entrants by place."""
    return {
        "skills": [[places[entrant], skill.mu, skill.sigma] for entrant, skill in memory.skills.items()],
        "starts": [[places[entrant], start] for entrant, start in memory.starts.items()],
    }


def read(data: Mapping[str, Any], entrants: Sequence[str]) -> LadderMemory:
    """Return what `write` wrote, to the last digit."""
    return LadderMemory(
        {entrants[place]: Skill(mu, sigma) for place, mu, sigma in data["skills"]},
        {entrants[place]: start for place, start in data["starts"]},
    )
