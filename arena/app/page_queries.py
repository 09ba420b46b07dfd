"""What pages show of many versions of a database at once."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.app.bots import bot_summary
from arena.app.lookup import find_tournament, find_version
from arena.app.policy import AppContext
from arena.app.ratings import table_value
from arena.app.tournament_answers import walk_of
from arena.app.tournaments import summary_of
from arena.match.replay import ReplayError, dump, load
from arena.model.bots import BotSummary
from arena.model.errors import RefusedError
from arena.model.ratings import MOST_IN_OFFICIAL, Form, OfficialTable, Opponent, Record, WalkPoint
from arena.model.tournaments import SINGLE_MATCH, TournamentSummary
from arena.tournament.formats.compare import Compare
from arena.tournament.locks import players_beside
from engine.translatable import Text
from ratings.errors import ArchiveError
from ratings.read import admissions, bots, leaderboard, statistics, tournaments
from ratings.read.active_versions import list_opponents
from ratings.read.admissions import newest_versions
from ratings.read.bots import named_versions
from ratings.read.exporting import export_tournament
from ratings.read.leaderboard import Narrowing, RatedPool
from ratings.read.pool_lookup import MatchScope, find_pool
from ratings.read.tournaments import TournamentRow
from ratings.values.leaderboards import FaultCount, Leaderboard, RecentVersion, Standing
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.pools import Pool

_OPPONENTS = 20
_DEPTH = 24
"""So many matches the form of a version reaches back."""


MOST_EXPORTED = 20_000
"""So many matches a tournament may have that pages give out."""
_OF_MANIFEST = ("name", "games", "rules", "deterministic")
_WITHHELD: Mapping[str, Mapping[str, Any]] = {
    "fault": {"evidence": {}},
    "leak_check": {"evidence": {}},
    "attempt": {"evidence": None, "worker": ""},
    "owner": {"limits": None},
}
"""What stands in the columns of these tables instead of what only owners or the organiser see."""


class LocalOverview:
    """Implements the interface `arena.model.ratings.Overview`."""

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
        if by not in leaderboard.COLUMNS:
            raise RefusedError(
                Text(
                    "a leaderboard cannot be sorted by {column}; it can by {columns}",
                    column=repr(by[:40]),
                    columns=", ".join(leaderboard.COLUMNS),
                )
            )
        row, only = self._rated_pool(pool), Narrowing(name, owner)
        return leaderboard.sorted_board(
            self._context.database, row, by, is_descending=is_descending, only=only, limit=limit, after=after
        )

    def pick_leaderboard(self, pool: str, version_ids: Collection[str]) -> Leaderboard:
        return leaderboard.picked_board(self._context.database, self._rated_pool(pool), list(version_ids))

    def list_forms(self, pool: str, version_ids: Collection[str]) -> Mapping[str, Form]:
        changes = statistics.latest_changes(self._context.database, pool, version_ids, _DEPTH)
        faults = statistics.faulty_matches(self._context.database, pool, version_ids)
        return {version: _form(version, changes[version], faults.get(version, 0)) for version in version_ids}

    def list_standings(self, bot: str) -> tuple[Standing, ...]:
        found = find_version(self._context, bot).bot
        return leaderboard.standings_of_bot(self._context.database, found.id)

    def count_faults(self, pool: str, version_id: str) -> tuple[FaultCount, ...]:
        return statistics.faults_by_cause(self._context.database, pool, version_id)

    def walk_comparison(self, tournament: str, points: int) -> tuple[WalkPoint, ...]:
        return walk_of(self._context.database, find_tournament(self._context, tournament).id, points)

    def search_bots(self, text: str, limit: int = DEFAULT_LIMIT, after: str | None = None) -> Page[BotSummary]:
        page = bots.search_bots(self._context.database, text, limit=limit, after=after)
        return Page(tuple(map(bot_summary, page.items)), page.next)

    def list_newest(self, limit: int) -> tuple[RecentVersion, ...]:
        return newest_versions(self._context.database, limit)

    def list_running(self, limit: int) -> tuple[TournamentSummary, ...]:
        return self._summaries(tournaments.unfinished(self._context.database, SINGLE_MATCH, limit))

    def find_comparisons(self, bots: Sequence[str], limit: int) -> tuple[TournamentSummary, ...]:
        ids = [find_version(self._context, name).bot.id for name in bots]
        rows = tournaments.with_bots(self._context.database, Compare.traits.name, ids, limit)
        return self._summaries(rows)

    def count_matches(self, tournament: str) -> int:
        return tournaments.count_matches(self._context.database, find_tournament(self._context, tournament).id)

    def mark(self) -> int | None:
        mark = self._context.database.mark()
        # Nothing is written when a process dies that played, and yet its tournament is another one then.
        return None if mark is None else hash((mark, players_beside(self._context.database)))

    def get_record(self, pool: str, version_id: str, points: int) -> Record:
        scope = MatchScope(pool_id=pool)
        met = statistics.by_opponent(self._context.database, scope, version_id)[:_OPPONENTS]
        known = named_versions(self._context.database, [one.opponent_id for one in met])
        opponents = (
            Opponent(found.bot.name, found.version.number, one.matches, one.score)
            for one in met
            for found in [known[one.opponent_id]]
        )
        return Record(
            curve=statistics.curve(self._context.database, pool, version_id, points),
            opponents=tuple(opponents),
            seats=statistics.by_seat(self._context.database, scope, version_id),
            faults=statistics.faults_by_cause(self._context.database, pool, version_id),
        )

    def list_pools(self) -> tuple[Pool, ...]:
        return tuple(row.pool for row in leaderboard.pools(self._context.database))

    def list_opponents(self, game: str, limit: int) -> tuple[str, ...]:
        found = list_opponents(self._context.database, limit)
        return tuple(name for name, games in found if "*" in games or game in games)

    def list_unfit(self, version_ids: Collection[str]) -> frozenset[str]:
        return admissions.unfit(self._context.database, version_ids)

    def fit_official(self, pool: str) -> OfficialTable:
        from ratings.read.official_table_input import load_results
        from ratings.statistics.official_table import official_table

        database = self._context.database
        found = find_pool(database, pool)
        best = {row.version_id for row in leaderboard.table(database, pool_id=found.id, limit=MOST_IN_OFFICIAL)}
        table = official_table(load_results(database, found.id).among(best))
        return table_value(database, found, table, range(len(table.rows)), shows_chances=False)

    def export_tournament(self, tournament: str, target: Path) -> str:
        found = find_tournament(self._context, tournament)
        total = tournaments.count_matches(self._context.database, found.id)
        if total > MOST_EXPORTED:
            raise RefusedError(
                Text(
                    "tournament {name} has {total} matches, and pages give out tournaments of at most {most}; ask its "
                    "organiser for the file",
                    name=repr(found.name),
                    total=total,
                    most=MOST_EXPORTED,
                )
            )
        try:
            export_tournament(self._context.database, found, target, withhold=_withhold)
        except ArchiveError as error:
            raise RefusedError(str(error)) from error
        return found.name

    def _summaries(self, rows: Sequence[TournamentRow]) -> tuple[TournamentSummary, ...]:
        return tuple(summary_of(self._context, row) for row in rows)

    def _rated_pool(self, pool: str) -> RatedPool:
        return leaderboard.rated_pool(self._context.database, find_pool(self._context.database, pool))


def _withhold(kind: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of an exported tournament as everybody may see it: without evidence, limits, hosts and commands."""
    if kind == "replay":
        return _without_evidence(row)
    if kind == "version":
        shown = {name: value for name, value in row["manifest"].items() if name in _OF_MANIFEST}
        return {**row, "manifest": shown}
    return {**row, **_WITHHELD.get(kind, {})}


def _without_evidence(row: dict[str, Any]) -> dict[str, Any]:
    try:
        document = load(b64decode(row["data"]))
    except ReplayError:
        return row  # whoever checks the file is told
    faults = document["result"]["faults"]
    for fault in faults:
        fault["evidence"] = {}
    return {**row, "data": b64encode(dump(document)).decode()} if faults else row


def _form(version_id: str, changes: list[tuple[float, float]], faults: int) -> Form:
    if not changes:
        return Form(version_id, (), 0.0, faults)
    before, after = changes[-1]
    return Form(version_id, (changes[0][0], *(rating for _, rating in changes)), after - before, faults)
