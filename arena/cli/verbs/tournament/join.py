"""The command `arena tournament join`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.lookup import find_tournament, find_version
from arena.cli.shared.options import Database, example
from arena.cli.shared.storage import open_existing_storage
from arena.cli.verbs.tournament.arguments import BotText, TournamentText
from arena.tournament import entering

app = typer.Typer()


@app.command(epilog=example("arena tournament join monday random", "arena tournament join monday greedy"))
def join(tournament: TournamentText, bot: BotText, db: Database = settings.DB.default) -> None:
    """Enter a bot late into a Swiss or a ladder.

    That may be done while it runs, or before it is resumed.
    """
    with open_existing_storage(db) as storage:
        find_version(storage.database, bot)
        found = find_tournament(storage.database, tournament)
        version, wave = entering.join(storage.database, storage.programs, found, bot)
    typer.echo(f"{found.name}: {bot} (version {version.number}) plays from wave {wave + 1} on")
