"""Leaderboards, statistics over matches, the official table, and the search for bots that help one another."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from arena.app.lookup import find_game, find_pool_id, find_version, shown_scope
from arena.app.policy import AppContext, need_organiser
from arena.model.errors import RefusedError
from arena.model.ratings import NOT_COMPARED, Anchor, FairPlay, OfficialTable, OverallTable
from engine.translatable import Text
from ratings.read import leaderboard
from ratings.read import statistics as counts
from ratings.read.leaderboard import leaderboards
from ratings.read.paging import part_of
from ratings.read.pool_lookup import find_pool, pool_value
from ratings.read.statistics import lengths
from ratings.read.statistics import names as names_of
from ratings.store.database import Database
from ratings.store.models import PoolRecord
from ratings.values.leaderboards import LeaderboardList
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.statistics import (
    MOST_IN_CROSSTABLE,
    Crosstable,
    Meeting,
    OfficialRow,
    RatingChange,
    SeatResult,
    Spread,
    Suspicion,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ratings.statistics import official_table as official

_LISTS = {False: "official table", True: "official table by circles"}
MOST_BOTS = 50


class LocalRatings:
    """Implements the interface `arena.model.port.Ratings`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def get_official_table(
        self,
        pool: str | None = None,
        anchors: tuple[Anchor, ...] = (),
        confidence: float = 0.95,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
        circles: bool = False,
    ) -> OfficialTable:
        from ratings.read.official_table_input import load_results
        from ratings.statistics.official_table import official_table

        database = self._context.database
        found = find_pool(database, find_pool_id(self._context, pool))
        fixed = {find_version(self._context, anchor.bot).version.id: anchor.elo for anchor in anchors}
        table = official_table(load_results(database, found.id), fixed, confidence, with_mixture=circles)
        order: Sequence[int] = range(len(table.rows))
        if circles:
            # Parts of the mixture have equal Elo but for what rounding leaves; they keep the order of the table.
            order = sorted(order, key=lambda row: (table.rows[row].group, -round(table.rows[row].mixture_elo or 0.0)))
        page = part_of(order, _LISTS[circles], limit, after)
        return table_value(database, found, table, page.items, next_=page.next)

    def get_overall_table(
        self,
        pools: tuple[str, ...] = (),
        games: tuple[str, ...] = (),
        methods: tuple[str, ...] = (),
        confidence: float = 0.95,
    ) -> OverallTable:
        from arena.app.overall import chosen_pools, fit_overall_table, parse_methods

        database, wanted = self._context.database, parse_methods(methods)
        return fit_overall_table(database, chosen_pools(database, pools, games), wanted, confidence)

    def list_suspicions(
        self, pool: str | None = None, alarm: float = 0.005, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Suspicion]:
        found = self.get_fair_play(pool, alarm, limit, after)
        return Page(found.suspicions, found.next)

    def get_fair_play(
        self, pool: str | None = None, alarm: float = 0.005, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> FairPlay:
        from ratings.read.official_table_input import load_results
        from ratings.statistics.fairplay_pairs import fair_play

        need_organiser(self._context.viewer, Text("look for bots that help one another"))
        database = self._context.database
        asked = find_pool(database, find_pool_id(self._context, pool))
        found = fair_play(load_results(database, asked.id), alarm)
        page = part_of(found.suspicions, "suspicions", limit, after)
        names = names_of(database, sorted({id_ for one in page.items for id_ in (one.first, one.second)}))
        return FairPlay(
            pool=pool_value(asked),
            seats=asked.seats,
            bots=found.versions,
            matches=found.matches,
            asked=found.asked,
            more_matches=found.more_matches,
            styles=found.styles,
            circles=found.circles,
            suspicions=tuple(_suspicion(one, asked.seats, names) for one in page.items),
            next=page.next,
        )


def table_value(
    database: Database,
    pool: PoolRecord,
    table: official.FittedTable,
    shown: Sequence[int],
    *,
    next_: str | None = None,
    shows_chances: bool = True,
) -> OfficialTable:
    """Return some rows of an official table as they cross the interface, by request without the chances of pairs."""
    ids = {table.rows[index].version for index in shown} | {id_ for one in table.circles.told for id_ in one.versions}
    names = names_of(database, sorted(ids | set(table.unsteady)))
    compared = shown if shows_chances else ()
    return OfficialTable(
        pool=pool_value(pool),
        confidence=table.confidence,
        matches=table.matches,
        blocks=table.blocks,
        repeats=table.repeats,
        groups=table.groups,
        dispersion=table.dispersion,
        rows=tuple(_row(table, index, compared, names) for index in shown),
        seats=table.seats,
        next=next_,
        circles=tuple(replace(one, bots=tuple(names[id_] for id_ in one.versions)) for one in table.circles.told),
        circle_count=table.circles.count,
        threes=table.circles.asked,
        unsteady=tuple(sorted(names[id_] for id_ in table.unsteady)),
    )


def _row(table: official.FittedTable, index: int, shown: Sequence[int], names: Mapping[str, str]) -> OfficialRow:
    row = table.rows[index]
    above_next = _chance(table, index, index + 1) if index + 1 < len(table.rows) else NOT_COMPARED
    return replace(
        row,
        bot=names[row.version],
        above_next=None if above_next == NOT_COMPARED else above_next,
        stronger=tuple(_chance(table, index, other) for other in shown),
    )


def _chance(table: official.FittedTable, row: int, other: int) -> float:
    chance = float(table.stronger[row, other])
    return NOT_COMPARED if row == other or isnan(chance) else chance


def _suspicion(one: Suspicion, seats: int, names: Mapping[str, str]) -> Suspicion:
    from ratings.statistics.fairplay_questions import PairQuestionKind

    first, second = names[one.first], names[one.second]
    if one.kind == PairQuestionKind.TOGETHER:
        sentence = Text("{first} and {second} do better together", first=first, second=second)
    elif seats > 2:
        sentence = Text("{second} does better beside {first}", second=second, first=first)
    else:
        sentence = Text("{second} does better against {first} than their strengths say", second=second, first=first)
    return replace(one, sentence=sentence, first=first, second=second)


class LocalLeaderboards:
    """Implements the interface `arena.model.port.Leaderboards`.

    Only whole blocks are rated, so a table never tells the future.
    """

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def list_leaderboards(
        self,
        game: str | None = None,
        seats: int | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> LeaderboardList:
        rows = leaderboard.pools(self._context.database)
        if game is not None and game not in {row.pool.game for row in rows}:
            find_game(game)  # raises if there is no such game; otherwise nothing of it was rated
        only = None if pool is None else find_pool(self._context.database, pool).id
        chosen = [
            row
            for row in rows
            if only in (None, row.pool.pool_id) and game in (None, row.pool.game) and seats in (None, row.pool.seats)
        ]
        found = leaderboards(self._context.database, chosen, limit=limit, after=after)
        return LeaderboardList(found.items, is_empty=not rows, next=found.next)


class LocalStatistics:
    """Implements the interface `arena.model.port.Statistics`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def get_crosstable(
        self, tournament: str | None = None, pool: str | None = None, limit: int = MOST_BOTS
    ) -> Crosstable:
        if limit > MOST_IN_CROSSTABLE:
            raise RefusedError(
                Text(
                    "a crosstable of {count} bots has too many pairs; ask for {most} or fewer",
                    count=limit,
                    most=MOST_IN_CROSSTABLE,
                )
            )
        scope = shown_scope(self._context, tournament, pool)
        return counts.crosstable(self._context.database, scope, limit)

    def list_history(
        self, bot: str, pool: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[RatingChange]:
        pool_id, found = find_pool_id(self._context, pool), find_version(self._context, bot)
        from ratings.read.statistics import history  # with what pages show of versions, which nothing else here needs

        return history(self._context.database, pool_id=pool_id, version_id=found.version.id, limit=limit, after=after)

    def list_opponents(
        self,
        bot: str,
        tournament: str | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> Page[Meeting]:
        scope, found = shown_scope(self._context, tournament, pool), find_version(self._context, bot)
        meetings = counts.by_opponent(self._context.database, scope, found.version.id)
        return part_of(meetings, "opponents", limit, after)

    def list_seats(
        self, bot: str | None = None, tournament: str | None = None, pool: str | None = None
    ) -> tuple[SeatResult, ...]:
        scope = shown_scope(self._context, tournament, pool)
        version_id = None if bot is None else find_version(self._context, bot).version.id
        return counts.by_seat(self._context.database, scope, version_id)

    def list_lengths(self, tournament: str | None = None, pool: str | None = None) -> tuple[Spread, ...]:
        return lengths(self._context.database, shown_scope(self._context, tournament, pool))
