"""The command `arena tournament leaks`."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.paging import After, more_command, print_page, rows_wanted
from arena.cli.shared.saying import say
from arena.cli.verbs.tournament.arguments import TournamentText
from arena.model.columns import LEAK_FINDINGS

app = typer.Typer()


@app.command(epilog=example("arena tournament leaks monday", "arena tournament leaks monday --limit 0 --json"))
def leaks(
    tournament: TournamentText,
    limit: Annotated[int, typer.Option("--limit", min=0, metavar="N")] = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show what leak checks found, match by match."""
    with connect(db) as connection:
        page = connection.arena.tournaments.list_leak_checks(tournament, rows_wanted(limit), after)
    more = more_command("tournament", "leaks", tournament, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_page(LEAK_FINDINGS, page.items, more, as_json=as_json, empty=say("cli_tournament.no_leak_checks"))
