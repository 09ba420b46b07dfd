"""The command `arena match annul`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import MatchId
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.results import Why, print_annulled

app = typer.Typer()


@app.command(epilog=example('arena match annul 3f9a01c2 --why "the machine was overloaded"'))
def annul(match: MatchId, why: Why, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Let a match and the others of its block count for nothing."""
    with connect(db) as connection:
        done = connection.arena.annulments.annul_match(match, why)
    print_annulled(done, as_json=as_json)
