"""`arena tournament`: list, standings, leaks, cancel, join, withdraw. The other verbs stand in `verbs/tournament`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect, next_command
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, BotText, Database, TournamentText, example
from arena.cli.shared.paging import After, Limit, ask_for, more_command, print_page, rows_wanted
from arena.model.table_columns import LEAK_FINDINGS, STANDINGS, TOURNAMENTS, without, without_empty
from arena.model.tournaments import STOPPED

if TYPE_CHECKING:
    from arena.model.tournaments import TournamentSummary


app = typer.Typer(epilog=example("arena tournament list", "arena tournament run round-robin --help"))
VERBS = {
    "export": "archive",
    "import": "archive",
    "list": None,
    "show": "show",
    "watch": "watch",
    "standings": None,
    "leaks": None,
    "resume": "run",
    "cancel": None,
    "join": None,
    "withdraw": None,
    "run": "run",
}
_COLUMNS = without(TOURNAMENTS, "progress")


@app.command("list", epilog=example("arena tournament list", "arena tournament list --limit 10 --json"))
def list_tournaments(
    limit: Limit = paging.DEFAULT, after: After = None, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """List the tournaments, newest first."""
    with connect(db) as connection:
        page, rest = ask_for(connection.arena.tournaments.list_tournaments, limit, after)
        more = more_command("tournament", "list", limit=limit, cursor=page.next, as_json=as_json, db=db)
        empty = say("cli_tournament.none_yet")
        seen = set[str]()
        rows = list(_noting(page.items, seen))
        columns = _COLUMNS if any(row.played_by for row in rows) else without(_COLUMNS, "played_by")
        print_page(columns, rows, more, as_json=as_json, empty=empty, rest=_noting(rest, seen))
    if not as_json and STOPPED in seen:
        typer.echo(say("cli_tournament.resumes", command=next_command("tournament", "resume", "NAME", db=db)))


def _noting(page: Iterable[TournamentSummary], seen: set[str]) -> Iterator[TournamentSummary]:
    """Yield the tournaments, and add to `seen` what the status of each is."""
    for summary in page:
        seen.add(summary.status)
        yield summary


@app.command(epilog=example("arena tournament standings monday", "arena tournament standings monday --limit 500"))
def standings(
    tournament: TournamentText,
    limit: paging.Best = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show the table of a tournament page by page."""
    with connect(db) as connection:
        page = connection.arena.tournaments.list_standings(tournament, rows_wanted(limit), after)
    words = ("tournament", "standings", tournament)
    more = more_command(*words, limit=limit, cursor=page.next, as_json=as_json, db=db)
    columns = without_empty(STANDINGS, page.items)
    print_page(columns, page.items, more, as_json=as_json, empty=say("cli_tournament.nobody_yet"))


@app.command(epilog=example("arena tournament leaks monday", "arena tournament leaks monday --limit 0 --json"))
def leaks(
    tournament: TournamentText,
    limit: Annotated[int, typer.Option("--limit", min=0, metavar="N")] = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show the results of leak checks, match by match."""
    with connect(db) as connection:
        page = connection.arena.tournaments.list_leak_checks(tournament, rows_wanted(limit), after)
    more = more_command("tournament", "leaks", tournament, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_page(LEAK_FINDINGS, page.items, more, as_json=as_json, empty=say("cli_tournament.no_leak_checks"))


@app.command(epilog=example("arena tournament cancel monday"))
def cancel(tournament: TournamentText, db: Database = settings.DB.default) -> None:
    """Cancel the matches that are not played yet; the results so far stay."""
    with connect(db) as connection:
        done = connection.arena.tournaments.cancel_tournament(tournament)
    typer.echo(
        f"{done.tournament}: "
        + (say("cli_tournament.not_played", count=done.matches) if done.matches else say("cli_tournament.over_already"))
    )


@app.command(epilog=example("arena tournament join monday random", "arena tournament join monday greedy"))
def join(tournament: TournamentText, bot: BotText, db: Database = settings.DB.default) -> None:
    """Enter a bot late into a Swiss tournament or a ladder."""
    with connect(db) as connection:
        joined = connection.arena.tournaments.join_tournament(tournament, bot)
    typer.echo(
        say("cli_tournament.joins", tournament=joined.tournament, bot=bot, version=joined.number, wave=joined.wave + 1)
    )


@app.command(epilog=example("arena tournament withdraw monday random"))
def withdraw(tournament: TournamentText, bot: BotText, db: Database = settings.DB.default) -> None:
    """Take a bot out of a tournament for good."""
    with connect(db) as connection:
        gone = connection.arena.tournaments.withdraw_bot(tournament, bot)
    typer.echo(
        say("cli_tournament.withdrawn", tournament=gone.tournament, bot=bot, version=gone.number, count=gone.matches)
    )
