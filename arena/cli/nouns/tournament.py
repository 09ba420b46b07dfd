"""`arena tournament`: plan, play, stop, go on, look at."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.cli.nouns.leaderboard import describe_pool
from arena.cli.shared import settings
from arena.cli.shared.conclusions import answer_facts, answer_lines, progress_note
from arena.cli.shared.host_report import LeakChecks, WarmMemory, leak_lines, leak_summary
from arena.cli.shared.hosting_options import AllowReduced, Sandbox
from arena.cli.shared.options import AsJson, Database, Workers, example
from arena.cli.shared.output import Column, format_instant, print_facts, print_json, print_table, printable
from arena.cli.shared.play import play, read_keeping
from arena.cli.shared.request import find_tournament
from arena.cli.shared.storage import find_version, open_existing_book
from arena.cli.shared.suggestions import next_command
from arena.cli.shared.tournament_table import COLUMNS, print_end, standing_facts
from arena.cli.verbs.tournament import archive
from arena.cli.verbs.tournament.run import common as formats
from arena.hosting.programs import StoredPrograms
from arena.tournament import entering
from ratings.ledger import entry as ledger
from ratings.read import queries
from ratings.read.leaks import leak_checks
from ratings.read.queries import MatchRow, TournamentRow
from ratings.store.database import read, write

app = typer.Typer(epilog=example("arena tournament list", "arena tournament run round-robin --help"))

TournamentText = Annotated[
    str, typer.Argument(metavar="TOURNAMENT", help="Its name, or its id, or a beginning or end of the id.")
]


def _row_facts(row: TournamentRow) -> dict[str, Any]:
    tournament = row.tournament
    return {
        "id": tournament.id,
        "name": tournament.name,
        "format": tournament.format,
        "status": row.status,
        "game": row.pool.game,
        "seats": row.pool.seats,
        "time_control": row.pool.time_control,
        "pool_id": row.pool.id,
        "rated": tournament.rated,
        "created_at_us": tournament.created_at_us,
        "cancelled_at_us": tournament.cancelled_at_us,
        **asdict(row.progress),
        "total": row.progress.total,
        "more_waves": row.progress.more_waves,
    }


_TOURNAMENTS = (
    Column("name", "TOURNAMENT"),
    Column("format", "FORMAT"),
    Column("game", "GAME"),
    Column("seats", "SEATS", right=True),
    Column("time_control", "TIME"),
    Column("finished", "PLAYED", right=True),
    Column("total", "MATCHES", right=True),
    Column("status", "STATUS"),
    Column("created_at_us", "PLANNED (UTC)", write=format_instant),
)


archive.add_to(app)
app.add_typer(
    formats.app,
    name="run",
    help="Plan a tournament and play it: one command for each format.",
    epilog=example("arena tournament run round-robin --game foreign_king --seats 3 --bots random,greedy,search"),
)


@app.command("list", epilog=example("arena tournament list", "arena tournament list --json"))
def list_tournaments(db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """List the tournaments, the newest first."""
    with open_existing_book(db) as book, read(book.engine) as session:
        rows = [_row_facts(row) for row in queries.list_tournaments(session)]
    print_table(
        _TOURNAMENTS, rows, as_json=as_json, empty="no tournaments yet; `arena tournament run --help` tells more"
    )


def _seats_text(seats: list[dict[str, Any]]) -> str:
    return " ".join(f"{seat['bot']}({seat['rank'] or '-'})" for seat in seats)


_MATCHES = (
    Column("position", "NO", right=True),
    Column("id", "MATCH", write=lambda id_: str(id_)[-8:]),
    Column("block", "BLOCK", right=True),
    Column("seats", "SEATS (RANK)", write=_seats_text),
    Column("plies", "PLIES", right=True),
    Column("state", "STATE"),
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


@app.command(epilog=example("arena tournament show monday", "arena tournament show monday --matches --json"))
def show(
    tournament: TournamentText,
    matches: Annotated[bool, typer.Option("--matches", help="Show every match too.")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a tournament: how far it is, standings, matches."""
    with open_existing_book(db) as book, read(book.engine) as session:
        row = queries.tournament_row(session, find_tournament(session, tournament).id)
        standings = standing_facts(session, row.tournament)
        played = [_match_facts(match) for match in queries.list_matches(session, row.tournament.id)]
        leaks = leak_checks(session, row.tournament.id)
        answer = answer_facts(session, row.tournament.id) if as_json else None
        answers = [] if as_json else answer_lines(session, row.tournament.id)
    # The secret gives the dice and piles of matches that are still to come.
    secret = row.tournament.secret if row.progress.is_over else None
    if as_json:
        facts = {**_row_facts(row), "settings": row.tournament.settings, "secret": secret}
        found = [{"bot": leak.bot, "version": leak.version.number, **leak.check.model_dump()} for leak in leaks]
        print_json({**facts, "standings": standings, "answer": answer, "matches": played, "leak_checks": found})
        return
    people = {**_people_facts(row), "leak checks": leak_summary(leaks)}
    print_facts({**people, "secret": secret or "published when it is over"})
    for line in leak_lines(leaks):
        typer.echo(line)
    typer.echo()
    print_table(COLUMNS, standings, as_json=False)
    for line in answers:
        typer.echo(line)
    shown = played if matches else [match for match in played if match["void_reason"]]
    if shown:
        typer.echo()
        print_table(_MATCHES, shown, as_json=False)
        for match in shown:
            if match["void_reason"]:
                typer.echo(f"match {match['id'][-8:]} is void: {printable(match['void_reason'])}")
    if not row.progress.is_over:
        typer.echo(f"\n`{next_command('tournament', 'resume', row.tournament.name, db=db)}` plays what is left")


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


