"""Fields of bots in several games, and how often the table over all games holds the truth.

A strength is centre + spread * (ability + deviation), as `ratings.statistics.overall` takes it to be, but for a
specialist, a generalist and a game of luck. The seed of a simulation is its number.
`python -m benchmarks.simulated_fields overall` runs it at length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ratings.statistics.official_table import fit_counts
from ratings.statistics.overall import FittedOverall, PoolEvidence, evidence_of, fit_overall
from ratings.statistics.results import Bools, Floats, Ints, Results, count
from tests.support.simulations.fields import Field, play

BOUNDS = (0.92, 0.98)


@dataclass(frozen=True, slots=True)
class Kind:
    """How many bots and games, who plays where and how often, and what is special about them."""

    name: str
    bots: int = 12
    games: int = 5
    unequal: float = 0.5
    """The standard deviation of the logarithms of the games' spreads."""
    share: float = 0.4
    """The part of the variance that belongs to single games."""
    plays: float = 1.0
    """With what chance a bot plays a game."""
    least: int = 20
    most: int = 60
    """Between how many blocks each bot begins in a game, drawn evenly by their logarithm."""
    seats: int = 2
    specialist: bool = False
    """Whether the first bot is average, and three spreads better in the first game."""
    generalist: bool = False
    """Whether the first bot is a spread better than the field in every game, and special in none."""
    luck: bool = False
    """Whether nothing but luck decides the last game."""
    twin: str = ""
    """The game that is added once more with the same strengths: `same` by its name, `other` by another one."""
    chosen: bool = False
    """Whether bots play those games in which they are good."""
    versions: int = 1
    """How many versions of each bot play; the last one stands for it."""
    clones: int = 0
    """How many copies of the best bot play as bots of their own."""
    declared: bool = False
    """Whether they are known to be one program."""


