"""Fields with circles in them and fields without, and how often the official table tells one.

The seed of a simulation is its number. `python -m benchmarks.simulated_fields circles` runs it at length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ratings.statistics.circles import Circles, find_circles, meetings
from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Floats, Ints, Results, count
from tests.support.simulations.fields import Bonus, Field, drawn_tables, play

RING = (0, 1, 2)
"""The places of the three that go round in a circle, where there is one."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field: how many bots of what spread, how many blocks; where there is a circle, of how many Elo a step.

    `styles` has every bot play in one of three styles that beat each other; else the first three go round.
    """

    name: str
    seats: int
    bots: int
    blocks: int
    deviation: float = 0.5
    tie: float | None = -0.7
    seat: float = 0.2
    luck: float = 0.0
    elo: float = 0.0
    styles: bool = False
    tables: Callable[[np.random.Generator, int, int, int], Ints] = drawn_tables
    crashes: float = 0.0
    """How often one bot, the strongest by far, comes last all the same: one number does not tell what it does."""
    near: bool = False
    """Whether the first three are equally strong."""
    lead: float = 0.0
    """By how much these three are stronger then."""


def _neighbours(random: np.random.Generator, bots: int, seats: int, blocks: int) -> Ints:
    """Tables of those next to each other; every seventh is of any."""
    near = np.array([(place, (place + step) % bots) for place in range(bots) for step in (1, 2)])
    some = drawn_tables(random, bots, seats, blocks // 7)
    return np.concatenate([near[random.integers(0, len(near), blocks - len(some))], some])


def _rare(random: np.random.Generator, bots: int, seats: int, blocks: int) -> Ints:
    """Tables of two of three bots, of which the first and the last meet in ten blocks."""
    known = (blocks - 10) // 2
    return np.array([(0, 1)] * known + [(1, 2)] * known + [(0, 2)] * 10)


def _in_one_order(random: np.random.Generator, bots: int, seats: int, blocks: int) -> Ints:
    """Tables of all bots, always sitting in the two circular orders in turn."""
    return np.array([(0, 1, 2), (0, 2, 1)] * (blocks // 2))


HONEST = (
    Kind("2 seats, 3 bots, 30 blocks", 2, 3, 30),
    Kind("2 seats, 3 equal bots, 300 blocks", 2, 3, 300, deviation=0.0),
    Kind("2 seats, 3 near bots, two of them rarely meet", 2, 3, 800, deviation=0.1, tables=_rare),
    Kind("2 seats, 10 equal bots, no ties, 225 blocks", 2, 10, 225, deviation=0.0, tie=None),
    Kind("2 seats, 10 equal bots, 4,500 blocks", 2, 10, 4500, deviation=0.0),
    Kind("2 seats, 10 near bots, 4,500 blocks", 2, 10, 4500, deviation=0.1),
    Kind("2 seats, 10 bots far apart, 4,500 blocks", 2, 10, 4500, deviation=2.0),
    Kind("2 seats, 10 bots, nineteen of twenty tie", 2, 10, 4500, tie=3.6),
    Kind("2 seats, 8 bots, luck of the block", 2, 8, 2000, luck=1.5),
    Kind("2 seats, 16 bots, mostly neighbours meet", 2, 16, 1600, deviation=0.3, tables=_neighbours),
    Kind("2 seats, 8 near bots, the best crashes half the time", 2, 8, 1400, deviation=0.1, crashes=0.5),
    Kind("3 seats, 3 equal bots, a strong first seat", 3, 3, 300, deviation=0.0, seat=0.8, tables=_in_one_order),
    Kind("3 seats, 10 equal bots", 3, 10, 3000, deviation=0.0),
    Kind("4 seats, 4 equal bots, luck of the block", 4, 4, 300, deviation=0.0, luck=1.0),
    Kind("4 seats, 12 near bots, a strong first seat", 4, 12, 2000, deviation=0.2, seat=0.8),
    Kind("5 seats, 5 equal bots, 100 blocks", 5, 5, 100, deviation=0.0),
    Kind("2 seats, 50 bots", 2, 50, 12_000),
)
_FIELDS = (
    Kind("2 seats, 3 bots, 40 blocks a pair", 2, 3, 120, near=True),
    Kind("2 seats, 3 bots, 160 blocks a pair", 2, 3, 480, near=True),
    Kind("2 seats, 10 bots, 40 blocks a pair", 2, 10, 1800, near=True),
    Kind("2 seats, 10 bots, 160 blocks a pair", 2, 10, 7200, near=True),
    Kind("2 seats, 12 bots in three styles, 40 blocks a pair", 2, 12, 2640, deviation=0.1, styles=True),
    Kind("3 seats, 10 bots, 40 blocks a pair", 3, 10, 600, near=True),
    Kind("3 seats, 10 bots, 160 blocks a pair", 3, 10, 2400, near=True),
    Kind("5 seats, 12 bots, 160 blocks a pair", 5, 12, 1056, near=True),
)
RINGS = (50.0, 100.0, 200.0)


def with_circles(elo: float) -> tuple[Kind, ...]:
    """The kinds of fields with a circle of so many Elo a step."""
    return tuple(_with_elo(kind, elo) for kind in _FIELDS)


def _with_elo(kind: Kind, elo: float) -> Kind:
    return Kind(
        kind.name, kind.seats, kind.bots, kind.blocks, kind.deviation, elo=elo, styles=kind.styles, near=kind.near
    )


def played(kind: Kind, seed: int) -> Results:
    """A field of this kind."""
    random = np.random.default_rng(seed)
    strengths = random.normal(0.0, kind.deviation, kind.bots)
    if kind.near:
        strengths[list(RING)] = strengths[list(RING)].mean() + kind.lead
    if kind.crashes:
        strengths[0] = 8.0
    ties = np.zeros(0) if kind.tie is None else kind.tie - 1.2 * np.arange(kind.seats - 1.0)
    field = Field(strengths - strengths.mean(), np.linspace(kind.seat, -kind.seat, kind.seats), ties, kind.luck)
    return play(field, kind.tables(random, kind.bots, kind.seats, kind.blocks), random, _bonus(kind, random))


def _bonus(kind: Kind, random: np.random.Generator) -> Bonus:
    style = np.arange(kind.bots) % 3 if kind.styles else np.array([*RING, *[-1] * (kind.bots - 3)])

    def bonus(seats: Ints) -> Floats:
        gained = _gained(style[seats]) * kind.elo / ELO_PER_UNIT / 2
        if kind.crashes:
            crashed = (seats == 0) & (random.random(len(seats)) < kind.crashes)[:, None]
            gained = np.where(crashed, -20.0, gained)
        return gained

    return bonus


def _gained(styles: Ints) -> Floats:
    """How many at the table each beats by style, less how many beat it; -1 is no style."""
    gained = np.zeros(styles.shape)
    for one, other in combinations(range(styles.shape[1]), 2):
        has_both = (styles[:, one] >= 0) & (styles[:, other] >= 0)
        turn = np.where(has_both, (styles[:, other] - styles[:, one]) % 3, 0)
        better = np.where(turn == 1, 1.0, np.where(turn == 2, -1.0, 0.0))
        gained[:, one] += better
        gained[:, other] -= better
    return gained


def circles_in(results: Results) -> Circles:
    """What the official table says of circles."""
    counts = count(results)
    return find_circles(meetings(counts), counts.versions)


@dataclass(frozen=True, slots=True)
class Seen:
    """Of so many tables: how many told a circle, how many the one that is there, how many any that is not."""

    tables: int
    told: int
    right: int
    wrong: int


def seen(kind: Kind, simulations: int) -> Seen:
    """Simulate and count."""
    told = right = wrong = 0
    for seed in range(simulations):
        found = [_is_true(kind, one.versions) for one in circles_in(played(kind, seed)).told]
        told += bool(found)
        right += any(found)
        wrong += not all(found)
    return Seen(simulations, told, right, wrong)


def _is_true(kind: Kind, versions: tuple[str, ...]) -> bool:
    """Whether each of a circle beats the next by style."""
    if not kind.elo:
        return False
    places = [int(version.removeprefix("bot")) for version in versions]
    if not kind.styles and max(places) > 2:
        return False
    return all((after - one) % 3 == 1 for one, after in zip(places, places[1:] + places[:1], strict=True))
