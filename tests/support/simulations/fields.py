"""Simulated fields of known strength, for the figures of the statistics. No I/O; everything follows from the seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ratings.statistics.results import Floats, Ints, Results, subsets


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Bots of known strength at tables of `seats`.

    `seat_effects` has one number for each seat, `log_ties` holds log delta(2), ..., log delta(seats); `luck` is the
    standard deviation of what a block's opening does to each bot.
    """

    strengths: Floats
    seat_effects: Floats
    log_ties: Floats
    luck: float = 0.0

    @property
    def seats(self) -> int:
        """How many sit at a table."""
        return len(self.seat_effects)

    @property
    def names(self) -> tuple[str, ...]:
        """The versions' ids."""
        return tuple(f"bot{index:03d}" for index in range(len(self.strengths)))


Bonus = Callable[[Ints], Floats]
"""What the seats' worths gain at a table, from who sits there: both of shape (matches, seats)."""


def all_tables(bots: int, seats: int, rounds: int) -> Ints:
    """Every set of bots once for each round, shape (blocks, seats)."""
    return np.array(list(combinations(range(bots), seats)) * rounds, np.int64)


def drawn_tables(random: np.random.Generator, bots: int, seats: int, blocks: int) -> Ints:
    """Random tables at which every bot sits about equally often, shape (blocks, seats)."""
    found: list[Ints] = []
    while len(found) < blocks:
        order = random.permutation(bots)
        found += [order[start : start + seats] for start in range(0, bots - seats + 1, seats)]
    return np.array(found[:blocks], np.int64)


def play(field: Field, tables: Ints, random: np.random.Generator, bonus: Bonus | None = None) -> Results:
    """Play each table as a block, in all rotations."""
    width = field.seats
    seats = np.concatenate([np.roll(tables, shift, axis=1) for shift in range(width)])
    blocks = np.tile(np.arange(len(tables)), width)
    worths = field.strengths[seats] + field.seat_effects
    if field.luck:
        worths = (
            worths + (random.standard_normal((len(tables), len(field.strengths))) * field.luck)[blocks[:, None], seats]
        )
    if bonus is not None:
        worths = worths + bonus(seats)
    ranks = draw_ranks(worths, field.log_ties, random)
    return Results(field.names, seats, ranks, blocks, random.integers(0, 2**63, len(seats)).astype(np.uint64))


def draw_ranks(worths: Floats, log_ties: Floats, random: np.random.Generator) -> Ints:
    """Ranks by the Davidson-Luce model, stage by stage; shape as `worths`, (matches, seats)."""
    matches, width = worths.shape
    sets = subsets(width, len(log_ties) + 1)
    logs = np.empty((matches, len(sets)))
    members = np.array([[bits >> seat & 1 for seat in range(width)] for bits in sets], np.bool_)
    for column, inside in enumerate(members):
        size = int(inside.sum())
        logs[:, column] = worths[:, inside].mean(axis=1) + (log_ties[size - 2] if size > 1 else 0.0)
    ranks = np.zeros((matches, width), np.int64)
    taken = np.zeros((matches, width), np.bool_)
    while not taken.all():
        is_open = ~(taken[:, None, :] & members[None, :, :]).any(axis=2)
        chosen = np.where(is_open, logs + random.gumbel(size=logs.shape), -np.inf).argmax(axis=1)
        now = members[chosen] & ~taken.all(axis=1, keepdims=True)
        ranks = np.where(now, 1 + taken.sum(axis=1, keepdims=True), ranks)
        taken |= now
    return ranks
