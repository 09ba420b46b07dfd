"""Fields with planted collusion and honest ones, of equal and of different styles.

`python -m benchmarks.simulated_fields fairplay` runs it at length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Floats, Ints, Results
from ratings.values.statistics import Suspicion
from tests.support.simulations.fields import Bonus, Field, drawn_tables, play

Styles: TypeAlias = Callable[[np.random.Generator, int], Floats]
"""Draws what the presence of each of so many bots (row) adds to the log worth of each other one (column)."""


def presence(effects: Floats) -> Bonus:
    """What the seats gain by who else is at the table."""
    return lambda seats: np.asarray(effects[seats[:, :, None], seats[:, None, :]].sum(axis=1))


def circle(members: int, styles: int, elo: float, beats: int | None = None) -> Styles:
    """The first `members` bots have these styles in turn, each of which is `elo` stronger against those before it.

    It beats half of the other styles, or those `beats` next ones. The rest of the field has no style.
    """

    def draw(random: np.random.Generator, bots: int) -> Floats:
        style = np.arange(bots) % styles
        ahead = (style[None, :] - style[:, None]) % styles
        wins = (ahead > 0) & (ahead <= ((styles - 1) // 2 if beats is None else beats))
        effects = (wins * 1.0 - wins.T) / 2 * (elo / ELO_PER_UNIT)
        effects[members:] = 0
        effects[:, members:] = 0
        return np.asarray(effects)

    return draw


def turned(elo: float) -> Styles:
    """Every bot's style is an angle; one a quarter turn ahead is `elo` stronger, one half a turn ahead is not."""

    def draw(random: np.random.Generator, bots: int) -> Floats:
        angle = random.uniform(0, 2 * np.pi, bots)
        return np.asarray(np.sin(angle[None, :] - angle[:, None]) / 2 * (elo / ELO_PER_UNIT))

    return draw


def drawn(elo: float, *, is_zero_sum: bool) -> Styles:
    """Every pair differs by chance, with this standard deviation; of a zero sum, one's gain is the other's loss."""

    def draw(random: np.random.Generator, bots: int) -> Floats:
        effects = random.normal(0, elo / 2 / ELO_PER_UNIT, (bots, bots))
        np.fill_diagonal(effects, 0)
        return np.asarray(np.triu(effects) - np.triu(effects).T if is_zero_sum else effects)

    return draw


BOTS = 12
COLLUDERS = 4


def support(seats: Ints) -> Floats:
    """Every colluder gains 0.8 (139 Elo) for each partner at the table."""
    inside = seats < COLLUDERS
    partners = inside.sum(axis=1, keepdims=True) - 1
    return np.where(inside, 0.8 * partners, 0.0)


def support_of_100(seats: Ints) -> Floats:
    """Every colluder gains 100 Elo for each partner at the table."""
    return support(seats) * (0.5756 / 0.8)


def pair_of_100(seats: Ints) -> Floats:
    """Two that gain 100 Elo each when both are at the table."""
    inside = seats < 2
    return np.where(inside & (inside.sum(axis=1, keepdims=True) == 2), 0.5756, 0.0)


def kingmaking(seats: Ints) -> Floats:
    """The first of the colluders at the table gains 0.6 (104 Elo) if others are there, and these lose as much."""
    inside = seats < COLLUDERS
    first = np.where(inside, seats, BOTS).min(axis=1, keepdims=True)
    has_partner = inside.sum(axis=1, keepdims=True) > 1
    return np.where(inside & has_partner, np.where(seats == first, 0.6, -0.6), 0.0)


