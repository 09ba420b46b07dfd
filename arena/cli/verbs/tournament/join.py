"""The command `arena tournament join`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.options import Database, example
from arena.cli.shared.request import find_tournament
from arena.cli.shared.storage import find_version, open_existing_storage
from arena.cli.verbs.tournament.arguments import BotText, TournamentText
from arena.hosting.programs import StoredPrograms
from arena.tournament import entering
from ratings.store.database import read

app = typer.Typer()


@app.command(epilog=example("arena tournament join monday random", "arena tournament join monday greedy"))
def join(tournament: TournamentText, bot: BotText, db: Database = settings.DB.default) -> None:
    """Enter a bot late into a Swiss or a ladder.

    That may be done while it runs, or before it is resumed.
    """
    with open_existing_storage(db) as storage:
        with read(storage.database) as session:
            find_version(session, bot)
            found = find_tournament(session, tournament)
        version, wave = entering.join(storage.database, StoredPrograms(storage.store), found, bot)
        text = f"{found.name}: {bot} (version {version.number}) plays from wave {wave + 1} on"
    typer.echo(text)
