"""Fields of bots of known strength, and how often the official table's intervals hold the truth.

The seed of a simulation is its number. `python -m benchmarks.simulated_fields official` runs it at length.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from ratings.statistics.official_table import ELO_MEAN, ELO_PER_UNIT, FittedTable, official_table
from ratings.statistics.results import Floats, Ints, Results
from tests.support.simulations.fields import Field, all_tables, drawn_tables, play

BOUNDS = (0.92, 0.98)
BOUNDS_OF_FEW = (0.90, 0.995)
"""Of tables of so few matches that the field's own spread is hardly known."""
NO_TIES = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field: how many bots of what spread, how many blocks, how often ties, how much the seat matters."""

    name: str
    seats: int
    bots: int
    blocks: int
    deviation: float = 0.8
    tie: float | None = -0.7
    seat: float = 0.2
    luck: float = 0.0
    anchors: int = 0
    below: float = 0.0
    """By how much some bots are weaker than all others; 11.5 is 2,000 Elo. Their own intervals are not counted."""
    behind: int = 1
    """How many these are; they beat each other."""
    chain: bool = False
    """Whether each plays only the next, in the order of their names."""
    few: bool = False
    """Whether the matches are so few that the field's own spread is hardly known."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest share of 95 % intervals that shall hold the truth."""
        return BOUNDS_OF_FEW if self.few else BOUNDS


KINDS = (
    Kind("2 seats", 2, 10, 200),
    Kind("2 seats, mostly ties", 2, 10, 200, tie=1.5),
    Kind("2 seats, 90 matches in all", 2, 10, 45),
    Kind("2 seats, strengths far apart", 2, 10, 300, deviation=2.0),
    Kind("2 seats, luck of the block", 2, 8, 400, deviation=0.5, luck=0.8),
    Kind("2 seats, two anchors", 2, 10, 200, anchors=2),
    Kind("3 seats, no ties", 3, 10, 80, tie=None),
    Kind("4 seats, a strong first seat", 4, 12, 60, seat=0.8),
    Kind("5 seats", 5, 12, 40),
    Kind("2 seats, one 2,000 Elo below", 2, 8, 200, below=11.5),
    Kind("3 seats, one 2,000 Elo below", 3, 8, 80, tie=None, below=11.5),
    Kind("2 seats, three 2,000 Elo below", 2, 8, 200, below=11.5, behind=3),
    Kind("2 seats, 28 matches of 8 bots", 2, 8, 14, deviation=0.5, few=True),
    Kind("2 seats, 56 matches of 8 near bots", 2, 8, 28, deviation=0.3, few=True),
    Kind("2 seats, 132 matches of 12 bots", 2, 12, 66, deviation=0.5, few=True),
    Kind("2 seats, a chain of neighbours", 2, 8, 84, deviation=0.5, chain=True, few=True),
)


def field_of(kind: Kind, random: np.random.Generator) -> Field:
    """A field of this kind: strengths drawn, their mean 0."""
    strengths = random.normal(0.0, kind.deviation, kind.bots)
    if kind.below:
        strengths[-kind.behind :] += strengths[: -kind.behind].min() - strengths[-kind.behind :].max() - kind.below
    effects = np.linspace(kind.seat, -kind.seat, kind.seats)
    ties = NO_TIES if kind.tie is None else kind.tie - 1.2 * np.arange(kind.seats - 1.0)
    return Field(strengths - strengths.mean(), effects, ties, kind.luck)


