"""The command `arena tournament join`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import Database, example
from arena.cli.shared.saying import say
from arena.cli.verbs.tournament.arguments import BotText, TournamentText

app = typer.Typer()


@app.command(epilog=example("arena tournament join monday random", "arena tournament join monday greedy"))
def join(tournament: TournamentText, bot: BotText, db: Database = settings.DB.default) -> None:
    """Enter a bot late into a Swiss or a ladder."""
    with connect(db) as connection:
        joined = connection.arena.tournaments.join_tournament(tournament, bot)
    typer.echo(
        say("cli_tournament.joins", tournament=joined.tournament, bot=bot, version=joined.number, wave=joined.wave + 1)
    )
