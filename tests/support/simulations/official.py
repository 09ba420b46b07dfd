"""Fields of bots of known strength, and how often the official table's intervals hold the truth.

The seed of a simulation is its number. `python -m benchmarks.simulated_fields official` runs it at length.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field

import numpy as np

from ratings.statistics.official_table import ELO_MEAN, ELO_PER_UNIT, FittedTable, official_table
from ratings.statistics.results import Floats, Results
from tests.support.simulations.fields import Field, drawn_tables, play
from tests.support.simulations.schedules import KINDS, Kind, Sample, drawn, results_of

__all__ = ("KINDS", "Kind", "big_results", "coverage")

BOUNDS = (0.92, 0.98)
MOST_LEAD = 20.0
MOST_OFF = 0.04
"""By how much a chance that is told may differ from the truth."""
_LEAST_CASES = 200


@dataclass(slots=True)
class Share:
    """How many of some cases were hits."""

    cases: int = 0
    hits: int = 0

    def add(self, is_hit: bool) -> None:
        """Count one more case."""
        self.cases += 1
        self.hits += is_hit

    @property
    def value(self) -> float:
        """The share of hits."""
        return self.hits / self.cases


@dataclass(slots=True)
class Tenth:
    """The chances between two tenths that the table told, added up, and how often it was so."""

    said: float = 0.0
    true: Share = dataclass_field(default_factory=Share)


@dataclass(slots=True)
class Coverage:
    """Which intervals held the truth, and what the table said of pairs.

    `lead` adds up by how much the first of each of `tables` was overrated, in log units.
    """

    strengths: Share = dataclass_field(default_factory=Share)
    named: dict[str, Share] = dataclass_field(default_factory=dict)
    ranks: Share = dataclass_field(default_factory=Share)
    seats: Share = dataclass_field(default_factory=Share)
    tenths: list[Tenth] = dataclass_field(default_factory=lambda: [Tenth() for _ in range(10)])
    tables: int = 0
    lead: float = 0.0

    @property
    def leads_by(self) -> float:
        """By how many Elo the first of a table is overrated on average."""
        return ELO_PER_UNIT * self.lead / self.tables

    @property
    def worst_chance(self) -> tuple[float, float]:
        """What was told and what was so, on average, in the tenth with 200 cases or more in which they differ most."""
        found = [(one.said / one.true.cases, one.true.value) for one in self.tenths if one.true.cases >= _LEAST_CASES]
        return max(found, key=lambda pair: abs(pair[0] - pair[1]), default=(0.0, 0.0))

    @property
    def is_covered(self) -> bool:
        """Whether 92 to 98 % of the intervals hold the truth, and of those of named bots 92 % or more."""
        named = all(share.value >= BOUNDS[0] for share in self.named.values())
        return BOUNDS[0] <= self.strengths.value <= BOUNDS[1] and named


def truth_of(kind: Kind, sample: Sample) -> Field:
    """What the table should find.

    With luck of the block that is what it finds in 100,000 blocks: a logistic curve averaged over openings is flatter.
    """
    field = kind.field(sample.strengths)
    if not kind.luck:
        return field
    random = np.random.default_rng(10**6)
    table = official_table(play(field, drawn_tables(random, len(field.strengths), 2, 100_000), random))
    return Field(strengths_in(table, field), np.array([seat.advantage for seat in table.seats]), field.log_ties)


def strengths_in(table: FittedTable, field: Field) -> Floats:
    """The strengths found, in the order of the field's bots."""
    found = {row.version: row.strength for row in table.rows}
    return np.array([found[name] for name in field.names])


def coverage(kind: Kind, simulations: int) -> Coverage:
    """Simulate and count. The luck of the block is told by one field, everything else by a new field each time."""
    seen = Coverage()
    known: tuple[Sample, Field] | None = None
    for seed in range(simulations):
        random = np.random.default_rng(seed)
        if known is None or not kind.luck:
            sample = kind.sample(random)
            known = sample, truth_of(kind, sample)
        _count(seen, kind, *known, random)
    return seen


def _count(seen: Coverage, kind: Kind, sample: Sample, true_field: Field, random: np.random.Generator) -> None:
    field = kind.field(sample.strengths)
    truth = true_field.strengths
    anchors = {name: ELO_MEAN + ELO_PER_UNIT * truth[place] for place, name in enumerate(field.names[: kind.anchors])}
    table = official_table(results_of(sample, field, random), anchors)
    place = {name: index for index, name in enumerate(field.names)}
    order = [place[row.version] for row in table.rows]
    # About the mean of the references, as the table tells it.
    truth = truth - float(table.references @ truth[order])
    for row in table.rows:
        if row.is_anchor:
            continue
        bot = place[row.version]
        holds = (row.low is None or row.low <= truth[bot]) and (row.high is None or truth[bot] <= row.high)
        seen.strengths.add(holds)
        seen.ranks.add(row.best_rank <= 1 + int((truth > truth[bot]).sum()) <= row.worst_rank)
        for name, members in sample.named.items():
            if bot in members:
                seen.named.setdefault(name, Share()).add(holds)
    _count_order(seen, table, truth[order])
    for seat, effect in zip(table.seats, true_field.seat_effects, strict=True):
        seen.seats.add(seat.low <= effect - true_field.seat_effects.mean() <= seat.high)


def _count_order(seen: Coverage, table: FittedTable, truth: Floats) -> None:
    """Compare the chances and the first of a table with the true strengths of its rows."""
    for ahead, behind in zip(*np.triu_indices(len(truth), 1), strict=True):
        chance = float(table.stronger[ahead, behind])
        if not np.isnan(chance):
            tenth = seen.tenths[min(int(chance * 10), 9)]
            tenth.said += chance
            tenth.true.add(bool(truth[ahead] > truth[behind]))
    seen.tables += 1
    seen.lead += table.rows[0].strength - float(truth[0])


def big_results(matches: int, seats: int, bots: int = 50) -> Results:
    """So many matches of 50 bots, in blocks, for timing."""
    random = np.random.default_rng(matches + seats)
    field = Kind("", drawn(bots, 0), seats).field(random.normal(0.0, 0.8, bots))
    return play(field, drawn_tables(random, bots, seats, matches // seats), random)
