"""The command `arena tournament withdraw`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import Database, example
from arena.cli.shared.saying import say
from arena.cli.verbs.tournament.arguments import BotText, TournamentText

app = typer.Typer()


@app.command(epilog=example("arena tournament withdraw monday random"))
def withdraw(tournament: TournamentText, bot: BotText, db: Database = settings.DB.default) -> None:
    """Take a bot out for good."""
    with connect(db) as connection:
        gone = connection.arena.tournaments.withdraw_bot(tournament, bot)
    typer.echo(
        say("cli_tournament.withdrawn", tournament=gone.tournament, bot=bot, version=gone.number, count=gone.matches)
    )
