"""The command `arena tournament show`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.conclusions import conclusion_facts, conclusion_lines
from arena.cli.shared.host_report import leak_lines, leak_summary
from arena.cli.shared.lookup import find_tournament
from arena.cli.shared.matches import format_seats, short_match_id
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, print_facts, print_json, print_table, printable
from arena.cli.shared.paging import After, Limit, more_command, print_more, rows_wanted
from arena.cli.shared.pools import describe_pool
from arena.cli.shared.storage import open_existing_storage
from arena.cli.shared.suggestions import next_command
from arena.cli.shared.tournament_table import TOURNAMENT_COLUMNS, TournamentTable, make_table
from arena.cli.verbs.tournament.arguments import TournamentText
from arena.cli.verbs.tournament.list_ import tournament_facts
from ratings.read.leaks import LeakRow
from ratings.read.match_list import MatchFilter, MatchRow, list_matches
from ratings.read.report import TournamentReport, tournament_report
from ratings.read.tournaments import TournamentRow
from ratings.store.states import MatchState

app = typer.Typer()

_MATCHES = (
    Column("position", "NO", right=True),
    Column("id", "MATCH", write=short_match_id),
    Column("block", "BLOCK", right=True),
    Column("seats", "SEATS (RANK)", write=format_seats),
    Column("plies", "PLIES", right=True),
    Column("state", "STATE"),
)


@app.command(epilog=example("arena tournament show monday", "arena tournament show monday --matches --limit 20"))
def show(
    tournament: TournamentText,
    matches: Annotated[bool, typer.Option("--matches", help="Show its matches too, those planned last first.")] = False,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a tournament: how far it is, standings, matches.

    --limit and --after choose a page of the matches; without --matches only void ones are shown, but --json has all
    kinds, and writes the command for the next page to stderr.
    """
    with open_existing_storage(db) as storage:
        found = find_tournament(storage.database, tournament)
        report = tournament_report(storage.database, found.id)
        table = make_table(storage.database, report)
        only = MatchFilter(found.id, state=None if matches or as_json else MatchState.VOID)
        page = list_matches(storage.database, only, limit=rows_wanted(limit), after=after)
    words = ["tournament", "show", tournament, *(["--matches"] if matches else [])]
    more = more_command(*words, limit=limit, cursor=page.next, as_json=as_json, db=db)
    if as_json:
        print_json(_report_facts(report, table, page.items))
        print_more(more, as_json=True)
        return
    _print_report(report, table)
    _print_matches(page.items)
    print_more(more, as_json=False)
    if not report.row.progress.is_over:
        typer.echo(f"\n`{next_command('tournament', 'resume', found.name, db=db)}` plays what is left")


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


def _report_facts(report: TournamentReport, table: TournamentTable, matches: Sequence[MatchRow]) -> dict[str, Any]:
    return {
        **tournament_facts(report.row),
        "settings": report.row.tournament.settings,
        "secret": _secret(report),
        "standings": table.rows,
        "answer": conclusion_facts(table.conclusion),
        "matches": [_match_facts(row) for row in matches],
        "leak_counts": report.leak_counts,
        "leak_checks": [_leak_facts(row) for row in report.leak_checks],
    }


def _secret(report: TournamentReport) -> str | None:
    """Return the secret of a tournament that is over; before, it would give the dice and piles of matches to come."""
    return report.row.tournament.secret if report.row.progress.is_over else None


def _leak_facts(row: LeakRow) -> dict[str, Any]:
    check = row.check
    return {
        "bot": row.bot,
        "version": row.version.number,
        "match_id": check.match_id,
        "seat": check.seat,
        "verdict": check.verdict,
        "ply": check.ply,
        "sentence": check.sentence,
        "evidence": check.evidence,
    }


def _print_report(report: TournamentReport, table: TournamentTable) -> None:
    facts = {**_people_facts(report.row), "leak checks": leak_summary(report.leak_counts)}
    print_facts({**facts, "secret": _secret(report) or "published when it is over"})
    for line in leak_lines(report.leak_checks):
        typer.echo(line)
    typer.echo()
    print_table(TOURNAMENT_COLUMNS, table.rows, as_json=False)
    for line in conclusion_lines(table.conclusion):
        typer.echo(line)


def _print_matches(rows: Sequence[MatchRow]) -> None:
    if not rows:
        return
    typer.echo()
    print_table(_MATCHES, [_match_facts(row) for row in rows], as_json=False)
    for match in (row.match for row in rows if row.match.void_reason):
        typer.echo(f"match {short_match_id(match.id)} is void: {printable(match.void_reason or '')}")


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
