"""Ladder: endless waves of near equals, the least known first; keeps skills of its own. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

from arena.tournament.formats.format import (
    KEEPS_FAILING,
    CircularOrder,
    Format,
    FormatStanding,
    Past,
    ScheduleError,
    Situation,
    Tally,
    Traits,
    check_entrants,
    check_size,
)
from arena.tournament.formats.swiss import RETIRE_AFTER
from arena.tournament.formats.table_grouping import count_tables, draw, free_for, owners_of, seat_groups, sitting_out
from arena.tournament.formats.tally import keep_failing, standing_rows, tally
from engine.translatable import Text
from ratings.statistics.skill import Skill, SkillSettings, exposure, match_quality, newcomer, rate
from ratings.values.pools import RatingMethod


@dataclass(frozen=True, slots=True)
class LadderFormat:
    """Each wave seats everybody once who can be seated; those who have played most sit out.

    Beginning with the least known, each gets the opponents with whom a match would be most open, where
    that is equal those it has met less often. Skills are the ladder's own, from its own blocks.
    """

    seats: int
    waves: int = 10
    """How many waves there are; 0: it goes on until it is cancelled."""
    retire_after: int = RETIRE_AFTER
    """After how many blocks in a row whose matches it all forfeited an entrant is not paired any more; 0: never."""
    rating_method: RatingMethod = RatingMethod.TRUESKILL

    traits = Traits("ladder", lag=2, takes_late_entrants=True)
    memory_version: ClassVar[int] = 2

    @property
    def _settings(self) -> SkillSettings:
        return SkillSettings(rating_method=self.rating_method)

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for too few entrants, or too many matches."""
        check_entrants(entrants, self.seats)
        if self.waves < 0:
            raise ScheduleError(Text("{waves} waves are impossible; use 1 or more, or 0 for no end", waves=self.waves))
        check_size(entrants // self.seats * self.seats * self.waves)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return a block for everybody who can be seated, near rivals together."""
        tallies = tally(situation)
        failing = keep_failing(tallies, self.retire_after)
        active = [entrant for entrant in situation.present if entrant not in failing]
        if (self.waves and situation.wave >= self.waves) or len(active) < self.seats:
            return []
        # Those who have played most sit out.
        head_start = _head_starts(situation)
        lots = draw(situation, "share", situation.wave)
        least_first = sorted(
            active, key=lambda entrant: (_share(tallies[entrant]) + head_start[entrant], lots[entrant])
        )
        owners = owners_of(situation.entrants)
        out = sitting_out(least_first[::-1], self.seats, count_tables(active, self.seats, owners), owners)
        seated = [entrant for entrant in least_first if entrant not in out]
        skills = strengths(situation, self._settings)
        lots = draw(situation, "ladder", situation.wave)
        waiting = sorted(seated, key=lambda entrant: (-skills[entrant].sigma, lots[entrant]))
        groups = []
        while waiting:
            group = [waiting.pop(0)]
            while len(group) < self.seats:
                free = free_for(group, waiting, self.seats, owners)
                group.append(_best_opponent(group, free, skills, tallies, self._settings))
                waiting.remove(group[-1])
            groups.append(group)
        return seat_groups(situation, groups)

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table by mu - 3 sigma of the ladder's own skills."""
        tallies, skills = tally(situation), strengths(situation, self._settings)
        failing = keep_failing(tallies, self.retire_after)
        return standing_rows(
            situation,
            tallies,
            lambda entrant: (-exposure(skills[entrant]), not tallies[entrant].whole),
            lambda entrant: KEEPS_FAILING if entrant in failing else f"skill {exposure(skills[entrant]):.2f}",
        )

    def remember(self, situation: Situation) -> LadderMemory:
        """Return skills and head starts; a head start is settled when the wave is over that its entrant joined in."""
        starts = _head_starts(situation)
        settled = {entrant.id: starts[entrant.id] for entrant in situation.entrants if entrant.joined < situation.wave}
        return LadderMemory(strengths(situation, self._settings), settled)

    def write_own(self, own: LadderMemory, places: Mapping[str, int]) -> dict[str, Any]:
        """Return what is remembered for JSON."""
        return {
            "skills": [[places[entrant], skill.mu, skill.sigma] for entrant, skill in own.skills.items()],
            "starts": [[places[entrant], start] for entrant, start in own.starts.items()],
        }

    def read_own(self, data: Mapping[str, Any], entrants: Sequence[str]) -> LadderMemory:
        """Return what `write_own` wrote."""
        return LadderMemory(
            {entrants[place]: Skill(mu, sigma) for place, mu, sigma in data["skills"]},
            {entrants[place]: start for place, start in data["starts"]},
        )


def is_endless(form: Format) -> bool:
    """Return whether a tournament of this format is over only when it is cancelled, whoever is left to play."""
    return isinstance(form, LadderFormat) and form.waves == 0


def _best_opponent(
    group: Sequence[str],
    waiting: Sequence[str],
    skills: Mapping[str, Skill],
    tallies: Mapping[str, Tally],
    settings: SkillSettings,
) -> str:
    def worth(entrant: str) -> float:
        # Halved by each meeting more: between the same two every further block says less.
        return sum(
            match_quality(settings, skills[entrant], skills[other]) / (1 + tallies[entrant].met[other])
            for other in group
        )

    return max(waiting, key=worth)


def _share(own: Tally) -> int:
    return own.planned - own.void


def _head_starts(situation: Situation) -> dict[str, int]:
    """Return what is added to the share of a late entrant, as if it had played as little as anybody from the start."""
    starts = {entrant.id: 0 for entrant in situation.entrants} | dict(memory_of(situation.past).starts)
    for entrant in sorted(situation.entrants, key=lambda entrant: entrant.joined):
        if entrant.joined >= max(1, situation.past.waves):
            before = replace(situation, waves=situation.waves[: entrant.joined - situation.past.waves])
            tallies = tally(before)
            others = [
                other.id for other in situation.entrants if other.joined < entrant.joined and other.id in before.present
            ]
            starts[entrant.id] = min((_share(tallies[other]) + starts[other] for other in others), default=0)
    return starts


@dataclass(frozen=True, slots=True)
class LadderMemory:
    """Entrants by id; whoever came later is not there."""

    skills: Mapping[str, Skill] = field(default_factory=dict)
    starts: Mapping[str, int] = field(default_factory=dict)
    """What is added to the share of an entrant, as if it had played from the start."""


def memory_of(past: Past) -> LadderMemory:
    """Return what the ladder remembers of a past, which may be empty."""
    return past.own if isinstance(past.own, LadderMemory) else LadderMemory()


def strengths(situation: Situation, settings: SkillSettings) -> dict[str, Skill]:
    """Return the skill of every entrant, from nothing but the whole blocks of this tournament."""
    known = memory_of(situation.past).skills
    skills = {entrant.id: known.get(entrant.id) or newcomer(settings) for entrant in situation.entrants}
    for block in situation.blocks:
        if block.is_whole:
            for seating, ranks in zip(block.rotations(), block.ranks, strict=True):
                after = _rate(settings, tuple(skills[entrant] for entrant in seating), ranks)
                skills.update(zip(seating, after, strict=True))
    return skills


# Cached because the waves behind the memory are rated for the plan, for the memory and for the table. That is a few
# waves, and the rest would only be kept: over a kilobyte for each match that a service plays.
@lru_cache(maxsize=1 << 12)
def _rate(settings: SkillSettings, skills: tuple[Skill, ...], ranks: tuple[int, ...]) -> tuple[Skill, ...]:
    return rate(settings, skills, ranks)