def throwing(seats: Ints) -> Floats:
    """A colluder that meets a colluder of lower number plays 1.2 (208 Elo) weaker."""
    inside = seats < COLLUDERS
    first = np.where(inside, seats, BOTS).min(axis=1, keepdims=True)
    return np.where(inside & (seats != first), -1.2, 0.0)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field: what seats gain by who sits there, by a deal (`bonus`) or by styles, which are drawn."""

    name: str
    seats: int
    blocks: int
    bonus: Callable[[Ints], Floats] | None
    luck: float = 0.0
    styles: Styles | None = None
    bots: int = BOTS


HONEST = (
    Kind("2 seats", 2, 3300, None),
    Kind("3 seats", 3, 1500, None),
    Kind("4 seats", 4, 1000, None),
    Kind("4 seats, luck of the block", 4, 1000, None, luck=0.5),
)
STYLES = (
    Kind("2 seats, 3 styles", 2, 3300, None, styles=circle(12, 3, 100)),
    Kind("2 seats, 3 styles of 200 Elo", 2, 3300, None, styles=circle(12, 3, 200)),
    Kind("2 seats, 3 styles of 50 Elo", 2, 3300, None, styles=circle(12, 3, 50)),
    Kind("2 seats, 3 styles, half of all", 2, 3300, None, styles=circle(6, 3, 100)),
    Kind("2 seats, 3 bots, 200 Elo", 2, 3300, None, styles=circle(3, 3, 200)),
    Kind("2 seats, 5 styles, 5 bots", 2, 3300, None, styles=circle(5, 5, 100)),
    Kind("2 seats, a ring of 5, 200 Elo", 2, 3300, None, styles=circle(5, 5, 200, beats=1)),
    Kind("2 seats, a ring of 12, 200 Elo", 2, 3300, None, styles=circle(12, 12, 200, beats=1)),
    Kind("2 seats, styles at any angle", 2, 3300, None, styles=turned(100)),
    Kind("2 seats, styles by chance", 2, 3300, None, styles=drawn(100, is_zero_sum=True)),
    Kind("2 seats, 6 bots, 3 styles", 2, 900, None, styles=circle(6, 3, 100), bots=6),
    Kind("3 seats, 3 styles", 3, 1500, None, styles=circle(12, 3, 100)),
    Kind("3 seats, 3 bots, 200 Elo", 3, 1500, None, styles=circle(3, 3, 200)),
    Kind("3 seats, each changes each", 3, 1500, None, styles=drawn(100, is_zero_sum=False)),
    Kind("4 seats, 3 styles, half of all", 4, 1000, None, styles=circle(6, 3, 100)),
    Kind("4 seats, a ring of 5, 200 Elo", 4, 1000, None, styles=circle(5, 5, 200, beats=1)),
    Kind("4 seats, each changes each", 4, 1000, None, styles=drawn(100, is_zero_sum=False)),
    Kind("5 seats, 3 styles", 5, 800, None, styles=circle(12, 3, 100)),
    Kind("5 seats, 3 bots, 200 Elo", 5, 800, None, styles=circle(3, 3, 200)),
)
"""Honest fields of different styles."""
DISHONEST = (
    Kind("2 seats, throwing matches", 2, 3300, throwing),
    Kind("3 seats, support", 3, 2500, support),
    Kind("4 seats, support", 4, 1000, support),
    Kind("4 seats, kingmaking", 4, 1250, kingmaking),
    Kind("3 seats, support, 100 Elo", 3, 4500, support_of_100),
    Kind("4 seats, support, 100 Elo", 4, 1750, support_of_100),
    Kind("3 seats, a pair, 100 Elo", 3, 3500, pair_of_100),
    Kind("4 seats, a pair, 100 Elo", 4, 2000, pair_of_100),
    Kind("5 seats, a pair, 100 Elo", 5, 1200, pair_of_100),
    Kind("4 seats, a pair among styles", 4, 3000, pair_of_100, styles=circle(12, 3, 50)),
)


def played(kind: Kind, seed: int) -> Results:
    """A field of this kind."""
    random = np.random.default_rng(seed)
    field = Field(
        random.normal(0, 0.6, kind.bots),
        np.linspace(0.2, -0.2, kind.seats),
        -1.0 - np.arange(kind.seats - 1.0),
        kind.luck,
    )
    style = None if kind.styles is None else presence(kind.styles(random, kind.bots))
    gains = [one for one in (kind.bonus, style) if one is not None]
    tables = drawn_tables(random, kind.bots, kind.seats, kind.blocks)
    return play(field, tables, random, lambda seats: sum((gain(seats) for gain in gains), np.zeros(seats.shape)))


def is_true(pair: Suspicion) -> bool:
    """Whether both are colluders."""
    return all(int(version.removeprefix("bot")) < COLLUDERS for version in (pair.first, pair.second))
