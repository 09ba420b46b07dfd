"""What pages show of many versions of a database at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict

from arena.app.bots import bot_summary
from arena.app.leaderboards import board_value
from arena.app.lookup import find_tournament, find_version, pool_value
from arena.app.policy import AppContext
from arena.app.ratings import table_value
from arena.app.standings import walk_of
from arena.app.tournaments import summary_of
from arena.model.bots import BotSummary
from arena.model.errors import RefusedError
from arena.model.leaderboards import Leaderboard
from arena.model.overview import (
    MOST_IN_OFFICIAL,
    CurvePoint,
    FaultCount,
    Form,
    NewVersion,
    Opponent,
    Record,
    Standing,
    WalkPoint,
)
from arena.model.page import DEFAULT_LIMIT, Page
from arena.model.pools import Pool
from arena.model.ratings import OfficialTable
from arena.model.statistics import SeatResult
from arena.model.tournaments import SINGLE_MATCH, TournamentSummary
from arena.tournament.formats.compare import Compare
from arena.tournament.playing import players_beside
from engine.text import Text
from ratings.read import admissions, bots, crosstable, forms, leaderboard, sorting, tournaments
from ratings.read.bots import named_versions
from ratings.read.leaderboard import PoolRow
from ratings.read.newest import NewestRow, newest_versions
from ratings.read.opponents import list_opponents
from ratings.read.pools import find_pool
from ratings.read.scope import Scope
from ratings.read.sorting import Narrowing, StandingRow
from ratings.read.tournaments import TournamentRow
from ratings.store.database import Database

_OPPONENTS = 20
_DEPTH = 24
"""So many matches the form of a version reaches back."""


class LocalOverview:
    """Implements the interface `arena.model.overview.Overview`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def sort_leaderboard(
        self,
        pool: str,
        by: str,
        *,
        is_descending: bool = True,
        name: str = "",
        owner: str = "",
        limit: int = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> Leaderboard:
        if by not in sorting.COLUMNS:
            raise RefusedError(
                Text(
                    "app.leaderboard_cannot_sorted_can",
                    "a leaderboard cannot be sorted by {column}; it can by {columns}",
                    column=repr(by[:40]),
                    columns=", ".join(sorting.COLUMNS),
                )
            )
        row, only = self._pool_row(pool), Narrowing(name, owner)
        board = sorting.sorted_board(
            self._context.database, row, by, is_descending=is_descending, only=only, limit=limit, after=after
        )
        return board_value(board)

    def pick_leaderboard(self, pool: str, version_ids: Collection[str]) -> Leaderboard:
        row = self._pool_row(pool)
        lines = sorting.picked_lines(self._context.database, row, list(version_ids))
        lag = leaderboard.behind(self._context.database, row.pool.id)
        return board_value(leaderboard.Leaderboard(row, lines, lag))

    def list_forms(self, pool: str, version_ids: Collection[str]) -> Mapping[str, Form]:
        changes = forms.latest_changes(self._context.database, pool, version_ids, _DEPTH)
        faults = forms.faulty_matches(self._context.database, pool, version_ids)
        return {version: _form(version, changes[version], faults.get(version, 0)) for version in version_ids}

    def list_standings(self, bot: str) -> tuple[Standing, ...]:
        found = find_version(self._context, bot).bot
        return tuple(map(_standing, sorting.standings_of_bot(self._context.database, found.id)))

    def count_faults(self, pool: str, version_id: str) -> tuple[FaultCount, ...]:
        rows = forms.faults_by_cause(self._context.database, pool, version_id)
        return tuple(FaultCount(**asdict(row)) for row in rows)

    def walk_comparison(self, tournament: str, points: int) -> tuple[WalkPoint, ...]:
        return walk_of(self._context.database, find_tournament(self._context, tournament).id, points)

    def search_bots(self, text: str, limit: int = DEFAULT_LIMIT, after: str | None = None) -> Page[BotSummary]:
        page = bots.search_bots(self._context.database, text, limit=limit, after=after)
        return Page(tuple(map(bot_summary, page.items)), page.next)

    def list_newest(self, limit: int) -> tuple[NewVersion, ...]:
        return tuple(map(_new_version, newest_versions(self._context.database, limit)))

    def list_running(self, limit: int) -> tuple[TournamentSummary, ...]:
        return self._summaries(tournaments.unfinished(self._context.database, SINGLE_MATCH, limit))

    def find_comparisons(self, bots: Sequence[str], limit: int) -> tuple[TournamentSummary, ...]:
        ids = [find_version(self._context, name).bot.id for name in bots]
        rows = tournaments.with_bots(self._context.database, Compare.name, ids, limit)
        return self._summaries(rows)

    def count_matches(self, tournament: str) -> int:
        return tournaments.count_matches(self._context.database, find_tournament(self._context, tournament).id)

    def mark(self) -> int | None:
        mark = self._context.database.mark()
        # Nothing is written when a process dies that played, and yet its tournament is another one then.
        return None if mark is None else hash((mark, players_beside(self._context.database)))

    def get_record(self, pool: str, version_id: str, points: int) -> Record:
        return record_of(self._context.database, pool, version_id, points)

    def list_pools(self) -> tuple[Pool, ...]:
        return tuple(pool_value(row.pool) for row in leaderboard.pools(self._context.database))

    def list_opponents(self, game: str, limit: int) -> tuple[str, ...]:
        found = list_opponents(self._context.database, limit)
        return tuple(name for name, games in found if "*" in games or game in games)

    def list_unfit(self, version_ids: Collection[str]) -> frozenset[str]:
        return admissions.unfit(self._context.database, version_ids)

    def fit_official(self, pool: str) -> OfficialTable:
        from ratings.read.loading import load_results
        from ratings.statistics.official.table import official_table

        database = self._context.database
        found = find_pool(database, pool)
        best = {row.version_id for row in leaderboard.table(database, pool_id=found.id, limit=MOST_IN_OFFICIAL)}
        table = official_table(load_results(database, found.id).among(best))
        return table_value(database, found, table, range(len(table.rows)), shows_chances=False)

    def _summaries(self, rows: Sequence[TournamentRow]) -> tuple[TournamentSummary, ...]:
        return tuple(summary_of(self._context, row) for row in rows)

    def _pool_row(self, pool: str) -> PoolRow:
        return leaderboard.pool_row(self._context.database, find_pool(self._context.database, pool))


def _form(version_id: str, changes: list[tuple[float, float]], faults: int) -> Form:
    if not changes:
        return Form(version_id, (), 0.0, faults)
    before, after = changes[-1]
    return Form(version_id, (changes[0][0], *(rating for _, rating in changes)), after - before, faults)


def _new_version(row: NewestRow) -> NewVersion:
    return NewVersion(
        bot=row.bot.name,
        number=row.version.number,
        created_at_us=row.version.created_at_us,
        remote=row.bot.remote,
        is_gone=row.version.withdrawn_at_us is not None or row.bot.disabled_at_us is not None,
        plays=row.is_active or row.owner is None,
        admission=row.admission,
    )


def _standing(row: StandingRow) -> Standing:
    pool, rating = pool_value(row.pool), row.rating
    return Standing(
        pool=pool,
        version_id=rating.version_id,
        number=row.number,
        content_hash=rating.content_hash,
        rank=row.rank,
        of=row.of,
        mu=rating.mu,
        sigma=rating.sigma,
        exposure=rating.exposure,
        matches=rating.matches,
        wins=rating.wins,
        shared=rating.shared,
        draws=rating.draws,
        score=rating.points / (2 * rating.matches * (pool.seats - 1)),
    )


def record_of(database: Database, pool_id: str, version_id: str, points: int) -> Record:
    """Return the record of a version, its curve thinned to about so many points."""
    scope = Scope(pool_id=pool_id)
    met = crosstable.by_opponent(database, scope, version_id)[:_OPPONENTS]
    known = named_versions(database, [one.opponent_id for one in met])
    opponents = (
        Opponent(found.bot.name, found.version.number, one.matches, one.score)
        for one in met
        for found in [known[one.opponent_id]]
    )
    return Record(
        curve=tuple(
            CurvePoint(row.matches, row.mu, row.sigma) for row in forms.curve(database, pool_id, version_id, points)
        ),
        opponents=tuple(opponents),
        seats=tuple(SeatResult(**asdict(row)) for row in crosstable.by_seat(database, scope, version_id)),
        faults=tuple(FaultCount(**asdict(row)) for row in forms.faults_by_cause(database, pool_id, version_id)),
    )
