"""Whether live rating equals the `trueskill` package, and how much faster it is: many matches of 2 to 8 seats.

    python -m benchmarks.skill
    python -m benchmarks.skill --matches 1000000

The first half are of likely skills in a pool of the usual constants, the others of odd constants and skills
as far apart as doubles go. Each is rated by both, in turn; the times are medians over the likely ones, and the largest
difference is that of any mu or sigma of all of them. It must be nothing.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median

from ratings.statistics.errors import SkillError
from ratings.statistics.skill import Skill, SkillSettings, rate, rate_by_package

SEATS = range(2, 9)
GOAL = 10
_USUAL = SkillSettings()

Ranks = tuple[int, ...]


@dataclass
class Seen:
    """What was found with one number of seats."""

    matches: int = 0
    beyond: int = 0
    """How many the package cannot rate, because doubles cannot."""
    largest: float = 0.0
    took: dict[str, list[float]] = field(default_factory=lambda: {"flat": [], "package": []})
    """Seconds for each match that was timed."""


def odd_settings(random: Random) -> SkillSettings:
    return SkillSettings(
        mu=random.choice((0.0, 25.0, 1500.0)),
        sigma=10 ** random.uniform(-2, 4),
        beta=10 ** random.uniform(-2, 4),
        tau=random.choice((0.0, 10 ** random.uniform(-4, 3))),
        draw_probability=random.choice((1e-9, 0.1, 0.5, 0.999, random.uniform(0.001, 0.999))),
    )


def odd_skills(random: Random, settings: SkillSettings, seats: int) -> list[Skill]:
    spread = 10 ** random.uniform(-1, 6)
    return [
        Skill(
            random.choice((settings.mu, random.gauss(settings.mu, spread))),
            settings.sigma * 10 ** random.uniform(-3, 1),
        )
        for _ in range(seats)
    ]


def likely_skills(random: Random, seats: int) -> list[Skill]:
    return [Skill(random.gauss(25, 6), random.uniform(0.7, 25 / 3)) for _ in range(seats)]


def ranks_of(random: Random, seats: int) -> Ranks:
    places = [random.randrange(random.choice((1, 2, seats, 100))) for _ in range(seats)]
    return tuple(1 + sum(other < mine for other in places) for mine in places)


def largest_difference(ours: Sequence[Skill], theirs: Sequence[Skill]) -> float:
    return max(
        abs(one - other) for mine, its in zip(ours, theirs, strict=True) for one, other in zip(mine, its, strict=True)
    )


def compare(seen: Seen, settings: SkillSettings, skills: Sequence[Skill], ranks: Ranks, *, is_timed: bool) -> None:
    """Rate one match by both, and note by how much they differ and, if it is timed, what each took."""

    def timed(name: str, call: Callable[[], Sequence[Skill]]) -> Sequence[Skill]:
        start = time.perf_counter()
        found = call()
        if is_timed:
            seen.took[name].append(time.perf_counter() - start)
        return found

    seen.matches += 1
    try:
        theirs = timed("package", lambda: rate_by_package(settings, skills, ranks))
    except (ArithmeticError, ValueError):
        seen.beyond += 1
        return
    if not all(math.isfinite(skill.mu) and 0 < skill.sigma < math.inf for skill in theirs):
        seen.beyond += 1
        return
    try:
        ours = timed("flat", lambda: rate(settings, skills, ranks))
    except SkillError:
        seen.largest = math.inf
        return
    seen.largest = max(seen.largest, largest_difference(ours, theirs))


def look(random: Random, seats: int, matches: int) -> Seen:
    seen = Seen()
    for number in range(matches):
        is_likely = number < matches // 2
        settings = _USUAL if is_likely else odd_settings(random)
        skills = likely_skills(random, seats) if is_likely else odd_skills(random, settings, seats)
        compare(seen, settings, skills, ranks_of(random, seats), is_timed=is_likely)
    return seen


def main(argv: Sequence[str]) -> int:
    """Print the figures; 1 if anything differs, or two seats are not rated fast enough."""
    parser = argparse.ArgumentParser(description="Hold live rating against the trueskill package.")
    parser.add_argument("--matches", type=int, default=70_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    random, kept = Random(options.seed), True
    for seats in SEATS:
        seen = look(random, seats, options.matches // len(SEATS))
        faster = median(seen.took["package"]) / median(seen.took["flat"])
        is_well = seen.largest == 0.0 and (seats > 2 or faster >= GOAL)
        kept = kept and is_well
        print(
            f"{seats} seats: {seen.matches} matches, {seen.beyond} beyond doubles; "
            f"largest difference {seen.largest!r}; "
            f"{faster:.1f} times as fast as the package{'' if is_well else '  MISSED'}",
            flush=True,
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