def tables_of(kind: Kind, random: np.random.Generator) -> Ints:
    """Whole rounds of every pair, as far as they go; random tables else, or a chain of neighbours."""
    if kind.chain:
        neighbours = [(place, place + 1) for place in range(kind.bots - 1)]
        return np.array(neighbours * (kind.blocks // len(neighbours)))
    pairs = kind.bots * (kind.bots - 1) // 2
    if kind.seats == 2 and kind.blocks % pairs == 0:
        return all_tables(kind.bots, 2, kind.blocks // pairs)
    return drawn_tables(random, kind.bots, kind.seats, kind.blocks)


def truth_of(kind: Kind, field: Field) -> Field:
    """What the table should find.

    With luck of the block that is what it finds in 100,000 blocks: a logistic curve averaged over openings is flatter.
    """
    if not kind.luck:
        return field
    random = np.random.default_rng(10**6)
    table = official_table(play(field, drawn_tables(random, kind.bots, 2, 100_000), random))
    return Field(strengths_in(table, field), np.array([seat.advantage for seat in table.seats]), field.log_ties)


def strengths_in(table: FittedTable, field: Field) -> Floats:
    """The strengths found, in the order of the field's bots."""
    found = {row.version: row.strength for row in table.rows}
    return np.array([found[name] for name in field.names])


@dataclass(slots=True)
class Coverage:
    """How many intervals there were, and how many held the truth; what the table said of pairs, and what was so.

    `said` adds up the chances that who stands ahead of another is stronger, over `pairs` of them, and `ahead` counts
    those who were. `lead` adds up by how much the first of each of `tables` was overrated, in log units.
    """

    intervals: int = 0
    hits: int = 0
    ranks: int = 0
    rank_hits: int = 0
    seats: int = 0
    seat_hits: int = 0
    pairs: int = 0
    said: float = 0.0
    ahead: int = 0
    tables: int = 0
    lead: float = 0.0

    @property
    def share(self) -> float:
        """The share of the strengths' intervals that held the truth."""
        return self.hits / self.intervals

    @property
    def leads_by(self) -> float:
        """By how many Elo the first of a table is overrated on average."""
        return ELO_PER_UNIT * self.lead / self.tables


def coverage(kind: Kind, simulations: int) -> Coverage:
    """Simulate and count. The luck of the block is told by one field, everything else by a new field each time."""
    seen = Coverage()
    known: tuple[Field, Field] | None = None
    for seed in range(simulations):
        random = np.random.default_rng(seed)
        if known is None or not kind.luck:
            field = field_of(kind, random)
            known = field, truth_of(kind, field)
        _count(seen, kind, *known, random)
    return seen


def _about_references(results: Results, truth: Floats) -> Floats:
    """True strengths about the mean of the most bots each of which was ahead of each other, also by way of others."""
    bots = range(len(truth))
    is_ahead = np.zeros((len(truth), len(truth)), np.bool_)
    for seats, ranks in zip(results.seats.tolist(), results.ranks.tolist(), strict=True):
        for one, other in permutations(range(len(seats)), 2):
            is_ahead[seats[one], seats[other]] |= ranks[one] < ranks[other]
    for between in bots:
        is_ahead |= is_ahead[:, [between]] & is_ahead[[between], :]
    together = max(((is_ahead[bot] & is_ahead[:, bot]) for bot in bots), key=lambda found: int(found.sum()))
    return np.asarray(truth - truth[together if together.any() else slice(None)].mean())


def _count(seen: Coverage, kind: Kind, field: Field, true_field: Field, random: np.random.Generator) -> None:
    truth = true_field.strengths
    anchors = {name: ELO_MEAN + ELO_PER_UNIT * truth[place] for place, name in enumerate(field.names[: kind.anchors])}
    results = play(field, tables_of(kind, random), random)
    table = official_table(results, anchors)
    if not anchors:
        truth = _about_references(results, truth)
    place = {name: index for index, name in enumerate(field.names)}
    for row in table.rows:
        if row.is_anchor or (kind.below and place[row.version] >= kind.bots - kind.behind):
            continue
        true = float(truth[place[row.version]])
        seen.intervals += 1
        seen.hits += row.low <= true <= row.high
        seen.ranks += 1
        seen.rank_hits += row.best_rank <= 1 + int((truth > true).sum()) <= row.worst_rank
    _count_order(seen, table, truth[[place[row.version] for row in table.rows]])
    for seat, effect in zip(table.seats, true_field.seat_effects, strict=True):
        seen.seats += 1
        seen.seat_hits += seat.low <= effect - true_field.seat_effects.mean() <= seat.high


def _count_order(seen: Coverage, table: FittedTable, truth: Floats) -> None:
    """Compare the chances and the first of a table with the true strengths of its rows."""
    for ahead, behind in zip(*np.triu_indices(len(truth), 1), strict=True):
        if not np.isnan(table.stronger[ahead, behind]):
            seen.pairs += 1
            seen.said += float(table.stronger[ahead, behind])
            seen.ahead += bool(truth[ahead] > truth[behind])
    seen.tables += 1
    seen.lead += table.rows[0].strength - float(truth[0])


def big_results(matches: int, seats: int, bots: int = 50) -> Results:
    """So many matches of 50 bots, in blocks, for timing."""
    random = np.random.default_rng(matches + seats)
    field = field_of(Kind("", seats, bots, 0), random)
    return play(field, drawn_tables(random, bots, seats, matches // seats), random)
