"""The command `arena tournament cancel`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.lookup import find_tournament
from arena.cli.shared.options import Database, example
from arena.cli.shared.storage import open_existing_storage
from arena.cli.verbs.tournament.arguments import TournamentText
from ratings.ledger.ledger import Ledger

app = typer.Typer()


@app.command(epilog=example("arena tournament cancel monday"))
def cancel(tournament: TournamentText, db: Database = settings.DB.default) -> None:
    """Give up what is not played yet; the results so far stay."""
    with open_existing_storage(db) as storage:
        found = find_tournament(storage.database, tournament)
        cancelled = Ledger(storage.database).cancel(found.id)
    typer.echo(f"{found.name}: " + (f"{cancelled} matches will not be played" if cancelled else "over already"))
