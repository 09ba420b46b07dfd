"""Fields with planted collusion and honest ones, of equal and of different styles.

`python -m benchmarks.simulated_fields fairplay` runs it at length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ratings.statistics.fairplay_questions import PairQuestionKind
from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Bools, Floats, Ints, Results
from ratings.values.statistics import Suspicion
from tests.support.simulations.fields import Bonus, Field, drawn_tables, play

Styles: TypeAlias = Callable[[np.random.Generator, int], Floats]
"""Draws what the presence of each of so many bots (row) adds to the log worth of each other one (column)."""


def presence(effects: Floats) -> Bonus:
    """What the seats gain by who else is at the table."""
    return lambda seats: np.asarray(effects[seats[:, :, None], seats[:, None, :]].sum(axis=1))


def circle(members: int, styles: int, elo: float, beats: int | None = None) -> Styles:
    """The first `members` bots have these styles, drawn; each is `elo` stronger against those before it.

    It beats half of the other styles, or those `beats` next ones. The rest of the field has no style.
    """

    def draw(random: np.random.Generator, bots: int) -> Floats:
        style = np.concatenate([random.permutation(members), np.arange(members, bots)]) % styles
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


def weak_against_one(elo: float) -> Styles:
    """The first bot copes badly with the second, which is this much stronger against it; no other pair has a style."""

    def draw(random: np.random.Generator, bots: int) -> Floats:
        effects = np.zeros((bots, bots))
        effects[0, 1] = elo / 2 / ELO_PER_UNIT
        effects[1, 0] = -effects[0, 1]
        return effects

    return draw


def liked_company(elo: float) -> Styles:
    """The second bot is this much stronger beside the first, at the cost of all others at the table."""

    def draw(random: np.random.Generator, bots: int) -> Floats:
        effects = np.zeros((bots, bots))
        effects[0, 1] = elo / ELO_PER_UNIT
        return effects

    return draw


BOTS = 12


Deal: TypeAlias = Callable[[Ints, Bools], Floats]
"""What each seat gains by a deal of the first bots at the table, in parts of its size; from seats and who colludes."""


def support(seats: Ints, inside: Bools) -> Floats:
    """Every colluder gains for each partner at the table."""
    return np.where(inside, inside.sum(axis=1, keepdims=True) - 1.0, 0.0)


def kingmaking(seats: Ints, inside: Bools) -> Floats:
    """The first of the colluders at the table gains if others are there, and these lose as much."""
    first = np.where(inside, seats, BOTS).min(axis=1, keepdims=True)
    has_partner = inside.sum(axis=1, keepdims=True) > 1
    return np.where(inside & has_partner, np.where(seats == first, 1.0, -1.0), 0.0)


def throwing(seats: Ints, inside: Bools) -> Floats:
    """A colluder that meets a colluder of lower number plays weaker."""
    first = np.where(inside, seats, BOTS).min(axis=1, keepdims=True)
    return np.where(inside & (seats != first), -1.0, 0.0)


def helping(seats: Ints, inside: Bools) -> Floats:
    """The first of the colluders at the table gains if others are there, at the cost of all others."""
    return np.maximum(kingmaking(seats, inside), 0.0)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field: what seats gain by who sits there, by a `deal` of `elo` among the first bots, or by styles.

    Styles are drawn. `asked` is the question that a deal answers.
    """

    name: str
    seats: int
    blocks: int
    deal: Deal | None = None
    elo: float = 0.0
    colluders: int = 2
    luck: float = 0.0
    styles: Styles | None = None
    bots: int = BOTS

    @property
    def asked(self) -> PairQuestionKind:
        """The question that a deal answers."""
        return PairQuestionKind.TOGETHER if self.deal is support else PairQuestionKind.HELPS

    def bonus(self, seats: Ints) -> Floats:
        """What each seat gains by the deal, in log worth."""
        if self.deal is None:
            return np.zeros(seats.shape)
        return self.elo / ELO_PER_UNIT * self.deal(seats, seats < self.colluders)


