"""The command `arena tournament withdraw`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.lookup import find_tournament
from arena.cli.shared.options import Database, example
from arena.cli.shared.storage import open_existing_storage
from arena.cli.verbs.tournament.arguments import BotText, TournamentText
from arena.tournament import entering

app = typer.Typer()


@app.command(epilog=example("arena tournament withdraw monday random"))
def withdraw(tournament: TournamentText, bot: BotText, db: Database = settings.DB.default) -> None:
    """Take a bot out for good.

    Its blocks that are not over are void, and it is not paired any more.
    """
    with open_existing_storage(db) as storage:
        found = find_tournament(storage.database, tournament)
        version, void = entering.withdraw(storage.database, found, bot)
    typer.echo(f"{found.name}: {bot} (version {version.number}) is out; {void} matches will not be played")
