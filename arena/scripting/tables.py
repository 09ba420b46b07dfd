"""Tables of typed rows, as notebooks and scripts get them: leaderboards, official ratings, crosstables, lists.

They are printed as text, shown in HTML, and made frames of pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from html import escape
from typing import Any, Final, Generic, TypeVar, overload

from arena.model.bots import BotSummary
from arena.model.matches import MatchSummary
from arena.model.pool_options import special_options
from arena.model.ratings import NOT_COMPARED, OfficialTable, OverallTable
from arena.model.table_columns import (
    BOTS,
    LEADERBOARD,
    MATCHES,
    MIXTURE,
    OFFICIAL,
    OPPONENTS,
    OVERALL,
    STANDINGS,
    TOGETHER,
    TOURNAMENTS,
    Column,
    ColumnKind,
    pick,
    without,
)
from arena.model.tournaments import StandingRow, TournamentSummary
from arena.scripting.errors import need_package
from ratings.values.leaderboards import Leaderboard, LeaderboardRow
from ratings.values.pools import Pool
from ratings.values.statistics import Crosstable, Meeting, OfficialRow, OverallRow

T = TypeVar("T")

_MOST_SHOWN = 100
"""So many rows are shown; the table has them all."""
_SHOWN_DIGITS = 8
_HEADINGS: Final[Mapping[str, str]] = {"ended": "end", "note": "", "progress": "matches", "seats_rank": "bots"}
"""What stands above columns that are not called by their titles."""


_WRITERS: Final[Mapping[ColumnKind, Callable[[Any], str]]] = {
    ColumnKind.WORDS: ", ".join,
    ColumnKind.MATCH: lambda match_id: match_id[-_SHOWN_DIGITS:],
    ColumnKind.VERSION: lambda version: version[0][:_SHOWN_DIGITS],
    ColumnKind.PLAYERS: lambda seats: ", ".join(
        f"{seat.bot} ({seat.rank or '-'}{f' {seat.fault}' if seat.fault else ''})" for seat in seats
    ),
    ColumnKind.SHARE: "{:.3f}".format,
    ColumnKind.CHANCE: "{:.0%}".format,
    ColumnKind.RATING: "{:.2f}".format,
    ColumnKind.ELO: "{:.0f}".format,
}
"""How the kinds of columns are written that do not stand there as they are."""


@dataclass(frozen=True, slots=True, repr=False)
class ResultTable(Sequence[T], Generic[T]):
    """Rows of one type in their order. `rows` are the values themselves; every field of theirs is in `to_pandas()`."""

    title: str
    rows: tuple[T, ...]
    kind: type[T]
    """What each row is."""
    columns: tuple[Column, ...] = field(compare=False)
    """What is shown of it."""
    notes: tuple[str, ...] = ()
    """What is said below it."""

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each row and a column for each field. Raises MissingPackageError."""
        names = [one.name for one in fields(self.kind)]  # type: ignore[arg-type]
        return data_frame([[getattr(row, name) for name in names] for row in self.rows], names)

    def _repr_html_(self) -> str:
        return html_table(self.title, *self._cells(), self.notes)

    def __repr__(self) -> str:
        return text_table(self.title, *self._cells(), self.notes)

    def _cells(self) -> tuple[list[str], list[list[str]], list[bool]]:
        heads = [
            column.title if column.is_name else _HEADINGS.get(column.title, column.title.replace("_", " "))
            for column in self.columns
        ]
        writers = [column.write or _WRITERS.get(column.kind, str) for column in self.columns]
        cells = [
            [
                "-" if (value := column.value(row)) is None else write(value)
                for column, write in zip(self.columns, writers, strict=True)
            ]
            for row in self.rows
        ]
        return heads, cells, [column.right for column in self.columns]


def data_frame(rows: Sequence[Sequence[Any]], columns: Sequence[str], index: Sequence[str] | None = None) -> Any:
    """Return a DataFrame. Raises MissingPackageError if pandas is not installed."""
    pandas = need_package("pandas", "DataFrame", "to_pandas()", "install it: pip install pandas")
    return pandas.DataFrame([list(row) for row in rows], columns=list(columns), index=index)


def html_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], notes: Sequence[str] = ()
) -> str:
    """Return a table in HTML; whatever stands in it is escaped."""
    aligned = ["right" if one else "left" for one in right]
    head = "".join(_cell("th", text, side) for text, side in zip(heads, aligned, strict=True))
    body = "".join(
        "<tr>" + "".join(_cell("td", text, side) for text, side in zip(row, aligned, strict=True)) + "</tr>"
        for row in rows[:_MOST_SHOWN]
    )
    below = "".join(f"<p>{escape(note)}</p>" for note in [*_cut(len(rows)), *notes])
    return (
        f'<div><table><caption style="caption-side:top;text-align:left"><b>{escape(title)}</b></caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


def text_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], notes: Sequence[str] = ()
) -> str:
    """Return a table as lines of text; what cannot be printed is shown as escapes."""
    shown = [[_printable(text) for text in row] for row in [heads, *rows[:_MOST_SHOWN]]]
    widths = [max(len(row[place]) for row in shown) for place in range(len(heads))]
    lines = [
        "  ".join(
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in shown
    ]
    return "\n".join([_printable(title), *lines, *_cut(len(rows)), *map(_printable, notes)])


def _cell(tag: str, text: str, side: str) -> str:
    return f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>'


def _cut(rows: int) -> list[str]:
    return [f"... {rows - _MOST_SHOWN} more rows"] if rows > _MOST_SHOWN else []


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


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
class OverallRatings(ResultTable[OverallRow]):
    """One table over several games, the best first; bots that played too little are in `table.apart`."""

    table: OverallTable
    """All that is known besides: the pools and their spreads, and who was not compared."""


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
    columns = without(OFFICIAL, *MIXTURE, *(["group"] if table.groups < 2 else []))
    notes = [f"intervals hold with {table.confidence:.0%}"] if table.rows else []
    if table.groups > 1:
        notes.append(f"the field has {table.groups} parts that never met; only within each can numbers be compared")
    title = f"Official table: {pool_text(table.pool)}, {table.matches} matches in {table.blocks} blocks"
    return OfficialRatings(title, table.rows, OfficialRow, columns, tuple(notes), table=table)


def _place(at: int, row: OverallRow) -> int:
    return row.places[at]


def overall_table(table: OverallTable) -> OverallRatings:
    """Return a table over several games as a table."""
    places = [
        Column(name, name, ColumnKind.PLACE, is_name=True, of=partial(_place, at))
        for at, name in enumerate(table.methods)
    ]
    notes = [f"intervals hold with {table.confidence:.0%}; strengths in standard deviations of those in a game"]
    notes.append(f"{table.met:.0%} of the pairs of bots met in some game")
    if table.apart:
        notes.append(f"played too little: {', '.join(row.bot for row in table.apart)}")
    if table.groups > 1:
        notes.append(f"the field has {table.groups} parts that never met; between them nothing is compared")
    title = f"One table over {len(table.pools)} pools: {'; '.join(pool_text(one.pool) for one in table.pools)}"
    return OverallRatings(title, table.rows, OverallRow, (*OVERALL, *places), tuple(notes), table=table)


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
    words = [pool.game, f"{pool.seats} seats", pool.time_control, *more, pool.own_method, *options]
    return ", ".join(filter(None, words))
