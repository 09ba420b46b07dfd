"""The table of a tournament as its format ranks the entrants, and what a command prints when a tournament is over."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import typer

from arena.cli.shared.conclusions import Conclusion, conclusion_lines, find_conclusion
from arena.cli.shared.output import Column, format_percent, print_table
from arena.cli.shared.storage import Storage
from arena.cli.shared.suggestions import next_command
from arena.tournament.formats.format import Standing
from arena.tournament.stored import format_of
from arena.tournament.table import table_situation
from ratings.read.report import TournamentReport, tournament_report
from ratings.read.tournaments import EntrantRow
from ratings.store.database import Database
from ratings.store.models import Tournament

TOURNAMENT_COLUMNS = (
    Column("place", "PLACE", right=True),
    Column("bot", "BOT"),
    Column("number", "VERSION", right=True),
    Column("matches", "MATCHES", right=True),
    Column("wins", "WINS", right=True),
    Column("blocks", "BLOCKS", right=True),
    Column("points", "POINTS", right=True),
    Column("score", "SCORE", right=True, write=format_percent),
    Column("forfeits", "FORFEITS", right=True),
    Column("status", "NOTE"),
)
"""Blocks, points and score count whole blocks only; matches, wins and forfeits count all that was played."""


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """The entrants of a tournament as rows, best first, and what the tournament has found out so far."""

    rows: list[dict[str, Any]]
    conclusion: Conclusion | None


def make_table(database: Database, report: TournamentReport) -> TournamentTable:
    """Return the table of a tournament, given how all its entrants fared."""
    rows = {row.version_id: _facts(row) for row in report.entrants}
    form = format_of(report.row.tournament, report.row.pool)
    if form is None:  # a single match has no format, and so no blocks, points and status to tell
        none = {"blocks": 0, "points": 0, "status": ""}
        unranked = [{"place": place, **row, **none} for place, row in enumerate(rows.values(), start=1)]
        return TournamentTable(unranked, None)
    situation = table_situation(database, form, report)
    # Entrants stay, but one may have joined since the report was read.
    ranked = [_ranked(rows[row.entrant], row) for row in form.standings(situation) if row.entrant in rows]
    return TournamentTable(ranked, find_conclusion(database, form, situation))


def _facts(row: EntrantRow) -> dict[str, Any]:
    return {key: value for key, value in asdict(row).items() if key != "whole"}


def _ranked(row: dict[str, Any], standing: Standing) -> dict[str, Any]:
    return {
        **row,
        "place": standing.place,
        "blocks": standing.blocks,
        "points": standing.points,
        "score": standing.score,
        "status": standing.status,
    }


def print_end(storage: Storage, tournament: Tournament, *, as_json: bool = False) -> None:
    """Print the table and the conclusion of a tournament, and where to look next."""
    table = make_table(storage.database, tournament_report(storage.database, tournament.id))
    print_table(TOURNAMENT_COLUMNS, table.rows, as_json=as_json)
    if not as_json:
        for line in conclusion_lines(table.conclusion):
            typer.echo(line)
        typer.echo(f"\n`{next_command('leaderboard', db=storage.place)}` shows the ratings")
        show = next_command("tournament", "show", tournament.name, "--matches", db=storage.place)
        typer.echo(f"`{show}` shows the matches")
