"""The command `arena tournament standings`."""

from __future__ import annotations

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.paging import After, more_command, print_page, rows_wanted
from arena.cli.shared.saying import say
from arena.cli.verbs.tournament.arguments import TournamentText
from arena.model.columns import STANDINGS, without_empty

app = typer.Typer()


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
