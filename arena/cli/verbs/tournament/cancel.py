"""The command `arena tournament cancel`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import Database, example
from arena.cli.shared.saying import say
from arena.cli.verbs.tournament.arguments import TournamentText

app = typer.Typer()


@app.command(epilog=example("arena tournament cancel monday"))
def cancel(tournament: TournamentText, db: Database = settings.DB.default) -> None:
    """Give up what is not played yet; the results so far stay."""
    with connect(db) as connection:
        done = connection.arena.tournaments.cancel_tournament(tournament)
    typer.echo(
        f"{done.tournament}: "
        + (say("cli_tournament.not_played", count=done.matches) if done.matches else say("cli_tournament.over_already"))
    )
