"""The command `arena tournament export`: a whole tournament becomes one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.lookup import find_tournament
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.storage import open_existing_storage
from ratings.read.exporting import export_tournament

app = typer.Typer()


@app.command(epilog=example("arena tournament export monday monday.arena"))
def export(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT", help="Its name, or its id.")],
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The new file; it must not exist yet.")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Write a tournament that is over into one file.

    Matches, replays, faults and ratings; the programs of the bots are not part of it.
    """
    with open_existing_storage(db) as storage:
        found = find_tournament(storage.database, tournament)
        digest = export_tournament(storage.database, found, target)
    if as_json:
        print_json({"tournament": found.id, "name": found.name, "file": str(target), "digest": digest})
        return
    typer.echo(f"tournament {found.name} written to {target}")
    typer.echo(f"digest {digest}")
    typer.echo(f"`arena tournament import {target} --db OTHER.db` reads it; --digest there makes sure it is this one")
