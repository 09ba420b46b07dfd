"""Styles of bots that made no deal: what one bot's presence at a table does to another. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Floats
from tests.support.simulations.fields import Bonus

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
