"""The command `arena tournament show`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.conclusions import conclusion_facts, conclusion_lines
from arena.cli.shared.host_report import leak_lines, leak_summary
from arena.cli.shared.lookup import find_tournament
from arena.cli.shared.matches import format_seats, short_match_id
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, print_facts, print_json, print_table, printable
from arena.cli.shared.pools import describe_pool
from arena.cli.shared.storage import Storage, open_existing_storage
from arena.cli.shared.suggestions import next_command
from arena.cli.shared.tournament_table import TOURNAMENT_COLUMNS, TournamentTable, read_table
from arena.cli.verbs.tournament.arguments import TournamentText
from arena.cli.verbs.tournament.list_ import tournament_facts
from ratings.read import queries
from ratings.read.leaks import LeakRow, leak_checks
from ratings.read.queries import MatchRow, TournamentRow
from ratings.store.database import read

app = typer.Typer()

_MATCHES = (
    Column("position", "NO", right=True),
    Column("id", "MATCH", write=short_match_id),
    Column("block", "BLOCK", right=True),
    Column("seats", "SEATS (RANK)", write=format_seats),
    Column("plies", "PLIES", right=True),
    Column("state", "STATE"),
)


@dataclass(frozen=True, slots=True)
class _Report:
    """All that is shown of a tournament, from one consistent view of the database."""

    row: TournamentRow
    table: TournamentTable
    matches: list[dict[str, Any]]
    leaks: list[LeakRow]

    @property
    def secret(self) -> str | None:
        """Return the secret of a tournament that is over: it gives the dice and piles of all matches to come."""
        return self.row.tournament.secret if self.row.progress.is_over else None


@app.command(epilog=example("arena tournament show monday", "arena tournament show monday --matches --json"))
def show(
    tournament: TournamentText,
    matches: Annotated[bool, typer.Option("--matches", help="Show every match too.")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a tournament: how far it is, standings, matches."""
    with open_existing_storage(db) as storage:
        report = _read_report(storage, tournament)
    if as_json:
        print_json(_report_facts(report))
        return
    _print_report(report)
    _print_matches([match for match in report.matches if matches or match["void_reason"]])
    if not report.row.progress.is_over:
        typer.echo(f"\n`{next_command('tournament', 'resume', report.row.tournament.name, db=db)}` plays what is left")


def _read_report(storage: Storage, tournament: str) -> _Report:
    found = find_tournament(storage.database, tournament)
    with read(storage.database) as session:
        row = queries.tournament_row(session, found.id)
        return _Report(
            row,
            read_table(session, row.tournament),
            [_match_facts(match) for match in queries.list_matches(session, row.tournament.id)],
            leak_checks(session, row.tournament.id),
        )


def _match_facts(row: MatchRow) -> dict[str, Any]:
    match = row.match
    return {
        "id": match.id,
        "position": match.position + 1,
        "block": row.block_index,
        "rotation": match.rotation,
        "seats": [{"bot": bot, "rank": rank} for bot, rank in row.seats],
        "plies": match.plies,
        "decisions": match.decisions,
        "state": match.state.value,
        "void_reason": match.void_reason,
        "game_digest": match.game_digest,
        "sandbox": match.sandbox,
    }


def _report_facts(report: _Report) -> dict[str, Any]:
    leaks = [{"bot": leak.bot, "version": leak.version.number, **leak.check.model_dump()} for leak in report.leaks]
    return {
        **tournament_facts(report.row),
        "settings": report.row.tournament.settings,
        "secret": report.secret,
        "standings": report.table.rows,
        "answer": conclusion_facts(report.table.conclusion),
        "matches": report.matches,
        "leak_checks": leaks,
    }


def _print_report(report: _Report) -> None:
    facts = {**_people_facts(report.row), "leak checks": leak_summary(report.leaks)}
    print_facts({**facts, "secret": report.secret or "published when it is over"})
    for line in leak_lines(report.leaks):
        typer.echo(line)
    typer.echo()
    print_table(TOURNAMENT_COLUMNS, report.table.rows, as_json=False)
    for line in conclusion_lines(report.table.conclusion):
        typer.echo(line)


def _print_matches(matches: Sequence[dict[str, Any]]) -> None:
    if not matches:
        return
    typer.echo()
    print_table(_MATCHES, matches, as_json=False)
    for match in matches:
        if match["void_reason"]:
            typer.echo(f"match {short_match_id(match['id'])} is void: {printable(match['void_reason'])}")


def _people_facts(row: TournamentRow) -> dict[str, Any]:
    tournament, progress = row.tournament, row.progress
    void = f", {progress.void} void" if progress.void else ""
    more = ", further waves to come" if progress.more_waves else ""
    return {
        "tournament": tournament.name,
        "id": tournament.id,
        "format": tournament.format,
        "pool": describe_pool(row.pool),
        "rated": "yes" if tournament.rated else "no",
        "status": f"{row.status}, {progress.finished} of {progress.total} matches played{void}{more}",
        "opening": f"{tournament.settings['opening_plies']} random plies",
        "seed": tournament.settings["seed"],
    }
