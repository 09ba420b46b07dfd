"""The command `arena tournament resume`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.hosting import HostingArguments, LeakChecks, WarmMemory
from arena.cli.shared.options import AsJson, Database, example, with_options
from arena.cli.shared.play import play
from arena.cli.shared.results import print_end
from arena.cli.verbs.tournament.arguments import TournamentText
from arena.model.operations import operation_target

app = typer.Typer()


@app.command(epilog=example("arena tournament resume monday", "arena tournament resume monday --executor ray"))
@with_options
def resume(
    tournament: TournamentText,
    hosting: HostingArguments,
    leak_checks: LeakChecks = settings.LEAK_CHECKS.default,
    warm_memory: WarmMemory = settings.WARM_MEMORY.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Go on with a tournament that was stopped, at whatever point."""
    wanted = hosting.read(leak_checks=leak_checks, warm_memory=warm_memory)
    with connect(db) as connection:
        found = operation_target(connection.arena.tournaments.get_progress(tournament))
        print_end(connection, play(connection, found, wanted), as_json=as_json)