KINDS = (
    Kind("every bot in every game"),
    Kind("half of the games missing", plays=0.5),
    Kind("games that few share", bots=16, games=6, plays=0.3),
    Kind("games missing, spreads unequal", bots=16, games=6, plays=0.4, unequal=1.0),
    Kind("a specialist", specialist=True, plays=0.7),
    Kind("a generalist", generalist=True, plays=0.7),
    Kind("a game of pure luck", luck=True, plays=0.7),
    Kind("a game twice, by its name", twin="same", plays=0.7),
    Kind("a game twice, by another name", twin="other", plays=0.7),
    Kind("games chosen by the bots", chosen=True, plays=0.5),
    Kind("1 to 200 blocks", least=1, most=200, plays=0.7),
    Kind("few blocks", least=2, most=6),
    Kind("three versions of each bot", versions=3, plays=0.7),
    Kind("4 seats", seats=4, plays=0.7),
    Kind("nothing but ability", share=0.02, plays=0.7),
    Kind("hardly any ability", share=0.9, plays=0.7),
    Kind("two games", games=2, plays=0.8),
    Kind("30 bots in 8 games", bots=30, games=8, plays=0.4),
)
CLONES = (
    Kind("3 copies of the best, known to be one", clones=3, declared=True, plays=0.7),
    Kind("3 copies of the best, unknown", clones=3, plays=0.7),
)


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A field: relative strengths, shape (bots, games), and what was played in each game by whom.

    `names` are the games, `place_of` tells the bot for which a version stands, `truth` the strengths over all games.
    """

    relative: Floats
    names: tuple[str, ...]
    results: tuple[Results, ...]
    place_of: dict[str, int]
    truth: Floats

    def evidence(self) -> list[PoolEvidence]:
        """What each game says."""
        return [
            evidence_of(name, count(results), self.place_of)
            for name, results in zip(self.names, self.results, strict=True)
        ]

    def table(self) -> FittedOverall:
        """The table over all games."""
        return fit_overall(self.evidence(), len(self.truth))


def world_of(kind: Kind, seed: int) -> World:
    """A field of this kind, drawn and played."""
    random = np.random.default_rng(seed)
    relative = _relative(kind, random)
    names = [f"game{game}" for game in range(kind.games)]
    spreads = np.exp(random.normal(-0.2, kind.unequal, kind.games))
    if kind.luck:
        spreads[-1] = 0.0
    takes_part = _who_plays(kind, relative, random)
    if kind.twin:
        relative, takes_part = (np.concatenate([table, table[:, :1]], axis=1) for table in (relative, takes_part))
        spreads = np.append(spreads, spreads[0])
        names.append(names[0] if kind.twin == "same" else "another")
    weights = np.array([1 / names.count(name) for name in names])
    truth = relative @ weights / weights.sum()
    results = [
        _played(kind, spread * relative[:, game] * np.ones(kind.bots), np.flatnonzero(takes_part[:, game]), random)
        for game, spread in enumerate(spreads.tolist())
    ]
    place_of = {f"bot{bot:03d}": bot for bot in range(kind.bots)}
    return World(relative, tuple(names), tuple(results), place_of, truth)


def _relative(kind: Kind, random: np.random.Generator) -> Floats:
    ability = random.normal(0, np.sqrt(1 - kind.share), kind.bots)
    deviation = random.normal(0, np.sqrt(kind.share), (kind.bots, kind.games))
    if kind.specialist:
        ability[0], deviation[0] = 0.0, 0.0
        deviation[0, 0] = 3.0
    if kind.generalist:
        ability[0], deviation[0] = 1.0, 0.0
    return np.asarray(ability[:, None] + deviation)


def _who_plays(kind: Kind, relative: Floats, random: np.random.Generator) -> Bools:
    """Who plays what: in each game three bots at least, and each bot in one."""
    drawn = random.random(relative.shape)
    if kind.chosen:
        liked = -relative - 0.5 * random.normal(size=relative.shape)
        drawn = np.argsort(np.argsort(liked, axis=1), axis=1).astype(np.float64)
        found = drawn < max(1, round(kind.plays * kind.games))
    else:
        found = drawn < kind.plays
    found[np.arange(len(found)), np.argmin(drawn, axis=1)] = True
    least = max(3, kind.seats + 1)
    for game in np.flatnonzero(found.sum(axis=0) < least).tolist():
        found[np.argsort(drawn[:, game])[:least], game] = True
    return np.asarray(found)


def _played(kind: Kind, strengths: Floats, bots: Ints, random: np.random.Generator) -> Results:
    """The matches of some bots in a game: every bot begins blocks with opponents that are drawn."""
    blocks = np.exp(random.uniform(np.log(kind.least), np.log(kind.most + 1), len(bots))).astype(np.int64)
    blocks = np.maximum(blocks // kind.seats, kind.least // kind.seats).clip(1)
    tables = []
    for bot, times in zip(bots.tolist(), blocks.tolist(), strict=True):
        others = bots[bots != bot]
        tables += [[bot, *random.permutation(others)[: kind.seats - 1]] for _ in range(times)]
    numbered = np.array(tables, np.int64)
    all_strengths = strengths
    if kind.versions > 1:  # earlier versions are weaker, and have places behind those of the bots
        earlier = [strengths - random.uniform(0.2, 0.8, len(strengths)) for _ in range(kind.versions - 1)]
        all_strengths = np.concatenate([strengths, *earlier])
        numbered = numbered + kind.bots * random.integers(0, kind.versions, numbered.shape)
    effects = np.linspace(0.2, -0.2, kind.seats)
    field = Field(all_strengths, effects, np.array([-0.7 - 1.2 * more for more in range(kind.seats - 1)]))
    return play(field, numbered, random)


@dataclass(slots=True)
class Seen:
    """How many intervals and ranges of ranks there were, and how many held the truth.

    `said` adds up the chances that who stands ahead of another is stronger, over `pairs`, and `ahead` counts those who
    were. `apart` counts the bots that were listed apart. `orders` has Kendall's tau with the truth of each simulation:
    of this table, of Bradley and Terry's model for all matches as one pool, and with equal weight of the games.
    """

    intervals: int = 0
    hits: int = 0
    special: int = 0
    special_hits: int = 0
    rank_hits: int = 0
    pairs: int = 0
    said: float = 0.0
    ahead: int = 0
    apart: int = 0
    orders: list[tuple[float, float, float]] | None = None

    @property
    def share(self) -> float:
        """The share of the intervals that held the truth."""
        return self.hits / self.intervals

    @property
    def order(self) -> Floats:
        """The means of Kendall's tau."""
        return np.asarray(np.mean(self.orders or [(0.0, 0.0, 0.0)], axis=0))