HONEST = (
    Kind("2 seats", 2, 3300),
    Kind("3 seats", 3, 1500),
    Kind("4 seats", 4, 1000),
    Kind("4 seats, luck of the block", 4, 1000, luck=0.5),
)
STYLES = (
    *(Kind(f"2 seats, 3 styles of {elo} Elo", 2, 3300, styles=circle(12, 3, elo)) for elo in (35, 52, 87)),
    *(Kind(f"2 seats, a ring of 12, {elo} Elo", 2, 3300, styles=circle(12, 12, elo, beats=1)) for elo in (35, 52, 87)),
    *(Kind(f"4 seats, 3 styles of {elo} Elo", 4, 1000, styles=circle(12, 3, elo)) for elo in (35, 52, 87)),
    *(Kind(f"4 seats, a ring of 12, {elo} Elo", 4, 1000, styles=circle(12, 12, elo, beats=1)) for elo in (35, 52, 87)),
    *(Kind(f"2 seats, weak against one, {elo} Elo", 2, 3300, styles=weak_against_one(elo)) for elo in (100, 200)),
    *(Kind(f"4 seats, weak against one, {elo} Elo", 4, 1000, styles=weak_against_one(elo)) for elo in (100, 200)),
    Kind("2 seats, much played, weak against one, 200 Elo", 2, 13000, styles=weak_against_one(200)),
    Kind("4 seats, likes company of one, 100 Elo", 4, 1000, styles=liked_company(100)),
    *(
        Kind(f"4 seats, company changes each, {elo} Elo", 4, 1000, styles=drawn(elo, is_zero_sum=False))
        for elo in (50, 200)
    ),
    Kind("2 seats, 3 styles", 2, 3300, styles=circle(12, 3, 100)),
    Kind("2 seats, 3 styles of 200 Elo", 2, 3300, styles=circle(12, 3, 200)),
    Kind("2 seats, 3 styles of 50 Elo", 2, 3300, styles=circle(12, 3, 50)),
    Kind("2 seats, 3 styles, half of all", 2, 3300, styles=circle(6, 3, 100)),
    Kind("2 seats, 3 bots, 200 Elo", 2, 3300, styles=circle(3, 3, 200)),
    Kind("2 seats, 5 styles, 5 bots", 2, 3300, styles=circle(5, 5, 100)),
    Kind("2 seats, a ring of 5, 200 Elo", 2, 3300, styles=circle(5, 5, 200, beats=1)),
    Kind("2 seats, a ring of 12, 200 Elo", 2, 3300, styles=circle(12, 12, 200, beats=1)),
    Kind("2 seats, styles at any angle", 2, 3300, styles=turned(100)),
    Kind("2 seats, styles by chance", 2, 3300, styles=drawn(100, is_zero_sum=True)),
    Kind("2 seats, 6 bots, 3 styles", 2, 900, styles=circle(6, 3, 100), bots=6),
    Kind("3 seats, 3 styles", 3, 1500, styles=circle(12, 3, 100)),
    Kind("3 seats, 3 bots, 200 Elo", 3, 1500, styles=circle(3, 3, 200)),
    Kind("3 seats, each changes each", 3, 1500, styles=drawn(100, is_zero_sum=False)),
    Kind("4 seats, 3 styles, half of all", 4, 1000, styles=circle(6, 3, 100)),
    Kind("4 seats, a ring of 5, 200 Elo", 4, 1000, styles=circle(5, 5, 200, beats=1)),
    Kind("4 seats, each changes each", 4, 1000, styles=drawn(100, is_zero_sum=False)),
    Kind("5 seats, 3 styles", 5, 800, styles=circle(12, 3, 100)),
    Kind("5 seats, 3 bots, 200 Elo", 5, 800, styles=circle(3, 3, 200)),
)
"""Honest fields of different styles."""
DISHONEST = (
    *(Kind(f"2 seats, one throws, {elo} Elo", 2, 3300, throwing, elo) for elo in (100, 200, 400)),
    Kind("2 seats, throwing matches", 2, 3300, throwing, 208, 4),
    *(Kind(f"3 seats, a pair, {elo} Elo", 3, 1500, support, elo) for elo in (100, 150, 200)),
    Kind("3 seats, support", 3, 2500, support, 139, 4),
    Kind("4 seats, support", 4, 1000, support, 139, 4),
    Kind("4 seats, kingmaking", 4, 1250, kingmaking, 104, 4),
    Kind("4 seats, kingmaking, 200 Elo", 4, 1250, kingmaking, 200, 4),
    Kind("3 seats, support, 100 Elo", 3, 4500, support, 100, 4),
    Kind("4 seats, support, 100 Elo", 4, 1750, support, 100, 4),
    Kind("3 seats, much played, a pair, 100 Elo", 3, 3500, support, 100),
    Kind("4 seats, a pair, 100 Elo", 4, 2000, support, 100),
    Kind("5 seats, a pair, 100 Elo", 5, 1200, support, 100),
    Kind("4 seats, a pair among styles", 4, 3000, support, 100, styles=circle(12, 3, 50)),
)
"""Fields with a deal of a size."""
AS_TOLD = (
    Kind("2 seats, one throws", 2, 3300, throwing),
    Kind("2 seats, few matches, one throws", 2, 1500, throwing),
    Kind("2 seats, much played, one throws", 2, 13000, throwing),
    Kind("2 seats, 3 styles of 35 Elo, one throws", 2, 3300, throwing, styles=circle(12, 3, 35)),
    Kind("2 seats, a ring of 12, 52 Elo, one throws", 2, 3300, throwing, styles=circle(12, 12, 52, beats=1)),
    Kind("2 seats, styles by chance, 50 Elo, one throws", 2, 3300, throwing, styles=drawn(50, is_zero_sum=True)),
    Kind("3 seats, a pair", 3, 1500, support),
    Kind("3 seats, one helps", 3, 1500, helping),
    Kind("3 seats, much played, a pair", 3, 4500, support),
    Kind("4 seats, a pair", 4, 1000, support),
    Kind("4 seats, one helps", 4, 1000, helping),
    Kind("4 seats, company changes each, 50 Elo, a pair", 4, 1000, support, styles=drawn(50, is_zero_sum=False)),
    Kind("4 seats, 3 styles of 52 Elo, one helps", 4, 1000, helping, styles=circle(12, 3, 52)),
    Kind("5 seats, a pair", 5, 800, support),
)
"""Fields with a deal of two, as large as the field without it tells that it would be found."""


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


def is_true(kind: Kind, pair: Suspicion) -> bool:
    """Whether both are colluders."""
    return all(int(version.removeprefix("bot")) < kind.colluders for version in (pair.first, pair.second))
