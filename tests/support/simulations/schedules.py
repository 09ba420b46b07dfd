"""Kinds of fields: how strong the bots are, and who plays whom. No I/O; everything follows from the seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Floats, Ints, Results
from tests.support.simulations.fields import Field, all_tables, draw_ranks, drawn_tables, play

NO_TIES = np.zeros(0)
Random = np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The strengths of a field, and its tables: those given, shape (blocks, seats), or what a rule plays.

    `named` are groups of bots that are counted apart, and `far` those that stand so far away that nobody can tell how
    far.
    """

    strengths: Floats
    tables: Ints | Callable[[Field, Random], Results]
    named: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field: how often ties, how much the seat matters, and samples of it."""

    name: str
    sample: Callable[[Random], Sample]
    seats: int = 2
    tie: float | None = -0.7
    seat: float = 0.2
    luck: float = 0.0
    anchors: int = 0

    def field(self, strengths: Floats) -> Field:
        """Return bots of these strengths, about their mean, at tables of this kind."""
        effects = np.linspace(self.seat, -self.seat, self.seats)
        ties = NO_TIES if self.tie is None else self.tie - 1.2 * np.arange(self.seats - 1.0)
        return Field(strengths - strengths.mean(), effects, ties, self.luck)


def results_of(sample: Sample, field: Field, random: Random) -> Results:
    """Play the tables of a sample, each in all rotations."""
    return sample.tables(field, random) if callable(sample.tables) else play(field, sample.tables, random)


def _tables(random: Random, bots: int, seats: int, blocks: int) -> Ints:
    """Whole rounds of every pair, as far as they go; random tables else."""
    pairs = bots * (bots - 1) // 2
    if seats == 2 and blocks % pairs == 0:
        return all_tables(bots, 2, blocks // pairs)
    return drawn_tables(random, bots, seats, blocks)


def drawn(bots: int, blocks: int, deviation: float = 0.8, seats: int = 2) -> Callable[[Random], Sample]:
    """Bots of normally distributed strength, each of whom meets each about equally often."""

    def sample(random: Random) -> Sample:
        return Sample(random.normal(0.0, deviation, bots), _tables(random, bots, seats, blocks))

    return sample


def shaped(strengths: Callable[[Random], Floats], rounds: int, *first: str) -> Callable[[Random], Sample]:
    """Whole rounds of all pairs of bots of given strengths; a name given is that of the first bot."""

    def sample(random: Random) -> Sample:
        drawn = strengths(random)
        return Sample(drawn, all_tables(len(drawn), 2, rounds), dict.fromkeys(first, (0,)))

    return sample


def below(bots: int, blocks: int, behind: int, seats: int = 2) -> Callable[[Random], Sample]:
    """Some bots 2,000 Elo weaker than all others; they beat each other."""

    def sample(random: Random) -> Sample:
        strengths = random.normal(0.0, 0.8, bots)
        strengths[-behind:] += strengths[:-behind].min() - strengths[-behind:].max() - 2000 / ELO_PER_UNIT
        return Sample(strengths, _tables(random, bots, seats, blocks), {"far": range(bots - behind, bots)})

    return sample


def lucky(seats: int = 4) -> Callable[[Random], Sample]:
    """One bot 1,200 Elo below eleven others at tables of four: it wins hardly ever, and then by luck."""

    def sample(random: Random) -> Sample:
        strengths = np.append(random.normal(0.0, 0.5, 11), -1200 / ELO_PER_UNIT)
        return Sample(strengths, drawn_tables(random, 12, seats, 60), {"far": (11,)})

    return sample


def chain(bots: int, deviation: float, rounds: int = 12, *, is_sorted: bool = True) -> Callable[[Random], Sample]:
    """Each plays only the next, in the order of their strengths or in any."""

    def sample(random: Random) -> Sample:
        strengths = random.normal(0.0, deviation, bots)
        strengths = np.sort(strengths)[::-1] if is_sorted else strengths
        ends = {"ends": (0, bots - 1)} if is_sorted else {}
        return Sample(strengths, np.array([(one, one + 1) for one in range(bots - 1)] * rounds), ends)

    return sample


def _rounds(bots: Sequence[int], rounds: int) -> list[tuple[int, int]]:
    return list(combinations(bots, 2)) * rounds


def divisions(rounds: int, *, is_random: bool) -> Callable[[Random], Sample]:
    """24 bots in three divisions by strength, and twelve blocks between neighbouring ones."""

    def sample(random: Random) -> Sample:
        strengths = np.sort(random.normal(0.0, 0.8, 24))[::-1]
        tables = [table for first in (0, 8, 16) for table in _rounds(range(first, first + 8), rounds)]
        for first in (0, 8):
            for _ in range(12):
                one, other = random.integers(8, size=2).tolist() if is_random else (7, 0)
                tables.append((first + one, first + 8 + other))
        return Sample(strengths, np.array(tables), {"outer": (*range(8), *range(16, 24))})

    return sample


def divisions_of_four(random: Random) -> Sample:
    """24 bots in three divisions by strength at tables of four, and three blocks between neighbouring ones."""
    strengths = np.sort(random.normal(0.0, 0.8, 24))[::-1]
    tables = [first + table for first in (0, 8, 16) for table in drawn_tables(random, 8, 4, 8)]
    for first in (0, 8):
        tables += [first + np.append(random.permutation(8)[:2], 8 + random.permutation(8)[:2]) for _ in range(3)]
    return Sample(strengths, np.array(tables), {"outer": (*range(8), *range(16, 24))})


def eras(elo: float, *, from_predecessor: bool) -> Callable[[Random], Sample]:
    """Eight bots over eight eras; in each, four are replaced by a version that is so many Elo better.

    It is better than its predecessor, or than the bot's first version by the eras since, as where all learn alike.
    """

    def sample(random: Random) -> Sample:
        first, step = random.normal(0.0, 0.3, 8), elo / ELO_PER_UNIT
        strengths, active = first.tolist(), list(range(8))
        tables = _rounds(active, 2)
        for era in range(1, 8):
            for bot in random.permutation(8)[:4].tolist():
                before = strengths[active[bot]] if from_predecessor else first[bot] + (era - 1) * step
                strengths.append(before + step)
                active[bot] = len(strengths) - 1
            tables += _rounds(active, 2)
        return Sample(np.array(strengths), np.array(tables), {"newest": tuple(active), "oldest": range(8)})

    return sample


def pools(links: int) -> Callable[[Random], Sample]:
    """Two pools of eight bots, 347 Elo apart, two rounds in each, and some blocks between them."""

    def sample(random: Random) -> Sample:
        strengths = np.append(random.normal(1.0, 0.4, 8), random.normal(-1.0, 0.4, 8))
        between = [(one, 8 + other) for one, other in random.integers(8, size=(links, 2)).tolist()]
        return Sample(
            strengths, np.array(_rounds(range(8), 2) + _rounds(range(8, 16), 2) + between), {"first": range(8)}
        )

    return sample


def newcomer(elo: float, deviation: float, rounds: int) -> Callable[[Random], Sample]:
    """Rounds of 20 bots, and one that is so many Elo better than their mean and has played three blocks."""

    def sample(random: Random) -> Sample:
        strengths = np.append(random.normal(0.0, deviation, 20), elo / ELO_PER_UNIT)
        tables = _rounds(range(20), rounds) + [(20, other) for other in random.permutation(20)[:3].tolist()]
        return Sample(strengths, np.array(tables), {"newcomer": (20,)})

    return sample


def gauntlet(random: Random) -> Sample:
    """One bot plays each of ten others, and they nobody else."""
    return Sample(random.normal(0.0, 0.6, 11), np.array([(0, other) for other in range(1, 11)] * 8), {"hub": (0,)})


def star_of_four(random: Random) -> Sample:
    """One bot 400 Elo above eleven near equals at tables of four."""
    strengths = np.append(400 / ELO_PER_UNIT, random.normal(0.0, 0.1, 11))
    return Sample(strengths, drawn_tables(random, 12, 4, 24), {"star": (0,)})


def league(random: Random) -> Sample:
    """Three seasons of two divisions of eight, after each of which the two best and the two worst change places."""
    strengths = random.normal(0.0, 0.8, 16)
    order = np.argsort(-strengths + random.normal(0.0, 0.5, 16)).tolist()
    upper, lower, tables = order[:8], order[8:], []
    for _ in range(3):
        tables += _rounds(upper, 1) + _rounds(lower, 1)
        upper.sort(key=lambda bot: strengths[bot] + random.normal(0.0, 0.4))
        lower.sort(key=lambda bot: -strengths[bot] - random.normal(0.0, 0.4))
        upper, lower = upper[2:] + lower[:2], lower[2:] + upper[:2]
    return Sample(strengths, np.array(tables))


class _Live:
    """A tournament that pairs by results: it plays one block after the other, all of one draw."""

    def __init__(self, field: Field, random: Random) -> None:
        self._field, self._random = field, random
        self._seats: list[Ints] = []
        self._ranks: list[Ints] = []

    def block(self, table: Sequence[int]) -> tuple[Ints, Ints]:
        """Play a block; return who sat where in each match, and the ranks."""
        seats = np.array([np.roll(table, shift) for shift in range(len(table))])
        worths = self._field.strengths[seats] + self._field.seat_effects
        self._seats.append(seats)
        self._ranks.append(draw_ranks(worths, self._field.log_ties, self._random))
        return seats, self._ranks[-1]

    def results(self) -> Results:
        """Return all matches."""
        seats, ranks = np.concatenate(self._seats), np.concatenate(self._ranks)
        blocks = np.repeat(np.arange(len(self._seats)), self._field.seats)
        plans = np.arange(len(seats))
        return Results(self._field.names, seats, ranks, blocks, plans, draws=np.zeros(len(seats), np.int64))


def swiss(bots: int, rounds: int, deviation: float) -> Callable[[Random], Sample]:
    """Each round pairs those of like score who have not met."""

    def run(field: Field, random: Random) -> Results:
        live, met = _Live(field, random), set[frozenset[int]]()
        scores = random.normal(0.0, 1e-3, bots)
        for _ in range(rounds):
            left = np.argsort(-scores).tolist()
            while left:
                one = left.pop(0)
                other = next((bot for bot in left if frozenset((one, bot)) not in met), left[0])
                left.remove(other)
                met.add(frozenset((one, other)))
                seats, ranks = live.block((one, other))
                worse = (ranks[:, :, None] < ranks[:, None, :]).sum(axis=2)
                np.add.at(scores, seats, worse + (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2) / 2)
        return live.results()

    return lambda random: Sample(random.normal(0.0, deviation, bots), run)


def ladder(bots: int, blocks: int, deviation: float, near: float = 0.35, seats: int = 2) -> Callable[[Random], Sample]:
    """Who played least meets those whose estimate is nearest to its own, give or take an exponential distance."""

    def run(field: Field, random: Random) -> Results:
        live = _Live(field, random)
        means, variances, played = np.zeros(bots), np.ones(bots), np.zeros(bots)
        for _ in range(blocks):
            one = int(np.argmin(played + random.random(bots) * 0.9))
            distance = np.abs(means - means[one]) + random.exponential(near, bots)
            distance[one] = -1.0
            table = np.argsort(distance)[:seats].tolist()
            for sitting, ranks in zip(*(found.tolist() for found in live.block(table)), strict=True):
                for (a, mine), (b, theirs) in combinations(zip(sitting, ranks, strict=True), 2):
                    chance = 1 / (1 + np.exp(means[b] - means[a]))
                    surprise = (mine < theirs) + 0.5 * (mine == theirs) - chance
                    weight = chance * (1 - chance)
                    scale = 1 / (1 + (variances[a] + variances[b]) * weight)
                    means[a] += variances[a] * scale * surprise
                    means[b] -= variances[b] * scale * surprise
                    for bot in (a, b):
                        variances[bot] *= 1 - variances[bot] * weight * scale
            played[table] += 1
        return live.results()

    return lambda random: Sample(random.normal(0.0, deviation, bots), run)


def _star(noise: float) -> Callable[[Random], Floats]:
    return lambda random: np.append(400 / ELO_PER_UNIT, random.normal(0.0, noise, 11))


def _clusters(noise: float) -> Callable[[Random], Floats]:
    return lambda random: np.append(random.normal(1.5, noise, 6), random.normal(-1.5, noise, 6))


KINDS = (
    Kind("2 seats", drawn(10, 200)),
    Kind("2 seats, mostly ties", drawn(10, 200), tie=1.5),
    Kind("2 seats, 90 matches in all", drawn(10, 45)),
    Kind("2 seats, strengths far apart", drawn(10, 300, 2.0)),
    Kind("2 seats, luck of the block", drawn(8, 400, 0.5), luck=0.8),
    Kind("2 seats, two anchors", drawn(10, 200), anchors=2),
    Kind("2 seats, 4 bots", drawn(4, 24)),
    Kind("2 seats, a round robin of 20 near bots", drawn(20, 190, 0.3)),
    Kind("2 seats, Student's t, 3 degrees of freedom", shaped(lambda random: random.standard_t(3, 12) * 0.5, 2)),
    Kind("2 seats, evenly spread", shaped(lambda random: random.uniform(-1.5, 1.5, 12), 2)),
    Kind("3 seats, no ties", drawn(10, 80, seats=3), 3, tie=None),
    Kind("4 seats, a strong first seat", drawn(12, 60, seats=4), 4, seat=0.8),
    Kind("5 seats", drawn(12, 40, seats=5), 5),
    Kind("few: 28 matches of 8 bots", drawn(8, 14, 0.5)),
    Kind("few: 56 matches of 8 near bots", drawn(8, 28, 0.3)),
    Kind("few: 132 matches of 12 bots", drawn(12, 66, 0.5)),
    Kind("few: 12 matches of 3 bots", drawn(3, 6)),
    Kind("few: 160 matches of 40 bots", drawn(40, 80)),
    Kind("few: 120 matches of 30 bots", drawn(30, 60)),
    Kind("below: one by 2,000 Elo", below(8, 200, 1)),
    Kind("below: one by 2,000 Elo, 3 seats", below(8, 80, 1, 3), 3),
    Kind("below: three by 2,000 Elo", below(8, 200, 3)),
    Kind("below: three by 2,000 Elo, 12 bots", below(12, 132, 3)),
    Kind("below: one by 1,200 Elo, 4 seats", lucky(), 4),
    Kind("neighbours: 10 bots in order", chain(10, 0.8)),
    Kind("neighbours: 10 near bots in order", chain(10, 0.4)),
    Kind("neighbours: 24 bots in order", chain(24, 0.8)),
    Kind("neighbours: 8 bots in any order", chain(8, 0.5, is_sorted=False)),
    Kind("divisions: three, one round", divisions(1, is_random=True)),
    Kind("divisions: three, two rounds, one bridge", divisions(2, is_random=False)),
    Kind("divisions: three, 4 seats", divisions_of_four, 4),
    Kind("divisions: two that change places", league),
    Kind("eras: each version 50 Elo better", eras(50, from_predecessor=True)),
    Kind("eras: each version 150 Elo better", eras(150, from_predecessor=True)),
    Kind("eras: each version as good", eras(0, from_predecessor=True)),
    Kind("eras: all 50 Elo better each era", eras(50, from_predecessor=False)),
    Kind("eras: all 150 Elo better each era", eras(150, from_predecessor=False)),
    Kind("pools: one block between", pools(1)),
    Kind("pools: five blocks between", pools(5)),
    Kind("newcomer: 260 Elo above", newcomer(260, 0.4, 1)),
    Kind("newcomer: 260 Elo above near bots", newcomer(260, 0.2, 2)),
    Kind("newcomer: 260 Elo below", newcomer(-260, 0.4, 1)),
    Kind("star: 400 Elo above, one round", shaped(_star(0.1), 1, "star")),
    Kind("star: 400 Elo above equals, one round", shaped(_star(0.001), 1, "star")),
    Kind("star: 400 Elo above, five rounds", shaped(_star(0.1), 5, "star")),
    Kind("star: 400 Elo above, 4 seats", star_of_four, 4),
    Kind("clusters: 521 Elo apart, one round", shaped(_clusters(0.1), 1, "first")),
    Kind("clusters: 521 Elo apart, three rounds", shaped(_clusters(0.2), 3)),
    Kind("gauntlet of one against ten", gauntlet),
    Kind("swiss: 16 bots, 7 rounds", swiss(16, 7, 0.8)),
    Kind("swiss: 32 bots, 6 rounds, far apart", swiss(32, 6, 1.5)),
    Kind("ladder: 20 bots", ladder(20, 200, 0.8)),
    Kind("ladder: 20 bots far apart", ladder(20, 200, 1.5, 0.2)),
    Kind("ladder: 40 bots, 5 blocks each", ladder(40, 100, 0.8)),
    Kind("ladder: 60 bots far apart", ladder(60, 600, 1.5, 0.1)),
    Kind("ladder: 20 bots, 4 seats", ladder(20, 60, 0.8, seats=4), 4),
)