def coverage(kind: Kind, simulations: int, *, with_order: bool = True) -> Seen:
    """Simulate and count; of a specialist and a generalist apart."""
    seen = Seen(orders=[])
    for seed in range(simulations):
        world = world_of(kind, seed)
        table = world.table()
        listed = np.flatnonzero(~table.is_apart)
        seen.apart += len(world.truth) - len(listed)
        if len(listed) == 0:
            continue
        truth = world.truth - world.truth[listed].mean()
        for bot in listed.tolist():
            is_inside = bool(table.lows[bot] <= truth[bot] <= table.highs[bot])
            if bot == 0 and (kind.specialist or kind.generalist):
                seen.special += 1
                seen.special_hits += is_inside
            seen.intervals += 1
            seen.hits += is_inside
            rank = 1 + int((truth[listed] > truth[bot]).sum())
            seen.rank_hits += bool(table.best_ranks[bot] <= rank <= table.worst_ranks[bot])
        ahead = table.strengths[:, None] > table.strengths[None, :]
        ahead &= ~np.isnan(table.stronger)
        seen.pairs += int(ahead.sum())
        seen.said += float(table.stronger[ahead].sum())
        seen.ahead += int((truth[:, None] > truth[None, :])[ahead].sum())
        if with_order and seen.orders is not None:
            pooled, equal = bradley_terry(world, has_equal_weights=False), bradley_terry(world, has_equal_weights=True)
            seen.orders.append((tau(table.strengths, truth), tau(pooled, truth), tau(equal, truth)))
    return seen


def tau(one: Floats, other: Floats) -> float:
    """Kendall's tau of two rankings without ties."""
    upper = np.triu_indices(len(one), 1)
    return float(np.mean(np.sign((one[:, None] - one) * (other[:, None] - other))[upper]))


def bradley_terry(world: World, *, has_equal_weights: bool) -> Floats:
    """The strengths by one fit to the matches of all games, shape (bots,); with equal weights games count alike."""
    longest = max(len(results.seats) for results in world.results)
    parts = []
    for results in world.results:
        times = max(1, round(longest / len(results.seats))) if has_equal_weights else 1
        parts += [results] * times
    width = parts[0].seats.shape[1]
    ids = max((one.versions for one in parts), key=len)
    merged = Results(
        ids,
        np.concatenate([one.seats for one in parts]).reshape(-1, width),
        np.concatenate([one.ranks for one in parts]).reshape(-1, width),
        np.arange(sum(len(one.seats) for one in parts)),
        np.arange(sum(len(one.seats) for one in parts)),
    )
    counts = count(merged)
    point = fit_counts(counts, {}).point
    found = np.zeros(len(world.truth))
    for place, version in enumerate(counts.versions):
        if version in world.place_of:
            found[world.place_of[version]] = point[place]
    return found


def with_clones(kind: Kind, seed: int) -> World:
    """The field of a kind without its clones, in which copies of its best bot play as well."""
    world = world_of(replace(kind, clones=0), seed)
    best = int(np.argmax(world.truth))
    random = np.random.default_rng([seed, 1])
    place_of = dict(world.place_of)
    for copy in range(kind.clones):
        place_of[f"copy{copy}"] = best if kind.declared else kind.bots + copy
    results = tuple(_with_copies(kind, one, best, random) for one in world.results)
    truth = world.truth if kind.declared else np.append(world.truth, [world.truth[best]] * kind.clones)
    return World(world.relative, world.names, results, place_of, truth)


def _with_copies(kind: Kind, results: Results, best: int, random: np.random.Generator) -> Results:
    """The matches of a game, and again those of the best bot, each copy in its place in some that are drawn."""
    its = (results.seats == best).any(axis=1)
    seats, ranks, blocks, plans = (
        [column] for column in (results.seats, results.ranks, results.blocks, results.plans.astype(np.int64))
    )
    for copy in range(kind.clones):
        # What it does in the same seats against the same opponents is drawn from what the best bot did there.
        rows = random.choice(np.flatnonzero(its), int(its.sum())) if its.any() else np.zeros(0, np.int64)
        sitting = results.seats[rows].copy()
        sitting[sitting == best] = len(results.versions) + copy
        seats.append(sitting)
        ranks.append(results.ranks[rows])
        blocks.append(results.blocks.max() + 1 + np.arange(len(rows)) + copy * len(results.seats))
        plans.append(np.arange(len(rows)) + copy * len(results.seats) - 10**9)
    names = (*results.versions, *(f"copy{copy}" for copy in range(kind.clones)))
    return Results(names, *(np.concatenate(parts) for parts in (seats, ranks, blocks, plans)))


def moved_by_clones(kind: Kind, seeds: Sequence[int]) -> list[float]:
    """By how much each other bot moves when the copies come, in halves of its interval; about the others' mean."""
    found = []
    for seed in seeds:
        before, after = world_of(replace(kind, clones=0), seed), with_clones(kind, seed)
        best = int(np.argmax(before.truth))
        one, other = before.table(), after.table()
        others = np.array([bot for bot in range(kind.bots) if bot != best and not one.is_apart[bot]])
        moved = other.strengths[others] - one.strengths[others]
        found += (np.abs(moved - moved.mean()) / ((one.highs - one.lows)[others] / 2)).tolist()
    return found
