"""How likely an attack wins that is never broken off: exact, by dynamic programming over both sides' losses.

Casualties fall row by row, so a side is known by how many it has lost. A round is six steps (section 4.2); in each some
of the roller's figures hit. From a table of losses and a step, play goes on to one with more losses or, without a hit,
to the next step; only a round without any hit comes back to where it was. So the chances of one table of losses are
`known + miss * first`, where `first` is the chance at its first step: a linear equation in one unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from operator import mul
from typing import Final

from engine.games.rex_romanorum.options import OPTIONS, Options, Triple

FIELD: Final = 0
CASTLE: Final = 1
_STEPS: Final = 6


def win_probability(attackers: Triple, defenders: Triple, terrain: int, options: Options = OPTIONS.default) -> float:
    """Return the chance that the attackers take the region; both are (foot, archers, knights), terrain FIELD or CASTLE.

    Without attackers 0, without defenders 1.
    """
    if not any(attackers):
        return 0.0
    steps = tuple(
        (side, kind, _hit_chance(options.strength[terrain][side][kind], options.hits_low))
        for side, kind in options.roll_order[terrain]
    )
    return _solve(attackers, defenders, options.rows[terrain], steps)


def _hit_chance(value: int, hits_low: bool) -> float:
    return value / 6 if hits_low else (7 - value) / 6


@lru_cache(maxsize=4096)
def _solve(attackers: Triple, defenders: Triple, rows: Triple, steps: tuple[tuple[int, int, float], ...]) -> float:
    """Return `win[step][attackers lost][defenders lost]`, filled from the greatest losses down to none."""
    left = (_after_losses(attackers, rows), _after_losses(defenders, rows))
    lost_all = (sum(attackers), sum(defenders))
    win = [
        [
            [0.0] * lost_all[1] + [1.0] if lost < lost_all[0] else [0.0] * (lost_all[1] + 1)
            for lost in range(lost_all[0] + 1)
        ]
        for _ in steps
    ]
    for attackers_lost in range(lost_all[0] - 1, -1, -1):
        for defenders_lost in range(lost_all[1] - 1, -1, -1):
            figures = (left[0][attackers_lost], left[1][defenders_lost])
            # From the last step to the first; then the first step's chance is put into the others.
            known, miss = [0.0] * (_STEPS + 1), [1.0] * (_STEPS + 1)
            for step in range(_STEPS - 1, -1, -1):
                side, kind, chance = steps[step]
                after = win[(step + 1) % _STEPS]
                if side == 0:
                    worse = after[attackers_lost][defenders_lost + 1 :]
                else:
                    worse = [row[defenders_lost] for row in after[attackers_lost + 1 :]]
                hits = _hits(figures[side][kind], len(worse), chance)
                known[step] = sum(map(mul, hits[1:], worse)) + hits[0] * known[step + 1]
                miss[step] = hits[0] * miss[step + 1]
            first = known[0] / (1 - miss[0])
            for step in range(_STEPS):
                win[step][attackers_lost][defenders_lost] = known[step] + miss[step] * first
    return win[0][0][0]


def _after_losses(figures: Triple, rows: Triple) -> list[Triple]:
    living = list(figures)
    left = [figures]
    for kind in rows:
        for _ in range(figures[kind]):
            living[kind] -= 1
            left.append((living[0], living[1], living[2]))
    return left


@lru_cache(maxsize=65536)
def _hits(rolling: int, targets: int, chance: float) -> Sequence[float]:
    """Return the chances of 0 to `targets` hits with so many dice; surplus hits count as the most."""
    exact = [comb(rolling, hits) * chance**hits * (1 - chance) ** (rolling - hits) for hits in range(rolling + 1)]
    if rolling > targets:
        exact[targets:] = [sum(exact[targets:])]
    return exact