@app.command(epilog=example("arena tournament resume monday", "arena tournament resume monday --workers 1"))
def resume(
    tournament: TournamentText,
    workers: Workers = 0,
    sandbox: Sandbox = settings.SANDBOX.default,
    allow_reduced: AllowReduced = False,
    leak_checks: LeakChecks = settings.LEAK_CHECKS.default,
    warm_memory: WarmMemory = settings.WARM_MEMORY.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Go on with a tournament that was stopped, at whatever point."""
    keeping = read_keeping(sandbox, allow_reduced=allow_reduced, leak_checks=leak_checks, warm_memory=warm_memory)
    with open_existing_book(db) as book:
        with read(book.engine) as session:
            found = find_tournament(session, tournament)
        play(book, found, workers=workers, keeping=keeping, note=lambda: progress_note(book, found))
        print_end(book, found, as_json=as_json)


@app.command(epilog=example("arena tournament cancel monday"))
def cancel(tournament: TournamentText, db: Database = settings.DB.default) -> None:
    """Give up what is not played yet; the results so far stay."""
    with open_existing_book(db) as book:
        with read(book.engine) as session:
            found = find_tournament(session, tournament)
        with write(book.engine) as session:
            cancelled = ledger.cancel(session, found.id)
    typer.echo(f"{found.name}: " + (f"{cancelled} matches will not be played" if cancelled else "over already"))


BotOfTournament = Annotated[str, typer.Argument(metavar="BOT", help="Its name, or name@hash for one version of it.")]


@app.command("join", epilog=example("arena tournament join monday random", "arena tournament join monday greedy"))
def join_tournament(tournament: TournamentText, bot: BotOfTournament, db: Database = settings.DB.default) -> None:
    """Enter a bot late into a Swiss or a ladder.

    That may be done while it runs, or before it is resumed.
    """
    with open_existing_book(db) as book:
        with read(book.engine) as session:
            find_version(session, bot)
            found = find_tournament(session, tournament)
        version, wave = entering.join(book.engine, StoredPrograms(book.store), found, bot)
        text = f"{found.name}: {bot} (version {version.number}) plays from wave {wave + 1} on"
    typer.echo(text)


@app.command("withdraw", epilog=example("arena tournament withdraw monday random"))
def withdraw_from_tournament(
    tournament: TournamentText, bot: BotOfTournament, db: Database = settings.DB.default
) -> None:
    """Take a bot out for good.

    Its blocks that are not over are void, and it is not paired any more.
    """
    with open_existing_book(db) as book:
        with read(book.engine) as session:
            found = find_tournament(session, tournament)
        version, void = entering.withdraw(book.engine, found, bot)
        text = f"{found.name}: {bot} (version {version.number}) is out; {void} matches will not be played"
    typer.echo(text)
