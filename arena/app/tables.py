"""The table of a tournament as its format ranks the entrants, and what the tournament has found out so far."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model.answers import BestKnown, ComparisonResult
from arena.model.tournaments import StandingRow
from arena.tournament.formats.format import FormatStanding
from arena.tournament.stored import format_of
from arena.tournament.table import table_situation
from ratings.read.report import TournamentReport
from ratings.read.tournaments import EntrantRow
from ratings.store.database import Database

_ASKING = ("adaptive", "compare")
"""The formats that ask something."""


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """The entrants of a tournament, best first, and the answer to what it asks, if it asks anything."""

    rows: tuple[StandingRow, ...]
    best: BestKnown | None = None
    comparison: ComparisonResult | None = None


def make_table(database: Database, report: TournamentReport) -> TournamentTable:
    """Return the table of a tournament, given how all its entrants fared."""
    form, entrants = format_of(report.row.tournament, report.row.pool), report.entrants
    if form is None:  # a single match has no format, and so no blocks, points and status to tell
        return TournamentTable(tuple(_unranked(place, row) for place, row in enumerate(entrants, start=1)))
    situation, rows = table_situation(database, form, report), {row.version_id: row for row in entrants}
    # Entrants stay, but one may have joined since the report was read.
    ranked = tuple(_ranked(rows[line.entrant], line) for line in form.standings(situation) if line.entrant in rows)
    if form.name not in _ASKING:
        return TournamentTable(ranked)
    from arena.app.answers import best_known, comparison_in  # two formats with their statistics

    return TournamentTable(ranked, best_known(database, form, situation, report), comparison_in(form, situation))


def _unranked(place: int, row: EntrantRow) -> StandingRow:
    return _line(row, place=place, blocks=0, points=0, score=row.score, status="")


def _ranked(row: EntrantRow, standing: FormatStanding) -> StandingRow:
    return _line(
        row,
        place=standing.place,
        blocks=standing.blocks,
        points=standing.points,
        score=standing.score,
        status=standing.status,
    )


def _line(row: EntrantRow, *, place: int, blocks: int, points: int, score: float, status: str) -> StandingRow:
    return StandingRow(
        place=place,
        version_id=row.version_id,
        bot=row.bot,
        number=row.number,
        content_hash=row.content_hash,
        matches=row.matches,
        **row.firsts._asdict(),
        blocks=blocks,
        points=points,
        score=score,
        forfeits=row.forfeits,
        status=status,
    )
