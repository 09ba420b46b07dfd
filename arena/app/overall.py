"""The table over several games: which pools, which version stands for a bot, and which bots are one program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING

from arena.app.lookup import find_game
from arena.model.errors import RefusedError
from arena.model.ratings import MOST_IN_OFFICIAL, OverallTable
from engine.translatable import Text
from ratings.read import leaderboard
from ratings.read.active_versions import PlayedVersion, played_versions
from ratings.read.pool_lookup import find_pool
from ratings.store.database import Database
from ratings.values.pools import Pool
from ratings.values.statistics import Method, OverallPool, OverallRow

if TYPE_CHECKING:
    from ratings.statistics.overall import FittedOverall, PoolEvidence
    from ratings.statistics.results import Counts

MOST_POOLS = 50


def chosen_pools(database: Database, pools: Sequence[str], games: Sequence[str]) -> list[Pool]:
    """Return the pools that are named, and those of the games; all if nothing is; by game and id.

    Raises RefusedError if nothing was rated or there are too many, NotFoundError and AmbiguousError for a pool, and
    what is raised for a game that there is not.
    """
    rated = [row.pool for row in leaderboard.pools(database) if row.matches]
    if not rated:
        raise RefusedError(Text("nothing was rated yet; `arena demo` plays some matches"))
    for game in set(games) - {pool.game for pool in rated}:
        find_game(game)  # raises if there is no such game
        raise RefusedError(Text("nothing of {game} was rated yet", game=game))
    named = {find_pool(database, pool).id for pool in pools}
    for missing in named - {pool.pool_id for pool in rated}:
        raise RefusedError(Text("nothing was rated in pool {pool} yet", pool=missing[:12]))
    found = [pool for pool in rated if not (pools or games) or pool.pool_id in named or pool.game in games]
    if len(found) > MOST_POOLS:
        raise RefusedError(
            Text("{count} pools are too many for one table; name {most} or fewer", count=len(found), most=MOST_POOLS)
        )
    return sorted(found, key=lambda pool: (pool.game, pool.pool_id))


def parse_methods(names: Sequence[str]) -> tuple[Method, ...]:
    """Return the methods of these names, each once. Raises RefusedError."""
    try:
        return tuple(dict.fromkeys(map(Method, names)))
    except ValueError as error:
        unknown = next(name for name in names if name not in tuple(Method))
        raise RefusedError(
            Text("there is no method {method}; there are: {known}", method=repr(unknown), known=", ".join(Method))
        ) from error


@dataclass(frozen=True, slots=True)
class _Field:
    """The bots of a table by their places, and of each pool which versions stand for them."""

    bots: tuple[tuple[str, ...], ...]
    """The names of those that are one program, the one that the line is called by first."""
    place_of: tuple[Mapping[str, int], ...]
    left_out: int


def fit_overall_table(
    database: Database, pools: Sequence[Pool], methods: Sequence[Method], confidence: float
) -> OverallTable:
    """Return the table over these pools. Raises StatisticsError."""
    from ratings.statistics.overall import evidence_of, fit_overall

    counts = [_counts_of(database, pool) for pool in pools]
    field = _field_of(database, counts)
    evidence = [
        evidence_of(pool.game, one, place_of) for pool, one, place_of in zip(pools, counts, field.place_of, strict=True)
    ]
    fitted = fit_overall(evidence, len(field.bots), confidence)
    return _table(pools, evidence, list(zip(counts, field.place_of, strict=True)), field, fitted, methods)


def _counts_of(database: Database, pool: Pool) -> Counts:
    """Return what was played in a pool; of a large one among its best versions, as in the official table of pages."""
    from ratings.read.official_table_input import load_results
    from ratings.statistics.results import count

    results = load_results(database, pool.pool_id)
    if len(results.versions) > MOST_IN_OFFICIAL:
        best = leaderboard.table(database, pool_id=pool.pool_id, limit=MOST_IN_OFFICIAL)
        results = results.among({row.version_id for row in best})
    return count(results)


def _field_of(database: Database, counts: Sequence[Counts]) -> _Field:
    """Return which versions stand for which bots: the active one where it played, else the newest that did.

    Bots of which the version that stands for them over all these pools has the same files are one, and have one place.
    """
    from ratings.statistics.overall import MAX_BOTS

    chosen = [_standing(played_versions(database, one.versions)) for one in counts]
    by_program = dict[str, str]()
    alike = dict[str, str]()
    for bot, version in _standing([one for of_bot in chosen for one in of_bot.values()]).items():
        alike[bot] = bot if version.program is None else by_program.setdefault(version.program, bot)
    played = dict[str, int]()
    for of_bot in chosen:
        for first in {alike[bot] for bot in of_bot}:
            played[first] = played.get(first, 0) + 1
    kept = sorted(sorted(played, key=lambda bot: (-played[bot], bot))[:MAX_BOTS])
    place = {bot: number for number, bot in enumerate(kept)}
    return _Field(
        bots=tuple((bot, *(other for other, first in alike.items() if other != bot == first)) for bot in kept),
        place_of=tuple(
            {version.version_id: place[alike[bot]] for bot, version in of_bot.items() if alike[bot] in place}
            for of_bot in chosen
        ),
        left_out=len(played) - len(kept),
    )


def _standing(versions: Iterable[PlayedVersion]) -> dict[str, PlayedVersion]:
    """Return the version that stands for each bot, by the names of the bots in their order."""
    found = dict[str, PlayedVersion]()
    for version in sorted(versions, key=lambda one: (one.bot, one.is_active, one.number)):
        found[version.bot] = version
    return found


def _table(
    pools: Sequence[Pool],
    evidence: Sequence[PoolEvidence],
    matches: Sequence[tuple[Counts, Mapping[str, int]]],
    field: _Field,
    fitted: FittedOverall,
    methods: Sequence[Method],
) -> OverallTable:
    from ratings.statistics.evaluation import judge, ranks_of

    listed = fitted.listed
    judged = [judge(method, evidence, matches, listed, fitted.strengths) for method in methods if len(listed)]
    figures = {place: tuple(float(one[row]) for one in judged) for row, place in enumerate(listed.tolist())}
    ranks = [ranks_of(one) for one in judged]
    places = {place: tuple(int(one[row]) for one in ranks) for row, place in enumerate(listed.tolist())}
    order = sorted(figures, key=lambda place: int(fitted.ranks[place]))
    above = {one: float(fitted.stronger[one, other]) for one, other in pairwise(order)}
    played, missing = _played(pools, evidence, len(field.bots))

    def row_of(place: int) -> OverallRow:
        name, *copies = field.bots[place]
        chance = above.get(place)
        return OverallRow(
            bot=name,
            copies=tuple(copies),
            strength=float(fitted.strengths[place]),
            low=float(fitted.lows[place]),
            high=float(fitted.highs[place]),
            rank=int(fitted.ranks[place]),
            best_rank=int(fitted.best_ranks[place]),
            worst_rank=int(fitted.worst_ranks[place]),
            above_next=None if chance is None or isnan(chance) else chance,
            matches=played[place],
            games=len(pools) - len(missing[place]),
            missing=tuple(missing[place]),
            met=float(fitted.met[place].sum()) / max(len(field.bots) - 1, 1),
            known=float(fitted.known[place]),
            group=int(fitted.groups[place]),
            figures=figures.get(place, ()),
            places=places.get(place, ()),
        )

    apart = sorted(set(range(len(field.bots))) - set(order), key=lambda place: (-float(fitted.known[place]), place))
    pairs = len(field.bots) * (len(field.bots) - 1)
    return OverallTable(
        confidence=fitted.confidence,
        pools=tuple(
            OverallPool(pool, len(one.bots), counts.matches, spread.spread, spread.low, spread.high)
            for pool, one, (counts, _), spread in zip(pools, evidence, matches, fitted.spreads, strict=True)
        ),
        methods=tuple(methods),
        rows=tuple(map(row_of, order)),
        apart=tuple(map(row_of, apart)),
        met=float(fitted.met.sum()) / max(pairs, 1),
        groups=int(fitted.groups.max()) + 1,
        share=fitted.share,
        left_out=field.left_out,
    )


def _played(
    pools: Sequence[Pool], evidence: Sequence[PoolEvidence], bots: int
) -> tuple[Sequence[int], Sequence[Sequence[str]]]:
    """Return how many matches each bot played, and the ids of the pools in which it played none, by place."""
    played, missing = [0] * bots, [list[str]() for _ in range(bots)]
    for pool, one in zip(pools, evidence, strict=True):
        for place, times in zip(one.bots.tolist(), one.matches.tolist(), strict=True):
            played[place] += times
        for place in set(range(bots)) - set(one.bots.tolist()):
            missing[place].append(pool.pool_id)
    return played, missing
