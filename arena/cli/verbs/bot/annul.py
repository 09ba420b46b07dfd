"""The command `arena bot annul`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.results import Why, print_annulled
from arena.cli.verbs.bot.lineage import VersionText

app = typer.Typer()


@app.command(epilog=example('arena bot annul ada/fox@3f9a01c2 --why "it threw its matches away"'))
def annul(version: VersionText, why: Why, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Let everything that a version played count for nothing."""
    with connect(db) as connection:
        done = connection.arena.annulments.annul_version(version, why)
    print_annulled(done, as_json=as_json)
