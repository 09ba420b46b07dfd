"""The command `arena tournament export`: a whole tournament becomes one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect, need_here
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.progress import LazyProgress
from arena.cli.shared.saying import say
from arena.model.operations import operation_target
from ratings.read.exporting import export_tournament
from ratings.read.tournaments import find_tournament

app = typer.Typer()


@app.command(epilog=example("arena tournament export monday monday.arena"))
def export(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT")],
    target: Annotated[Path, typer.Argument(metavar="FILE")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Write a tournament that is over into one file."""
    with connect(need_here(db)) as connection:
        assert connection.storage is not None
        found_id = operation_target(connection.arena.tournaments.get_progress(tournament))
        found = find_tournament(connection.storage.database, found_id)
        shown = LazyProgress()
        digest = export_tournament(connection.storage.database, found, target, shown.update)
        shown.end()
    if as_json:
        print_json({"tournament": found.id, "name": found.name, "file": str(target), "digest": digest})
        return
    typer.echo(say("cli_tournament.exported", name=found.name, file=target))
    typer.echo(say("cli_tournament.digest", digest=digest))
    typer.echo(say("cli_tournament.import_reads", file=target))
