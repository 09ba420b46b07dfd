"""The tables that an arena gives: leaderboards, official ratings, crosstables, lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from arena.model.bots import BotSummary
from arena.model.columns import (
    BOTS,
    LEADERBOARD,
    MATCHES,
    MIXTURE,
    OFFICIAL,
    OPPONENTS,
    STANDINGS,
    TOGETHER,
    TOURNAMENTS,
    pick,
    without,
)
from arena.model.matches import MatchSummary
from arena.model.pools import special_options
from arena.model.ratings import NOT_COMPARED, OfficialTable
from arena.model.tournaments import StandingRow, TournamentSummary
from arena.scripting.tables import ResultTable, data_frame, html_table, text_table
from ratings.values.leaderboards import Leaderboard, LeaderboardRow
from ratings.values.pools import Pool
from ratings.values.statistics import Crosstable, Meeting, OfficialRow


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class RatedTable(ResultTable[LeaderboardRow]):
    """A leaderboard: the ratings of a pool, the best first."""

    pool: Pool
    matches: int
    """How many matches were rated in it."""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class OfficialRatings(ResultTable[OfficialRow]):
    """The official table of a pool: one joint fit of all its matches, with intervals, the best first."""

    table: OfficialTable
    """All that is known besides: seats, circles, how sure which one is stronger."""

    def stronger(self) -> Any:
        """Return a DataFrame with the chance that the bot of a row is stronger than that of a column, else None."""
        names = [row.bot for row in self.rows]
        chances = [[None if one == NOT_COMPARED else one for one in row.stronger] for row in self.rows]
        return data_frame(chances, names, names)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ScoreMatrix(ResultTable[Meeting]):
    """A crosstable: the rows are the ordered pairs that met; it is shown as a square, the best first."""

    bots: tuple[str, ...]
    """What the versions are called, the best first."""

    def to_pandas(self) -> Any:
        """Return the square as a DataFrame: the score, 0 to 1, of a row's bot against a column's. See `pairs`."""
        return data_frame(self._scores(), self.bots, self.bots)

    def pairs(self) -> Any:
        """Return a DataFrame with a row for each ordered pair: matches, points, wins, ties, losses."""
        return ResultTable.to_pandas(self)

    def _scores(self) -> list[list[float | None]]:
        scores = {(one.bot, one.opponent): one.score for one in self.rows}
        return [[scores.get((bot, other)) for other in self.bots] for bot in self.bots]

    def _square(self) -> tuple[list[str], list[list[str]], list[bool]]:
        written = [["-" if score is None else f"{score:.3f}" for score in row] for row in self._scores()]
        rows = [[bot, *row] for bot, row in zip(self.bots, written, strict=True)]
        return ["bot", *self.bots], rows, [False, *(True for _ in self.bots)]

    def _repr_html_(self) -> str:
        return html_table(self.title, *self._square(), self.notes)

    def __repr__(self) -> str:
        return text_table(self.title, *self._square(), self.notes)


def leaderboard_table(board: Leaderboard) -> RatedTable:
    """Return a leaderboard as a table."""
    columns = without(LEADERBOARD, "owner", *TOGETHER)
    notes = (f"{board.behind} matches are still to be rated anew",) if board.behind else ()
    title = f"Leaderboard: {pool_text(board.pool)}, {board.matches} matches"
    return RatedTable(title, board.table, LeaderboardRow, columns, notes, pool=board.pool, matches=board.matches)


def official_table(table: OfficialTable) -> OfficialRatings:
    """Return an official table as a table."""
    columns = without(OFFICIAL, *MIXTURE)
    notes = [f"intervals hold with {table.confidence:.0%}"] if table.rows else []
    if table.groups > 1:
        notes.append(f"the field has {table.groups} parts that never met; only within each can numbers be compared")
    title = f"Official table: {pool_text(table.pool)}, {table.matches} matches in {table.blocks} blocks"
    return OfficialRatings(title, table.rows, OfficialRow, columns, tuple(notes), table=table)


def crosstable(found: Crosstable, title: str) -> ScoreMatrix:
    """Return a crosstable as a table."""
    notes = ("the score of a row's bot against a column's; a tie counts half",)
    names = tuple(version.name for version in found.versions)
    return ScoreMatrix(title, found.meetings, Meeting, OPPONENTS, notes, bots=names)


def standings_table(name: str, rows: Iterable[StandingRow], notes: Iterable[str] = ()) -> ResultTable[StandingRow]:
    """Return the table of a tournament."""
    columns = pick(STANDINGS, "place", "bot", "version", "points", "score", "matches", "wins", "forfeits", "note")
    return ResultTable(name, tuple(rows), StandingRow, columns, tuple(notes))


def bots_table(rows: Iterable[BotSummary]) -> ResultTable[BotSummary]:
    """Return the list of the bots."""
    columns = pick(BOTS, "bot", "versions", "newest", "games")
    return ResultTable("Bots", tuple(rows), BotSummary, columns)


def tournaments_table(rows: Iterable[TournamentSummary]) -> ResultTable[TournamentSummary]:
    """Return the list of the tournaments."""
    columns = pick(TOURNAMENTS, "tournament", "format", "game", "seats", "status", "progress")
    return ResultTable("Tournaments", tuple(rows), TournamentSummary, columns)


def matches_table(rows: Iterable[MatchSummary]) -> ResultTable[MatchSummary]:
    """Return a list of matches."""
    columns = pick(MATCHES, "match", "tournament", "seats_rank", "state", "plies")
    notes = ("in brackets the rank, and what a bot was at fault for",)
    return ResultTable("Matches", tuple(rows), MatchSummary, columns, notes)


def pool_text(pool: Pool) -> str:
    """Return what a pool is, such as `foreign_king, 2 seats, 100ms`; of its options those that are unusual."""
    options = [f"{name}={value}" for name, value in special_options(pool).items()]
    more = ([f"{pool.cores} cores"] if pool.cores > 1 else []) + (["remote"] if pool.remote else [])
    return ", ".join([pool.game, f"{pool.seats} seats", pool.time_control, *more, *options])
